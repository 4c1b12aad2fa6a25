import { Counter, Gauge, Registry } from 'prom-client';

/** As many series of one name are shown: labels are of small sets, and this holds even if one is not. */
const MOST_SERIES = 1_000;

/** The values of one metric, each with its labels. */
export type MetricSeries = readonly {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}[];

export interface MetricText {
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

  async text(): Promise<string> {
    return this.registry.metrics();
  }
}
