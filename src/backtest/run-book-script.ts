import { decimalText } from '../domain/decimal-text.ts';
import { invalidOptions } from '../domain/errors.ts';
import type { BookLevel } from '../domain/order-book.ts';
import { DEFAULT_RECONCILIATION } from '../engine/engine-settings.ts';
import { bookColumns, tradeColumns, type RecordedBook, type RecordedTrade } from '../recording/records.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { UniverseWish } from '../strategy/universe-rules.ts';
import { recordPlots } from './backtest-run.ts';
import { runPoll, type PollRunOptions } from './poll/run-poll.ts';
import {
  accountOf,
  checkAfter,
  refusing,
  scriptedSignals,
  scriptedRun,
  settingsOf,
  type ScriptedAccount,
  type ScriptedRun,
} from './run-script.ts';
import { scriptedMarketOf, SCRIPT_START_MS, type ScriptedTerms } from './scripted-market.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { FillWith } from '../records/fill.ts';

/** Trade of others; its side is that of the taker. */
export interface ScriptedTrade extends Pick<FillWith<number>, 'side' | 'price'> {
  /** Amount in the base currency; default: 1. */
  readonly amount?: number;
}

/** State of a market at one moment: its best prices, and the trades of others until the next state. */
export interface ScriptedBook {
  /** Best bid in the quote currency; null for an empty side. */
  readonly bid: number | null;
  /** Best ask in the quote currency; null for an empty side. */
  readonly ask: number | null;
  /** Amount offered at both prices, in the base currency; default: 1,000. */
  readonly amount?: number;
  readonly trades?: readonly ScriptedTrade[];
}

/** Market whose books a test defines one by one. */
export interface BookMarketScript extends ScriptedTerms {
  /** Books of the market; the last one stays for one more step. */
  readonly books: readonly ScriptedBook[];
}

export interface BookScript extends BookMarketScript, ScriptedAccount {
  /** Time between two books in ms; default: ten seconds, in which the bot learns everything that happened. */
  readonly stepMs?: number;
  /** Other markets, for a strategy of several; their books start and change with the first ones. */
  readonly others?: readonly BookMarketScript[];
  /**
   * Universe rules that choose its markets among those of the script, in place of the first one. Markets are
   * ranked by their books and by the trades so far.
   */
  readonly universe?: UniverseWish;
}

/** Latency of each request, and of each reply, in ms. */
const LATENCY_MS = 10;

/**
 * Runs a strategy on scripted books and trades: the whole bot, which polls as it does live, with the fill
 * rules of a backtest on a recording. Each run gives the same result. Throws `INVALID_STRATEGY` with the
 * error of a handler, and `INVALID_OPTIONS` for a script without books or with crossed prices.
 */
export async function runOnBooks(strategy: StrategyDefinition, script: BookScript): Promise<ScriptedRun> {
  const { params = {}, stepMs = 10_000, others = [], universe } = script;
  const market = scriptedMarketOf(script);
  const markets = [script, ...others].map((one) => recordedMarket(one, stepMs));
  const runner = new StrategyRunner(strategy, {
    marketNames: MARKET_NAMES,
    market: market.symbol,
    timeframe: '1m',
    params,
    knownMarkets: new Set(markets.map((one) => one.market.symbol)),
    isDataSet: true,
    ...(universe === undefined ? {} : { universe }),
  });
  const plots = recordPlots([{ runner }]);
  const run = await runPoll({
    settings: { ...settingsOf(runner, script), reconciliation: DEFAULT_RECONCILIATION },
    markets,
    ...accountOf(script, market),
    quote: market.quote,
    rules: { latency: { kind: 'constant', outMs: LATENCY_MS, backMs: LATENCY_MS } },
    answerInstead: refusing(script.refuse),
    // Just before the next book, when the bot knows all that came with the last one.
    signals: scriptedSignals(script.signals, runner, (after) => {
      checkAfter(after, script.books.length);
      return SCRIPT_START_MS + Math.max(0, after * stepMs - 1);
    }),
  });
  return scriptedRun(run, { runner, plots: plots() });
}

function recordedMarket(script: BookMarketScript, stepMs: number): PollRunOptions['markets'][number] {
  const market = scriptedMarketOf(script);
  const [books, trades] = rowsOf(script, stepMs, market.symbol);
  return { market, books: inOne(bookColumns(books)), trades: inOne(tradeColumns(trades)) };
}

function rowsOf(
  { books }: BookMarketScript,
  stepMs: number,
  name: string,
): readonly [books: readonly RecordedBook[], trades: readonly RecordedTrade[]] {
  const last = books.at(-1);
  if (last === undefined) throw invalidOptions(`${name}: expected books of a script, were none`);
  const rows = [...books, { ...last, trades: [] }].map((book, index) => {
    const timeMs = SCRIPT_START_MS + index * stepMs;
    const { bid, ask, amount = 1_000, trades = [] } = book;
    if (!(bid ?? 1) || (bid !== null && ask !== null && bid >= ask)) {
      const was = JSON.stringify(book);
      throw invalidOptions(`${name}: books.${index}: expected a bid below the ask, was ${was}`);
    }
    const recorded: RecordedBook = {
      venueTimeMs: timeMs,
      seenMs: timeMs,
      bids: levelsOf(bid, amount),
      asks: levelsOf(ask, amount),
    };
    return [recorded, trades.map((trade) => tradeOf(trade, timeMs + stepMs / 2))] as const;
  });
  return [rows.map(([book]) => book), rows.flatMap(([, trades]) => trades)];
}

function levelsOf(price: number | null, amount: number): readonly BookLevel[] {
  return price === null ? [] : [[decimalText(price), decimalText(amount)]];
}

function tradeOf({ side, price, amount = 1 }: ScriptedTrade, timeMs: number): RecordedTrade {
  const money = { price: decimalText(price), amount: decimalText(amount) };
  return { id: null, timeMs, seenMs: timeMs, side, ...money };
}

/** Yields all rows as one chunk. */
async function* inOne<Columns>(columns: Columns): AsyncGenerator<Columns> {
  yield columns;
}
