import { escapeHtml } from '../../../backtest/value-text.ts';
import { tableSection } from '../../../backtest/html-page.ts';
import { shownFigures, FAILURE_KINDS } from '../../objectives.ts';
import { rankedTrials, type ShownTrial, type StudyResult } from '../../study-result.ts';
import type { StudyVoice } from '../../study-voice.ts';
import type { StudyReportData } from '../../../page/study-data.ts';

/** Maximum number of rows of the table; trials.parquet has all trials. */
const MOST_ROWS = 50;
const TRIALS_FILE = 'trials.parquet';

/** Writes the table of the best trials with metrics and params; with several objectives, of the front. */
export function bestTrialsSection(study: StudyResult, voice: StudyVoice): string {
  const ranked = rankedTrials(study);
  if (ranked.length === 0) return '';
  const { t, count, metric, foreign } = voice;
  const shown = ranked.slice(0, MOST_ROWS);
  const figures = shownFigures(study.objectives.map((objective) => objective.metric));
  const names = [...new Set(shown.flatMap(({ params }) => Object.keys(params)))];
  const titles = [t('best.trial'), ...figures.map(metric), ...names.map(foreign), ''].map(
    (title) => `<th scope="col">${escapeHtml(title)}</th>`,
  );
  const isFront = study.front.length > 0;
  const all = count(ranked.length);
  const note =
    shown.length < ranked.length
      ? t(isFront ? 'best.someOfFront' : 'best.some', {
          shown: count(shown.length),
          all,
          file: TRIALS_FILE,
        })
      : t(isFront ? 'best.front' : 'best.all', { all });
  return `<section id="best"><h2>${t('best.title')}</h2><p class="muted">${escapeHtml(note)}</p>
<div class="scroll tall" tabindex="0" role="region" aria-label="${t('best.title')}"><table><thead><tr>${titles.join('')}</tr></thead><tbody>${shown
    .map((trial) => rowOf(trial, { figures, names }, voice))
    .join('')}</tbody></table></div></section>`;
}

