import type { WalletTransaction } from '../venues/port.ts';

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

/** A line as far as it can be told to be that of a trade. */
type MatchedLine = Pick<WalletTransaction, 'currency' | 'amount' | 'atMs'>;

/**
 * Lines of wallets by currency and amount. A line of a trade does not name it (docs/adr/0007), so each trade
 * gets the line of its amount that is nearest in time, and each line goes to one trade.
 */
export class LineMatcher<Line extends MatchedLine> {
  private readonly byAmount = new Map<string, Line[]>();
  private readonly furthestMs: number;

  /** `furthestMs`: how far apart a trade and its line may be. */
  constructor(lines: Iterable<Line>, furthestMs = Number.POSITIVE_INFINITY) {
    this.furthestMs = furthestMs;
    for (const line of lines) {
      const key = keyOf(line.currency, line.amount);
      const others = this.byAmount.get(key);
      if (others === undefined) this.byAmount.set(key, [line]);
      else others.push(line);
    }
  }

  /** Takes the line of one side of a trade away; null where there is none. */
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

  /** Takes away the lines of the trades that one fill stands for; none where they do not add up to it. */
  consumeSum(currency: string, amount: bigint): readonly Line[] {
    const lines = this.rest().filter((line) => line.currency === currency);
    lines.sort((left, right) => left.atMs - right.atMs);
    const own = linesOfSum(amount, lines) ?? [];
    for (const line of own) this.match(currency, line.amount, line.atMs);
    return own;
  }

  /** Lines that no trade took. */
  rest(): readonly Line[] {
    return [...this.byAmount.values()].flat();
  }
}

function keyOf(currency: string, amount: bigint): string {
  return `${currency} ${amount}`;
}
