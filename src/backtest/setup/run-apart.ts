import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError, invalidStrategy } from '../../domain/errors.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { ownModule } from '../../plugins/own-files.ts';
import { runBacktest, wantedOf, type ExpectedOrder } from '../run-backtest.ts';
import type { BacktestRun } from '../backtest-run.ts';
import { createBacktest, type BacktestRequest } from '../candle-backtest.ts';
import { runPollBacktest, type PollRequest } from '../poll-backtest.ts';
import { catalogueRecordings } from '../recordings.ts';

/** Task for a run in its own process, as plain values: it has only the given data, or a catalogue's. */
type ApartTask =
  | ({ readonly fidelity: 'candles'; readonly candles: readonly CandleColumns[] } & Omit<
      BacktestRequest,
      'csv' | 'catalogue' | 'candles' | 'onProgress'
    >)
  | ({ readonly fidelity: 'poll'; readonly catalogue: string } & Omit<
      PollRequest,
      'recordings' | 'onProgress'
    >);

/** Data of a run that a comparison needs. */
export interface ApartRun {
  readonly wanted: readonly ExpectedOrder[];
  readonly filledAtMs: readonly number[];
  /** Times of the points of its equity curve in ms, in order. */
  readonly timeMs: Float64Array;
}

type Answer =
  | { readonly run: ApartRun }
  | { readonly problem: { readonly code: string; readonly message: string } };

/** Path of this file, which is also the program of the child process. */
const OWN_FILE = fileURLToPath(ownModule('backtest/setup/run-apart'));

/** Maximum number of characters of error output that are kept of a process that ends without a run. */
const MOST_LAST_WORDS = 1_000;

/**
 * Runs a backtest in its own process. Its strategy has its own globals and cannot reach an array with later
 * data: if it changes `Float64Array`, it sees only its own data. A crash of that process does not end this
 * one. Its output is dropped, except in an error. Throws as the run itself does.
 */
export async function runApart(task: ApartTask): Promise<ApartRun> {
  const { config } = task;
  // Functions cannot be sent. These describe where a mistake is written, and the run before had none.
  const strategies = config.strategies.map(({ describe: _places, ...strategy }) => strategy);
  const sent: ApartTask = { ...task, config: { ...config, strategies } };
  const child = fork(OWN_FILE, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(-MOST_LAST_WORDS);
  });
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Answer));
      child.once('error', reject);
      child.once('close', (code, signal) =>
        reject(new Error(`expected a run, its process ended with ${signal ?? code}: ${output.trim()}`)),
      );
      // If the process ends before it receives the task, its `close` event reports that.
      child.send(sent, () => undefined);
    });
    if ('run' in answer) return answer.run;
    throw invalidStrategy(answer.problem.message);
  } finally {
    child.kill('SIGKILL');
  }
}

export function apartRunOf({
  orders,
  fills,
  curve,
}: Pick<BacktestRun, 'orders' | 'fills' | 'curve'>): ApartRun {
  return {
    wanted: wantedOf(orders),
    filledAtMs: fills.map(({ atMs }) => atMs),
    timeMs: curve.timeMs.slice(0, curve.length),
  };
}

async function perform(task: ApartTask): Promise<BacktestRun> {
  if (task.fidelity === 'candles') {
    const { fidelity: _candles, ...request } = task;
    return runBacktest((await createBacktest({ ...request, csv: [], catalogue: null })).backtest);
  }
  const { fidelity: _poll, catalogue, ...request } = task;
  return (await runPollBacktest({ ...request, recordings: catalogueRecordings(openCatalogue(catalogue)) }))
    .run;
}

async function answerOf(task: ApartTask): Promise<Answer> {
  try {
    return { run: apartRunOf(await perform(task)) };
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return { problem: { code: error.code, message: error.message } };
  }
}

if (process.argv[1] === OWN_FILE) {
  process.once('message', async (task: ApartTask) => {
    process.send?.(await answerOf(task), () => process.disconnect());
  });
}
