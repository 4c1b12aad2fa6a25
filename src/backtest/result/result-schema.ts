import { z } from 'zod';
import { MARKET_NAMES } from '../../exchange/market-names.ts';

/** The version of the result's shape: higher where a reader of the one before would misread it. */
export const RESULT_SCHEMA = 1;

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
const side = z.enum(['buy', 'sell']);

/** The figures of a run. Each is explained in `docs/metrics.md`; null where its formula has no value. */
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

const tripSchema = z.strictObject({
  number: z.int().positive(),
  market: z.string(),
  strategy: z.string().nullable(),
  entryOrder: z.string().nullable(),
  exitOrder: z.string().nullable(),
  openedAtMs: timeMs,
  closedAtMs: timeMs.nullable(),
  amount: decimal,
  entryPrice: money,
  exitPrice: money,
  cost: money,
  proceeds: money,
  fees: money,
  profit: money,
  change: fraction,
  isOpen: z.boolean(),
});

const orderSchema = z.strictObject({
  key: z.string(),
  clientOrderId: z.string().nullable(),
  pairKey: z.string().nullable(),
  strategy: z.string(),
  tag: z.string().nullable(),
  market: z.string(),
  side,
  execution: z.enum(['limit', 'market', 'stop_limit', 'stop_market']),
  price: money.nullable(),
  stopPrice: money.nullable(),
  amount: decimal,
  filled: decimal,
  filledTotal: money,
  averagePrice: money.nullable(),
  fee: decimal.describe('In the currency received.'),
  state: z.string(),
  reason: z.string().nullable(),
  plannedAtMs: timeMs,
  sentAtMs: timeMs.nullable(),
  closedAtMs: timeMs.nullable(),
});

const fillSchema = z.strictObject({
  tradeId: z.string(),
  orderKey: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string(),
  side,
  atMs: timeMs,
  price: money,
  amount: decimal,
  total: money,
  fee: decimal.describe('In the currency received.'),
});

/**
 * All of a result but its long lists: what `summary.json` of a run folder holds, and what is listed and
 * compared.
 */
export const resultHeadSchema = z.strictObject({
  schema: z.literal(RESULT_SCHEMA),
  name: z.string(),
  createdAtMs: timeMs.describe('When the backtest was run.'),
  fromMs: timeMs,
  toMs: timeMs,
  barMs: z.number().positive().describe('What lies between two points of the equity curve.'),
  summary: summarySchema,
  fidelity: z.strictObject({
    kind: z.enum(['candles', 'poll']),
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
  config: z.json(),
  monthly: z.array(z.strictObject({ year: z.int(), month: z.int().min(1).max(12), change: z.number() })),
  sketch: z
    .strictObject({ timeMs: z.array(timeMs), equity: z.array(z.number()) })
    .describe('The equity curve at a few hundred points, the extremes among them, for small pictures.'),
});

/** The result of a backtest as it is written and printed. */
export const backtestResultSchema = z.strictObject({
  ...resultHeadSchema.shape,
  trades: z.array(tripSchema).describe('Round trips, first in first out.'),
  orders: z.array(orderSchema),
  fills: z.array(fillSchema),
});

export type ResultHead = z.infer<typeof resultHeadSchema>;
export type BacktestResult = z.infer<typeof backtestResultSchema>;
export type TripRow = BacktestResult['trades'][number];
export type OrderRow = BacktestResult['orders'][number];
export type RefusalRow = BacktestResult['refusals'][number];
export type FillRow = BacktestResult['fills'][number];

/** The JSON Schema of a result, as `docs/reference/backtest-result.schema.json` has it. */
export function resultSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(backtestResultSchema), null, 2)}\n`;
}
