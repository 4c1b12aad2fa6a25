import { listOf, tableSection } from '../../../backtest/html-page.ts';
import { capitalized, escapeHtml } from '../../../backtest/value-text.ts';
import { type StudyResult, readHoldoutReport, type HoldoutReport, trialCount } from '../../study-result.ts';
import type { ValidatedStudy, ReportedStudy } from '../../validated-study.ts';
import { stressTexts, sampleFinding, statisticTexts, type StatisticText } from '../../study-texts.ts';
import { finding } from '../../english-study.ts';
import type { StudyVoice } from '../../study-voice.ts';
import type { StudyVerdict } from '../../validation/verdict.ts';
import { stringify } from 'yaml';
import type { SignalSet } from '../../data-set.ts';

/** Writes the title of a report and the switch of its theme. */
export function studyHeader(study: StudyResult, voice: StudyVoice): string {
  const { t, minute, list, foreign } = voice;
  const { range, strategy, markets, timeframe, fidelity } = study;
  // Only the last part of a path; the settings show all of it.
  const what = t('header', {
    strategy: strategy.split(/[/\\]/).at(-1) ?? strategy,
    markets: list(markets.map(foreign)),
    data:
      fidelity === 'poll'
        ? t('header.books')
        : t('header.candles', { timeframe: voice.timeframe(timeframe) }),
    from: minute(range.fromMs),
    to: minute(range.splitMs),
  });
  return `<header><div><h1>${escapeHtml(foreign(study.study))}</h1><p class="muted">${escapeHtml(what)}</p></div>
<button type="button" id="theme">${t('theme')}</button></header>`;
}

/** Writes the verdict on luck, stability and untested points, which comes before any number. */
export function verdictSection({ validation, notes }: ValidatedStudy, voice: StudyVoice): string {
  const { t, format, digits } = voice;
  const toKnow = listOf(notes.map(format));
  if (validation === null)
    return `<section id="verdict" class="verdict"><h2>${t('verdict')}</h2><p>${t('verdict.none')}</p>${toKnow}</section>`;
  const { verdict: outcome, basis } = validation;
  const { luck, stable, stress, notTested } = outcome;
  const sample = sampleFinding(basis);
  const reasons = [...luck.reasons, ...(sample === null ? [] : [sample])];
  const title = t('verdict.of', { trial: digits(String(basis.trial)) });
  return `<section id="verdict" class="verdict"><h2>${title}</h2>
<div class="judged"><div><h3>${t('verdict.luck')}</h3>${word(luck.kind, t(`luck.${luck.kind}`), ' id="luck-word"')}${listOf(reasons.map(format))}</div>
<div><h3>${t('verdict.stable')}</h3>${word(stable.kind, t(`stable.${stable.kind}`), ' id="stable-word"')}${listOf([capitalized(format(stable.reason))])}</div>
<div><h3>${t('verdict.stress')}</h3>${word(stress.kind, t(`stress.${stress.kind}`))}${listOf(stress.reasons.map(format))}</div>
<div><h3>${t('verdict.untested')}</h3>${listOf(notTested.map((what) => capitalized(format(what))))}</div></div>
<h3>${t('toKnow')}</h3>${toKnow}</section>`;
}

type Word = StudyVerdict['luck' | 'stable' | 'stress']['kind'];

const TONES: Readonly<Record<Word, string>> = {
  'likely luck': 'loss',
  'perhaps luck': 'doubt',
  'unlikely luck': 'gain',
  'not tested': 'doubt',
  plateau: 'gain',
  peak: 'loss',
  holds: 'gain',
  breaks: 'loss',
};

const word = (kind: Word, text: string, id = ''): string =>
  `<p class="word ${TONES[kind]}"${id}>${capitalized(text)}</p>`;

