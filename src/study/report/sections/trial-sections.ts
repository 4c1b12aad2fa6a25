import { escapeHtml } from '../../../backtest/report/value-text.ts';
import { tableSection } from '../../../backtest/report/sections/table-section.ts';
import { groupedText } from '../../../domain/money-text.ts';
import { figureText, paramText, shownFigures } from '../../figure-text.ts';
import { rankedTrials } from '../../ranked-trials.ts';
import type { ShownTrial, StudyResult } from '../../study-result.ts';
import type { FailureKind } from '../../trials/trial-report.ts';

/** Rows of the table; trials.parquet has all. */
const MOST_ROWS = 50;

/** The best trials, with their figures and params. Of several objectives these are the front. */
export function bestTrialsSection(study: StudyResult): string {
  const ranked = rankedTrials(study);
  if (ranked.length === 0) return '';
  const shown = ranked.slice(0, MOST_ROWS);
  const isFront = study.front.length > 0;
  const figures = shownFigures(study.objectives.map(({ metric }) => metric));
  const names = [...new Set(shown.flatMap(({ params }) => Object.keys(params)))];
  const titles = ['trial', ...figures, ...names, ''].map(
    (title) => `<th scope="col">${escapeHtml(title)}</th>`,
  );
  const what = isFront ? 'trials that no other one is better than in every objective' : 'trials with values';
  const count =
    shown.length < ranked.length
      ? `The ${shown.length} best of ${groupedText(String(ranked.length))} ${what}; trials.parquet has all.`
      : `All ${groupedText(String(ranked.length))} ${what}.`;
  return `<section id="best"><h2>Best trials</h2><p class="muted">${count} A row marks its trial in every chart.</p>
<div class="scroll tall" tabindex="0" role="region" aria-label="Best trials"><table><thead><tr>${titles.join('')}</tr></thead><tbody>${shown
    .map((trial) => rowOf(trial, figures, names))
    .join('')}</tbody></table></div></section>`;
}

function rowOf(trial: ShownTrial, figures: readonly string[], names: readonly string[]): string {
  const { number, params, metrics, violation } = trial;
  const cells = [
    String(number),
    ...figures.map((name) => figureText(name, metrics)),
    ...names.map((name) => paramText(params[name])),
    (violation ?? 0) > 0 ? 'breaks constraints' : '',
  ];
  return `<tr data-trial="${number}" tabindex="0">${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
}

const MEANINGS: Readonly<Record<FailureKind, string>> = {
  refused: 'the strategy refuses these params',
  stopped: 'the strategy threw on the way, and stopped',
  threw: 'the run itself could not be made',
  'no value': 'an objective has no value',
  died: 'the thread that ran it ended, twice',
  'too long': 'it did not end in time',
};

/** Reasons that are told apart of each kind. */
const MOST_REASONS = 10;

/** Why trials have no values, by kind; nothing where all have. */
export function failuresSection({ trials, counts }: StudyResult): string {
  const kinds = Object.entries(MEANINGS).flatMap(([kind, meaning]) => {
    const failed = trials.filter(({ failure }) => failure === kind);
    return failed.length === 0 ? [] : [{ kind, meaning, failed }];
  });
  if (kinds.length === 0) return '';
  const rows = kinds.flatMap(({ kind, meaning, failed }) => {
    const reasons = [...reasonsOf(failed)];
    const left = reasons.slice(MOST_REASONS).reduce((sum, [, { count }]) => sum + count, 0);
    return [
      ...reasons
        .slice(0, MOST_REASONS)
        .map(([reason, { count, first }]) => [kind, meaning, String(count), String(first), reason]),
      ...(left === 0 ? [] : [[kind, meaning, String(left), '', 'other reasons']]),
    ];
  });
  const failed = counts.done - counts.complete;
  return tableSection({
    id: 'failures',
    title: 'Failed trials',
    note: `${groupedText(String(failed))} of ${groupedText(String(counts.done))} trials have no values.`,
    titles: ['Kind', 'Meaning', 'Trials', 'First', 'Reason'],
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
