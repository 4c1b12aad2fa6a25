import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { SECOND_MS } from '../../domain/time-text.ts';
import { LOCK_KINDS } from '../../records/field.ts';
import { readinessStatus, type HealthSource, type LatencyCounts } from '../health-source.ts';

/** Values of one metric, each with its labels. */
type Series = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** A metric whose values are read when it is shown. */
interface Metric {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (bot: HealthSource) => Series;
}

type Declare = (name: string, help: string, labels: readonly string[], read: Metric['read']) => Metric;

/** Declares a metric whose values never go down. */
const counter: Declare = (name, help, labels, read) => ({ kind: 'counter', name, help, labels, read });
/** Declares a metric whose values go up and down. */
const gauge: Declare = (name, help, labels, read) => ({ kind: 'gauge', name, help, labels, read });

/** Returns one value without labels. */
const single = (value: number | boolean): Series => [[{}, Number(value)]];

/** Converts a money text to a float for Prometheus; it is shown, and never goes back into the books. */
const shownNumber = (text: DecimalText): number => Number(text);

const named = (counts: Readonly<Record<string, number>>, label: string): Series =>
  Object.entries(counts).map(([name, value]) => [{ [label]: name }, value]);

type Strategies = ReturnType<HealthSource['strategies']>;

const countOf =
  (name: 'fills' | 'orders' | 'requests') =>
  (bot: HealthSource): Series =>
    bot.strategies().map(({ strategy, [name]: value }) => [{ strategy }, value]);

const moneyOf =
  (name: 'profit' | 'realised' | 'open') =>
  (bot: HealthSource): Series =>
    bot.strategies().flatMap(({ strategy, made }) => {
      const text = made[name];
      return text === null ? [] : [[{ strategy, currency: made.currency }, shownNumber(text)] as const];
    });

const positionsOf = (strategies: Strategies): Series =>
  strategies.flatMap(({ strategy, made }) =>
    Object.entries(made.positions).map(([asset, held]) => [{ strategy, asset }, shownNumber(held)]),
  );

const refusalsOf = (strategies: Strategies): Series =>
  strategies.flatMap(({ strategy, refusals }) =>
    refusals.map(({ what, code, count }) => [{ strategy, what, code }, count]),
  );

const slotsOf =
  (name: 'inUse' | 'limit') =>
  (bot: HealthSource): Series =>
    bot.budgets().map(({ budget, subject, [name]: value }) => [{ budget, subject }, value]);

const UNPRICED = 'Absent while something that it holds has no price.';

