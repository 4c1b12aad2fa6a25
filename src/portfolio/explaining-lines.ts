import type { WalletTransaction } from '../venues/port.ts';

/** Maximum number of lines of which every subset is tried for a difference. More give too many sums. */
const MOST_COMBINED = 12;

interface Line {
  readonly amount: bigint;
}

/**
 * Returns lines, oldest first, whose amounts add up to a difference; null if none do. It tries lines in a row
 * first, such as all, one, or the newest few; then two, then all but one or two; and with few lines any
 * subset. Apart from those few, the cost grows only with their number.
 */
export function linesAddingUpTo<Of extends Line>(
  difference: bigint,
  lines: readonly Of[],
): readonly Of[] | null {
  const run = runAddingUpTo(difference, lines) ?? twoAddingUpTo(difference, lines);
  if (run !== null) return run;
  const rest = lines.reduce((sum, { amount }) => sum + amount, 0n) - difference;
  // The line to leave out may be between the others.
  const but = lines.find(({ amount }) => amount === rest);
  const without = but === undefined ? twoAddingUpTo(rest, lines) : [but];
  if (without !== null) return lines.filter((line) => !without.includes(line));
  return lines.length > MOST_COMBINED ? null : fewestAddingUpTo(difference, lines);
}

/** Returns lines, oldest first, of the trades in a sum; all have its sign. Null if none add up. */
export function linesOfSum<Of extends Line>(sum: bigint, lines: readonly Of[]): readonly Of[] | null {
  const alike = lines.filter(({ amount }) => amount > 0n === sum > 0n);
  return linesAddingUpTo(sum, alike);
}

/** Returns consecutive lines: the newest that add up, and of these the fewest. */
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

/** Returns the smallest set of lines, for several deposits between lines of given-up trades. */
function fewestAddingUpTo<Of extends Line>(difference: bigint, lines: readonly Of[]): readonly Of[] | null {
  const sets: { readonly sum: bigint; readonly of: readonly Of[] }[] = [{ sum: 0n, of: [] }];
  for (const line of lines) {
    for (const { sum, of } of sets.slice()) sets.push({ sum: sum + line.amount, of: of.concat(line) });
  }
  const fitting = sets.filter(({ sum }) => sum === difference).map(({ of }) => of);
  return fitting.toSorted((left, right) => left.length - right.length)[0] ?? null;
}

/** Fields of a line by which it is matched with a trade. */
type MatchedLine = Pick<WalletTransaction, 'currency' | 'amount' | 'atMs'>;

/**
 * Lines of wallets by currency and amount. A line does not name its trade (docs/adr/0007), so each trade gets
 * the line of its amount that is nearest in time, and each line goes to one trade.
 */
export class LineMatcher<Line extends MatchedLine> {
  private readonly byAmount = new Map<string, Line[]>();
  private readonly furthestMs: number;

  /** `furthestMs`: longest time between a trade and its line. */
  constructor(lines: Iterable<Line>, furthestMs = Number.POSITIVE_INFINITY) {
    this.furthestMs = furthestMs;
    for (const line of lines) {
      const key = keyOf(line.currency, line.amount);
      const others = this.byAmount.get(key);
      if (others === undefined) this.byAmount.set(key, [line]);
      else others.push(line);
    }
  }

  /** Removes and returns the line of one side of a trade; null if there is none. */
  match(currency: string, amount: bigint, atMs: number): Line | null {
    const lines = this.byAmount.get(keyOf(currency, amount)) ?? [];
    let nearest = -1;
    let leastMs = this.furthestMs;
    for (const [place, line] of lines.entries()) {
      const apartMs = Math.abs(line.atMs - atMs);
      if (apartMs > leastMs || (apartMs === leastMs && nearest !== -1)) continue;
      [nearest, leastMs] = [place, apartMs];
    }
    return nearest === -1 ? null : (lines.splice(nearest, 1)[0] ?? null);
  }

  /** Removes and returns the lines of the trades in one fill; none if they do not add up to it. */
  consumeSum(currency: string, amount: bigint): readonly Line[] {
    const lines = this.rest().filter((line) => line.currency === currency);
    lines.sort((left, right) => left.atMs - right.atMs);
    const own = linesOfSum(amount, lines) ?? [];
    for (const line of own) this.match(currency, line.amount, line.atMs);
    return own;
  }

  /** Returns lines that matched no trade. */
  rest(): readonly Line[] {
    return [...this.byAmount.values()].flat();
  }
}

const keyOf = (currency: string, amount: bigint): string => `${currency} ${amount}`;
