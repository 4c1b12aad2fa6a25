import { escapeHtml } from '../../../backtest/value-text.ts';
import { tableSection } from '../../../backtest/table-section.ts';
import { shownFigures } from '../../figure-kind.ts';
import { rankedTrials, type ShownTrial, type StudyResult } from '../../study-result.ts';
import type { StudyVoice } from '../../study-voice.ts';
import { FAILURE_KINDS } from '../../objectives.ts';

/** Rows of the table; trials.parquet has all. */
const MOST_ROWS = 50;
export const TRIALS_FILE = 'trials.parquet';

/** The best trials, with their figures and params. Of several objectives these are the front. */
export function bestTrialsSection(study: StudyResult, voice: StudyVoice): string {
  const ranked = rankedTrials(study);
  if (ranked.length === 0) return '';
  const { say, count, metric, foreign } = voice;
  const shown = ranked.slice(0, MOST_ROWS);
  const figures = shownFigures(study.objectives.map((objective) => objective.metric));
  const names = [...new Set(shown.flatMap(({ params }) => Object.keys(params)))];
  const titles = [say('best.trial'), ...figures.map(metric), ...names.map(foreign), ''].map(
    (title) => `<th scope="col">${escapeHtml(title)}</th>`,
  );
  const isFront = study.front.length > 0;
  const all = count(ranked.length);
  const note =
    shown.length < ranked.length
      ? say(isFront ? 'best.someOfFront' : 'best.some', {
          shown: count(shown.length),
          all,
          file: TRIALS_FILE,
        })
      : say(isFront ? 'best.front' : 'best.all', { all });
  return `<section id="best"><h2>${say('best.title')}</h2><p class="muted">${escapeHtml(note)}</p>
<div class="scroll tall" tabindex="0" role="region" aria-label="${say('best.title')}"><table><thead><tr>${titles.join('')}</tr></thead><tbody>${shown
    .map((trial) => rowOf(trial, { figures, names }, voice))
    .join('')}</tbody></table></div></section>`;
}

function rowOf(
  { number, params, metrics, violation }: ShownTrial,
  { figures, names }: { readonly figures: readonly string[]; readonly names: readonly string[] },
  { say, digits, figure, param }: StudyVoice,
): string {
  const cells = [
    digits(String(number)),
    ...figures.map((name) => figure(name, metrics)),
    ...names.map((name) => param(params[name])),
    (violation ?? 0) > 0 ? say('best.broken') : '',
  ];
  return `<tr data-trial="${number}" tabindex="0">${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
}

/** Reasons that are told apart of each kind. */
const MOST_REASONS = 10;

/** Returns the reasons trials have no values, by kind; nothing if all have values. */
export function failuresSection({ trials, counts }: StudyResult, voice: StudyVoice): string {
  const { say, count, digits, said } = voice;
  const rows = FAILURE_KINDS.flatMap((kind) => {
    const reasons = [...reasonsOf(trials.filter(({ failure }) => failure === kind))];
    const words = [say(`failure.${kind}`), say(`meaning.${kind}`)];
    const left = reasons.slice(MOST_REASONS).reduce((sum, [, found]) => sum + found.count, 0);
    return [
      ...reasons
        .slice(0, MOST_REASONS)
        .map(([reason, found]) => [
          ...words,
          digits(String(found.count)),
          digits(String(found.first)),
          said(reason),
        ]),
      ...(left === 0 ? [] : [[...words, digits(String(left)), '', say('failures.others')]]),
    ];
  });
  if (rows.length === 0) return '';
  return tableSection({
    id: 'failures',
    title: say('failures.title'),
    note: say('failures.note', { failed: count(counts.done - counts.complete), done: count(counts.done) }),
    titles: [
      say('failures.kind'),
      say('failures.meaning'),
      say('failures.trials'),
      say('failures.first'),
      say('failures.reason'),
    ],
    rows,
  });
}

/** Reasons, the most frequent first, with the first trial of each. */
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
