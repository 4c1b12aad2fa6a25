import { NoticeBoard } from './notice-board.ts';
import { notesOf, OFFERS } from './queue-names.ts';
import type { RedisLink } from '../redis-link.ts';
import { readNote, writeOffer, type StudyOffer, type WorkerNote } from './study-offer.ts';

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
  private readonly say: (line: string) => void;
  private servedMs = performance.now();
  private readonly reasons = new Set<string>();
  private said = '';
  private threadsNow = 0;

  constructor(of: {
    readonly link: RedisLink;
    readonly offer: Omit<StudyOffer, 'protocol'>;
    /** Of this coordinator. */
    readonly name: string;
    readonly say: (line: string) => void;
  }) {
    this.offers = new NoticeBoard(of.link.client, OFFERS);
    this.notes = new NoticeBoard(of.link.client, notesOf(of.offer.source));
    this.offer = of.offer;
    this.name = of.name;
    this.say = of.say;
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
    this.tell(notes, serving.length);
  }

  async withdraw(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WITHDRAWN_WITHIN_MS);
    await Promise.race([this.offers.remove(this.name).catch(() => undefined), late]);
    clearTimeout(timer);
  }

  private tell(notes: readonly WorkerNote[], serving: number): void {
    for (const note of notes) {
      if (note.kind === 'serves' || this.reasons.size >= MOST_REASONS) continue;
      const line = `worker ${note.worker} does not fit: ${note.reason}`;
      if (!this.reasons.has(line)) this.say(line);
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
    if (now !== this.said) this.say(now);
    this.said = now;
  }
}
