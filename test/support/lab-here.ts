import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LabServer } from '../../src/lab/lab-server.ts';
import type { JobLimits } from '../../src/lab/lab-jobs.ts';
import type { JobItem, JobState } from '../../src/lab/lab-schema.ts';
import { DashboardHere } from './dashboard-here.ts';

/** Jobs have the priority of the tests: beside busy ones they would not run at all with the lowest. */
const LIMITS: JobLimits = { atOnce: 1, workers: 1, memoryMb: 1_024, longestMs: 1_200_000, niceness: 0 };

/** Settings of a run on the recording that ships. */
export const EXAMPLE_RUN = { markets: 'BTCUSDT', timeframe: '5m', balances: 'usdt=10000', fee: '0.1%' };

/** Source of an own strategy that does this at each bar. */
export const strategySource = (body: string): string => `import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'own',
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: { bars(ctx) { ${body} } },
});
`;

/** A lab in this process, on the recording that ships, with own strategies and files to import. */
export class LabHere {
  readonly here: DashboardHere;
  readonly strategies: string;

  constructor(
    dataFolder: string,
    of: Partial<JobLimits> & {
      readonly pageFolder?: string;
      readonly exchange?: readonly string[];
      readonly catalogue?: string;
    } = {},
  ) {
    const { pageFolder, exchange = [], catalogue = join(dataFolder, 'catalogue'), ...limits } = of;
    this.strategies = join(dataFolder, 'own-strategies');
    mkdirSync(this.strategies, { recursive: true });
    mkdirSync(join(dataFolder, 'imports'), { recursive: true });
    cpSync(resolve('data/example'), join(dataFolder, 'catalogue'), { recursive: true });
    this.here = new DashboardHere(
      dataFolder,
      pageFolder,
      (options) =>
        new LabServer({
          ...options,
          catalogue,
          strategiesFolder: this.strategies,
          exchange,
          limits: { ...LIMITS, ...limits },
        }),
    );
  }

  async listen(): Promise<this> {
    await this.here.listen();
    return this;
  }

  /** Writes an own strategy and returns its id. */
  write(id: string, body: string): string {
    writeFileSync(join(this.strategies, id), strategySource(body));
    return id;
  }

  /** Adds a job and returns its id. */
  async add(body: object): Promise<number> {
    const { status, json } = await this.here.api('/jobs', body);
    if (status !== 200) throw new Error(`expected a job, was ${JSON.stringify(json)}`);
    return json['id'] as number;
  }

  async job(id: number): Promise<JobItem | undefined> {
    const { json } = await this.here.api('/jobs');
    return (json['jobs'] as JobItem[]).find((one) => one.id === id);
  }

  /** Waits until a job is in one of these states, by default until it has ended. */
  async until(id: number, states?: readonly JobState[]): Promise<JobItem> {
    for (;;) {
      const job = await this.job(id);
      if (job !== undefined && (states === undefined ? job.endedAtMs !== null : states.includes(job.state)))
        return job;
      await new Promise((resolve_) => setTimeout(resolve_, 50));
    }
  }

  async outputOf(id: number): Promise<string> {
    return (await this.here.api(`/jobs/${id}/output`)).json['text'] as string;
  }

  async close(): Promise<void> {
    await this.here.close();
  }
}
