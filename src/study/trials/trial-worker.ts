import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { workerData } from 'node:worker_threads';
import type { BenchReport, BenchTask } from '../trial-runner.ts';
import { TrialBench } from './trial-bench.ts';
import type { TrialSetup } from './trial-setup.ts';

/**
 * Discards the console output of strategies: in thousands of trials it would mix with the results, and cost
 * more time than the trials. A backtest with the params of one trial shows it.
 */
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
globalThis.console = new Console({ stdout: nowhere, stderr: nowhere });

let bench: TrialBench | null = null;

/** Entry point of a thread that runs trials; a strategy's file is loaded once in it. */
export default async function runTask(task: BenchTask): Promise<BenchReport> {
  bench ??= new TrialBench(workerData as TrialSetup);
  if (task.kind === 'stress') return bench.stress(task.task);
  return task.kind === 'trial' ? bench.run(task.params, task.stretch) : bench.account(task);
}
