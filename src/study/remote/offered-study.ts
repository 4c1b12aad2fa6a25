import { parsedJson } from '../../domain/stored-json.ts';
import { z } from 'zod';
import { notesOf, OFFERS } from './batch.ts';
import type { RedisLink } from '../redis-link.ts';
import type { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { fillRulesOf } from '../../backtest/run-setup.ts';
import { baseName } from '../../daemon/strategy-settings.ts';
import type { StudySettings } from '../study-settings.ts';
import { canonicalJson } from '../study-identity.ts';
import type { BenchTask } from '../trial-runner.ts';

/** Version of the protocol; it changes when keys or texts change their shape. */
const PROTOCOL = 3;

const hashText = () => z.string().regex(/^[0-9a-f]{64}$/);

/** Description of a file that the coordinator serves, by the hash of its content. */
const servedFile = z.strictObject({ sha256: hashText(), bytes: z.int().positive() });

const OFFER = z.strictObject({
  protocol: z.literal(PROTOCOL),
  /** Version of the engine. */
  engine: z.string(),
  /** SHA-256 of the inputs that all of its trials share; also the name of its queue. */
  source: hashText(),
  /** Part of the written study that a trial needs. */
  written: z.record(z.string(), z.unknown()),
  /** SHA-256 of the strategy's code. */
  code: hashText(),
  /** Candles, one file for each market in order, followed by the files of finer candles. */
  data: z.array(servedFile).min(1),
  /** Signals for the strategy; null if there are none. */
  signals: servedFile.nullable(),
  /** Address at which files are served, such as `http://10.0.0.5:7300`. */
  address: z.url(),
  /** Token that each download must send. */
  token: z.string(),
  /** Code of the strategy and its HMAC with the shared secret; null if the code is not sent. */
  bundle: servedFile.extend({ hmac: hashText() }).nullable(),
});

/** Study that waits for workers, as its coordinator announces it to all of them. */
export type StudyOffer = z.output<typeof OFFER>;

export type ServedFile = z.output<typeof servedFile>;

export const writeOffer = (offer: Omit<StudyOffer, 'protocol'>): string =>
  JSON.stringify({ protocol: PROTOCOL, ...offer });

/** Reads an offer; null for one of another protocol, and for anything that is not an offer. */
export function readOffer(text: string): StudyOffer | null {
  const read = OFFER.safeParse(parsedJson(text));
  return read.success ? read.data : null;
}

/** Reply of a worker to an offer: that it computes, or why it does not. */
const NOTE = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('serves'), worker: z.string(), threads: z.int().min(1) }),
  z.strictObject({ kind: z.literal('refuses'), worker: z.string(), reason: z.string() }),
]);

export type WorkerNote = z.output<typeof NOTE>;

function readNote(text: string): WorkerNote | null {
  const read = NOTE.safeParse(parsedJson(text));
  return read.success ? read.data : null;
}

/** Time in ms for which an offer, or a worker's note, stays valid without a renewal. */
const OFFERED_MS = 15_000;
export const NOTE_MS = 15_000;
/** Time in ms without a worker before the user is notified: a new worker has to poll first. */
const PATIENCE_MS = 5_000;
/** Longest wait for withdrawing an offer, in ms: an offer also expires by itself. */
const WITHDRAWN_WITHIN_MS = 1_000;
/** Maximum number of reasons to report; further ones are ignored. */
const MOST_REASONS = 100;

/** Offer of a study: announces it to workers, and reports to the user which workers compute. */
export class OfferedStudy {
  private readonly offers: NoticeBoard;
  private readonly notes: NoticeBoard;
  private readonly of: {
    readonly link: RedisLink;
    readonly offer: Omit<StudyOffer, 'protocol'>;
    /** Name of this coordinator. */
    readonly name: string;
    readonly log: (line: string) => void;
  };
  private servedMs = performance.now();
  private readonly reasons = new Set<string>();
  private logged = '';
  private threadsNow = 0;

  constructor(of: OfferedStudy['of']) {
    this.offers = new NoticeBoard(of.link.client, OFFERS);
    this.notes = new NoticeBoard(of.link.client, notesOf(of.offer.source));
    this.of = of;
  }

  /** Number of threads of all workers that compute the study, as of the last poll. */
  get threads(): number {
    return this.threadsNow;
  }

  /** Renews the offer, and polls which workers compute. */
  async renew(): Promise<void> {
    await this.offers.post(this.of.name, writeOffer(this.of.offer), OFFERED_MS);
    const notes = [...(await this.notes.list()).values()].flatMap((text) => readNote(text) ?? []);
    const serving = notes.filter((note) => note.kind === 'serves');
    this.threadsNow = serving.reduce((sum, { threads }) => sum + threads, 0);
    this.notify(notes, serving.length);
  }

