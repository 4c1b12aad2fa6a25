import { z } from 'zod';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { field, shapeOf, WORD_CODECS, type RecordFields } from '../records/field.ts';
import { FILL, FILL_RESULT } from '../records/fill.ts';
import { TRIP_GROUPS } from '../portfolio/round-trips.ts';
import { ORDER, ORDER_RESULT, SHOWN_ORDER } from '../records/order.ts';

/** Version of the result's shape; raised when a reader of the version before would misread it. */
export const RESULT_SCHEMA = 3;

const money = z
  .string()
  .regex(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
  .describe('An exact decimal in the quote currency.');
const decimal = z
  .string()
  .regex(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
  .describe('An exact decimal.');
const statistic = z.number().nullable();
const fraction = z.number().nullable().describe('A fraction: 0.1 is ten percent.');
const timeMs = z.int().describe('Milliseconds since 1970-01-01T00:00:00Z.');
const count = z.int().nonnegative();
const lengthMs = z.number().nonnegative().describe('Milliseconds.');

/** Figures of a run. `docs/metrics.md` explains each; null where its formula has no value. */
export const summarySchema = z.strictObject({
  quote: z.enum(MARKET_NAMES.quotes.map(({ currency }) => currency)).describe('The currency of all money.'),
  initialEquity: money,
  finalEquity: money,
  profit: money,
  totalReturn: fraction,
  cagr: fraction,
  buyAndHoldReturn: fraction,
  volatility: fraction,
  sharpe: statistic,
  sortino: statistic,
  calmar: statistic,
  omega: statistic,
  maxDrawdown: z.number().min(0).max(1),
  maxDrawdownMs: lengthMs,
  longestDrawdownMs: lengthMs,
  exposure: fraction,
  turnover: statistic,
  tradedValue: money,
  fees: money,
  intents: count.default(0),
  orders: count,
  refused: count.default(0).describe('Intents, slices of algorithms and placed orders that were refused.'),
  fills: count,
  requests: count.nullable().default(null).describe('Null on candles, where nothing is asked for.'),
  requestsPerFill: statistic.default(null),
  trades: count,
  openTrades: count,
  winRate: fraction,
  profitFactor: statistic,
  expectancy: statistic,
  sqn: statistic,
  averageTradeReturn: fraction,
  bestTradeReturn: fraction,
  worstTradeReturn: fraction,
  averageTradeMs: lengthMs.nullable(),
  longestTradeMs: lengthMs.nullable(),
});

export type BacktestSummary = z.infer<typeof summarySchema>;

/** Names of all figures of a summary, which are all its fields but the currency. */
export const FIGURE_NAMES = Object.keys(summarySchema.shape).filter((name) => name !== 'quote');

/** Table of trades: a list of values for each field. All lists of one table have the same length. */
const tripsSchema = z.strictObject({
  number: z.array(z.int().positive()),
  market: z.array(z.string()),
  strategy: z.array(z.string().nullable()),
  entryOrder: z.array(z.string().nullable()),
  exitOrder: z.array(z.string().nullable()),
  openedAtMs: z.array(timeMs),
  closedAtMs: z.array(timeMs.nullable()),
  amount: z.array(decimal),
  entryPrice: z.array(money),
  exitPrice: z.array(money),
  cost: z.array(money),
  proceeds: z.array(money),
  fees: z.array(money),
  profit: z.array(money),
  change: z.array(fraction),
  isOpen: z.array(z.boolean()),
});

/** Codecs for the kinds of record fields. */
const RESULT_CODECS = {
  ...WORD_CODECS,
  orderState: z.string(),
  money,
  amount: decimal,
  time: timeMs,
  count,
  cursor: count,
};

/** Returns the schema of a table: each field of a record as a list of values. */
function listsOf<Of extends RecordFields, const Name extends keyof Of>(fields: Of, names: readonly Name[]) {
  const shape = shapeOf(fields, names, RESULT_CODECS);
  return z.strictObject(
    Object.fromEntries(names.map((name) => [name, z.array(shape[name])])) as {
      [Key in Name]: z.ZodArray<(typeof shape)[Key]>;
    },
  );
}

const ordersSchema = listsOf(SHOWN_ORDER, ORDER_RESULT);
const fillsSchema = listsOf(FILL, FILL_RESULT);

const locksSchema = z.strictObject({
  name: z.array(z.string()),
  strategy: z.array(z.string().nullable().describe('Null: all.')),
  market: z.array(z.string().nullable().describe('Null: all.')),
  reason: z.array(z.string()),
  entries: z.array(z.enum(['cancel', 'keep'])),
  beganAtMs: z.array(timeMs),
  endedAtMs: z.array(timeMs.nullable().describe('Null: it held at the end of the run.')),
  refused: z.array(count),
});

const membersSchema = z.strictObject({
  atMs: z.array(timeMs.describe('When its strategy was told.')),
  strategy: z.array(z.string()),
  universe: z.array(z.string().describe('The name of the data.')),
  market: z.array(z.string()),
  kind: z.array(z.enum(['entered', 'left'])),
  rank: z.array(z.int().positive().nullable().describe('Null: a filter refused it.')),
  reason: z.array(z.string()),
});

/** Fields of an order that is open at the end of a live session. */
export const OPEN_ORDER = [
  'key',
  'strategy',
  'market',
  'side',
  'execution',
  'amount',
  'price',
  'stopPrice',
  'state',
  'tag',
  'exit',
  'plannedAtMs',
] as const;

/** Data of a live session beside its figures: the outcome of the bot, and what it leaves open. */
const sessionSchema = z.strictObject({
  mirror: z.string().describe('The file that the figures come from.'),
  epoch: z.string(),
  isRunning: z.boolean().nullable().describe('Whether a bot had it open; null where that is not known.'),
  aliveUntilMs: timeMs.describe('The last sign of life of the bot in the mirror.'),
  strategies: z.array(
    z.strictObject({
      name: z.string(),
      status: z.enum(['running', 'paused', 'stopped', 'not running', 'unknown']),
      reason: z.string().nullable(),
      profit: money.describe('What its fills brought, at the last prices, less what they took.'),
      tradesProfit: money.describe('That of its closed trades.'),
      trades: count.describe('Closed ones.'),
      openTrades: count,
      winRate: fraction,
      fees: money.describe('Of its trades.'),
      orders: count,
      fills: count,
      orderRequestsPerFill: statistic.describe(
        'Requests that its orders have cost by fill, of its whole life; null without a fill.',
      ),
    }),
  ),
  pauses: z
    .array(z.strictObject({ fromMs: timeMs, toMs: timeMs }))
    .describe('When the bot was not running, from its last sign of life to when strategies began again.'),
  openOrders: z.array(
    z.strictObject(
      shapeOf({ ...ORDER, amount: field('amount', 'What is left of it.') }, OPEN_ORDER, RESULT_CODECS),
    ),
  ),
  positions: z.array(
    z.strictObject({
      strategy: z.string(),
      asset: z.string(),
      held: decimal,
      unprotected: decimal.describe('What of it no stop order and no OCO covers.'),
    }),
  ),
});

export type LiveSession = z.infer<typeof sessionSchema>;

/** Result without its tables, as in `summary.json` of a run folder; used to list and compare runs. */
export const resultHeadSchema = z.strictObject({
  schema: z.literal(RESULT_SCHEMA),
  name: z.string(),
  createdAtMs: timeMs.describe('When the backtest was run.'),
  fromMs: timeMs,
  toMs: timeMs,
  barMs: z.number().positive().describe('What lies between two points of the equity curve.'),
  summary: summarySchema,
  fidelity: z.strictObject({
    kind: z.enum(['candles', 'poll', 'live']),
    rules: z.array(z.strictObject({ rule: z.string(), setting: z.string() })),
    caveats: z.array(z.string()),
  }),
  warnings: z.array(z.string()),
  timing: z.strictObject({
    loadMs: lengthMs,
    fromCache: z.boolean().describe('Whether all bars came from the cache.'),
    runMs: lengthMs,
    events: count,
    eventsPerS: statistic,
  }),
  markets: z.array(
    z.strictObject({
      market: z.string(),
      priceStep: decimal,
      amountStep: decimal,
      firstPrice: money,
      lastPrice: money,
      bars: count,
    }),
  ),
  strategies: z.array(
    z.strictObject({
      name: z.string(),
      market: z.string(),
      params: z.json(),
      failure: z.string().nullable(),
      log: z
        .array(z.strictObject({ atMs: timeMs, text: z.string(), fields: z.json() }))
        .default([])
        .describe('The last lines that it logged, at most a thousand.'),
    }),
  ),
  refusals: z
    .array(
      z.strictObject({
        strategy: z.string(),
        what: z
          .string()
          .describe('The kind of intent, "order" for a placed one, "slice" for an order of an algorithm.'),
        code: z
          .string()
          .describe('The check that refused: "risk data-age", "fit", or a code of the exchange.'),
        count,
        meaning: z
          .string()
          .nullable()
          .default(null)
          .describe('What the exchange means by its code; null for a check of the bot.'),
        example: z.string().describe('The first case in words.'),
        firstAtMs: timeMs,
        lastAtMs: timeMs,
      }),
    )
    .default([])
    .describe('What was refused and why, counted; at most 51 rows a strategy.'),
  locks: z
    .array(
      z.strictObject({
        name: z.string(),
        times: count.describe('How often it began.'),
        heldMs: lengthMs.describe('Times that overlap count once.'),
        refused: count.describe('Orders that it refused.'),
      }),
    )
    .default([])
    .describe('Locks by name; each time is in lockSpans.'),
  session: sessionSchema
    .nullable()
    .default(null)
    .describe('Of a live session, from its mirror; null of a backtest.'),
  config: z.json(),
  profits: z
    .array(
      z.strictObject({
        by: z.enum(TRIP_GROUPS).describe('Days, weeks from Saturday on, months and hours are those of UTC.'),
        key: z.string().describe('The strategy, market, reason or tag, or the hour of the day.'),
        fromMs: timeMs.nullable().describe('When the day, week or month begins.'),
        trips: count,
        wins: count.describe('Those with a profit.'),
        profit: money.describe('After fees.'),
        fees: money,
        unvaluedFees: count
          .default(0)
          .describe('Trades with a fee that had no price: neither figure has it.'),
        payoff: statistic.describe('The mean win by the mean loss; null without both.'),
        lengthMs: lengthMs.describe('The mean time from purchase to sale, in ms.'),
      }),
    )
    .default([])
    .describe('Closed trades by time and by what their orders say, the first 366 groups of each.'),
  monthly: z.array(z.strictObject({ year: z.int(), month: z.int().min(1).max(12), change: z.number() })),
  sketch: z
    .strictObject({ timeMs: z.array(timeMs), equity: z.array(z.number()) })
    .describe('The equity curve at a few hundred points, the extremes among them, for small pictures.'),
});

/** Result of a backtest as it is written and printed. */
export const backtestResultSchema = z.strictObject({
  ...resultHeadSchema.shape,
  trades: tripsSchema.describe('Round trips, first in first out.'),
  orders: ordersSchema,
  fills: fillsSchema,
  lockSpans: locksSchema.describe('Each lock that there was, in the order in which they began.'),
  members: membersSchema.describe('Markets that entered and left universes, the first 20,000 of a run.'),
});

export type ResultHead = z.infer<typeof resultHeadSchema>;
export type BacktestResult = z.infer<typeof backtestResultSchema>;
export type TripRow = RowOf<BacktestResult['trades']>;
export type OrderRow = RowOf<BacktestResult['orders']>;
export type FillRow = RowOf<BacktestResult['fills']>;
export type LockRow = RowOf<BacktestResult['lockSpans']>;
export type MemberRow = RowOf<BacktestResult['members']>;
export type RefusalRow = BacktestResult['refusals'][number];

/** Row of a table: one value of each column. */
type RowOf<Columns extends Readonly<Record<string, readonly unknown[]>>> = {
  [Name in keyof Columns]: Columns[Name][number];
};

/** Returns the JSON Schema of a result, the content of `docs/reference/backtest-result.schema.json`. */
export function resultSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(backtestResultSchema), null, 2)}\n`;
}
