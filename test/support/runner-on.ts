import type { StrategyInstanceSettings } from '../../src/engine/engine-settings.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import { MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { StrategyRunner } from '../../src/strategy/runner.ts';

type Given = ConstructorParameters<typeof StrategyRunner>;

/** Creates a strategy on a market and a timeframe; `more` adds to its setup. */
export const runnerOn = (
  definition: Given[0],
  market: Given[1]['market'],
  timeframe: Given[1]['timeframe'],
  more: Partial<Given[1]> = {},
): StrategyRunner =>
  new StrategyRunner(definition, { marketNames: MARKET_NAMES, market, timeframe, ...more });

/** A strategy in the form that an engine takes; without limits and capital unless the test gives them. */
export const instanceOf = (
  runner: StrategyInstanceSettings['runner'],
  more: Partial<StrategyInstanceSettings> = {},
): StrategyInstanceSettings => ({
  runner,
  onError: 'stop',
  pauseMs: 60_000,
  limits: createRiskLimits(),
  capital: {},
  ...more,
});