/** Metrics of the bot, in the order in which they are shown. */
const OF_BOT: readonly Metric[] = [
  counter('sarraf_requests_total', 'Requests by endpoint and outcome.', ['endpoint', 'outcome'], (bot) =>
    bot.requests().map(({ endpoint, outcome, count }) => [{ endpoint, outcome }, count]),
  ),
  counter('sarraf_notices_total', 'Notices by level.', ['level'], (bot) =>
    named(bot.noticesByLevel(), 'level'),
  ),
  counter('sarraf_fills_total', 'Trades of own orders by strategy.', ['strategy'], countOf('fills')),
  counter('sarraf_orders_total', 'Orders by strategy.', ['strategy'], countOf('orders')),
  counter(
    'sarraf_strategy_requests_total',
    'Trading requests by strategy.',
    ['strategy'],
    countOf('requests'),
  ),
  counter(
    'sarraf_refusals_total',
    'What was refused by strategy: the kind of intent, and the check or the code of the exchange.',
    ['strategy', 'what', 'code'],
    (bot) => refusalsOf(bot.strategies()),
  ),
  gauge(
    'sarraf_requests_per_fill',
    'Trading requests for each fill by strategy; absent before the first fill.',
    ['strategy'],
    (bot) =>
      bot
        .strategies()
        .filter(({ fills }) => fills > 0)
        .map(({ strategy, requests, fills }) => [{ strategy }, requests / fills]),
  ),
  gauge(
    'sarraf_profit',
    `Profit since its first trade, by strategy. ${UNPRICED}`,
    ['strategy', 'currency'],
    moneyOf('profit'),
  ),
  gauge(
    'sarraf_profit_realised',
    `Profit of what was sold again. ${UNPRICED}`,
    ['strategy', 'currency'],
    moneyOf('realised'),
  ),
  gauge(
    'sarraf_profit_open',
    `Profit of what is still held. ${UNPRICED}`,
    ['strategy', 'currency'],
    moneyOf('open'),
  ),
  gauge('sarraf_equity', 'What the account is worth, as written every five minutes.', ['currency'], (bot) =>
    bot.equity().map(({ currency, value }) => [{ currency }, shownNumber(value)]),
  ),
  gauge(
    'sarraf_drawdown_ratio',
    'How far equity is below its highest, as a share of that. A withdrawal is no drawdown.',
    ['currency'],
    (bot) =>
      bot
        .equity()
        .flatMap(({ currency, drawdown }) => (drawdown === null ? [] : [[{ currency }, drawdown] as const])),
  ),
  gauge(
    'sarraf_position',
    'What a strategy holds of a coin; below zero where it has sold more than it bought.',
    ['strategy', 'asset'],
    (bot) => positionsOf(bot.strategies()),
  ),
  gauge('sarraf_budget_slots_in_use', 'Requests that count now.', ['budget', 'subject'], slotsOf('inUse')),
  gauge(
    'sarraf_budget_slots',
    'Most requests that may count at the same time.',
    ['budget', 'subject'],
    slotsOf('limit'),
  ),
  gauge(
    'sarraf_budget_lowered_limit',
    'Limit that the exchange has lowered, while it holds.',
    ['budget', 'subject'],
    (bot) =>
      bot
        .budgets()
        .flatMap(({ budget, subject, lowered }) =>
          lowered === null ? [] : [[{ budget, subject }, lowered] as const],
        ),
  ),
  gauge('sarraf_data_age_seconds', 'Age of the data last read by feed.', ['feed'], (bot) =>
    bot
      .dataAges()
      .flatMap(({ feed, ageMs }) => (ageMs === null ? [] : [[{ feed }, ageMs / SECOND_MS] as const])),
  ),
  gauge('sarraf_data_longest_age_seconds', 'Longest age of a feed: older data is stale.', ['feed'], (bot) =>
    bot.dataAges().map(({ feed, longestAgeMs }) => [{ feed }, longestAgeMs / SECOND_MS]),
  ),
  gauge('sarraf_orders', 'Own orders by state.', ['state'], (bot) => named(bot.ordersByState(), 'state')),
  gauge('sarraf_ready', '1 while an order could leave at once (/readyz).', [], (bot) =>
    single(readinessStatus(bot).ok),
  ),
  gauge('sarraf_halted', '1 while trading is halted.', [], (bot) => single(bot.haltReason() !== null)),
  gauge(
    'sarraf_doubts',
    'Contradictions of the exchange that stop new orders until a correct reading.',
    [],
    (bot) => single(bot.doubts().length),
  ),
  gauge('sarraf_breaks', 'Breaks: differences of the books from the exchange.', [], (bot) =>
    single(bot.breaks().length),
  ),
  gauge('sarraf_locks', 'Locks that hold, by kind.', ['kind'], (bot) => {
    const locks = bot.locks();
    return LOCK_KINDS.map((kind) => [{ kind }, locks.filter((lock) => lock.kind === kind).length]);
  }),
  gauge('sarraf_lockouts', 'Budgets that are locked out.', [], (bot) => single(bot.lockouts().length)),
  gauge('sarraf_credential_refused', '1 while the exchange refuses the credential (401).', [], (bot) =>
    single(bot.credentialFault() !== null),
  ),
  gauge('sarraf_mirror_writable', '1 while the mirror can be written to.', [], (bot) =>
    single(bot.mirrorFault() === null),
  ),
  gauge('sarraf_heartbeat_age_seconds', 'Time since the loop last ran.', [], (bot) =>
    single(bot.heartbeatAgeMs() / SECOND_MS),
  ),
  gauge('process_resident_memory_bytes', 'Memory of the process.', [], () =>
    single(process.memoryUsage.rss()),
  ),
  gauge('process_heap_bytes', 'JavaScript objects of the process.', [], () =>
    single(process.memoryUsage().heapUsed),
  ),
  gauge('sarraf_mirror_bytes', 'Size of the mirror, with what is not folded into it yet.', [], (bot) => {
    const bytes = bot.mirrorBytes();
    return bytes === null ? [] : single(bytes);
  }),
  gauge('process_uptime_seconds', 'Age of the process.', [], () => single(process.uptime())),
];

