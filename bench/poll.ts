import { z } from 'zod';
import { runPoll, type PollRun } from '../src/backtest/poll/run-poll.ts';
import { decimalText, type DecimalText } from '../src/domain/decimal-text.ts';
import { present } from '../src/domain/errors.ts';
import { createMarket } from '../src/domain/market.ts';
import { parseUnits } from '../src/domain/money.ts';
import type { BookLevel } from '../src/domain/order-book.ts';
import type { Side } from '../src/domain/order.ts';
import { createRandom } from '../src/domain/random.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../src/engine/engine-settings.ts';
import { createRiskLimits } from '../src/engine/risk-limits.ts';
import { ListedLevels, type BookColumns, type TradeColumns } from '../src/recording/records.ts';
import { defineStrategy } from '../src/strategy/definition.ts';
import { StrategyRunner } from '../src/strategy/runner.ts';
import { cpuMs } from './cpu-time.ts';
import { median, type BenchResult } from './result.ts';
import { parseMarket, MARKET_NAMES } from '../src/exchange/market-names.ts';

const FROM_MS = 1_704_067_200_000;
const SECONDS_A_DAY = 86_400;
const ROUNDS = 3;
const LONGEST_DAY_MS = 1_000;
const LONGEST_REQUEST_US = 30;
const REPLAYED_ROWS = 10_000_000;
const LEAST_ROWS_A_SECOND = 2_000_000;
const LEVELS = 24;
/** Range of the move of the middle between two books, in cents: half of it up, half of it down. */
const STEP_CENTS = 20;
/** Rows of a chunk, as in a recording. */
const CHUNK = 2_048;
const TRADED = decimalText('0.01');
/** Number of different books. They are made before the clock runs, as in a recording. */
const BOOKS = 1_024;

const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
  minOrderValue: '11',
});

/** Coins of the account, which the strategy may sell. */
const COINS = parseUnits('10');

/** Distance of the quotes from the best prices, in the quote currency: at the last levels. */
const AWAY = 23;

/** Keeps two quotes well away from the middle: that of its first book, or the current one if `follows`. */
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

/** Books of a slow walk there and back, so that the first can follow the last. */
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

interface Pace {
  readonly count: number;
  readonly everyMs: number;
  readonly offsetMs: number;
}

/** Yields the chunks of `count` rows at a pace: the index of the first row, and the times of all rows. */
function* chunksOf({
  count,
  everyMs,
  offsetMs,
}: Pace): Generator<readonly [from: number, timeMs: Float64Array]> {
  for (let from = 0; from < count; from += CHUNK) {
    const timeMs = new Float64Array(Math.min(CHUNK, count - from));
    for (let row = 0; row < timeMs.length; row += 1)
      timeMs[row] = FROM_MS + Math.floor(offsetMs + (from + row) * everyMs);
    yield [from, timeMs];
  }
}

async function* bookChunks(books: readonly Sides[], pace: Pace): AsyncGenerator<BookColumns> {
  const bids = books.map((sides) => sides.bids);
  const asks = books.map((sides) => sides.asks);
  for (const [from, timeMs] of chunksOf(pace)) {
    const of = (lists: readonly (readonly BookLevel[])[]): ListedLevels =>
      new ListedLevels(Array.from(timeMs, (_, row) => lists[(from + row) % BOOKS] ?? []));
    yield { length: timeMs.length, venueTimeMs: timeMs, seenMs: timeMs, bids: of(bids), asks: of(asks) };
  }
}

/** Yields trades at the best prices of the books, on both sides in turn. */
async function* tradeChunks(
  books: readonly Sides[],
  { booksATrade, ...pace }: Pace & { readonly booksATrade: number },
): AsyncGenerator<TradeColumns> {
  for (const [from, timeMs] of chunksOf(pace)) {
    const price: DecimalText[] = [];
    const side: Side[] = [];
    for (let row = 0; row < timeMs.length; row += 1) {
      const isBuy = (from + row) % 2 === 0;
      const { bids, asks } = books[Math.floor((from + row) * booksATrade) % BOOKS] as Sides;
      const [best] = (isBuy ? asks : bids) as readonly [BookLevel];
      price.push(best[0]);
      side.push(isBuy ? 'buy' : 'sell');
    }
    const amount = price.map(() => TRADED);
    yield { length: timeMs.length, timeMs, seenMs: timeMs, price, amount, side };
  }
}

