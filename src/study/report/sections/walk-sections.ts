import { escapeHtml } from '../../../backtest/value-text.ts';
import { listOf } from '../../../backtest/header-sections.ts';
import { tableSection } from '../../../backtest/html-page.ts';
import type { Currency } from '../../../domain/market-symbol.ts';
import type { StudyVoice } from '../../study-voice.ts';
import type { WalkForwardResult } from '../../walk-forward-result.ts';
import { accountTexts, driftTexts, textRows, windowTexts, type WalkColumn } from '../../study-texts.ts';
import type { ReportedStudy } from '../../validated-study.ts';

/** The walk-forward: its account with its windows, each window, and how params moved. */
export function walkSections(
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
