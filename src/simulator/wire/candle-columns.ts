import type { Market } from '../../domain/market.ts';
import type { SimulatedBar } from '../core/market/candle-series.ts';
import { writeNumber } from './write-decimal.ts';

/** Candles of one reply at most. Source: interface, "Other constants". */
const CANDLES_A_PAGE = 500;

/** Which bars are asked for. Times are of the start of bars, both bounds included; `countback` goes before `fromMs`. */
export interface CandleQuery {
  readonly toMs: number;
  readonly fromMs: number | null;
  readonly countback: number | null;
  /** Page 1 has the newest bars, page 2 those before them; each is in the order of time. */
  readonly page: number;
}

/** One page of the bars, oldest first. */
export function chooseBars(bars: readonly SimulatedBar[], query: CandleQuery): readonly SimulatedBar[] {
  const upTo = bars.filter((bar) => bar.openTimeMs <= query.toMs);
  const { countback, fromMs } = query;
  const wanted =
    countback === null
      ? upTo.filter((bar) => fromMs === null || bar.openTimeMs >= fromMs)
      : upTo.slice(Math.max(0, upTo.length - countback));
  const end = wanted.length - (query.page - 1) * CANDLES_A_PAGE;
  return end <= 0 ? [] : wanted.slice(Math.max(0, end - CANDLES_A_PAGE), end);
}

/** The columns of the history reply: seconds, and bare numbers with every digit. */
export function candleColumns(bars: readonly SimulatedBar[], grid: Market): Record<string, unknown> {
  const prices = (read: (bar: SimulatedBar) => number): readonly object[] =>
    bars.map((bar) => writeNumber(BigInt(read(bar)) * grid.priceStep));
  return {
    s: 'ok',
    t: bars.map((bar) => bar.openTimeMs / 1000),
    o: prices((bar) => bar.open),
    h: prices((bar) => bar.high),
    l: prices((bar) => bar.low),
    c: prices((bar) => bar.close),
    v: bars.map((bar) => writeNumber(BigInt(Math.round(bar.volume)) * grid.amountStep)),
  };
}
