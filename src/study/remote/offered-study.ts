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

/** Another number: keys and texts of another shape. */
const PROTOCOL = 3;

const hashText = () => z.string().regex(/^[0-9a-f]{64}$/);

/** A file that the coordinator serves, by what it says. */
const servedFile = z.strictObject({ sha256: hashText(), bytes: z.int().positive() });

const OFFER = z.strictObject({
  protocol: z.literal(PROTOCOL),
  /** The version of sarraf. */
  engine: z.string(),
  /** The key of what all of its trials have in common; also the name of its queue. */
  source: hashText(),
  /** The part of the written study that a trial needs. */
  written: z.record(z.string(), z.unknown()),
  /** SHA-256 of the strategy's code. */
  code: hashText(),
  /** Candles, one file for each market in order; behind them finer ones. */
  data: z.array(servedFile).min(1),
  /** Signals from outside for the strategy; null if there are none. */
  signals: servedFile.nullable(),
  /** Address at which files are served, such as `http://10.0.0.5:7300`. */
  address: z.url(),
  /** Without it nothing is served. */
  token: z.string(),
  /** The strategy's code, where it is sent, and its HMAC with the shared secret. */
  bundle: servedFile.extend({ hmac: hashText() }).nullable(),
});

/** A study that waits for workers, as its coordinator says it to all of them. */
export type StudyOffer = z.output<typeof OFFER>;

export type ServedFile = z.output<typeof servedFile>;

export function writeOffer(offer: Omit<StudyOffer, 'protocol'>): string {
  return JSON.stringify({ protocol: PROTOCOL, ...offer });
}

/** Reads an offer; null for one of another protocol, and for what is none. */
export function readOffer(text: string): StudyOffer | null {
  const read = OFFER.safeParse(parsed(text));
  return read.success ? read.data : null;
}

/** Reply of a worker to an offer: it computes, or the reason it does not. */
const NOTE = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('serves'), worker: z.string(), threads: z.int().min(1) }),
  z.strictObject({ kind: z.literal('refuses'), worker: z.string(), reason: z.string() }),
]);

export type WorkerNote = z.output<typeof NOTE>;

function readNote(text: string): WorkerNote | null {
  const read = NOTE.safeParse(parsed(text));
  return read.success ? read.data : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Time for which an offered study, and a worker's note, stay valid without a renewal. */
const OFFERED_MS = 15_000;
export const NOTE_MS = 15_000;
/**
 * Time without any computing worker before the user is notified: a worker that has just started has to poll
 * first.
 */
const PATIENCE_MS = 5_000;
/** Withdrawing waits no longer: an offer ends by itself. */
const WITHDRAWN_WITHIN_MS = 1_000;
/** Reasons that are said at most. */
const MOST_REASONS = 100;

/** A study on offer: tells workers of it, and its user who computes. */
export class OfferedStudy {
  private readonly offers: NoticeBoard;
  private readonly notes: NoticeBoard;
  private readonly offer: Omit<StudyOffer, 'protocol'>;
  private readonly name: string;
  private readonly log: (line: string) => void;
  private servedMs = performance.now();
  private readonly reasons = new Set<string>();
  private logged = '';
  private threadsNow = 0;

  constructor(of: {
    readonly link: RedisLink;
    readonly offer: Omit<StudyOffer, 'protocol'>;
    /** Of this coordinator. */
    readonly name: string;
    readonly log: (line: string) => void;
  }) {
    this.offers = new NoticeBoard(of.link.client, OFFERS);
    this.notes = new NoticeBoard(of.link.client, notesOf(of.offer.source));
    this.offer = of.offer;
    this.name = of.name;
    this.log = of.log;
  }

  /** Threads of all workers that compute it, as of the last look. */
  get threads(): number {
    return this.threadsNow;
  }

  /** Offers it for some more time, and looks who computes. */
  async renew(): Promise<void> {
    await this.offers.post(this.name, writeOffer(this.offer), OFFERED_MS);
    const notes = [...(await this.notes.list()).values()].flatMap((text) => readNote(text) ?? []);
    const serving = notes.filter((note) => note.kind === 'serves');
    this.threadsNow = serving.reduce((sum, { threads }) => sum + threads, 0);
    this.notify(notes, serving.length);
  }

  async withdraw(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WITHDRAWN_WITHIN_MS);
    await Promise.race([this.offers.remove(this.name).catch(() => undefined), late]);
    clearTimeout(timer);
  }

  private notify(notes: readonly WorkerNote[], serving: number): void {
    for (const note of notes) {
      if (note.kind === 'serves' || this.reasons.size >= MOST_REASONS) continue;
      const line = `worker ${note.worker} does not fit: ${note.reason}`;
      if (!this.reasons.has(line)) this.log(line);
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
    if (now !== this.logged) this.log(now);
    this.logged = now;
  }
}

/** Notices that are read at most. */
const MOST = 1_000;

/** Short texts that many processes post for all others, and that vanish with who does not post them again. */
export class NoticeBoard {
  private readonly client: Redis;
  private readonly key: string;

  constructor(client: Redis, key: string) {
    this.client = client;
    this.key = key;
  }

  /** Posts a text under a name, for so long. */
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

  /** The texts that are there, by their names, which are in order. */
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

/** Data that all trials of a study have in common, on whatever machine they are run. */
interface TrialSource {
  /** The version of sarraf. */
  readonly engine: string;
  /** SHA-256 of the strategy's code. */
  readonly code: string;
  /** SHA-256 of the candles that trials see, one for each market in order, and of their signals. */
  readonly data: readonly string[];
  /** Account, rules and range. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Settings that do not change what a trial with given params brings: where its data is, what is searched and
 * how. The end of the range and the hold-out are said by the data; where a market may stand still for a while
 * before the end, it is said beside.
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
 * Returns the part of a written study that a trial needs, with the strategy by its name. `endMs`: time at
 * which the market stops, for trials on recordings; null if the data gives it.
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

/** The settings of a study that decide what its trials bring, as plain JSON. */
export function settingsOfTrials(settings: StudySettings, endMs: number | null): TrialSource['settings'] {
  const { strategy, fidelity } = settings;
  const { rules } = fillRulesOf(settings);
  const plain = JSON.parse(JSON.stringify({ ...settings, rules })) as TrialSource['settings'];
  return writtenOfTrials(plain, { strategy, endMs: fidelity === 'poll' ? endMs : null });
}

/** SHA-256 of a source: studies with the same one share the results of their trials. */
export function sourceKey(source: TrialSource): string {
  return sha256(canonicalJson(source));
}

/** SHA-256 of all that decides what a task brings. */
export function taskKey(source: string, task: BenchTask): string {
  return sha256(canonicalJson({ source, task }));
}

/** The id of a job: the same tasks are the same job. */
export function batchKey(taskKeys: readonly string[]): string {
  return sha256(taskKeys.join('\n'));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
