import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ownModule } from '../plugins/own-files.ts';
import { runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';

/** A thread's answer for a seed. */
export type SeedAnswer =
  | { readonly kind: 'ended'; readonly result: SeedResult; readonly tookMs: number }
  /** The fuzzer itself failed: a checker or the world threw. */
  | { readonly kind: 'broken'; readonly message: string };

const IS_SEED_WORKER = 'runs seeds';

/** Starts a thread that runs the seeds it is sent, in turn. As many threads as cores are best. */
export function startSeedWorker(): Worker {
  return new Worker(ownModule('fuzz/seed-worker'), {
    workerData: IS_SEED_WORKER,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
}

/** Matches names of the bot's orders, and ids of the exchange. */
const NAMES = /\bbot-[a-z\d-]*[a-z\d]\b|\b\d{4,}\b/g;
const MOST_NAMES = 6;

/** Runs a seed again to log the events of orders named in its violations: these are mostly long past. */
async function withEvents(options: SeedOptions, result: SeedResult): Promise<SeedResult> {
  if (result.violations.some(({ check }) => check === 'breaks' || check === 'no mistakes')) return result;
  const found = result.violations.flatMap(({ message }) => message.match(NAMES) ?? []);
  const names = [...new Set(found)].slice(0, MOST_NAMES);
  if (names.length === 0) return result;
  const { events } = await runSeed({ ...options, names });
  return events.length === 0 ? result : { ...result, events };
}

async function answerTo(options: SeedOptions): Promise<SeedAnswer> {
  const startMs = performance.now();
  try {
    const result = await runSeed(options);
    const tookMs = Math.round(performance.now() - startMs);
    return { kind: 'ended', result: await withEvents(options, result), tookMs };
  } catch (error) {
    return {
      kind: 'broken',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

if (!isMainThread && workerData === IS_SEED_WORKER)
  parentPort?.on('message', (options: SeedOptions) => {
    void answerTo(options).then((answer) => parentPort?.postMessage(answer, []));
  });
