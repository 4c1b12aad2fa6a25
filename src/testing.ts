/**
 * A strategy in a test: `runStrategy(strategy, { bars: [100, 90, 95] })` runs it on scripted bars,
 * `restartAfter` ends the bot on the way and starts it again,
 * `await runOnBooks(strategy, { books: [{ bid: 99, ask: 101 }] })` on scripted books and trades.
 */
export {
  runOnBooks,
  type BookMarketScript,
  type BookScript,
  type ScriptedBook,
  type ScriptedTrade,
} from './backtest/run-book-script.ts';
export {
  runStrategy,
  type ScriptedAccount,
  type ScriptedFill,
  type ScriptedLock,
  type ScriptedOrder,
  type ScriptedPlot,
  type ScriptedRun,
  type ScriptedSignal,
  type ScriptOptions,
} from './backtest/run-script.ts';
export {
  generateBars,
  type GeneratedBars,
  type MarketScript,
  type ScriptedBar,
  type ScriptedTerms,
} from './backtest/scripted-market.ts';
