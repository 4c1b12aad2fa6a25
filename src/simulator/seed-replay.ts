import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { TIMEFRAMES, timeframeMs, type Timeframe } from '../domain/candle.ts';
import type { SimulatedExchange } from './exchange.ts';
import type { MarketState } from './market-state.ts';
import { type DecimalText, decimalText, fractionDigits } from '../domain/decimal-text.ts';
import type { BookLevel } from '../domain/order-book.ts';
import type { Side } from '../domain/order.ts';
import { floorAmount, roundPrice, type Market } from '../domain/market.ts';
import { UNIT_DECIMALS, unitsOf, type Units } from '../domain/money.ts';

/**
 * Makes rows the past of a market: its candles, and the price it opens at. Books have no past. To be called
 * before anything was traded. Bars shorter than a minute are gathered into minutes; a length that the
 * exchange has no candles of goes into the next shorter one.
 * @returns how many prices were off the market's grid.
 * @throws SarrafError `INVALID_OPTIONS` when the exchange lacks the market.
 */
export function seedReplay(options: {
  readonly exchange: SimulatedExchange;
  readonly market: MarketSymbol;
  readonly rows: Iterable<ReplayRow>;
}): { readonly offGridPrices: number } {
  const market = replayedMarket(options.exchange, options.market);
  const grid = new RowGrid();
  for (const row of options.rows) {
    if (row.kind === 'candle') seedCandle(market, row, grid);
    else if (row.kind === 'trade') {
      const price = grid.price(market.grid, row.price);
      const amount = grid.amount(market.grid, row.amount);
      market.candles.onTrade({ timeMs: row.timeMs, price, amount, steps: BigInt(price) * BigInt(amount) });
      market.lastPrice = price;
    }
  }
  return { offGridPrices: grid.offGridPrices };
}

/** @throws SarrafError `INVALID_OPTIONS` when the exchange lacks the market. */
export function replayedMarket(exchange: SimulatedExchange, symbol: MarketSymbol): MarketState {
  const market = exchange.markets.get(symbol);
  if (market === undefined) {
    const known = [...exchange.markets.keys()].join(', ');
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a market of the exchange (${known}) to replay on, was ${symbol}`,
    );
  }
  return market;
}

function seedCandle(market: MarketState, row: CandleRow, grid: RowGrid): void {
  const on = market.grid;
  const close = grid.price(on, row.close);
  const volume = grid.amount(on, row.volume);
  market.candles.seed(row.timeframe ?? timeframeFor(row.lengthMs), [
    {
      openTimeMs: row.openTimeMs,
      open: grid.price(on, row.open),
      high: grid.price(on, row.high),
      low: grid.price(on, row.low),
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    },
  ]);
  market.lastPrice = close;
}

function timeframeFor(lengthMs: number): Timeframe {
  return TIMEFRAMES.findLast((timeframe) => timeframeMs(timeframe) <= lengthMs) ?? '1m';
}

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

/** Brings recorded numbers on a market's grid, and counts the prices that were not on it. */
export class RowGrid {
  offGridPrices = 0;

  /** In the market's public steps, to the nearest, at least one. Throws `TOO_LARGE`. */
  price(rules: Market, text: DecimalText): number {
    const units = tenDecimals(text);
    const steps = roundPrice(rules, units);
    if (BigInt(steps) * rules.priceStep !== units || fractionDigits(text) > UNIT_DECIMALS)
      this.offGridPrices += 1;
    return Math.max(1, steps);
  }

  /** In public steps, rounded down. Throws as `price` does. */
  amount(rules: Market, text: DecimalText): number {
    return floorAmount(rules, tenDecimals(text));
  }
}

/**
 * Recorded volumes are often floats with a long tail; what is beyond the books' ten decimals is no money of
 * anybody and is cut.
 */
function tenDecimals(text: DecimalText): Units {
  const excess = fractionDigits(text) - UNIT_DECIMALS;
  return unitsOf(excess > 0 ? decimalText(text.slice(0, -excess)) : text);
}
