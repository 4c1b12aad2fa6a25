import { addAbortListener } from 'node:events';
import { messageOf, SarrafError, dataUnusable, invalidOptions } from '../domain/errors.ts';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { countText } from '../domain/money.ts';
import {
  NoticeBoard,
  NOTE_MS,
  readOffer,
  type StudyOffer,
  type WorkerNote,
  taskKey,
  type ServedFile,
  settingsOfTrials,
  sourceKey,
} from './remote/offered-study.ts';
import { notesOf, OFFERS, readBatch, StoredResults, PREFIX, writeReport } from './remote/batch.ts';
import type { RedisLink } from './redis-link.ts';
import { WaitingError, Worker, type Job } from 'bullmq';
import { codeHash, engineVersion, isSignedBundle, unpackBundle } from './code-bundle.ts';
import { ThreadRunner } from './thread-runner.ts';
import type { BenchReport, BenchTask } from './trial-runner.ts';
import { strategyFileOf } from '../daemon/load-instances.ts';
import { baseName } from '../daemon/strategy-settings.ts';
import { readWrittenStudy } from './study-settings.ts';
import { setupOfStudy, sharedSetup, withData, type TrialSetup } from './trials/trial-setup.ts';
import { type FileSource, allowedOrigin, type FileCache, readTrialFiles, checksumOf } from './file-cache.ts';
import { tlsFailure } from '../domain/tls-failure.ts';

