import { createMarket } from '../src/domain/market.ts';
import { planInputOf } from '../src/daemon/create-plan.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../src/engine/engine-settings.ts';
import { Engine } from '../src/engine/engine.ts';
import { EMPTY_MIRROR_STATE } from '../src/engine/mirror-change.ts';
import { budgetTable } from '../src/exchange/client-options.ts';
import { parseUnits } from '../src/domain/money.ts';
import { createRiskLimits } from '../src/engine/risk-limits.ts';
import { planPolls } from '../src/scheduler/plan-polls.ts';
import type { StrategyDefinition } from '../src/strategy/definition.ts';
import { INTERFACE_PROFILE } from '../src/venues/interface-profile.ts';
import { StrategyRunner } from '../src/strategy/runner.ts';
import { parseMarket, MARKET_NAMES } from '../src/exchange/market-names.ts';

export const BENCH_START_MS = Date.UTC(2026, 0, 5, 12);

export const BENCH_MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
  minOrderValue: '11',
});

/** Creates an engine with one strategy in one market, and the polls that the exchange's limits allow. */
export function createBenchEngine(definition: StrategyDefinition): Engine {
  const runner = new StrategyRunner(definition, {
    marketNames: MARKET_NAMES,
    market: BENCH_MARKET.symbol,
    timeframe: '1m',
  });
  const { feeds } = planPolls(planInputOf([runner], budgetTable().values(), INTERFACE_PROFILE));
  return new Engine(
    {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'bench',
      venue: INTERFACE_PROFILE,
      markets: [BENCH_MARKET],
      instances: [
        {
          runner,
          onError: 'stop',
          pauseMs: 1,
          limits: createRiskLimits(),
          capital: {},
          // A strategy sells only coins that it has bought or was given.
          inventory: { [BENCH_MARKET.base]: parseUnits('5') },
        },
      ],
      feeds,
      reconciliation: DEFAULT_RECONCILIATION,
    },
    { epoch: 'aaaa', ...EMPTY_MIRROR_STATE },
    BENCH_START_MS,
  );
}