/**
 * Maximum number of series of one name that are shown. Labels are from small sets; this holds even if one is
 * not.
 */
const MOST_SERIES = 1_000;

/** Resolution of the loop's lag measurement, in ms. */
const LAG_RESOLUTION_MS = 20;

const NS_PER_SECOND = 1e9;

/**
 * The bot's numbers in the text format of Prometheus. All values are read from the source on request; nothing
 * is counted here, so a second request changes nothing but the loop's lag, which is that since the request
 * before.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });

  constructor(source: () => HealthSource) {
    this.lag.enable();
    for (const metric of OF_BOT) this.add(metric, source);
    this.add(
      gauge('sarraf_loop_lag_seconds', 'Lag of the event loop since the last reading.', ['percentile'], () =>
        [50, 99, 100].map(
          (percentile) =>
            [{ percentile: String(percentile) }, this.lag.percentile(percentile) / NS_PER_SECOND] as const,
        ),
      ),
      source,
    );
    this.registry.registerMetric(
      new ReadHistogram(
        {
          name: 'sarraf_order_latency_seconds',
          help: "From the plan of an order to the exchange's answer, waiting for a slot included.",
          registers: [],
        },
        () => source().orderLatency(),
      ),
    );
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    const text = await this.registry.metrics();
    this.lag.reset();
    return text;
  }

  close(): void {
    this.lag.disable();
  }

  private add({ kind, name, help, labels, read }: Metric, source: () => HealthSource): void {
    const series = (): Series => read(source()).slice(0, MOST_SERIES);
    const settings = { name, help, labelNames: labels, registers: [] };
    this.registry.registerMetric(
      kind === 'counter'
        ? new Counter({
            ...settings,
            collect() {
              this.reset();
              for (const [of, value] of series()) this.inc(of, value);
            },
          })
        : new Gauge({
            ...settings,
            collect() {
              this.reset();
              for (const [of, value] of series()) this.set(of, value);
            },
          }),
    );
  }
}

/** Histogram that shows counts kept elsewhere; the library's own accepts single values only. */
class ReadHistogram extends Histogram {
  private readonly config: { readonly name: string; readonly help: string };
  private readonly read: () => LatencyCounts;

  constructor(
    config: { readonly name: string; readonly help: string; readonly registers: [] },
    read: () => LatencyCounts,
  ) {
    super(config);
    this.config = config;
    this.read = read;
  }

  /** Returns the metric as its name, help and values, in the form that is printed. */
  async getForPromString() {
    const { name, help } = this.config;
    const { buckets, count, sumMs } = this.read();
    return {
      name,
      help,
      type: 'histogram',
      values: [
        ...buckets.map((bucket) => ({
          metricName: `${name}_bucket`,
          labels: { le: String(bucket.endMs / SECOND_MS) },
          value: bucket.count,
        })),
        { metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels: {}, value: sumMs / SECOND_MS },
        { metricName: `${name}_count`, labels: {}, value: count },
      ],
    };
  }
}
