import { amountUnits, formatAmount, formatPrice, priceUnits, type Market } from '../../domain/market.ts';
import { UNITS_PER_ONE, formatUnits, type Amount, type Price } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import { aggregateLevels, type BookView, type ViewLevel } from '../../simulator/book-view.ts';
import type { SimulatedBar } from '../../simulator/candle-series.ts';
import { dayStats } from '../../simulator/day-stats.ts';
import type { MarketState } from '../../simulator/market-state.ts';
import type { WireForms } from './forms.ts';
import { writeDecimal, writeNumber } from './write-fields.ts';

/** A Unix time in the unit that the deployment's books use. */
export function writeUnixTime(timeMs: number, forms: Pick<WireForms, 'lastUpdate'>): number {
  return forms.lastUpdate === 'milliseconds' ? timeMs : Math.floor(timeMs / 1000);
}

function updatedAt({ changedAtMs, takenAtMs }: BookView, forms: WireForms): number {
  return writeUnixTime(forms.lastUpdateOf === 'change' ? changedAtMs : takenAtMs, forms);
}

function pairs(levels: readonly ViewLevel[], view: BookView, forms: WireForms): readonly unknown[] {
  const { grid } = view;
  if (forms.decimals === 'canonical') {
    return levels.map(({ price, amount }) => [
      formatPrice(grid, price as Price),
      formatAmount(grid, amount as Amount),
    ]);
  }
  return levels.map(({ price, amount }) => [
    writeDecimal(priceUnits(grid, price as Price), forms),
    writeDecimal(amountUnits(grid, amount as Amount), forms),
  ]);
}

/** A book as the order-book endpoints show it: sells are called `bids`, buys `asks`. */
export function bookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: updatedAt(view, forms),
    bids: pairs(view.sells, view, forms),
    asks: pairs(view.buys, view, forms),
  };
}

/** The same in the third version of the endpoint, by the right names. */
export function orientedBookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: updatedAt(view, forms),
    lastTradePrice: writeDecimal(priceUnits(view.grid, view.lastPrice as Price), forms),
    bids: pairs(view.buys, view, forms),
    asks: pairs(view.sells, view, forms),
  };
}

/** A book as the depth endpoint shows it: gathered into coarser levels, by the right names. */
export function depthRecord(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: String(updatedAt(view, forms)),
    bids: pairs(aggregateLevels(view.buys, 'down'), view, forms),
    asks: pairs(aggregateLevels(view.sells, 'up'), view, forms),
    lastTradePrice: writeDecimal(priceUnits(view.grid, view.lastPrice as Price), forms),
  };
}

/** Percent with two decimals. */
function changePercent(open: number, close: number): bigint {
  return divideHalfEven(BigInt(close - open) * 10_000n, BigInt(open)) * (UNITS_PER_ONE / 100n);
}

/**
 * A market's day. There is no mark price here but the last one. A side of the book that is empty has no best
 * price: null. Where optional fields are left out, a closed market says only that it is.
 */
export function statsRecord(market: MarketState, timeMs: number, forms: WireForms): Record<string, unknown> {
  const closed = market.isClosed ? { isClosed: true, isClosedReason: market.closedReason ?? 'closed' } : null;
  if (closed !== null && forms.omitOptionalFields) return closed;
  const { grid } = market;
  const stats = dayStats(market, timeMs);
  const price = (steps: number | null): unknown =>
    steps === null ? null : writeDecimal(priceUnits(grid, steps as Price), forms);
  const latest = price(stats.close);
  const open = stats.open ?? stats.close;
  return {
    ...(closed ?? { isClosed: false }),
    bestSell: price(stats.bestSell),
    bestBuy: price(stats.bestBuy),
    volumeSrc: writeDecimal(BigInt(Math.round(stats.volume)) * grid.amountStep, forms),
    volumeDst: writeDecimal(divideHalfEven(stats.value * grid.stepProduct, UNITS_PER_ONE), forms),
    latest,
    ...(forms.omitOptionalFields ? {} : { mark: latest }),
    dayLow: price(stats.low ?? stats.close),
    dayHigh: price(stats.high ?? stats.close),
    dayOpen: price(open),
    dayClose: latest,
    dayChange: formatUnits(changePercent(open, stats.close)),
  };
}

/** Candles of one reply at most. Source: interface, "Other constants". */
const CANDLES_A_PAGE = 500;

/**
 * Range of the requested bars. Times are of the start of bars, both bounds included; `countback` goes before
 * `fromMs`.
 */
interface CandleQuery {
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
