import type { Units } from '../../domain/money.ts';
import type { RecordedRate } from './statement-line.ts';

/** A price that is older says nothing of now. */
const RATE_LASTS_MS = 86_400_000;

/** The last recorded price of the bridge, for times that rise. */
export class RecordedRates {
  private readonly closes: readonly RecordedRate[];
  private next = 0;
  private last: RecordedRate | null = null;

  /** `closes`: of candles, each at the end of its candle, by rising time. */
  constructor(closes: readonly RecordedRate[]) {
    this.closes = closes;
  }

  /** A trade of the account in the bridge market. */
  trade(rate: Units, atMs: number): void {
    this.at(atMs);
    this.last = { rate, atMs, from: 'trade' };
  }

  /** The last one at a time or before it, no more than a day old; null where none is recorded. */
  at(atMs: number): RecordedRate | null {
    for (;;) {
      const close = this.closes[this.next];
      if (close === undefined || close.atMs > atMs) break;
      if (this.last === null || close.atMs > this.last.atMs) this.last = close;
      this.next += 1;
    }
    return this.last === null || atMs - this.last.atMs > RATE_LASTS_MS ? null : this.last;
  }
}
