import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { TIMEFRAMES, timeframeMs, type Timeframe } from '../domain/timeframe.ts';
import type { SimulatedExchange } from './exchange.ts';
import type { MarketState } from './market-state.ts';
import type { CandleRow, ReplayRow } from './replay-row.ts';
import { RowGrid } from './row-grid.ts';

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
