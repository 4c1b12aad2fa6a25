import type { StrategyInstanceSettings } from '../../src/engine/engine-settings.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import { MARKET_NAMES } from '../../src/exchange/market-names.ts';
import { StrategyRunner } from '../../src/strategy/runner.ts';

type Given = ConstructorParameters<typeof StrategyRunner>;

/** A strategy on a market and a timeframe, with more of its setup where a test goes by that. */
export const runnerOn = (
  definition: Given[0],
  market: Given[1]['market'],
  timeframe: Given[1]['timeframe'],
  more: Partial<Given[1]> = {},
): StrategyRunner =>
  new StrategyRunner(definition, { marketNames: MARKET_NAMES, market, timeframe, ...more });

/** A strategy as an engine takes it, without limits and capital of its own where a test gives none. */
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