async function run(
  books: readonly Sides[],
  of: { readonly books: number; readonly trades: number; readonly follows: boolean },
): Promise<PollRun> {
  const spanMs = SECONDS_A_DAY * 1_000;
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
      instances: [
        {
          runner,
          onError: 'stop',
          pauseMs: 60_000,
          limits: createRiskLimits(),
          capital: {},
          inventory: { btc: COINS },
        },
      ],
      reconciliation: DEFAULT_RECONCILIATION,
    },
    markets: [
      {
        market: MARKET,
        bars: [],
        stats: null,
        books: bookChunks(books, { count: of.books, everyMs: spanMs / of.books, offsetMs: 0 }),
        trades: tradeChunks(books, {
          count: of.trades,
          everyMs: spanMs / of.trades,
          offsetMs: 1,
          booksATrade: of.books / of.trades,
        }),
      },
    ],
    fees: { rls: rates, usdt: rates },
    balances: { usdt: parseUnits('100000'), btc: COINS },
    quote: 'usdt',
  });
}

interface Measured {
  readonly cpuMs: number;
  readonly orders: number;
  readonly requests: number;
}

async function measure(books: readonly Sides[], of: Parameters<typeof run>[1]): Promise<Measured> {
  let counted = { orders: 0, requests: 0 };
  const ms = await cpuMs(async () => {
    const { orders, requests } = await run(books, of);
    counted = { orders: orders.length, requests: requests.reduce((sum, one) => sum + one.requests, 0) };
  });
  return { cpuMs: ms, ...counted };
}

/** Repeats a run, and returns it with the median CPU time. */
async function measureOften(books: readonly Sides[], of: Parameters<typeof run>[1]): Promise<Measured> {
  const rounds: Measured[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(books, of));
  const last = present(rounds.at(-1), 'a round of the benchmark');
  return { ...last, cpuMs: median(rounds.map((one) => one.cpuMs)) };
}

/**
 * Measures backtests on recorded books and trades: a day at the fastest rates that the budgets allow, the
 * same day with quotes that move (which gives the cost of a request), and ten million rows of another day.
 */
export async function benchPoll(): Promise<BenchResult[]> {
  const books = someBooks(STEP_CENTS);
  const eachSecond = { books: SECONDS_A_DAY, trades: SECONDS_A_DAY };
  const day = await measureOften(books, { ...eachSecond, follows: false });
  const moved = await measureOften(books, { ...eachSecond, follows: true });
  const requestUs = (moved.cpuMs * 1_000) / moved.requests;
  const replay = await measure(books, {
    books: REPLAYED_ROWS / 2,
    trades: REPLAYED_ROWS / 2,
    follows: true,
  });
  const rate = (REPLAYED_ROWS * 1_000) / replay.cpuMs;
  const alone = { reference: null, ratio: null };
  return [
    {
      name: `poll: a day at the fastest rates, ${day.requests} requests`,
      value: day.cpuMs,
      unit: 'ms',
      ...alone,
      target: LONGEST_DAY_MS,
      holds: day.cpuMs <= LONGEST_DAY_MS,
    },
    {
      name: `poll: a request of a day with two quotes refreshed each second, ${moved.orders} orders, ${moved.requests} requests`,
      value: requestUs,
      unit: 'µs',
      ...alone,
      target: LONGEST_REQUEST_US,
      holds: requestUs <= LONGEST_REQUEST_US,
    },
    {
      name: `poll: ${REPLAYED_ROWS} books and trades of a day, half of each, two quotes refreshed each second, ${replay.orders} orders as the limits let through, ${replay.requests} requests`,
      value: rate,
      unit: 'rows/s',
      ...alone,
      target: LEAST_ROWS_A_SECOND,
      holds: rate >= LEAST_ROWS_A_SECOND,
    },
  ];
}
