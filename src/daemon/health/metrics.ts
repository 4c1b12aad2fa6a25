import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { LOCK_KINDS } from '../../domain/lock-kind.ts';
import type { HealthSource } from './health-source.ts';
import { readyVerdict } from '../health-verdict.ts';
import { MetricSet, type MetricSeries } from './metric-set.ts';

/** Resolution of the loop's lag measurement, in ms. */
const LAG_RESOLUTION_MS = 20;

const NS_PER_SECOND = 1e9;

function records(counts: Readonly<Record<string, number>>, label: string): MetricSeries {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Prometheus knows floats alone: a money that is shown in a chart, and never goes back into the books. */
const shownNumber = (text: DecimalText): number => Number(text);

const single = (value: number): MetricSeries => [{ labels: {}, value }];

/**
 * The bot's numbers in the text form of Prometheus. Everything is asked of the source when it is looked at;
 * nothing is counted here, so that a second look changes nothing but the loop's lag, which is that since the
 * look before.
 */
export class Metrics {
  private readonly set = new MetricSet();
  private readonly lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });

  constructor(source: () => HealthSource) {
    this.lag.enable();
    this.addCounts(source);
    this.addStrategies(source);
    this.addUse(source);
    this.addStates(source);
    this.addProcess(source);
  }

  get contentType(): string {
    return this.set.contentType;
  }

  async text(): Promise<string> {
    const text = await this.set.text();
    this.lag.reset();
    return text;
  }

  close(): void {
    this.lag.disable();
  }

  private addCounts(source: () => HealthSource): void {
    this.set.counter(
      {
        name: 'sarraf_requests_total',
        help: 'Requests by endpoint and outcome.',
        labels: ['endpoint', 'outcome'],
      },
      () =>
        source()
          .requests()
          .map(({ endpoint, outcome, count }) => ({ labels: { endpoint, outcome }, value: count })),
    );
    this.set.counter({ name: 'sarraf_notices_total', help: 'Notices by level.', labels: ['level'] }, () =>
      records(source().noticesByLevel(), 'level'),
    );
    this.set.latency(
      {
        name: 'sarraf_order_latency_seconds',
        help: "From the plan of an order to the exchange's answer, waiting for a slot included.",
      },
      () => source().orderLatency(),
    );
  }

  private addStrategies(source: () => HealthSource): void {
    this.addStrategyCounts(source);
    const labels = ['strategy', 'currency'];
    const ofMoney = (name: 'profit' | 'realised' | 'open') => () =>
      source()
        .strategies()
        .flatMap(({ strategy, made }) => {
          const text = made[name];
          return text === null
            ? []
            : [{ labels: { strategy, currency: made.currency }, value: shownNumber(text) }];
        });
    const absent = 'Absent while something that it holds has no price.';
    this.set.gauge(
      { name: 'sarraf_profit', help: `Profit since its first trade, by strategy. ${absent}`, labels },
      ofMoney('profit'),
    );
    this.set.gauge(
      { name: 'sarraf_profit_realised', help: `Profit of what was sold again. ${absent}`, labels },
      ofMoney('realised'),
    );
    this.set.gauge(
      { name: 'sarraf_profit_open', help: `Profit of what is still held. ${absent}`, labels },
      ofMoney('open'),
    );
    this.addEquity(source);
    this.set.gauge(
      {
        name: 'sarraf_position',
        help: 'What a strategy holds of a coin; below zero where it has sold more than it bought.',
        labels: ['strategy', 'asset'],
      },
      () =>
        source()
          .strategies()
          .flatMap(({ strategy, made }) =>
            Object.entries(made.positions).map(([asset, held]) => ({
              labels: { strategy, asset },
              value: shownNumber(held),
            })),
          ),
    );
  }

  private addEquity(source: () => HealthSource): void {
    const labels = ['currency'];
    this.set.gauge(
      { name: 'sarraf_equity', help: 'What the account is worth, as written every five minutes.', labels },
      () =>
        source()
          .equity()
          .map(({ currency, value }) => ({ labels: { currency }, value: shownNumber(value) })),
    );
    this.set.gauge(
      {
        name: 'sarraf_drawdown_ratio',
        help: 'How far equity is below its highest, as a share of that. A withdrawal is no drawdown.',
        labels,
      },
      () =>
        source()
          .equity()
          .flatMap(({ currency, drawdown }) =>
            drawdown === null ? [] : [{ labels: { currency }, value: drawdown }],
          ),
    );
  }

  private addStrategyCounts(source: () => HealthSource): void {
    const each = (name: 'fills' | 'orders' | 'requests') => () =>
      source()
        .strategies()
        .map(({ strategy, [name]: value }) => ({ labels: { strategy }, value }));
    const labels = ['strategy'];
    this.set.counter(
      { name: 'sarraf_fills_total', help: 'Trades of own orders by strategy.', labels },
      each('fills'),
    );
    this.set.counter({ name: 'sarraf_orders_total', help: 'Orders by strategy.', labels }, each('orders'));
    this.set.counter(
      { name: 'sarraf_strategy_requests_total', help: 'Trading requests by strategy.', labels },
      each('requests'),
    );
    this.set.counter(
      {
        name: 'sarraf_refusals_total',
        help: 'What was refused by strategy: the kind of intent, and the check or the code of the exchange.',
        labels: ['strategy', 'what', 'code'],
      },
      () =>
        source()
          .strategies()
          .flatMap(({ strategy, refusals }) =>
            refusals.map(({ what, code, count }) => ({ labels: { strategy, what, code }, value: count })),
          ),
    );
    this.set.gauge(
      {
        name: 'sarraf_requests_per_fill',
        help: 'Trading requests for each fill by strategy; absent before the first fill.',
        labels,
      },
      () =>
        source()
          .strategies()
          .filter(({ fills }) => fills > 0)
          .map(({ strategy, requests, fills }) => ({ labels: { strategy }, value: requests / fills })),
    );
  }

  private addUse(source: () => HealthSource): void {
    const labels = ['budget', 'subject'];
    const series = (name: 'inUse' | 'limit') => () =>
      source()
        .budgets()
        .map((use) => ({ labels: { budget: use.budget, subject: use.subject }, value: use[name] }));
    this.set.gauge(
      { name: 'sarraf_budget_slots_in_use', help: 'Requests that count now.', labels },
      series('inUse'),
    );
    this.set.gauge(
      { name: 'sarraf_budget_slots', help: 'Most requests that may count at the same time.', labels },
      series('limit'),
    );
    this.set.gauge(
      {
        name: 'sarraf_budget_lowered_limit',
        help: 'Limit that the exchange has lowered, while it holds.',
        labels,
      },
      () =>
        source()
          .budgets()
          .flatMap(({ budget, subject, lowered }) =>
            lowered === null ? [] : [{ labels: { budget, subject }, value: lowered }],
          ),
    );
    this.set.gauge(
      { name: 'sarraf_data_age_seconds', help: 'Age of the data last read by feed.', labels: ['feed'] },
      () =>
        source()
          .dataAges()
          .flatMap(({ feed, ageMs }) => (ageMs === null ? [] : [{ labels: { feed }, value: ageMs / 1_000 }])),
    );
    this.set.gauge(
      {
        name: 'sarraf_data_longest_age_seconds',
        help: 'Longest age of a feed: older data is stale.',
        labels: ['feed'],
      },
      () =>
        source()
          .dataAges()
          .map(({ feed, longestAgeMs }) => ({ labels: { feed }, value: longestAgeMs / 1_000 })),
    );
  }

  private addStates(source: () => HealthSource): void {
    this.set.gauge({ name: 'sarraf_orders', help: 'Own orders by state.', labels: ['state'] }, () =>
      records(source().ordersByState(), 'state'),
    );
    this.set.gauge({ name: 'sarraf_ready', help: '1 while an order could leave at once (/readyz).' }, () =>
      single(Number(readyVerdict(source()).ok)),
    );
    this.set.gauge({ name: 'sarraf_halted', help: '1 while trading is halted.' }, () =>
      single(source().haltReason() === null ? 0 : 1),
    );
    this.set.gauge(
      {
        name: 'sarraf_doubts',
        help: 'Contradictions of the exchange that stop new orders until a correct reading.',
      },
      () => single(source().doubts().length),
    );
    this.set.gauge(
      { name: 'sarraf_breaks', help: 'Breaks: differences of the books from the exchange.' },
      () => single(source().breaks().length),
    );
    this.set.gauge({ name: 'sarraf_locks', help: 'Locks that hold, by kind.', labels: ['kind'] }, () => {
      const locks = source().locks();
      return LOCK_KINDS.map((kind) => ({
        labels: { kind },
        value: locks.filter((lock) => lock.kind === kind).length,
      }));
    });
    this.set.gauge({ name: 'sarraf_lockouts', help: 'Budgets that are locked out.' }, () =>
      single(source().lockouts().length),
    );
    this.set.gauge(
      { name: 'sarraf_credential_refused', help: '1 while the exchange refuses the credential (401).' },
      () => single(source().credentialFault() === null ? 0 : 1),
    );
    this.set.gauge({ name: 'sarraf_mirror_writable', help: '1 while the mirror can be written to.' }, () =>
      single(source().mirrorFault() === null ? 1 : 0),
    );
  }

  private addProcess(source: () => HealthSource): void {
    this.set.gauge({ name: 'sarraf_heartbeat_age_seconds', help: 'Time since the loop last ran.' }, () =>
      single(source().heartbeatAgeMs() / 1_000),
    );
    this.set.gauge(
      {
        name: 'sarraf_loop_lag_seconds',
        help: 'Lag of the event loop since the last reading.',
        labels: ['percentile'],
      },
      () => [
        { labels: { percentile: '50' }, value: this.lag.percentile(50) / NS_PER_SECOND },
        { labels: { percentile: '99' }, value: this.lag.percentile(99) / NS_PER_SECOND },
        { labels: { percentile: '100' }, value: this.lag.max / NS_PER_SECOND },
      ],
    );
    this.set.gauge({ name: 'process_resident_memory_bytes', help: 'Memory of the process.' }, () =>
      single(process.memoryUsage.rss()),
    );
    this.set.gauge({ name: 'process_heap_bytes', help: 'JavaScript objects of the process.' }, () =>
      single(process.memoryUsage().heapUsed),
    );
    this.set.gauge(
      { name: 'sarraf_mirror_bytes', help: 'Size of the mirror, with what is not folded into it yet.' },
      () => {
        const bytes = source().mirrorBytes();
        return bytes === null ? [] : single(bytes);
      },
    );
    this.set.gauge({ name: 'process_uptime_seconds', help: 'Age of the process.' }, () =>
      single(process.uptime()),
    );
  }
}