  async withdraw(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WITHDRAWN_WITHIN_MS);
    await Promise.race([this.offers.remove(this.of.name).catch(() => undefined), late]);
    clearTimeout(timer);
  }

  private notify(notes: readonly WorkerNote[], serving: number): void {
    for (const note of notes) {
      if (note.kind === 'serves' || this.reasons.size >= MOST_REASONS) continue;
      const line = `worker ${note.worker} does not fit: ${note.reason}`;
      if (!this.reasons.has(line)) this.of.log(line);
      this.reasons.add(line);
    }
    if (serving > 0) this.servedMs = performance.now();
    else if (performance.now() - this.servedMs < PATIENCE_MS) return;
    const misfits =
      notes.length === 0 ? '' : ` (${notes.length} ${notes.length === 1 ? 'does' : 'do'} not fit)`;
    const now =
      serving > 0
        ? `${serving === 1 ? '1 worker' : `${serving} workers`} with ${this.threadsNow} ${this.threadsNow === 1 ? 'thread' : 'threads'}`
        : `no worker computes this study${misfits}: start one with "sarraf worker --redis …"`;
    if (now !== this.logged) this.of.log(now);
    this.logged = now;
  }
}

/** Maximum number of notices in a list. */
const MOST = 1_000;

/** Board of short texts that many processes post for all others. A text expires unless it is posted again. */
export class NoticeBoard {
  private readonly client: Redis;
  private readonly key: string;

  constructor(client: Redis, key: string) {
    this.client = client;
    this.key = key;
  }

  /** Posts a text under a name for `retainedMs`. */
  async post(name: string, text: string, retainedMs: number): Promise<void> {
    await this.client
      .multi()
      .sadd(this.key, name)
      .pexpire(this.key, retainedMs * 2)
      .set(this.place(name), text, 'PX', retainedMs)
      .exec();
  }

  async remove(name: string): Promise<void> {
    await this.client.multi().srem(this.key, name).del(this.place(name)).exec();
  }

  /** Returns the texts by name, sorted by name. */
  async list(): Promise<ReadonlyMap<string, string>> {
    const names = (await this.client.srandmember(this.key, MOST)).toSorted();
    if (names.length === 0) return new Map();
    const texts = await this.client.mget(names.map((name) => this.place(name)));
    const found = new Map<string, string>();
    const gone: string[] = [];
    for (const [index, name] of names.entries()) {
      const text = texts[index];
      if (typeof text === 'string') found.set(name, text);
      else gone.push(name);
    }
    if (gone.length > 0) await this.client.srem(this.key, gone);
    return found;
  }

  private place(name: string): string {
    return `${this.key}:${name}`;
  }
}

/** Inputs that all trials of a study share, on whatever machine they run. */
interface TrialSource {
  /** Version of the engine. */
  readonly engine: string;
  /** SHA-256 of the strategy's code. */
  readonly code: string;
  /** SHA-256 of the candles that trials see, one for each market in order, and of the signals. */
  readonly data: readonly string[];
  /** Settings of the account, the exchange's rules and the range. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Settings that do not change the result of a trial with given params: the place of the data, the search. The
 * data itself gives the end of the range and the hold-out; only the time at which a recorded market stops is
 * given separately.
 */
const NOT_OF_TRIALS: ReadonlySet<string> = new Set([
  'csv',
  'csvForm',
  'catalogue',
  'signals',
  'to',
  'holdout',
  'params',
  'space',
  'objectives',
  'constraints',
  'sampler',
  'budget',
  'validation',
]);

/**
 * Returns the part of a written study that a trial needs, with the strategy by name. `endMs`: time at which
 * the market stops, for trials on recordings; null if the data gives it.
 */
export function writtenOfTrials(
  written: Readonly<Record<string, unknown>>,
  { strategy, endMs }: { readonly strategy: string; readonly endMs: number | null },
): Readonly<Record<string, unknown>> {
  const shared = Object.entries(written).filter(([name]) => !NOT_OF_TRIALS.has(name));
  return {
    ...Object.fromEntries(shared),
    strategy: baseName(strategy),
    ...(endMs === null ? {} : { to: endMs }),
  };
}

/** Returns the settings of a study that decide the results of its trials, as plain JSON. */
export function settingsOfTrials(settings: StudySettings, endMs: number | null): TrialSource['settings'] {
  const { strategy, fidelity } = settings;
  const { rules } = fillRulesOf(settings);
  const plain = JSON.parse(JSON.stringify({ ...settings, rules })) as TrialSource['settings'];
  return writtenOfTrials(plain, { strategy, endMs: fidelity === 'poll' ? endMs : null });
}

/** Returns the SHA-256 of a source. Studies with the same one share the results of their trials. */
export const sourceKey = (source: TrialSource): string => sha256(canonicalJson(source));

/** Returns the SHA-256 of everything that decides the result of a task. */
export const taskKey = (source: string, task: BenchTask): string => sha256(canonicalJson({ source, task }));

/** Returns the id of a job: the same tasks give the same id. */
export const batchKey = (taskKeys: readonly string[]): string => sha256(taskKeys.join('\n'));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
