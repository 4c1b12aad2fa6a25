import { countText } from '../domain/money.ts';
import type { RequestClass } from '../domain/rate-limit.ts';
import { MARKET_CALLS, type StoredReply, type VenueAnswer, type VenueCall } from '../venues/port.ts';
import type { EngineNotice, EngineOutput, EngineRequest } from './engine-event.ts';
import type { JournalEntry, MirrorChange, ReplyStep } from './mirror-change.ts';
import type { OrderRecord } from '../records/order.ts';
import { storedForm } from '../domain/stored-json.ts';
import type { StorableValues } from './stored-records.ts';

const NO_CHANGES: readonly MirrorChange[] = [];
const NO_REQUESTS: readonly EngineRequest[] = [];
const NO_NOTICES: readonly EngineNotice[] = [];

/** Calls that may change the exchange: they are sent only after the step's changes are on the disk. */
const CHANGES_THE_EXCHANGE: ReadonlySet<VenueCall['kind']> = new Set([
  'place',
  'place-oco',
  'cancel',
  'cancel-old',
  'transfer',
]);

/** Maximum number of notices of one step; further ones are counted and reported as one. */
const MOST_NOTICES = 200;

/** Facts about an answer besides its content. */
interface AnswerContext {
  /** Time at which the answer came, in ms since 1970. */
  readonly atMs: number;
  /** Latest time at which the request can have left, in ms since 1970; null if it never did. */
  readonly sentAtMs: number | null;
  /** Bytes of the reply; null if there were none or they are not stored. */
  readonly reply: StoredReply | null;
}

/** Terms on which a request is sent. */
interface RequestContext {
  readonly requestClass: RequestClass;
  /** Key of the request: a newer one with this key replaces it while it waits; omitted: none does. */
  readonly dedupe?: string;
  readonly withinMs: number;
}

interface Asked {
  readonly isPrivate: boolean;
  readonly apply: (answer: VenueAnswer, context: AnswerContext) => void;
}

/** Collects what one step writes, requests and reports, and remembers who gets which answer. */
export class Outbox {
  nowMs = 0;
  private changes: MirrorChange[] | null = null;
  private requests: EngineRequest[] | null = null;
  private notices: EngineNotice[] | null = null;
  private isDurable = false;
  private unshown = 0;
  private lastRequestId = 0;
  /** Requests in flight, by id. The limiter bounds them: it returns what it does not accept as unsent. */
  private readonly asked = new Map<number, Asked>();
  /** Number of steps so far. */
  steps = 0;
  /** True if data for a restart is to be stored. */
  readonly isRestartable: boolean;
  readonly isJournaled: boolean;
  /** True if somebody reads the notices. */
  readonly isWatched: boolean;

  constructor({
    isRestartable = true,
    isJournaled = true,
    isWatched = true,
  }: Partial<Pick<Outbox, 'isRestartable' | 'isJournaled' | 'isWatched'>> = {}) {
    this.isRestartable = isRestartable;
    this.isJournaled = isJournaled;
    this.isWatched = isWatched;
  }

  /** True if nothing was collected since the last `emit`. */
  get isEmpty(): boolean {
    return this.changes === null && this.requests === null && this.notices === null;
  }

  change(change: MirrorChange): void {
    // A list created with its first entry needs less memory; most lists have one or two.
    if (this.changes === null) this.changes = [change];
    else this.changes.push(change);
  }

  journal(kind: JournalEntry['kind'], subject: string, facts: Readonly<Record<string, unknown>>): void {
    if (this.isJournaled)
      this.change({ kind: 'journal', entry: { kind, subject, json: JSON.stringify(facts) } });
  }

  /** Stores a small piece of state under a name; units become decimal texts. */
  persist<Name extends keyof StorableValues>(name: Name, state: StorableValues[Name]): void {
    if (this.isRestartable) this.change({ kind: 'kept', name, json: JSON.stringify(storedForm(state)) });
  }

  /** Requires this step's changes to be on the disk before anything is sent. */
  durable(): void {
    this.isDurable = true;
  }

