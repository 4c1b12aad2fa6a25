import { DAY_MS } from '../domain/time-text.ts';
import { htmlPage, tableSection } from '../backtest/html-page.ts';
import { escapeHtml } from '../backtest/value-text.ts';
import type { Language } from '../language/locale.ts';
import { studyVoice, type StudyVoice } from './study-voice.ts';
import type { ReportedStudy } from './validated-study.ts';
import {
  askedSection,
  holdoutSection,
  luckSection,
  studyHeader,
  stressSection,
  studyTiles,
  verdictSection,
} from './report/sections/verdict-sections.ts';
import { chartSections, bestTrialsSection, failuresSection } from './report/sections/trial-sections.ts';
import { studyReportData } from './report/study-report-data.ts';
import { listOf } from '../backtest/header-sections.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { WalkForwardResult } from './walk-forward-result.ts';
import { accountTexts, driftTexts, textRows, windowTexts, type WalkColumn } from './study-texts.ts';

/**
 * A study as one HTML file: the verdict, how much is luck, the trials and what was asked, with its data and
 * its script inside. It stays below three megabytes: of more than 2,000 trials it shows a sample, and says
 * so.
 */
export function studyHtml(reported: ReportedStudy, language: Language = 'en'): string {
  const { study, createdAtMs } = reported;
  const voice = studyVoice(language);
  const data = studyReportData(reported, voice);
  return htmlPage({
    language,
    title: voice.t('title', { name: study.study }),
    header: studyHeader(study, voice),
    main: [
      verdictSection(study, voice),
      studyTiles(study, voice),
      luckSection(study, voice),
      stressSection(study, voice),
      bestTrialsSection(study, voice),
      ...chartSections(data, voice),
      ...walkSections(reported, voice),
      holdoutSection(study, voice),
      failuresSection(study, voice),
      askedSection(reported, voice),
    ],
    footer: escapeHtml(
      voice.t('footer', {
        day: voice.day(Math.floor(createdAtMs / DAY_MS)),
        studies: 'docs/studies.md',
        metrics: 'docs/metrics.md',
      }),
    ),
    data,
    styles: ['palette.css', 'report.css', 'study.css'],
    script: 'study',
  });
}

/** The walk-forward: its account with its windows, each window, and how params moved. */
function walkSections(
  { walk, quote }: Pick<ReportedStudy, 'walk' | 'quote'>,
  voice: StudyVoice,
): readonly string[] {
  if (walk === null) return [];
  const { t } = voice;
  if (walk.kind === 'unknown')
    return [
      `<section id="walk" class="warnings"><h2>${t('walk.title')}</h2><p>${escapeHtml(t('walk.unknown', { reason: walk.reason }))}</p></section>`,
    ];
  return [
    accountSection(walk.result, quote, voice),
    againstSection(voice),
    windowsSection(walk.result, voice),
    driftSection(walk.result, voice),
  ];
}

function accountSection(result: WalkForwardResult, quote: Currency, voice: StudyVoice): string {
  const { plan, windows, notes, hash } = result;
  const { t, format, count } = voice;
  const rows = accountTexts(result, voice, quote).map(
    ([name, text]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd></div>`,
  );
  const what = t('walk.note', {
    windows: count(windows.length),
    kind: t(`plan.${plan.kind}`),
    choice: t(`choice.${plan.choose}`),
  });
  const toKnow = [...notes.map(format), t('walk.hash', { hash })];
  return `<section id="walk"><h2>${t('walk.account')}</h2><p class="muted chart-note">${escapeHtml(what)}</p>
<div id="equity"></div><dl class="account">${rows.join('')}</dl><h3>${t('toKnow')}</h3>${listOf(toKnow)}</section>`;
}

function againstSection({ t }: StudyVoice): string {
  return `<section id="against"><div class="bar"><h2>${t('against.title')}</h2>
<span><select id="walk-figure" aria-label="${t('against.figure')}"></select></span></div>
<p class="muted chart-note">${t('against.note')}</p><div id="in-out" class="pictures"></div></section>`;
}

function windowsSection(result: WalkForwardResult, voice: StudyVoice): string {
  const columns = windowTexts(result, voice);
  return tableSection({
    id: 'windows',
    title: voice.t('windows.title'),
    note: voice.t('windows.note'),
    titles: titlesOf(columns),
    rows: textRows(columns),
  });
}

function driftSection(result: WalkForwardResult, voice: StudyVoice): string {
  const { t, list, param } = voice;
  const values = result.drift.map((drift) =>
    list(drift.values.map((value) => (value === null ? t('drift.none') : param(value)))),
  );
  const columns = [...driftTexts(result, voice), { title: t('drift.values'), isWord: true, cells: values }];
  return tableSection({
    id: 'drift',
    title: t('drift.title'),
    note: t('drift.note'),
    titles: titlesOf(columns),
    rows: textRows(columns),
  });
}

const titlesOf = (columns: readonly WalkColumn[]): readonly string[] =>
  columns.map(({ title }) => escapeHtml(title));
