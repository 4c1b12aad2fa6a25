/** A strategy in a test: `runStrategy(strategy, { bars: [100, 90, 95] })` runs it on a scripted market. */
export {
  runStrategy,
  type ScriptedFill,
  type ScriptedOrder,
  type ScriptedRun,
  type ScriptOptions,
} from './backtest/run-script.ts';
export type { MarketScript, ScriptedBar } from './backtest/scripted-market.ts';
