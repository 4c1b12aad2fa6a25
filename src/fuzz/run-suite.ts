import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { disposable } from '../domain/closing.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { addCounts, missingFrom, type Counts } from './coverage.ts';
import type { SeedOptions, SeedResult } from './run-seed.ts';
import { startSeedWorker, type SeedAnswer } from './seed-worker.ts';
import type { VenuePlace } from '../venues/client-credentials.ts';

interface SuiteOptions {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly hours: number;
  /** Number of threads. */
  readonly jobs: number;
  /** True to start no more seeds once one has failed. */
  readonly failFast: boolean;
  /** True to run every seed twice, not only every twentieth. */
  readonly twice: boolean;
  /** The venue to test; the default is the built-in one. */
  readonly venue?: VenuePlace;
  readonly onSeed: (outcome: SeedOutcome) => void;
  /** Ends the suite early; running seeds are dropped. */
  readonly signal: AbortSignal;
}

/** Result of a seed, with its duration. */
export interface SeedOutcome extends SeedResult {
  readonly tookMs: number;
  /** True for the second run of a seed, which compares journals. */
  readonly isRepeat: boolean;
}

export interface SuiteResult {
  readonly outcomes: readonly SeedOutcome[];
  readonly failedSeeds: readonly number[];
  readonly counts: Counts;
  /** Events that the suite has never met. */
  readonly missing: readonly string[];
  readonly tookMs: number;
}

/** Interval of seeds that are run a second time; the journals must be equal. */
const REPEAT_EVERY = 20;

/**
 * Processor time for each virtual hour after which a seed counts as hanging, in ms; it usually needs some
 * seconds. Only its own time counts, since a busy machine may give it little.
 */
const MOST_MS_PER_HOUR = 60_000;
const MOST_MS_TO_START = 120_000;

/** Polls without progress after which a seed counts as waiting for ever. */
const MOST_IDLE_POLLS = 300;
const POLL_INTERVAL_MS = 1_000;
/** Processor time between two polls below which a thread is idle, in ms: a poll itself needs less. */
const IDLE_MS = 5;

/** Folder on tmpfs, if there is one: on a disk the durable commits cost more than the rest of a run. */
const FAST_FOLDER = '/dev/shm';

interface Task {
  readonly seed: number;
  readonly isRepeat: boolean;
}

/** Runs seeds on several threads, each in its own folder, which is removed with the suite. */
export async function runSuite(options: SuiteOptions): Promise<SuiteResult> {
  const parent = existsSync(FAST_FOLDER) ? FAST_FOLDER : tmpdir();
  const made = mkdtempSync(join(parent, `sarraf-fuzz-${process.pid}-`));
  using folder = disposable(made, (path) => rmSync(path, { recursive: true, force: true }));
  return await new Suite(options, folder.value).run();
}

class Suite {
  private readonly options: SuiteOptions;
  private readonly folder: string;
  private readonly tasks: Task[];
  private readonly outcomes: SeedOutcome[] = [];
  private readonly hashes = new Map<number, string>();
  private hasFailed = false;

  constructor(options: SuiteOptions, folder: string) {
    this.options = options;
    this.folder = folder;
    this.tasks = tasksOf(options);
  }

  async run(): Promise<SuiteResult> {
    const startMs = performance.now();
    const workers = Math.min(this.options.jobs, this.tasks.length);
    await Promise.all(
      Array.from({ length: workers }, async (_, worker) => this.runWorker(join(this.folder, String(worker)))),
    );
    const { outcomes } = this;
    const counts = addCounts(outcomes.filter(({ isRepeat }) => !isRepeat).map((outcome) => outcome.counts));
    const failed = outcomes.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
    return {
      outcomes,
      failedSeeds: [...new Set(failed)].toSorted((left, right) => left - right),
      counts,
      missing: missingFrom(counts, outcomes.length),
      tookMs: Math.round(performance.now() - startMs),
    };
  }

