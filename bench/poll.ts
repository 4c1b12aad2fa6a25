import { z } from 'zod';
import { runPoll, type PollRun } from '../src/backtest/poll/run-poll.ts';
import { decimalText } from '../src/domain/decimal-text.ts';
import { createMarket } from '../src/domain/market.ts';
import { parseUnits } from '../src/domain/money.ts';
import type { BookLevel } from '../src/domain/order-book.ts';
import { createRandom } from '../src/domain/random.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../src/engine/engine-settings.ts';
import { createRiskLimits } from '../src/execution/risk/risk-limits.ts';
import type { RecordedBook, RecordedTrade } from '../src/recording/records.ts';
import { defineStrategy } from '../src/strategy/definition.ts';
import { StrategyRunner } from '../src/strategy/runner.ts';
import { cpuMs } from './cpu-time.ts';
import { median, type BenchResult } from './result.ts';
import { parseMarket, MARKET_NAMES } from '../src/exchange/market-names.ts';

const FROM_MS = 1_704_067_200_000;
const SECONDS_A_DAY = 86_400;
const ROUNDS = 3;
const LONGEST_DAY_MS = 1_000;
const REPLAYED_ROWS = 10_000_000;
const LEAST_ROWS_A_SECOND = 2_000_000;
const LEVELS = 24;
/** How far the middle goes from one book to the next, both ways together. */
const STEP_CENTS = 20;
/** Rows of a chunk, as they come from a recording. */
const CHUNK = 2_048;
const TRADED = decimalText('0.01');
/** Different books, so that no row is made while the clock runs that a recording would have made before. */
const BOOKS = 1_024;

const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
  minOrderValue: '11',
});

/** How far the quotes are from the best prices: where the last levels are, in the quote currency. */
const AWAY = 23;

/**
 * Keeps two quotes well away from the middle: where the book was when it first saw it, or where it is now.
 */
const QUOTER = defineStrategy({
  name: 'quoter',
  params: z.strictObject({ follows: z.boolean() }),
  state: z.strictObject({ bid: z.number().default(0), ask: z.number().default(0) }),
  data: ({ market }) => ({ price: market.ticker({ everyMs: 1_000, maxAgeMs: 30_000 }) }),
  on: {
    price(ctx, seen) {
      const now = { bid: seen.bid - AWAY, ask: seen.ask + AWAY };
      if (ctx.state.bid === 0) ctx.setState(now);
      const { bid, ask } = ctx.params.follows ? now : ctx.state;
      ctx.quotes([
        { side: 'buy', price: bid, amount: 0.01 },
        { side: 'sell', price: ask, amount: 0.01 },
      ]);
    },
  },
});

interface Sides {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

const price = (cents: number): BookLevel[0] => decimalText((cents / 100).toFixed(2));

/** Books of a slow walk, both ways, so that the first follows the last. */
function someBooks(stepCents: number): readonly Sides[] {
  const random = createRandom(7);
  let cents = 4_000_000;
  const there = Array.from({ length: BOOKS / 2 }, (): Sides => {
    cents += Math.round((random.next() - 0.5) * stepCents);
    const levels = (direction: 1 | -1): readonly BookLevel[] =>
      Array.from({ length: LEVELS }, (_, index) => [
        price(cents + direction * (50 + index * 100)),
        decimalText('0.05'),
      ]);
    return { bids: levels(-1), asks: levels(1) };
  });
  return [...there, ...there.toReversed()];
}

/** So many rows at a pace, in chunks. */
async function* rowsOf<Row>(
  of: { readonly count: number; readonly everyMs: number; readonly offsetMs: number },
  make: (index: number, timeMs: number) => Row,
): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < of.count; from += CHUNK) {
    const length = Math.min(CHUNK, of.count - from);
    yield Array.from({ length }, (_, index) =>
      make(from + index, FROM_MS + Math.floor(of.offsetMs + (from + index) * of.everyMs)),
    );
  }
}