function rowOf(
  { number, params, metrics, violation }: ShownTrial,
  { figures, names }: { readonly figures: readonly string[]; readonly names: readonly string[] },
  { t, digits, figure, param }: StudyVoice,
): string {
  const cells = [
    digits(String(number)),
    ...figures.map((name) => figure(name, metrics)),
    ...names.map((name) => param(params[name])),
    (violation ?? 0) > 0 ? t('best.broken') : '',
  ];
  return `<tr data-trial="${number}" tabindex="0">${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
}

/** Maximum number of reasons that are listed for one kind of failure. */
const MOST_REASONS = 10;

/** Writes the section of failure reasons, by kind; empty if no trial failed. */
export function failuresSection({ trials, counts }: StudyResult, voice: StudyVoice): string {
  const { t, count, digits, words: sentenceText } = voice;
  const rows = FAILURE_KINDS.flatMap((kind) => {
    const reasons = [...reasonsOf(trials.filter(({ failure }) => failure === kind))];
    const words = [t(`failure.${kind}`), t(`meaning.${kind}`)];
    const left = reasons.slice(MOST_REASONS).reduce((sum, [, found]) => sum + found.count, 0);
    return [
      ...reasons
        .slice(0, MOST_REASONS)
        .map(([reason, found]) => [
          ...words,
          digits(String(found.count)),
          digits(String(found.first)),
          sentenceText(reason),
        ]),
      ...(left === 0 ? [] : [[...words, digits(String(left)), '', t('failures.others')]]),
    ];
  });
  if (rows.length === 0) return '';
  return tableSection({
    id: 'failures',
    title: t('failures.title'),
    note: t('failures.note', { failed: count(counts.done - counts.complete), done: count(counts.done) }),
    titles: [
      t('failures.kind'),
      t('failures.meaning'),
      t('failures.trials'),
      t('failures.first'),
      t('failures.reason'),
    ],
    rows,
  });
}

/** Counts the reasons, the most frequent first, with the first trial of each. */
function reasonsOf(
  failed: readonly ShownTrial[],
): readonly (readonly [string, { readonly count: number; readonly first: number }])[] {
  const reasons = new Map<string, { count: number; first: number }>();
  for (const { reason, number } of failed) {
    const known = reasons.get(reason ?? '');
    if (known === undefined) reasons.set(reason ?? '', { count: 1, first: number });
    else known.count += 1;
  }
  return [...reasons].toSorted(([, left], [, right]) => right.count - left.count);
}

/** Writes the empty containers of the charts; the page's script draws into them. */
export function chartSections(data: StudyReportData, voice: StudyVoice): readonly string[] {
  if (data.best === null) return [];
  const objectives = data.figures.filter(({ direction }) => direction !== null).length;
  return [
    ...(objectives > 1 ? [paretoSection(data, voice)] : []),
    slicesSection(data, voice),
    ...(data.parameters.length > 1 ? [heatSection(data, voice), parallelSection(voice)] : []),
  ];
}

/** Returns a note, after a blank, that the charts show a sample; empty if they show all trials. */
function sampleNote({ all, trials }: StudyReportData, { t, count }: StudyVoice): string {
  const shown = trials.number.length;
  if (shown === all) return '';
  const drawn = trials.isDrawn.reduce<number>((sum, flag) => sum + flag, 0);
  const of = { all: count(all), shown: count(shown), drawn: count(drawn), file: TRIALS_FILE };
  return ` ${t('charts.sample', of)}`;
}

type Key = 'best' | 'near' | 'plateau' | 'other' | 'broken' | 'failed' | 'chosen' | 'front';

/** Writes the legend of a chart's colours. */
function keysOf(
  keys: readonly Key[],
  { t }: StudyVoice,
  best: 'key.best' | 'key.bestByFirst' = 'key.best',
): string {
  return keys
    .map((key) => `<span class="key-${key}">${t(key === 'best' ? best : `key.${key}`)}</span>`)
    .join('');
}

function slicesSection(data: StudyReportData, voice: StudyVoice): string {
  const { t } = voice;
  const { trials, plateau } = data;
  const has = (state: number): boolean => trials.state.some((one) => one === state);
  const keys: readonly Key[] = [
    'best',
    ...(plateau === null ? [] : (['near', 'plateau'] as const)),
    'other',
    ...(has(1) ? (['broken'] as const) : []),
    ...(has(2) ? (['failed'] as const) : []),
    'chosen',
  ];
  const noScript = t('charts.noScript', { file: TRIALS_FILE });
  return `<section id="slice-section"><div class="bar"><h2>${t('slices.title')}</h2>
<span><select id="figure" aria-label="${t('slices.figure')}"></select></span></div><div class="keys">${keysOf(keys, voice)}</div>
<p class="muted chart-note">${t('slices.note')}${sampleNote(data, voice)}</p><div id="slices" class="pictures"></div><noscript>${noScript}</noscript></section>`;
}

function paretoSection(data: StudyReportData, voice: StudyVoice): string {
  const { t } = voice;
  const objectives = data.figures.filter(({ direction }) => direction !== null).length;
  const choice =
    objectives > 2
      ? `<span><select id="pareto-across" aria-label="${t('pareto.across')}"></select><select id="pareto-up" aria-label="${t('pareto.up')}"></select></span>`
      : '';
  const keys: readonly Key[] = [
    'best',
    'front',
    'other',
    ...(data.trials.state.includes(1) ? (['broken'] as const) : []),
  ];
  return `<section id="pareto-section"><div class="bar"><h2>${t('pareto.title')}</h2>${choice}</div>
<div class="keys">${keysOf(keys, voice, 'key.bestByFirst')}</div>
<p class="muted chart-note">${t('pareto.note')}${sampleNote(data, voice)}</p><div id="pareto" class="pictures"></div></section>`;
}

function heatSection({ trials }: StudyReportData, { t }: StudyVoice): string {
  const isSample = trials.isDrawn.includes(0);
  const note = t(isSample ? 'heat.noteOfSample' : 'heat.note');
  return `<section id="heat-section"><div class="bar"><h2>${t('heat.title')} <b class="of-figure"></b></h2>
<span><select id="heat-across" aria-label="${t('heat.across')}"></select><select id="heat-up" aria-label="${t('heat.up')}"></select></span></div>
<p class="muted chart-note">${note}</p><div id="heat" class="pictures"></div></section>`;
}

function parallelSection({ t }: StudyVoice): string {
  return `<section id="parallel-section"><h2>${t('parallel.title')} <b class="of-figure"></b></h2>
<p class="muted chart-note">${t('parallel.note')}</p><div id="parallel" class="scroll" tabindex="0" role="region" aria-label="${t('parallel.label')}"></div></section>`;
}
