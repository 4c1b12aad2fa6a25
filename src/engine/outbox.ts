import type { RequestClass } from '../domain/rate-limit.ts';
import { MARKET_CALLS, type StoredReply, type VenueAnswer, type VenueCall } from '../venues/port.ts';
import type { EngineNotice, EngineOutput, EngineRequest } from './engine-command.ts';
import type { JournalEntry, MirrorChange, ReplyStep } from './mirror-change.ts';
import type { OrderRecord } from '../records/order.ts';

const NO_CHANGES: readonly MirrorChange[] = [];
const NO_REQUESTS: readonly EngineRequest[] = [];
const NO_NOTICES: readonly EngineNotice[] = [];

/** Calls that may change the exchange: nothing of them leaves before what they belong to is on the disk. */
const CHANGES_THE_EXCHANGE: ReadonlySet<VenueCall['kind']> = new Set([
  'place',
  'place-oco',
  'cancel',
  'cancel-old',
  'transfer',
]);

/** Notices of one step at most; beyond it they are counted and reported as one. */
const MOST_NOTICES = 200;

/** Facts known about an answer beyond its content. */
interface AnswerContext {
  /** Time it came. */
  readonly atMs: number;
  /** Latest time its request can have left; null if it never did. */
  readonly sentAtMs: number | null;
  /** The bytes behind it; null where there were none, or nobody keeps them. */
  readonly reply: StoredReply | null;
}

/** Terms for sending a request. */
interface RequestContext {
  readonly requestClass: RequestClass;
  /** Key of the request, so that a newer one replaces it while it waits; omitted if each counts. */
  readonly dedupe?: string;
  readonly withinMs: number;
}

interface Asked {
  readonly isPrivate: boolean;
  readonly apply: (answer: VenueAnswer, context: AnswerContext) => void;
}

/** Gathers what one step wants done, and knows who waits for which answer. */
export class Outbox {
  nowMs = 0;
  private changes: MirrorChange[] | null = null;
  private requests: EngineRequest[] | null = null;
  private notices: EngineNotice[] | null = null;
  private isDurable = false;
  private unshown = 0;
  private lastRequestId = 0;
  /** Requests under way, by id. The limiter bounds them: what it does not take comes back unsent. */
  private readonly asked = new Map<number, Asked>();
  /** Steps so far. */
  steps = 0;
  /** True if data for a restart is to be stored. */
  readonly isRestartable: boolean;
  readonly isJournaled: boolean;
  /** True if anybody reads notices. */
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

  /** True if nothing has been gathered since the last call of `take`. */
  get isEmpty(): boolean {
    return this.changes === null && this.requests === null && this.notices === null;
  }

  change(change: MirrorChange): void {
    // A list that begins with what it has takes less room than one that is filled: most have one or two.
    if (this.changes === null) this.changes = [change];
    else this.changes.push(change);
  }

  journal(kind: JournalEntry['kind'], subject: string, facts: Readonly<Record<string, unknown>>): void {
    if (this.isJournaled)
      this.change({ kind: 'journal', entry: { kind, subject, json: JSON.stringify(facts) } });
  }

  /** Keeps a small piece of state under a name. */
  persist(name: string, state: unknown): void {
    if (this.isRestartable) this.change({ kind: 'kept', name, json: JSON.stringify(state) });
  }

  /** Requires the changes to be on the disk before anything else happens. */
  durable(): void {
    this.isDurable = true;
  }

  /** Wants a call made; `take` is called once, at a later step, with what became of it. */
  ask<Call extends VenueCall>(
    call: Call,
    context: RequestContext,
    apply: (answer: VenueAnswer<Call['kind']>, came: AnswerContext) => void,
  ): void {
    this.lastRequestId += 1;
    const id = this.lastRequestId;
    const { requestClass, dedupe = null, withinMs } = context;
    if (CHANGES_THE_EXCHANGE.has(call.kind)) this.isDurable = true;
    // The answer that comes with this id is the one to this call.
    this.asked.set(id, { isPrivate: !MARKET_CALLS.has(call.kind), apply: apply as Asked['apply'] });
    const request = { id, call, requestClass, dedupe, expiresAtMs: this.nowMs + withinMs };
    if (this.requests === null) this.requests = [request];
    else this.requests.push(request);
  }

  /** Returns the receiver of the answer to a request, which has ended; undefined if there is none. */
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

  /** Everything gathered since the last call. */
  emit(wakeAtMs: number): EngineOutput {
    if (this.unshown > 0) {
      const message = `${this.unshown} more notices of this moment are not shown; the journal has what happened`;
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

/** A failure's words are as long as the exchange likes. */
const LONGEST_PROBLEM = 300;

interface CameReply {
  readonly step: ReplyStep;
  readonly answer: VenueAnswer;
  readonly reply: StoredReply | null;
  /** Reason an answer that could be read was not used; null if it was. */
  readonly doubt: string | null;
}

/** Text for a reply that contradicts the known state of its order. */
export const DOUBTED = 'it contradicts what is known, and was not used';

/** Keeps what the exchange said of an order, with the changes of the step that took it in. */
export function persistReply(outbox: Outbox, orderKey: string, came: CameReply): void {
  const { step, answer, reply, doubt } = came;
  if (reply === null || !outbox.isJournaled) return;
  const problem =
    answer.outcome === 'failed' ? `${answer.code}: ${answer.message}`.slice(0, LONGEST_PROBLEM) : doubt;
  outbox.change({ kind: 'reply', reply: { orderKey, step, atMs: outbox.nowMs, ...reply, problem } });
}

/**
 * Keeps the reply to a question about an order, as it was before and is after it: where it changed something,
 * refused, or could not be used. Orders are asked about every few seconds, and most of it is nothing new.
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
