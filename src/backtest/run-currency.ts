import { invalidOptions } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import { otherMarketOf, type Currency, type MarketSymbol } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import { pathOf } from '../portfolio/holding.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import { inDigits } from '../language/fact.ts';
import type { UniverseRules } from '../strategy/universe-rules.ts';
import { fidelityFact as fact, type FidelityFact } from './backtest-run.ts';

/** Returns the currency of results: the requested one, else rial if a market is priced in it, or tether. */
export function runCurrency(
  markets: readonly Pick<Market, 'quote'>[],
  wanted: Currency | null = null,
): Currency {
  const { bridge } = MARKET_NAMES;
  return wanted ?? (markets.some(({ quote }) => quote === bridge.quote) ? bridge.quote : bridge.base);
}

/** True if a run of these markets needs tether in rial to convert all its money into one currency. */
export function needsBridge(markets: readonly Pick<Market, 'quote'>[], wanted: Currency | null): boolean {
  const quotes = new Set(markets.map(({ quote }) => quote));
  return quotes.size > 1 || (wanted !== null && !quotes.has(wanted));
}

/** Throws `INVALID_OPTIONS` if the markets cannot convert some tradable currency into that of the results. */
export function refuseUnvalued(markets: readonly Market[], quote: Currency): void {
  const symbols = new Set<string>(markets.map(({ symbol }) => symbol));
  const priceOf = (symbol: string): Units | null => (symbols.has(symbol) ? (1n as Units) : null);
  const unvalued = [...new Set(markets.flatMap(({ base, quote }) => [base, quote]))].filter(
    (currency) => pathOf(quote, currency, { marketNames: MARKET_NAMES, priceOf }) === null,
  );
  if (unvalued.length === 0) return;
  throw invalidOptions(
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

/** Returns the own markets with bars of a timeframe, or with books, in a catalogue, sorted by name. */
export function recordedMarkets(root: string, kind: Timeframe | 'books'): readonly MarketSymbol[] {
  const keys = openCatalogue(root).keys();
  const markets = keys.flatMap((key) => {
    const isIt = key.kind === 'candles' ? key.timeframe === kind : key.kind === kind;
    return isIt && otherMarketOf(key.market) === null ? [key.market] : [];
  });
  return [...new Set(markets)].toSorted();
}

/** Returns the caveats of a backtest with universes; empty without. `markets`: those with data. */
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
