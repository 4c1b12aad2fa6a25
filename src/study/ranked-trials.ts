import type { ShownTrial, StudyResult } from './study-result.ts';

/** Those that hold all constraints first, then by the first objective; of several objectives the front. */
export function rankedTrials({
  trials,
  front,
  objectives,
}: Pick<StudyResult, 'trials' | 'front' | 'objectives'>): readonly ShownTrial[] {
  const [first] = objectives;
  const loss = ({ values }: ShownTrial): number => {
    const value = values[0] ?? Infinity;
    return first?.direction === 'maximize' ? -value : value;
  };
  return trials
    .filter(({ kind, number }) => kind === 'complete' && (front.length === 0 || front.includes(number)))
    .toSorted(
      (left, right) =>
        (left.violation ?? 0) - (right.violation ?? 0) ||
        loss(left) - loss(right) ||
        left.number - right.number,
    );
}