/** Writes the tiles with the main figures of a study. */
export function studyTiles(study: ValidatedStudy, voice: StudyVoice): string {
  const { t, format, count, digits, metric: nameIn, figure, minute } = voice;
  const { best, objectives, counts, wanted, trialsOnData, holdout, range, sampler } = study;
  const hasHoldout = range.splitMs < range.toMs;
  const tiles = [
    ...objectives.map(({ metric, direction }) =>
      studyTile({
        title: t(`tile.${direction}d`, { metric: nameIn(metric) }),
        text: figure(metric, best?.metrics ?? null),
        below:
          best === null ? t('tile.noValues') : t('tile.inSample', { trial: digits(String(best.number)) }),
      }),
    ),
    studyTile({
      title: t('tile.trials'),
      text: t('tile.done', { done: count(counts.done), wanted: count(wanted) }),
      below: t('tile.failed', {
        failed: count(counts.done - counts.complete),
        broken: count(counts.infeasible),
      }),
    }),
    studyTile({
      title: t('tile.onData'),
      text: count(trialsOnData.trials),
      below: t('tile.studies', {
        studies: format(finding('count.studies', { count: trialsOnData.studies })),
      }),
    }),
    studyTile({
      title: t('tile.sampler'),
      text: voice.foreign(sampler.kind),
      below: t('tile.seed', { seed: digits(String(sampler.seed)) }),
    }),
    studyTile({
      title: t('tile.holdout'),
      text: t(hasHoldout ? (holdout === null ? 'tile.closed' : 'tile.opened') : 'tile.none'),
      below: hasHoldout ? t('tile.from', { time: minute(range.splitMs) }) : t('tile.allSeen'),
    }),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

const studyTile = ({ title, text, below }: Record<'title' | 'text' | 'below', string>): string =>
  `<div class="tile"><h3>${escapeHtml(title)}</h3><b>${escapeHtml(text)}</b><small>${escapeHtml(below)}</small></div>`;

/** Writes the table of all luck statistics, each with its formula and source. */
export function luckSection({ validation }: ValidatedStudy, voice: StudyVoice): string {
  if (validation === null) return '';
  const { t, format, digits } = voice;
  const { basis } = validation;
  const note = t('luck.note', {
    days: format(finding('count.days', { count: basis.days })),
    trial: digits(String(basis.trial)),
    trials: format(finding('count.trials', { count: basis.sampled })),
    page: 'docs/statistics.md',
  });
  const rows = statisticTexts(validation, voice).map((one) => statisticRow(one, voice));
  return `<section id="luck"><h2>${t('luck.title')}</h2>
<p class="muted">${escapeHtml(note)}</p>
${rows.join('\n')}</section>`;
}

/** Writes the results with doubled costs and with trades in other orders; empty if they were not run. */
export function stressSection({ validation }: ValidatedStudy, voice: StudyVoice): string {
  const findings = validation?.stress ?? null;
  if (findings === null) return '';
  const { t, digits } = voice;
  const rows = stressTexts(findings, voice).map(({ title, figure, missing }) => {
    const text = figure ?? t('notTestedWhy', { why: missing ?? '' });
    return `<div><dt>${escapeHtml(capitalized(title))}</dt><dd>${escapeHtml(text)}</dd></div>`;
  });
  const title = t('conditions.title', { trial: digits(String(findings.trial)) });
  return `<section id="stress"><h2>${title}</h2><dl class="rules">${rows.join('')}</dl></section>`;
}

/** Writes the row of a statistic. Formula and source are the same as in the docs. */
function statisticRow(of: StatisticText, { t }: StudyVoice): string {
  const { name, title, figure, missing, what, formula, source } = of;
  const found = figure === null ? `<b class="muted">${t('notTested')}</b>` : `<b>${escapeHtml(figure)}</b>`;
  const why = missing === null ? '' : `<p>${escapeHtml(missing)}</p>`;
  return `<div class="statistic" data-statistic="${name}"><div><h3>${escapeHtml(capitalized(title))}</h3>
<p>${escapeHtml(capitalized(what))}.</p>${why}<p class="muted"><code>${escapeHtml(formula)}</code><br><cite>${escapeHtml(source)}</cite></p></div>${found}</div>`;
}

/** Maximum number of characters of YAML that the page shows of the settings. */
const MOST_SETTINGS = 100_000;

/** Metrics that are compared besides the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** Writes the results of the best params on the hold-out; empty if it is not opened. */
export function holdoutSection(study: StudyResult, voice: StudyVoice): string {
  const { holdout, trials, objectives, range } = study;
  if (holdout === null) return '';
  const { t, format, digits, minute, metric: nameIn, figure } = voice;
  const { openedAtMs, afterTrials, trial: number } = holdout;
  const report = readHoldoutReport(holdout.report, range);
  const when = t('holdout.note', {
    trial: digits(String(number)),
    from: minute(range.splitMs),
    to: minute(range.toMs),
    time: minute(openedAtMs),
    trials: format(trialCount(afterTrials)),
  });
  const trial = trials.find((one) => one.number === number) ?? null;
  const found = report?.kind === 'ran' ? report.metrics : null;
  const names = [...new Set([...objectives.map(({ metric }) => metric), ...FIGURES])];
  return tableSection({
    id: 'holdout',
    title: t('holdout.title'),
    note: `${when}${whyMissing(report, voice)}`,
    titles: [t('holdout.figure'), t('holdout.inTrials'), t('holdout.inHoldout')],
    rows: names.map((name) => [nameIn(name), figure(name, trial?.metrics ?? null), figure(name, found)]),
  });
}

/** Returns the reason there are no hold-out figures, after a blank; empty if there are figures. */
function whyMissing(report: HoldoutReport | null, { t }: StudyVoice): string {
  if (report === null) return ` ${t('holdout.notRun', { command: 'sarraf study open-holdout' })}`;
  return report.kind === 'ran' ? '' : ` ${t('holdout.failed', { reason: report.reason })}`;
}

/** Writes the description of the study: its settings, and the identifiers of its data and code. */
export function askedSection({ study, identity, written }: ReportedStudy, voice: StudyVoice): string {
  const { t } = voice;
  const known = [
    [t('asked.study'), identity.id],
    [t('asked.hash'), study.hash],
    [t('asked.code'), identity.code],
    [t('asked.version'), identity.engine],
    ...study.data.map((set) => [dataText(set, voice), set.sha256]),
    ...(study.signals === null ? [] : [[signalsText(study.signals, voice), study.signals.sha256]]),
    [t('asked.file'), study.file],
  ].map(([name = '', value = '']) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`);
  const text = stringify(written);
  const shown =
    text.length <= MOST_SETTINGS ? text : `${text.slice(0, MOST_SETTINGS)}\n# ... the rest is in the study`;
  return `<section id="asked"><h2>${t('asked.title')}</h2><dl class="rules hashes">${known.join('')}</dl>
<h3>${t('asked.settings')}</h3><pre>${escapeHtml(shown)}</pre></section>`;
}

function dataText(set: StudyResult['data'][number], { t, count, minute, timeframe }: StudyVoice): string {
  const { market, kind, bars, firstMs, lastMs } = set;
  const of = { rows: count(bars), market, from: minute(firstMs), to: minute(lastMs) };
  return set.timeframe === null
    ? t('asked.data', { ...of, kind: t(`data.${kind}`) })
    : t('asked.candles', { ...of, timeframe: timeframe(set.timeframe) });
}

function signalsText(set: SignalSet, { t, minute }: StudyVoice): string {
  const { count, firstMs, lastMs } = set;
  return count === 0
    ? t('asked.noSignals')
    : t('asked.signals', { count, from: minute(firstMs), to: minute(lastMs) });
}