async function run(
  books: readonly Sides[],
  of: { readonly books: number; readonly trades: number; readonly follows: boolean },
): Promise<PollRun> {
  const spanMs = SECONDS_A_DAY * 1_000;
  const bookAt = (index: number, timeMs: number): RecordedBook => {
    const { bids, asks } = books[index % BOOKS] as Sides;
    return { venueTimeMs: timeMs, seenMs: timeMs, bids, asks };
  };
  const tradeAt = (index: number, timeMs: number): RecordedTrade => {
    const side = index % 2 === 0 ? 'buy' : 'sell';
    const { bids, asks } = books[Math.floor((index * of.books) / Math.max(1, of.trades)) % BOOKS] as Sides;
    const [best] = (side === 'buy' ? asks : bids) as readonly [BookLevel];
    return { id: null, timeMs, seenMs: timeMs, price: best[0], amount: TRADED, side };
  };
  const runner = new StrategyRunner(QUOTER, {
    marketNames: MARKET_NAMES,
    market: MARKET.symbol,
    timeframe: '1m',
    params: { follows: of.follows },
  });
  const rates = { maker: 1_000, taker: 2_000 };
  return runPoll({
    settings: {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'bench',
      instances: [{ runner, onError: 'stop', pauseMs: 60_000, limits: createRiskLimits(), capital: {} }],
      reconciliation: DEFAULT_RECONCILIATION,
    },
    markets: [
      {
        market: MARKET,
        bars: [],
        stats: null,
        books: rowsOf({ count: of.books, everyMs: spanMs / of.books, offsetMs: 0 }, bookAt),
        trades:
          of.trades === 0
            ? null
            : rowsOf({ count: of.trades, everyMs: spanMs / of.trades, offsetMs: 1 }, tradeAt),
      },
    ],
    fees: { rls: rates, usdt: rates },
    balances: { usdt: parseUnits('100000'), btc: parseUnits('10') },
    quote: 'usdt',
  });
}

/**
 * Backtests on recorded books and trades: a day at the fastest rates that the budgets give, and ten million
 * rows of another day.
 */
export async function benchPoll(): Promise<BenchResult[]> {
  const books = someBooks(STEP_CENTS);
  const days: number[] = [];
  let polls = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    let day: PollRun | null = null;
    days.push(
      await cpuMs(async () => {
        day = await run(books, { books: SECONDS_A_DAY, trades: SECONDS_A_DAY, follows: false });
      }),
    );
    polls = sent(day);
  }
  const dayMs = median(days);
  const rows = { books: REPLAYED_ROWS / 2, trades: REPLAYED_ROWS / 2, follows: true };
  let replay: PollRun | null = null;
  const replayMs = await cpuMs(async () => {
    replay = await run(books, rows);
  });
  const [orders, requests] = [placed(replay), sent(replay)];
  const rate = (REPLAYED_ROWS * 1_000) / replayMs;
  return [
    {
      name: `poll: a day at the fastest rates, ${polls} requests`,
      value: dayMs,
      unit: 'ms',
      reference: null,
      ratio: null,
      target: LONGEST_DAY_MS,
      holds: dayMs <= LONGEST_DAY_MS,
    },
    {
      name: `poll: ${REPLAYED_ROWS} books and trades of a day, half of each, two quotes refreshed each second, ${orders} orders as the limits let through, ${requests} requests`,
      value: rate,
      unit: 'rows/s',
      reference: null,
      ratio: null,
      target: LEAST_ROWS_A_SECOND,
      holds: rate >= LEAST_ROWS_A_SECOND,
    },
  ];
}

function placed(run: PollRun | null): number {
  return run === null ? 0 : run.orders.length;
}

function sent(run: PollRun | null): number {
  return run === null ? 0 : run.requests.reduce((sum, { requests }) => sum + requests, 0);
}
