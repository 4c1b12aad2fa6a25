import type { DecimalText } from './decimal-text.ts';

/** One bar. `openTimeMs` is the start of the bar, UTC; low <= open, close <= high. */
export interface Candle {
  readonly openTimeMs: number;
  readonly open: DecimalText;
  readonly high: DecimalText;
  readonly low: DecimalText;
  readonly close: DecimalText;
  /** In the source currency. */
  readonly volume: DecimalText;
}