  /** Requests a call. `apply` is called once, at a later step, with the result. */
  ask<Call extends VenueCall>(
    call: Call,
    context: RequestContext,
    apply: (answer: VenueAnswer<Call['kind']>, came: AnswerContext) => void,
  ): void {
    this.lastRequestId += 1;
    const id = this.lastRequestId;
    const { requestClass, dedupe = null, withinMs } = context;
    if (CHANGES_THE_EXCHANGE.has(call.kind)) this.isDurable = true;
    // This id's answer always belongs to this call, so its type is right.
    this.asked.set(id, { isPrivate: !MARKET_CALLS.has(call.kind), apply: apply as Asked['apply'] });
    const request = { id, call, requestClass, dedupe, expiresAtMs: this.nowMs + withinMs };
    if (this.requests === null) this.requests = [request];
    else this.requests.push(request);
  }

  /** Removes and returns the receiver of a request's answer; undefined if there is none. */
  answered(requestId: number): Asked | undefined {
    const asked = this.asked.get(requestId);
    this.asked.delete(requestId);
    return asked;
  }

  notify(notice: EngineNotice): void {
    if (!this.isWatched) return;
    const notices = (this.notices ??= []);
    if (notices.length < MOST_NOTICES) notices.push(notice);
    else this.unshown += 1;
  }

  info(message: string, subject: string | null = null): void {
    this.notify({ kind: 'notice', level: 'info', message, subject });
  }

  warn(message: string, subject: string | null = null): void {
    this.notify({ kind: 'notice', level: 'warning', message, subject });
  }

  alarm(message: string, subject: string | null = null): void {
    this.notify({ kind: 'notice', level: 'error', message, subject });
  }

  /** Returns all that was collected since the last call, and ends the step. */
  emit(wakeAtMs: number): EngineOutput {
    if (this.unshown > 0) {
      const message = `${countText(this.unshown, 'more notice of this moment is', 'more notices of this moment are')} not shown; the journal has what happened`;
      this.notices?.push({ kind: 'notice', level: 'warning', message, subject: null });
      this.unshown = 0;
    }
    const output: EngineOutput = {
      changes: this.changes ?? NO_CHANGES,
      isDurable: this.isDurable,
      requests: this.requests ?? NO_REQUESTS,
      notices: this.notices ?? NO_NOTICES,
      wakeAtMs,
    };
    this.changes = null;
    this.requests = null;
    this.notices = null;
    this.isDurable = false;
    this.steps += 1;
    return output;
  }
}

/** Maximum number of characters of a failure's text, which can be of any length. */
const LONGEST_PROBLEM = 300;

interface CameReply {
  readonly step: ReplyStep;
  readonly answer: VenueAnswer;
  readonly reply: StoredReply | null;
  /** Reason why a readable answer was not used; null if it was. */
  readonly doubt: string | null;
}

/** Reason for not using a reply: it contradicts what is known of its order. */
export const DOUBTED = 'it contradicts what is known, and was not used';

/** Stores a reply about an order, with the changes of the step that applies it. */
export function persistReply(outbox: Outbox, orderKey: string, came: CameReply): void {
  const { step, answer, reply, doubt } = came;
  if (reply === null || !outbox.isJournaled) return;
  const problem =
    answer.outcome === 'failed' ? `${answer.code}: ${answer.message}`.slice(0, LONGEST_PROBLEM) : doubt;
  outbox.change({ kind: 'reply', reply: { orderKey, step, atMs: outbox.nowMs, ...reply, problem } });
}

/**
 * Stores the reply to a look-up of an order, if it changed the order, was a refusal, or could not be used.
 * Orders are read every few seconds, and most replies show nothing new.
 */
export function persistLookup(
  outbox: Outbox,
  order: { readonly before: OrderRecord | undefined; readonly after: OrderRecord | undefined },
  came: Pick<CameReply, 'answer' | 'reply'> & { readonly isDoubtful: boolean },
): void {
  const { before, after } = order;
  const { answer, isDoubtful } = came;
  const key = (after ?? before)?.key;
  if (key === undefined || (answer.outcome === 'value' && before === after && !isDoubtful)) return;
  persistReply(outbox, key, { ...came, step: 'look-up', doubt: isDoubtful ? DOUBTED : null });
}

/** Part of an engine that writes to the outbox. */
export abstract class OutboxPart {
  protected readonly outbox: Outbox;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }
}
