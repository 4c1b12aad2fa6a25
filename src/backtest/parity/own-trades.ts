import { parseUnits } from '../../domain/money.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { RecordedTrade } from '../../recording/records.ts';

/** The public tape and our own list may time one trade a little apart. */
const APART_MS = 1_000;

/**
 * Takes out of a recorded tape what the session itself took, since in a second run the bot takes anew. Trades in which others took from it stay: they are what fills its
 * resting orders there, too.
 */
export class OwnTrades {
  private readonly left: Map<string, number[]>;

  /** Fills of one market. */
  constructor(fills: readonly FillRecord[]) {
    const named = Map.groupBy(fills, ({ side, price, amount }) => `${side} ${price} ${amount}`);
    this.left = new Map([...named].map(([name, all]) => [name, all.map(({ atMs }) => atMs)]));
  }

  /** Trades without them. Each fill takes one trade out. */
  without(trades: readonly RecordedTrade[]): readonly RecordedTrade[] {
    return trades.filter(({ side, price, amount, timeMs, seenMs }) => {
      // The side of a public trade is that of whoever took.
      const times = this.left.get(`${side} ${parseUnits(price)} ${parseUnits(amount)}`) ?? [];
      const index = times.findIndex((atMs) => Math.abs(atMs - (timeMs ?? seenMs)) <= APART_MS);
      if (index === -1) return true;
      times.splice(index, 1);
      return false;
    });
  }
}
