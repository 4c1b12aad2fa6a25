import { NO_UNITS } from '../../domain/money.ts';
import type { AlgorithmManager } from '../algorithm-manager.ts';
import type { MarketDataCache } from '../market-data-cache.ts';
import type { OrderManager } from '../order-manager.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { ClosingLeg } from './by-hand-record.ts';

export interface ClosingLegsOptions {
  readonly orderManager: OrderManager;
  readonly algorithms: AlgorithmManager;
  readonly markets: MarketDataCache;
}

/**
 * The coins of a position that is to be closed: that of a market, or (null) each that the strategy holds,
 * owes or works in. Each is closed in the strategy's own market, or the first that has it.
 */
export function closingLegs(
  instance: StrategyInstance,
  market: string | null,
  options: ClosingLegsOptions,
): ClosingLeg[] {
  const { marketNames, runner, markets } = instance;
  const known = [runner.market, ...markets].filter((name) => options.markets.get(name) !== undefined);
  const byCoin = new Map<string, string>();
  for (const name of market === null ? known : [market]) {
    const { base } = marketNames.parseMarket(name);
    if (!byCoin.has(base)) byCoin.set(base, name);
  }
  return [...byCoin]
    .map(([asset, name]) => ({
      asset,
      market: name,
      held: instance.held(asset),
      intentId: null,
      end: null,
      traded: NO_UNITS,
      total: NO_UNITS,
    }))
    .filter(({ asset, held }) => market !== null || held !== 0n || isBusy(instance, asset, options))
    .toSorted((left, right) => rankOf(instance, left) - rankOf(instance, right));
}

function isBusy(
  instance: StrategyInstance,
  asset: string,
  { orderManager, algorithms }: ClosingLegsOptions,
): boolean {
  const isOf = (market: string): boolean => instance.marketNames.parseMarket(market).base === asset;
  return (
    orderManager.blotter.table.unfinishedOf(instance.name).some(({ market }) => isOf(market)) ||
    instance.markets.some((market) => isOf(market) && algorithms.isAtWorkIn(instance, market))
  );
}

/** Ranks a leg: what is sold for a coin that is closed as well goes before that coin. */
function rankOf({ quotes }: StrategyInstance, { asset }: ClosingLeg): number {
  for (const quote of quotes) if (quote === asset) return 1;
  return 0;
}
