import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';

/** What a thread says of a seed that it was given. */
export type SeedAnswer =
  | { readonly kind: 'ended'; readonly result: SeedResult; readonly tookMs: number }
  /** The harness itself is broken: a checker or the world threw. */
  | { readonly kind: 'broken'; readonly message: string };

const IS_SEED_WORKER = 'runs seeds';

/** A thread that runs the seeds it is sent, one after the other. Virtual time uses one core, so as many threads as cores are of use. */
export function startSeedWorker(): Worker {
  return new Worker(new URL(import.meta.url), { workerData: IS_SEED_WORKER, resourceLimits: { maxYoungGenerationSizeMb: 64 } });
}

async function answerTo(options: SeedOptions): Promise<SeedAnswer> {
  const startMs = performance.now();
  try {
    return { kind: 'ended', result: await runSeed(options), tookMs: Math.round(performance.now() - startMs) };
  } catch (error) {
    return { kind: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function serve(): void {
  parentPort?.on('message', (options: SeedOptions) => {
    void answerTo(options).then((answer) => parentPort?.postMessage(answer, []));
  });
}

if (!isMainThread && workerData === IS_SEED_WORKER) serve();
