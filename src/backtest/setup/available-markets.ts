import type { Timeframe } from '../../domain/timeframe.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import type { UniverseRules } from '../../strategy/universe/universe-rules.ts';

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
 * What a backtest with universes can not know, for its result; empty without any. `markets`: how many markets
 * there is data of.
 */
export function universeCaveats(
  rules: readonly UniverseRules[],
  of: { readonly markets: number; readonly hasBooks: boolean },
): readonly string[] {
  if (rules.length === 0) return [];
  const spreads = !of.hasBooks && rules.some(({ filters: { maxSpreadBps } }) => maxSpreadBps !== undefined);
  const source = of.hasBooks
    ? 'The markets of universes were ranked by the recorded statistics of each moment.'
    : 'The markets of universes were ranked by their bars of the last day before each moment, and not by the statistics of the exchange.';
  return [
    `Survivorship: universes choose among the ${of.markets} markets of this data set. Those that the exchange has taken off since are missing if nobody recorded them, and the result looks better by that.`,
    source,
    ...(spreads ? ['Bars show no spread, so maxSpreadBps kept no market out.'] : []),
  ];
}
