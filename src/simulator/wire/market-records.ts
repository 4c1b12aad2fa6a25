import { amountUnits, formatAmount, formatPrice, priceUnits } from '../../domain/market.ts';
import { formatUnits, UNITS_PER_ONE, type Amount, type Price } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import { aggregateLevels, type BookView, type ViewLevel } from '../core/market/book-view.ts';
import { dayStats } from '../core/market/day-stats.ts';
import type { MarketState } from '../core/market/market-state.ts';
import type { WireForms } from './forms.ts';
import { writeDecimal } from './write-decimal.ts';

/** A Unix time in the unit that the deployment's books use. */
export function writeUnixTime(timeMs: number, forms: Pick<WireForms, 'lastUpdate'>): number {
  return forms.lastUpdate === 'milliseconds' ? timeMs : Math.floor(timeMs / 1000);
}

function pairs(levels: readonly ViewLevel[], view: BookView, forms: WireForms): readonly unknown[] {
  const { grid } = view;
  if (forms.decimals === 'canonical') {
    return levels.map(({ price, amount }) => [formatPrice(grid, price as Price), formatAmount(grid, amount as Amount)]);
  }
  return levels.map(({ price, amount }) => [
    writeDecimal(priceUnits(grid, price as Price), forms),
    writeDecimal(amountUnits(grid, amount as Amount), forms),
  ]);
}

/** A book as the order-book endpoints show it: sells are called `bids`, buys `asks`. */
export function bookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: writeUnixTime(view.takenAtMs, forms),
    bids: pairs(view.sells, view, forms),
    asks: pairs(view.buys, view, forms),
  };
}

/** The same in the third version of the endpoint, by the right names. */
export function orientedBookJson(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: writeUnixTime(view.takenAtMs, forms),
    bids: pairs(view.buys, view, forms),
    asks: pairs(view.sells, view, forms),
  };
}

/** A book as the depth endpoint shows it: gathered into coarser levels, by the right names. */
export function depthRecord(view: BookView, forms: WireForms): Record<string, unknown> {
  return {
    lastUpdate: String(writeUnixTime(view.takenAtMs, forms)),
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
 * A market's day. There is no mark price here but the last one. A side of the book that is empty has no best price: null. Where optional
 * fields are left out, a closed market says only that it is.
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
