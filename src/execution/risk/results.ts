import { invariant } from '../../domain/errors.ts';
import type { Market } from '../../domain/market.ts';
import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { FillRecord } from '../fill-record.ts';
import { NO_MARKET_RESULT, resultAfterTrade, type MarketResult } from './market-result.ts';
import type { ResultsView } from './risk-view.ts';

/**
 * What one strategy has gained and lost in the markets of one quote currency since it began, in units of it. The result of a market is what its sales
 * brought less what its purchases cost, fees taken off, plus its position at the last price, half-even at ten decimals. A value: each step makes a new
 * one. It holds one entry a market that was traded in, and no history.
 */
export interface Results {
  readonly quote: QuoteCurrency;
  /** By symbol. */
  readonly markets: Readonly<Record<string, MarketResult>>;
  /** The sum of the markets' results. */
  readonly result: Units;
  /** The highest that `result` ever was; zero at the least. */
  readonly peakResult: Units;
  /** The day of the last step, counted from 1970 in UTC, and the result with which it began. */
  readonly day: number;
  readonly dayBeganWith: Units;
  readonly lossesInARow: number;
  readonly lastLossAtMs: number | null;
}

const DAY_MS = 86_400_000;

export function noResults(quote: QuoteCurrency): Results {
  return {
    quote,
    markets: {},
    result: NO_UNITS,
    peakResult: NO_UNITS,
    day: 0,
    dayBeganWith: NO_UNITS,
    lossesInARow: 0,
    lastLossAtMs: null,
  };
}

/**
 * Takes in a fill of the strategy. Each fill is to be handed in once. A fill that was read late counts to the day at hand: days do not begin again.
 * @throws SarrafError `INVARIANT` when the fill is of another market, or that of another quote currency.
 */
export function resultsAfterFill(
  results: Results,
  { fill, market }: { readonly fill: FillRecord; readonly market: Market },
): Results {
  invariant(
    market.symbol === fill.market && market.dst === results.quote,
    () => `expected a fill of a market in ${results.quote} with that market, was ${fill.market} with ${market.symbol}`,
  );
  const before = results.markets[fill.market] ?? NO_MARKET_RESULT;
  const after = resultAfterTrade(before, { ...tradeOf(fill), price: fill.price, step: market.amountStep });
  const next = withMarket(rolled(results, fill.atMs), fill.market, after);
  if (after.trips === before.trips) return next;
  return after.lastTripResult < 0n
    ? { ...next, lossesInARow: next.lossesInARow + 1, lastLossAtMs: fill.atMs }
    : { ...next, lossesInARow: 0 };
}

/** Takes in a price of a market, in units of the quote currency. Gives back the same value where nothing comes of it. */
export function resultsAtPrice(
  results: Results,
  { market, price, atMs }: { readonly market: string; readonly price: Units; readonly atMs: number },
): Results {
  const today = rolled(results, atMs);
  const before = today.markets[market];
  if (before === undefined || before.price === price) return today;
  return withMarket(today, market, { ...before, price });
}

/** What the checks look at, at a time: a new day has begun with what the last one ended with. */
export function viewOf(results: Results, nowMs: number): ResultsView {
  const { quote, dayBeganWith, peakResult, result, lossesInARow, lastLossAtMs } = rolled(results, nowMs);
  return { quote, dayResult: (result - dayBeganWith) as Units, peakResult, result, lossesInARow, lastLossAtMs };
}

/** The result of one market: its cash and its position at the last price. */
export function resultOfMarket({ cash, position, price }: MarketResult): Units {
  return (position === 0n ? cash : cash + divideHalfEven(position * price, UNITS_PER_ONE)) as Units;
}

function rolled(results: Results, atMs: number): Results {
  const day = Math.floor(atMs / DAY_MS);
  return day > results.day ? { ...results, day, dayBeganWith: results.result } : results;
}

function withMarket(results: Results, symbol: string, after: MarketResult): Results {
  const before = results.markets[symbol] ?? NO_MARKET_RESULT;
  const result = (results.result - resultOfMarket(before) + resultOfMarket(after)) as Units;
  const peakResult = result > results.peakResult ? result : results.peakResult;
  return { ...results, markets: { ...results.markets, [symbol]: after }, result, peakResult };
}

/** What came of a fill: a purchase's fee is taken off what was bought, a sale's off what was paid for it. */
function tradeOf({ side, amount, total, fee }: FillRecord): { readonly received: bigint; readonly paid: bigint } {
  return side === 'buy' ? { received: amount - fee, paid: total } : { received: 0n - amount, paid: fee - total };
}
