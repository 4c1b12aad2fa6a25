/** Lines of which every set is tried as the reason of a difference. Of more, too many sums would fit. */
const MOST_COMBINED = 12;

interface Line {
  readonly amount: bigint;
}

/**
 * Lines, oldest first, whose amounts add up to a difference. First it tries lines that came one after the
 * other, such as all, one, or the newest few; then two, then all but one or two; and of few lines any set.
 * Null where none do. But for those few lines, what it costs grows with their number only.
 */
export function linesAddingUpTo<Of extends Line>(
  difference: bigint,
  lines: readonly Of[],
): readonly Of[] | null {
  const run = runAddingUpTo(difference, lines) ?? twoAddingUpTo(difference, lines);
  if (run !== null) return run;
  const rest = lines.reduce((sum, { amount }) => sum + amount, 0n) - difference;
  // One that is left out may stand between the others.
  const but = lines.find(({ amount }) => amount === rest);
  const without = but === undefined ? twoAddingUpTo(rest, lines) : [but];
  if (without !== null) return lines.filter((line) => !without.includes(line));
  return lines.length > MOST_COMBINED ? null : fewestAddingUpTo(difference, lines);
}

/** Lines, oldest first, of the trades that a sum stands for: each has its sign. Null where none add up. */
export function linesOfSum<Of extends Line>(sum: bigint, lines: readonly Of[]): readonly Of[] | null {
  const alike = lines.filter(({ amount }) => amount > 0n === sum > 0n);
  return linesAddingUpTo(sum, alike);
}

/** One after the other; the newest of those that do, and of these the fewest. */
function runAddingUpTo<Of extends Line>(difference: bigint, lines: readonly Of[]): readonly Of[] | null {
  const startOf = new Map([[0n, 0]]);
  let sum = 0n;
  let found: readonly Of[] | null = null;
  for (const [place, { amount }] of lines.entries()) {
    sum += amount;
    const start = startOf.get(sum - difference);
    if (start !== undefined) found = lines.slice(start, place + 1);
    startOf.set(sum, place + 1);
  }
  return found;
}

function twoAddingUpTo<Of extends Line>(difference: bigint, lines: readonly Of[]): readonly Of[] | null {
  const byAmount = new Map<bigint, Of>();
  for (const line of lines) {
    const other = byAmount.get(difference - line.amount);
    if (other !== undefined) return [other, line];
    byAmount.set(line.amount, line);
  }
  return null;
}

/** Several deposits between lines of given-up trades. Each set of lines is tried; the smallest is taken. */
function fewestAddingUpTo<Of extends Line>(difference: bigint, lines: readonly Of[]): readonly Of[] | null {
  const sets: { readonly sum: bigint; readonly of: readonly Of[] }[] = [{ sum: 0n, of: [] }];
  for (const line of lines) {
    for (const { sum, of } of sets.slice()) sets.push({ sum: sum + line.amount, of: of.concat(line) });
  }
  const fitting = sets.filter(({ sum }) => sum === difference).map(({ of }) => of);
  return fitting.toSorted((left, right) => left.length - right.length)[0] ?? null;
}
