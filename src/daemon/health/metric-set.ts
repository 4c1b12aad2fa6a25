import { SECOND_MS } from '../../domain/durations.ts';
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { LatencyCounts } from './health-source.ts';

/** As many series of one name are shown: labels are of small sets, and this holds even if one is not. */
const MOST_SERIES = 1_000;

/** The values of one metric, each with its labels. */
export type MetricSeries = readonly {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}[];

interface MetricText {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Metrics whose values are read when they are looked at, in the text form of Prometheus. */
export class MetricSet {
  private readonly registry = new Registry();

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Adds one whose values never go down. */
  counter({ name, help, labels = [] }: MetricText, read: () => MetricSeries): void {
    const counter = new Counter({
      name,
      help,
      labelNames: labels,
      registers: [],
      collect() {
        this.reset();
        for (const { labels: values, value } of read().slice(0, MOST_SERIES)) this.inc(values, value);
      },
    });
    this.registry.registerMetric(counter);
  }

  /** Adds one whose values go up and down. */
  gauge({ name, help, labels = [] }: MetricText, read: () => MetricSeries): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [],
      collect() {
        this.reset();
        for (const { labels: values, value } of read().slice(0, MOST_SERIES)) this.set(values, value);
      },
    });
    this.registry.registerMetric(gauge);
  }

  /** Adds durations that were counted elsewhere, in seconds as Prometheus wants them. */
  latency({ name, help }: MetricText, read: () => LatencyCounts): void {
    this.registry.registerMetric(new ReadHistogram({ name, help, registers: [] }, read));
  }

  async text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** A histogram of the library takes single values only; this one shows counts that somebody else keeps. */
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

  /** Returns the metric for printing. */
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
