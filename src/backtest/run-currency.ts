import { SarrafError } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Currency, MarketSymbol } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import { pathOf } from '../portfolio/holding.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import { inDigits } from '../language/fact.ts';
import type { UniverseRules } from '../strategy/universe-rules.ts';
import { fidelityFact as fact, type FidelityFact } from './backtest-run.ts';

/**
 * The currency of a run's results: the one that was asked for, else rial where any market is priced in it,
 * else tether.
 */
export function runCurrency(
  markets: readonly Pick<Market, 'quote'>[],
  wanted: Currency | null = null,
): Currency {
  const { bridge } = MARKET_NAMES;
  return wanted ?? (markets.some(({ quote }) => quote === bridge.quote) ? bridge.quote : bridge.base);
}

/**
 * Returns true if a run of these markets needs the market of tether in rial, so that all money of its results
 * is in one currency.
 */
export function needsBridge(markets: readonly Pick<Market, 'quote'>[], wanted: Currency | null): boolean {
  const quotes = new Set(markets.map(({ quote }) => quote));
  return quotes.size > 1 || (wanted !== null && !quotes.has(wanted));
}

/**
 * Throws `INVALID_OPTIONS` where something that the run can trade has no way to the currency of its results.
 */
export function refuseUnvalued(markets: readonly Market[], quote: Currency): void {
  const symbols = new Set<string>(markets.map(({ symbol }) => symbol));
  const priceOf = (symbol: string): Units | null => (symbols.has(symbol) ? (1n as Units) : null);
  const unvalued = [...new Set(markets.flatMap(({ base, quote }) => [base, quote]))].filter(
    (currency) => pathOf(quote, currency, { marketNames: MARKET_NAMES, priceOf }) === null,
  );
  if (unvalued.length === 0) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected markets that value everything in ${quote}, were ${[...symbols].join(', ')}, which do not say what ${unvalued.join(' and ')} is worth: add candles of ${MARKET_NAMES.bridge.market}`,
  );
}

export function universeRulesOf(
  instances: readonly Pick<StrategyInstanceSettings, 'runner'>[],
): readonly UniverseRules[] {
  return instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((wanted) => (wanted.kind === 'universe' ? [wanted.rules] : [])),
  );
}

/** Markets of which a catalogue holds bars of a length, or books, in the order of their names. */
export function recordedMarkets(root: string, kind: Timeframe | 'books'): readonly MarketSymbol[] {
  const keys = openCatalogue(root).keys();
  const markets = keys.flatMap((key) => {
    const isIt = key.kind === 'candles' ? key.timeframe === kind : key.kind === kind;
    return isIt ? [key.market] : [];
  });
  return [...new Set(markets)].toSorted();
}

/**
 * Returns what a backtest with universes cannot know, for its result; empty without any. `markets`: number of
 * markets that have data.
 */
export function universeCaveats(
  rules: readonly Pick<UniverseRules, 'filters'>[],
  of: { readonly markets: number; readonly hasBooks: boolean },
): readonly FidelityFact[] {
  if (rules.length === 0) return [];
  const spreads = !of.hasBooks && rules.some(({ filters: { maxSpreadBps } }) => maxSpreadBps !== undefined);
  return [
    fact('universe.survivorship', { markets: inDigits(of.markets) }),
    fact(of.hasBooks ? 'universe.byStatistics' : 'universe.byBars'),
    ...(spreads ? [fact('universe.noSpread', { setting: 'maxSpreadBps' })] : []),
  ];
}
