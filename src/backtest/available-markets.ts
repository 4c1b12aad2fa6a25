import type { Timeframe } from '../domain/candle.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import { inDigits } from '../language/fact.ts';
import type { UniverseRules } from '../strategy/universe-rules.ts';
import { fidelityFact as fact, type FidelityFact } from './backtest-run.ts';

/** The rules of all universes of some strategies. */
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
