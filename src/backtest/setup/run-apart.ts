import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { ownModule } from '../../plugins/own-files.ts';
import { runBacktest, wantedOf, type ExpectedOrder } from '../run-backtest.ts';
import type { BacktestRun } from '../backtest-run.ts';
import { createBacktest, type BacktestRequest } from '../candle-backtest.ts';
import { runPollBacktest, type PollRequest } from '../poll-backtest.ts';
import { catalogueRecordings } from '../recordings.ts';

/** A run with nothing but the data that it is given, or that a catalogue has before its end. Plain values. */
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
  /** Times of the points of its equity, in order. */
  readonly timeMs: Float64Array;
}

type Answer =
  | { readonly run: ApartRun }
  | { readonly problem: { readonly code: string; readonly message: string } };

/** This file, which is also the program of the process apart. */
const OWN_FILE = fileURLToPath(ownModule('backtest/setup/run-apart'));

/** Of what a process says before it ends without a run, in characters. */
const MOST_LAST_WORDS = 1_000;

/**
 * Runs a backtest in a process of its own. Its strategy has globals of its own, and meets no array that holds
 * later data: one that changes `Float64Array` sees what it would see anyway. Where that process crashes, this
 * one goes on. What its strategy prints is not shown again. Throws as the run itself does.
 */
export async function runApart(task: ApartTask): Promise<ApartRun> {
  const { config } = task;
  // Functions that say where a mistake is written can not be sent. There was none in the run before.
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
      // One that has ended before it took the task is told of by its end.
      child.send(sent, () => undefined);
    });
    if ('run' in answer) return answer.run;
    throw new SarrafError('INVALID_STRATEGY', answer.problem.message);
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
