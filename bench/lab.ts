import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { SARRAF } from './child-usage.ts';
import { besideExchange } from './idle.ts';
import type { BenchResult } from './result.ts';

const MOST_MORE_MS = 1;
const MOST_ATTEMPTS = 5;
const CATALOGUE = join(import.meta.dirname, '..', 'data', 'example');

/** A study that goes on for longer than the measurement. */
const STUDY = {
  kind: 'study',
  strategy: 'ma-cross',
  typed: {
    markets: 'BTCUSDT',
    timeframe: '5m',
    balances: 'usdt=10000',
    fee: '0.1%',
    'budget.trials': '100000',
    'sampler.kind': 'random',
  },
};

const openedSchema = z.object({ address: z.url(), tokenFile: z.string() });
const jobsSchema = z.object({ jobs: z.array(z.object({ state: z.string() })) });

/** Runs something while a study runs in a lab. Throws if the study does not run until the end of it. */
async function besideStudy<Result>(folder: string, run: () => Result): Promise<Result> {
  const options = ['--data', join(folder, 'lab'), '--catalogue', CATALOGUE, '--port', '0', '--json'];
  const lab = spawn(process.execPath, [SARRAF, 'lab', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface({ input: lab.stdout }), 'line');
    const { address, tokenFile } = openedSchema.parse(JSON.parse(String(line)));
    const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
    const jobs = `${address}/api/v1/jobs`;
    // The measurement blocks this process: a connection that is kept open would time out.
    const headers = { authorization, 'content-type': 'application/json', connection: 'close' };
    for (let attempt = 1; ; attempt += 1) {
      const added = await fetch(jobs, { method: 'POST', headers, body: JSON.stringify(STUDY) });
      if (added.ok) break;
      // On a busy machine the strategy may not be read in time.
      if (attempt === MOST_ATTEMPTS)
        throw new Error(`expected a study in the lab, was ${added.status}: ${await added.text()}`);
    }
    const stateOf = async (): Promise<string | undefined> =>
      jobsSchema.parse(await (await fetch(jobs, { headers })).json()).jobs[0]?.state;
    while ((await stateOf()) === 'waiting') await setTimeout(100);
    const result = run();
    const state = await stateOf();
    if (state !== 'running')
      throw new Error(`expected the study to run during the measurement, was ${state}`);
    return result;
  } finally {
    lab.kill('SIGINT');
    if (lab.exitCode === null) await once(lab, 'exit');
  }
}

/** Measures the lag of the loop of a bot in thirty markets while a study runs in its lab, against without. */
export async function benchLab(): Promise<BenchResult[]> {
  return besideExchange(async (lived, folder) => {
    const alone = lived();
    const beside = await besideStudy(folder, lived);
    const moreMs = beside.lagMs - alone.lagMs;
    return [
      {
        name: 'lab: lag of the loop of a bot beside a study, 99 of 100',
        value: beside.lagMs,
        unit: 'ms',
        reference: alone.lagMs,
        ratio: beside.lagMs / alone.lagMs,
        target: null,
        holds: true,
      },
      {
        name: 'lab: lag that the study adds',
        value: moreMs,
        unit: 'ms',
        reference: null,
        ratio: null,
        target: MOST_MORE_MS,
        holds: moreMs <= MOST_MORE_MS,
      },
    ];
  });
}
