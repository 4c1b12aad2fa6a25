import { z } from 'zod';
import type { PollRules } from '../../../../src/venues/fill-rules.ts';
import { runPoll, type PollRun, type PollRunOptions } from '../../../../src/backtest/poll/run-poll.ts';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { BookLevel } from '../../../../src/domain/order-book.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../../../../src/engine/engine-settings.ts';
import { createRiskLimits, type RiskLimits } from '../../../../src/engine/risk-limits.ts';
import {
  bookColumns,
  tradeColumns,
  type BookColumns,
  type TradeColumns,
  type RecordedBook,
  type RecordedStats,
  type RecordedTrade,
} from '../../../../src/recording/records.ts';
import { defineStrategy, type StrategyDefinition } from '../../../../src/strategy/definition.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { instanceOf, runnerOn } from '../../../support/runner-on.ts';

/** Midnight of Monday, 1 January 2024, UTC. */
export const FROM_MS = 1_704_067_200_000;

export const TETHER = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
  minOrderValue: '11',
});

export interface Recording {
  readonly books: readonly RecordedBook[];
  readonly trades: readonly RecordedTrade[];
}

/** Makes a market that stands still: the same book every second, and small trades at its best prices. */
export function stillOf(of: { readonly seconds: number }): Recording {
  const { books, trades } = walkOf({ seconds: of.seconds, seed: 1 });
  const [first] = books;
  if (first === undefined) return { books, trades };
  const best = { buy: first.asks[0]?.[0], sell: first.bids[0]?.[0] };
  return {
    books: books.map(({ venueTimeMs, seenMs }) => ({ ...first, venueTimeMs, seenMs })),
    trades: trades.map((trade) => ({
      ...trade,
      price: best[trade.side] ?? trade.price,
      amount: decimalText('0.01'),
    })),
  };
}

/** Makes a random walk: a book each second, and half a second later a trade that is seen a bit later. */
export function walkOf(of: { readonly seconds: number; readonly seed: number }): Recording {
  const random = createRandom(of.seed);
  const books: RecordedBook[] = [];
  const trades: RecordedTrade[] = [];
  let cents = 4_000_000;
  for (let second = 0; second < of.seconds; second += 1) {
    cents += Math.floor(random.next() * 1_001) - 500;
    const timeMs = FROM_MS + second * 1_000;
    const levels = (direction: 1 | -1): readonly BookLevel[] =>
      Array.from({ length: 24 }, (_, index): BookLevel => [
        price(cents + direction * (50 + index * 100)),
        decimalText('0.05'),
      ]);
    books.push({ venueTimeMs: timeMs, seenMs: timeMs + 150, bids: levels(-1), asks: levels(1) });
    const side = random.next() < 0.5 ? 'buy' : 'sell';
    trades.push({
      id: null,
      timeMs: timeMs + 500,
      seenMs: timeMs + 900,
      price: price(cents + (side === 'buy' ? 50 : -50)),
      amount: decimalText(`0.0${1 + Math.floor(random.next() * 9)}`),
      side,
    });
  }
  return { books, trades };
}

const price = (cents: number): ReturnType<typeof decimalText> => decimalText((cents / 100).toFixed(2));

/** Yields the rows in chunks. */
async function* chunksOf<Row>(rows: readonly Row[], size = 100): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

export async function* bookChunks(rows: readonly RecordedBook[], size?: number): AsyncGenerator<BookColumns> {
  for await (const chunk of chunksOf(rows, size)) yield bookColumns(chunk);
}

export async function* tradeChunks(
  rows: readonly RecordedTrade[],
  size?: number,
): AsyncGenerator<TradeColumns> {
  for await (const chunk of chunksOf(rows, size)) yield tradeColumns(chunk);
}

/** Buys at the best bid and sells at the best ask in turn, an order every `everyBooks` books. */
const MAKER: StrategyDefinition = defineStrategy({
  name: 'maker',
  params: z.strictObject({ everyBooks: z.int().positive().default(5) }),
  state: z.strictObject({ seen: z.int().default(0) }),
  data: ({ market }) => ({ book: market.book({ everyMs: 1_000, maxAgeMs: 30_000 }) }),
  on: {
    book(ctx, { bestBid, bestAsk }) {
      const seen = ctx.state.seen + 1;
      ctx.setState({ seen });
      if (seen % ctx.params.everyBooks !== 0 || bestBid === null || bestAsk === null) return;
      const isBuy = (seen / ctx.params.everyBooks) % 2 === 1;
      if (isBuy) ctx.buy({ amount: 0.01, price: bestBid.price });
      else ctx.sell({ amount: 0.01, price: bestAsk.price });
    },
  },
});

/** Runs one strategy on one recorded market. */
export async function runRecorded(
  recording: Recording,
  of: {
    readonly strategy?: StrategyDefinition;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly risk?: Partial<RiskLimits>;
    readonly rules?: Partial<PollRules>;
    readonly chunk?: number;
    readonly withTrades?: boolean;
    readonly cash?: string;
    /** Bitcoins that the strategy gets as inventory, of the one in the account. */
    readonly given?: string;
    readonly bars?: readonly CandleColumns[];
    readonly stats?: readonly RecordedStats[];
  } & Partial<
    Pick<
      PollRunOptions,
      'fromMs' | 'toMs' | 'onJournal' | 'curveEveryMs' | 'limits' | 'mirror' | 'balances' | 'feeCoin'
    >
  > = {},
): Promise<PollRun> {
  const {
    strategy = MAKER,
    params = {},
    risk,
    rules,
    chunk,
    withTrades = true,
    cash = '100000',
    given = '0',
    bars = [],
    stats = null,
    ...rest
  } = of;
  const runner = runnerOn(strategy, 'BTCUSDT', '1m', { params });
  return runPoll({
    settings: {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'back',
      instances: [
        instanceOf(runner, {
          limits: { ...createRiskLimits(), ...risk },
          inventory: { btc: parseUnits(given) },
        }),
      ],
      reconciliation: DEFAULT_RECONCILIATION,
    },
    markets: [
      {
        market: TETHER,
        bars: bars.map((columns) => ({ columns, covered: [] })),
        stats: stats === null ? null : chunksOf(stats, chunk),
        books: bookChunks(recording.books, chunk),
        trades: withTrades ? tradeChunks(recording.trades, chunk) : null,
      },
    ],
    fees: { rls: { maker: 1_000, taker: 2_000 }, usdt: { maker: 1_000, taker: 2_000 } },
    balances: { usdt: parseUnits(cash), btc: parseUnits('1') },
    quote: 'usdt',
    ...(rules === undefined ? {} : { rules }),
    ...rest,
  });
}
