import { messageOf } from '../domain/errors.ts';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { countText } from '../domain/money-text.ts';
import { BatchWorker } from './remote/batch-worker.ts';
import { NoticeBoard } from './remote/notice-board.ts';
import { NOTE_MS } from './remote/offered-study.ts';
import { notesOf, OFFERS } from './remote/queue-names.ts';
import type { RedisLink } from './redis-link.ts';
import { readOffer, type StudyOffer, type WorkerNote } from './remote/study-offer.ts';
import { takeOffer, type TakenOffer, type WorkerMeans } from './remote/take-offer.ts';

const LOOK_EVERY_MS = 1_000;
/** A study that did not fit is looked at again, since what is missing may have come. */
const REFUSED_FOR_MS = 10_000;
/** A study that was not offered for so long has ended. A Redis that was begun anew has no offers at first. */
const GONE_AFTER_MS = 4_000;
/** Studies that it remembers to have refused. */
const MOST_REFUSED = 1_000;

export interface WorkerOptions {
  readonly link: RedisLink;
  readonly threads: number;
  readonly means: WorkerMeans;
  readonly say: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

interface Refusal {
  readonly reason: string;
  readonly atMs: number;
}

/** Takes studies that are offered, one after the other, until it is to end. */
export class StudyWorker {
  private readonly options: WorkerOptions;
  private readonly offers: NoticeBoard;
  private readonly name = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
  private readonly refused = new Map<string, Refusal>();

  constructor(options: WorkerOptions) {
    this.options = options;
    this.offers = new NoticeBoard(options.link.client, OFFERS);
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      const taken = await this.look();
      if (taken !== null) await this.serve(taken);
      else await this.rest();
    }
  }

  /** The first study that fits; null where there is none. */
  private async look(): Promise<TakenOffer | null> {
    for (const [name, text] of await this.listed()) {
      const offer = readOffer(text);
      if (offer === null) {
        this.remember(name, 'expected a study of this version of sarraf, found another: install the same');
        continue;
      }
      const before = this.refused.get(text);
      if (before === undefined || performance.now() - before.atMs >= REFUSED_FOR_MS) {
        try {
          return await takeOffer(offer, this.options.means);
        } catch (error) {
          this.remember(text, messageOf(error));
        }
      }
      const reason = this.refused.get(text)?.reason ?? '';
      await this.post(offer, { kind: 'refuses', worker: this.name, reason });
    }
    return null;
  }

  private async serve(taken: TakenOffer): Promise<void> {
    const { link, threads, say, signal } = this.options;
    const { offer } = taken;
    const worker = new BatchWorker({ taken, link, threads });
    const name = `${String(offer.written['strategy'])} (${offer.source.slice(0, 12)}…)`;
    say(`computes ${name} with ${threads} ${threads === 1 ? 'thread' : 'threads'}`);
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
      if (worker.misfit !== null) say(worker.misfit);
      say(`computed ${countText(worker.runs, 'run')} of ${name}`);
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
    if (this.refused.get(key)?.reason !== reason) this.options.say(reason);
    if (this.refused.size >= MOST_REFUSED) this.refused.clear();
    this.refused.set(key, { reason, atMs: performance.now() });
  }

  private async rest(): Promise<void> {
    await pause(LOOK_EVERY_MS, undefined, { signal: this.options.signal }).catch(() => undefined);
  }

  /** Waits for Redis, but not beyond the end; null where it could not say. */
  private async within<Value>(asked: Promise<Value>): Promise<Value | null> {
    const { signal, link } = this.options;
    const answer = asked.catch((error: unknown) => {
      link.failed(error);
      return null;
    });
    if (signal.aborted) return Promise.race([answer, pause(LOOK_EVERY_MS, null)]);
    const { promise: ended, resolve } = Promise.withResolvers<null>();
    const end = (): void => resolve(null);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await Promise.race([answer, ended]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}