/** Resources of a worker for the studies that it accepts. */
export interface WorkerMeans {
  /** Folders of strategies; the first one that has the strategy is used. */
  readonly folders: readonly string[];
  /** Folder in which received code is stored. */
  readonly codeFolder: string;
  readonly cache: FileCache;
  /** Only sources from which data is downloaded, whatever an offer says. */
  readonly sources: readonly FileSource[];
  readonly secret: string | null;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Accepted offer, with everything that its trials need. */
interface AcceptedOffer {
  readonly offer: StudyOffer;
  readonly setup: TrialSetup;
  readonly strategyFile: string;
}

/** Checks that an offer's trials give the same results here, with their data. Throws why not. */
export async function acceptOffer(offer: StudyOffer, means: WorkerMeans): Promise<AcceptedOffer> {
  const engine = engineVersion();
  if (offer.engine !== engine)
    throw misfit(`sarraf ${offer.engine}`, `${engine}: install the same version here`);
  const strategyFile = await strategyOf(offer, means);
  const { settings } = readWrittenStudy({ ...offer.written, strategy: strategyFile });
  // The source covers everything that its trials see.
  const source = sourceKey({
    engine,
    code: offer.code,
    data: (offer.signals === null ? offer.data : [...offer.data, offer.signals]).map(({ sha256 }) => sha256),
    settings: settingsOfTrials(settings, settings.to ?? null),
  });
  if (source !== offer.source)
    throw misfit('settings that are read alike', 'others: install the same sarraf here');
  const markets: Buffer[] = [];
  for (const file of offer.data) markets.push(await fetchFile(file, { ...means, offer }));
  const signals = offer.signals === null ? null : await fetchFile(offer.signals, { ...means, offer });
  const data = readTrialFiles({ markets, signals }, settings);
  const setup = withData(setupOfStudy(settings), data, settings.from ?? null);
  return { offer, setup: sharedSetup(setup), strategyFile };
}

/** Returns the file of the strategy: a local one, or else the signed code that was sent. */
async function strategyOf(offer: StudyOffer, means: WorkerMeans): Promise<string> {
  const name = baseName(String(offer.written['strategy']));
  const found = means.folders.flatMap((folder) => strategyFileOf({ kind: 'name', name }, [folder]) ?? []);
  const here = found.find((file) => codeHash(file) === offer.code);
  if (here !== undefined) return here;
  const expected = `strategy ${name} with SHA-256 ${offer.code.slice(0, 12)}…`;
  const [other] = found;
  const has = other === undefined ? `none in ${means.folders.join(' or ')}` : `other code in ${other}`;
  if (offer.bundle === null)
    throw misfit(expected, `${has}: copy it here, or run the study with --send-code`);
  if (means.secret === null)
    throw misfit(expected, `${has}, and no secret to take it with: give --secret-file`);
  const bytes = await fetchFile(offer.bundle, { ...means, offer });
  if (!isSignedBundle(bytes, offer.bundle.hmac, means.secret))
    throw misfit(`${expected} signed with the secret of this worker`, 'another signature');
  return unpackBundle(bytes, { folder: means.codeFolder, code: offer.code });
}

const misfit = (expected: string, found: string): SarrafError =>
  invalidOptions(`expected ${expected}, found ${found}`);

/** Maximum size of a download, in bytes: 10 million candles of one market take 480 MB. */
const MOST_BYTES = 1024 ** 3;
/** Time limit of a download, in ms. */
const WITHIN_MS = 300_000;

/**
 * Returns a file of a study, from the cache or else from its coordinator if that is an allowed source. Throws
 * `DATA_UNUSABLE` if neither has it, or its content does not match.
 */
export async function fetchFile(
  file: ServedFile,
  of: {
    readonly offer: StudyOffer;
    readonly cache: FileCache;
    readonly sources: readonly FileSource[];
    readonly log: (line: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<Buffer> {
  const { offer, cache, sources, log } = of;
  const cached = cache.find(file.sha256);
  if (cached !== null) return cached;
  if (file.bytes > MOST_BYTES) throw unusable(offer, `${file.bytes} bytes, and takes at most ${MOST_BYTES}`);
  const origin = allowedOrigin(offer.address, sources);
  const bytes = await download(`${origin}/files/${file.sha256}`, of, file.bytes);
  if (checksumOf(bytes) !== file.sha256) throw unusable(offer, 'something else');
  try {
    cache.write(file.sha256, bytes);
  } catch (error) {
    // The file is in memory, which is enough for this study.
    const reason = messageOf(error);
    log(
      `expected room for ${file.bytes} bytes in the cache, found none (${reason}): fetched again next time`,
    );
  }
  return bytes;
}

async function download(
  url: string,
  { offer, signal }: { readonly offer: StudyOffer; readonly signal: AbortSignal },
  length: number,
): Promise<Buffer> {
  try {
    const reply = await fetch(url, {
      headers: { authorization: `Bearer ${offer.token}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    });
    if (!reply.ok || reply.body === null) throw unusable(offer, `status ${reply.status}`);
    const bytes = Buffer.alloc(length);
    let at = 0;
    for await (const part of reply.body) {
      if (at + part.length > length) throw unusable(offer, `more than ${length} bytes`);
      bytes.set(part, at);
      at += part.length;
    }
    if (at < length) throw unusable(offer, `${at} of ${length} bytes`);
    return bytes;
  } catch (error) {
    if (error instanceof SarrafError) throw error;
    throw unusable(offer, `no answer (${causeOf(error)}): give the coordinator --serve HOST:PORT`);
  }
}

function causeOf(error: unknown): string {
  const ofTls = tlsFailure(error);
  if (ofTls !== null) return ofTls;
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { code } = Object(cause) as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return messageOf(error);
}

const unusable = ({ address }: StudyOffer, found: string): SarrafError =>
  dataUnusable(`expected a file of the study from its coordinator at ${address}, found ${found}`);

const POLL_INTERVAL_MS = 1_000;
/** Delay in ms before a refused study is checked again, since what was missing may have arrived. */
const REFUSED_FOR_MS = 10_000;
/** Time in ms without an offer after which a study has ended. A restarted Redis has no offers at first. */
const GONE_AFTER_MS = 4_000;
/** Maximum number of refusals that are remembered. */
const MOST_REFUSED = 1_000;

export interface WorkerOptions {
  readonly link: RedisLink;
  readonly threads: number;
  readonly means: WorkerMeans;
  readonly log: (line: string) => void;
  /** Signal to stop. */
  readonly signal: AbortSignal;
}

/** Computes offered studies, one after the other, until it is stopped. */
export class StudyWorker {
  private readonly options: WorkerOptions;
  private readonly offers: NoticeBoard;
  private readonly name = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
  private readonly refused = new Map<string, { readonly reason: string; readonly atMs: number }>();

  constructor(options: WorkerOptions) {
    this.options = options;
    this.offers = new NoticeBoard(options.link.client, OFFERS);
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      const accepted = await this.poll();
      if (accepted !== null) await this.serve(accepted);
      else await this.rest();
    }
  }

  /** Returns the first offer that fits; null if there is none. */
  private async poll(): Promise<AcceptedOffer | null> {
    for (const [name, text] of await this.listed()) {
      const offer = readOffer(text);
      if (offer === null) {
        this.remember(name, 'expected a study of this version of sarraf, found another: install the same');
        continue;
      }
      const before = this.refused.get(text);
      if (before === undefined || performance.now() - before.atMs >= REFUSED_FOR_MS) {
        try {
          return await acceptOffer(offer, this.options.means);
        } catch (error) {
          this.remember(text, messageOf(error));
        }
      }
      const reason = this.refused.get(text)?.reason ?? '';
      await this.post(offer, { kind: 'refuses', worker: this.name, reason });
    }
    return null;
  }

  private async serve(accepted: AcceptedOffer): Promise<void> {
    const { link, threads, log, signal } = this.options;
    const { offer } = accepted;
    const worker = new BatchWorker({ accepted, link, threads });
    const name = `${String(offer.written['strategy'])} (${offer.source.slice(0, 12)}…)`;
    log(`computes ${name} with ${threads} ${threads === 1 ? 'thread' : 'threads'}`);
    let goneSinceMs: number | null = null;
    try {
      while (!signal.aborted && worker.misfit === null) {
        await this.post(offer, { kind: 'serves', worker: this.name, threads });
        await this.rest();
        if (worker.isBusy || (await this.isOffered(offer))) goneSinceMs = null;
        else goneSinceMs ??= performance.now();
        if (goneSinceMs !== null && performance.now() - goneSinceMs >= GONE_AFTER_MS) break;
      }
    } finally {
      await this.within(new NoticeBoard(link.client, notesOf(offer.source)).remove(this.name));
      await worker.close();
      if (worker.misfit !== null) log(worker.misfit);
      log(`computed ${countText(worker.runs, 'run')} of ${name}`);
    }
  }

  private async isOffered({ source }: StudyOffer): Promise<boolean> {
    const listed = await this.within(this.offers.list());
    return listed === null || [...listed.values()].some((text) => readOffer(text)?.source === source);
  }

  private async listed(): Promise<ReadonlyMap<string, string>> {
    return (await this.within(this.offers.list())) ?? new Map();
  }

  private async post({ source }: StudyOffer, note: WorkerNote): Promise<void> {
    const board = new NoticeBoard(this.options.link.client, notesOf(source));
    const posted = board.post(this.name, JSON.stringify(note), NOTE_MS).then(() => true);
    if ((await this.within(posted)) === true) this.options.link.worked();
  }

  private remember(key: string, reason: string): void {
    if (this.refused.get(key)?.reason !== reason) this.options.log(reason);
    if (this.refused.size >= MOST_REFUSED) this.refused.clear();
    this.refused.set(key, { reason, atMs: performance.now() });
  }

  private async rest(): Promise<void> {
    await pause(POLL_INTERVAL_MS, undefined, { signal: this.options.signal }).catch(() => undefined);
  }

  /** Waits for Redis, at most until the worker stops; null if there was no reply. */
  private async within<Value>(asked: Promise<Value>): Promise<Value | null> {
    const { signal, link } = this.options;
    const answer = asked.catch((error: unknown) => {
      link.failed(error);
      return null;
    });
    if (signal.aborted) return Promise.race([answer, pause(POLL_INTERVAL_MS, null)]);
    const { promise: ended, resolve } = Promise.withResolvers<null>();
    using _end = addAbortListener(signal, () => resolve(null));
    return await Promise.race([answer, ended]);
  }
}

/** Time in ms without a renewal after which a worker loses its job. */
const JOB_LOCK_MS = 15_000;
const LOST_CHECK_INTERVAL_MS = 5_000;
/** Number of lost workers after which a job has failed. */
const MOST_LOST = 3;
/** Longest wait for running trials at shutdown, in ms: shorter than supervisors wait for a process to end. */
const GRACE_MS = 5_000;
/** Longest wait for Redis at shutdown, in ms: it may be lost. */
const CLOSES_WITHIN_MS = 3_000;

/**
 * Computes the jobs of one study. This thread only talks to Redis and renews locks; trials run in other
 * threads, so that no trial, however long, loses its job.
 */
class BatchWorker {
  private readonly accepted: AcceptedOffer;
  private readonly runner: ThreadRunner;
  private readonly worker: Worker;
  private readonly results: StoredResults;
  private active = 0;
  private ended = 0;
  private isEnding = false;
  private reason: string | null = null;

  constructor(of: { readonly accepted: AcceptedOffer; readonly link: RedisLink; readonly threads: number }) {
    const { accepted, link, threads } = of;
    this.accepted = accepted;
    this.results = new StoredResults(link.client);
    this.runner = new ThreadRunner({ setup: accepted.setup, workers: threads });
    this.worker = new Worker(accepted.offer.source, async (job, token) => this.process(job, token), {
      connection: link.client,
      prefix: PREFIX,
      skipVersionCheck: true,
      concurrency: threads,
      lockDuration: JOB_LOCK_MS,
      stalledInterval: LOST_CHECK_INTERVAL_MS,
      maxStalledCount: MOST_LOST,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.worker.on('error', (error) => link.failed(error));
  }

  /** True if it is computing a job. */
  get isBusy(): boolean {
    return this.active > 0;
  }

  /** Number of trials, accounts and runs under stress that have ended. */
  get runs(): number {
    return this.ended;
  }

  /** Reason for which it accepts no more jobs; null while it does. */
  get misfit(): string | null {
    return this.reason;
  }

  /** Waits for running tasks, and returns the other jobs to the queue. */
  async close(): Promise<void> {
    this.isEnding = true;
    const grace = setTimeout(() => void this.runner.close(), GRACE_MS);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, GRACE_MS + CLOSES_WITHIN_MS);
    await Promise.race([this.worker.close(), late]);
    clearTimeout(grace);
    clearTimeout(limit);
    await this.runner.close();
  }

  private async process(job: Job, token: string | undefined): Promise<void> {
    this.active += 1;
    try {
      await this.run(job, token);
    } finally {
      this.active -= 1;
    }
  }

  private async run(job: Job, token: string | undefined): Promise<void> {
    const { offer, strategyFile } = this.accepted;
    if (codeHash(strategyFile) !== offer.code) {
      this.reason = `expected ${strategyFile} as it was, found it changed`;
      this.isEnding = true;
    }
    const keyed = readBatch(job.data).map((task) => ({ task, key: taskKey(offer.source, task) }));
    const known = await this.results.known(keyed.map(({ key }) => key));
    const writes: Promise<void>[] = [];
    for (const { key, task } of keyed) {
      if (known.has(key)) continue;
      const text = this.isEnding ? null : await this.compute(task);
      if (text === null) {
        await Promise.all(writes);
        await job.moveToWait(token);
        throw new WaitingError();
      }
      writes.push(this.results.store(key, text.written, text));
    }
    await Promise.all(writes);
  }

  /** Computes one task and returns its result as text; null if the shutdown came first. */
  private async compute(
    task: BenchTask,
  ): Promise<{ readonly written: string; readonly isOfMachine: boolean } | null> {
    const startMs = performance.now();
    let report: BenchReport;
    try {
      report = await this.runner.perform(task);
    } catch (error) {
      // The runner rejects only if it was closed during the run.
      if (this.isEnding) return null;
      throw error;
    }
    this.ended += 1;
    const isOfMachine =
      report.kind === 'failed' && (report.failure === 'died' || report.failure === 'too long');
    const written = writeReport(task.kind, { report, tookMs: performance.now() - startMs });
    return { written, isOfMachine };
  }
}
