import type { DecimalText } from '../domain/decimal-text.ts';
import type { BookLevel } from '../domain/order-book.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { Side } from '../domain/order.ts';

/** A recorded bar. low <= open, close <= high; the volume is in the base currency. */
export interface CandleRow {
  readonly kind: 'candle';
  readonly openTimeMs: number;
  /** Timeframe, if the exchange has bars of this length; others go into the next shorter one. */
  readonly timeframe?: Timeframe;
  readonly lengthMs: number;
  readonly open: DecimalText;
  readonly high: DecimalText;
  readonly low: DecimalText;
  readonly close: DecimalText;
  readonly volume: DecimalText;
}

/** A recorded trade; `side` is that of the taker. */
interface TradeRow {
  readonly kind: 'trade';
  readonly timeMs: number;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  readonly side: Side;
}

/** A recorded book, whole: what it does not name is gone. */
export interface BookRow {
  readonly kind: 'book';
  readonly timeMs: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

export type ReplayRow = CandleRow | TradeRow | BookRow;

export function rowTimeMs(row: ReplayRow): number {
  return row.kind === 'candle' ? row.openTimeMs : row.timeMs;
}
