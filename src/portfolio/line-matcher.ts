import type { WalletTransaction } from '../venues/port.ts';
import { linesOfSum } from './explaining-lines.ts';

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
  take(currency: string, amount: bigint, atMs: number): Line | null {
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
  takeSum(currency: string, amount: bigint): readonly Line[] {
    const lines = this.rest().filter((line) => line.currency === currency);
    lines.sort((left, right) => left.atMs - right.atMs);
    const own = linesOfSum(amount, lines) ?? [];
    for (const line of own) this.take(currency, line.amount, line.atMs);
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
