import { decimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
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

/** A trade of others; its side is that of the order that took. */
export interface ScriptedTrade extends Pick<FillWith<number>, 'side' | 'price'> {
  /** In the base currency; 1 without it. */
  readonly amount?: number;
}

/** One moment of a market: its best prices, and what others trade at it until the next. */
export interface ScriptedBook {
  /** The highest offer to buy, in the quote currency; null for an empty side. */
  readonly bid: number | null;
  /** The lowest offer to sell, in the quote currency; null for an empty side. */
  readonly ask: number | null;
  /** Amount offered at both prices, in the base currency; default 1,000. */
  readonly amount?: number;
  readonly trades?: readonly ScriptedTrade[];
}

/** A market that does what a test says, book by book. */
export interface BookMarketScript extends ScriptedTerms {
  /** The last one stays for a step. */
  readonly books: readonly ScriptedBook[];
}

export interface BookScript extends BookMarketScript, ScriptedAccount {
  /** Between two books, in ms; ten seconds without it, in which the bot learns all that happened. */
  readonly stepMs?: number;
  /** Other markets, for a strategy of several; their books begin with the first ones, and come as often. */
  readonly others?: readonly BookMarketScript[];
  /**
   * Markets that it runs in by a rule, of those of the script; in place of the first. They are ranked by
   * their books and by what was traded at them so far.
   */
  readonly universe?: UniverseWish;
}

/** A request and its reply, each. */
const LATENCY_MS = 10;

/**
 * Runs a strategy on scripted books and trades: the whole bot, which polls as it does live, and the fill
 * rules of a backtest on a recording. A run is always the same. Throws `INVALID_STRATEGY` with what a handler
 * threw, and `INVALID_OPTIONS` for a script without books, or with prices that cross.
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
    // Just before the next book, when all is known that came with the last.
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
  if (last === undefined)
    throw new SarrafError('INVALID_OPTIONS', `${name}: expected books of a script, were none`);
  const rows = [...books, { ...last, trades: [] }].map((book, index) => {
    const timeMs = SCRIPT_START_MS + index * stepMs;
    const { bid, ask, amount = 1_000, trades = [] } = book;
    if (!(bid ?? 1) || (bid !== null && ask !== null && bid >= ask)) {
      const was = JSON.stringify(book);
      throw new SarrafError(
        'INVALID_OPTIONS',
        `${name}: books.${index}: expected a bid below the ask, was ${was}`,
      );
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

/** All rows in one chunk. */
async function* inOne<Columns>(columns: Columns): AsyncGenerator<Columns> {
  yield columns;
}