  /** Runs one thread, which gets the next seed when it is done with one. */
  private async runWorker(folder: string): Promise<void> {
    const { signal, failFast, hours, venue } = this.options;
    const tested = venue === undefined ? {} : { venue };
    let worker: Worker | null = null;
    try {
      for (let task = this.tasks.shift(); task !== undefined; task = this.tasks.shift()) {
        if (signal.aborted || (failFast && this.hasFailed)) return;
        worker ??= startSeedWorker();
        const answer = await answerOf(worker, { seed: task.seed, hours, folder, ...tested }, signal);
        if (answer === null) return;
        this.finish(task, answer);
        if (answer.kind === 'ended') continue;
        await worker.terminate();
        worker = null;
      }
    } finally {
      await worker?.terminate();
    }
  }

  private finish({ seed, isRepeat }: Task, answer: SeedAnswer): void {
    const outcome: SeedOutcome =
      answer.kind === 'ended'
        ? { ...answer.result, tookMs: answer.tookMs, isRepeat }
        : {
            ...nothingOf(seed),
            violations: [{ check: 'the run ends', message: answer.message }],
            tookMs: 0,
            isRepeat,
          };
    const other = this.hashes.get(seed);
    this.hashes.set(seed, outcome.journalHash);
    const isSame = other === undefined || other === outcome.journalHash;
    const checked = isSame ? outcome : withViolation(outcome, `expected the journal ${other} again`);
    if (checked.violations.length > 0) this.hasFailed = true;
    this.outcomes.push(checked);
    this.options.onSeed(checked);
  }
}

function tasksOf({ firstSeed, seeds, twice }: SuiteOptions): Task[] {
  const all = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  const again = all.filter((_, index) => twice || (seeds > 1 && index % REPEAT_EVERY === 0));
  return [
    ...all.map((seed) => ({ seed, isRepeat: false })),
    ...again.map((seed) => ({ seed, isRepeat: true })),
  ];
}

function nothingOf(seed: number): SeedResult {
  return { seed, violations: [], counts: {}, journalHash: '', tradingHash: '', requests: 0, events: [] };
}

function withViolation(outcome: SeedOutcome, expected: string): SeedOutcome {
  const message = `${expected}, the second run of the seed has ${outcome.journalHash}`;
  return { ...outcome, violations: [...outcome.violations, { check: 'same journal', message }] };
}

/** Returns a thread's answer for a seed: broken if it dies or hangs, null if the suite ended meanwhile. */
async function answerOf(worker: Worker, seed: SeedOptions, signal: AbortSignal): Promise<SeedAnswer | null> {
  const mostMs = MOST_MS_TO_START + seed.hours * MOST_MS_PER_HOUR;
  const given = Promise.withResolvers<SeedAnswer | null>();
  const broken = (message: string): void => given.resolve({ kind: 'broken', message });
  const onMessage = (answer: SeedAnswer): void => given.resolve(answer);
  const onError = (error: Error): void => broken(error.stack ?? error.message);
  const onAbort = (): void => given.resolve(null);
  const endWatch = watchSeed(worker, { mostMs, broken });
  worker.once('message', onMessage);
  worker.once('error', onError);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    worker.postMessage(seed, []);
    return await given.promise;
  } finally {
    endWatch();
    worker.off('message', onMessage);
    worker.off('error', onError);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Reports a thread that needs too much processor time for a seed, or none for long. */
function watchSeed(
  worker: Worker,
  { mostMs, broken }: { readonly mostMs: number; readonly broken: (message: string) => void },
): () => void {
  let startMs: number | null = null;
  let lastMs = 0;
  let idlePolls = 0;
  let isAsking = false;
  const poll = async (): Promise<void> => {
    isAsking = true;
    const { user, system } = await worker.cpuUsage();
    isAsking = false;
    const usedMs = (user + system) / 1_000;
    startMs ??= usedMs;
    if (usedMs - startMs > mostMs)
      broken(`expected an end within ${mostMs} ms of a processor's time, there was none`);
    idlePolls = usedMs - lastMs < IDLE_MS ? idlePolls + 1 : 0;
    lastMs = usedMs;
    if (idlePolls >= MOST_IDLE_POLLS) broken('expected virtual time to go on, it waits for something real');
  };
  const timer = setInterval(() => {
    // A thread that has ended says nothing of itself.
    if (!isAsking) void poll().catch(() => undefined);
  }, POLL_INTERVAL_MS);
  return () => clearInterval(timer);
}
