import { randomBytes } from 'node:crypto';
import { present } from '../../domain/errors.ts';
import type { Budget } from '../../domain/rate-limit.ts';
import {
  MOST_SEND_DELAY_MS,
  type Slot,
  type SlotEnd,
  type LimitChange,
  type LimitWord,
} from '../admission.ts';
import { enterAtOnce, type Admittance, type Entry, type EntryAsk } from '../admittance.ts';
import { PART_STANDS_STILL_MS, fullUntil, type UnknownPast } from '../doubt.ts';
import type { BudgetReport } from '../ledger-report.ts';
import { LedgerRules } from '../ledger-rules.ts';
import { heldUntil, acquirePermit, type LockoutAsk, type Permit, type Outcome } from '../lockouts.ts';
import { thisMachine, type Machine } from '../process-owner.ts';
import type { BudgetKey } from '../slot-rows.ts';
import { CancelLease, isLeased, leaseholder, mostLeased } from './cancel-lease.ts';
import { longerMs } from './ledger-image.ts';
import { enterDraft, LedgerDraft, Unwritten, type DraftOfCount, type Written } from './ledger-draft.ts';
import { reportOfImage } from './redis-report.ts';
import type { LedgerServer, ScriptAnswer, ScriptAsk } from './redis-connection.ts';
import { lifeSignIn, whoIs, SeenLedger } from './seen-ledger.ts';

interface RedisLedgerOptions {
  readonly server: LedgerServer;
  readonly budgets: Iterable<Budget>;
  readonly subjects: { readonly ip: string; readonly token: string };
  /** True if the process uses the limits that are stored already, and does not write its own. */
  readonly isGuest?: boolean;
  /** Budgets of cancels in which this process holds slots in advance: equal for all who share the ledger. */
  readonly leases?: readonly string[];
  /** Meaning of a ledger missing at the opening; one that disappears later makes every window full. */
  readonly whenMissing: 'full' | 'empty';
  readonly machine?: Machine;
  /** Called with every error of Redis. */
  readonly onFailure?: (error: unknown) => void;
  readonly onWorked?: () => void;
  /** Called when a new count begins: every window counts as full. */
  readonly onBegun?: (why: string) => void;
}

/** Reason of an answer that comes too late to be used. */
export const TOO_LATE = 'no answer in 250 ms';

/** Maximum number of tries of a change when others write at the same time. */
const MOST_TRIES = 8;
/** Time after which a request that was not admitted for lack of an answer may ask again. */
const ASK_AGAIN_MS = 50;
/** Interval in ms of the heartbeat to Redis, which also retries pending changes. */
const HEARTBEAT_MS = 2_000;

/** Time in ms after which a silent owner without slots is removed. */
const FORGOTTEN_MS = 3_600_000;

/**
 * The ledger in Redis that machines share. It has the rules of the file. A draft of the data is written back
 * by one script, which does nothing if another process has written meanwhile. Most requests change only
 * slots, and the script counts those itself, so that an admission is one round trip.
 * Times are those of the Redis server, as far as the monotonic clock here proves that they have passed. A
 * Redis that was restarted, emptied or restored, or whose clock was stepped, makes every window full.
 */
export class RedisLedger implements Admittance {
  private readonly options: RedisLedgerOptions;
  private readonly machine: Machine;
  private readonly budgets: ReadonlyMap<string, Budget>;
  private readonly owner = randomBytes(6).toString('hex');
  private readonly seen: SeenLedger;
  private readonly unwritten = new Unwritten();
  private readonly leases = new Map<string, CancelLease>();
  private lastSeq = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private isWriting = false;
  private hasJoined = false;
  /** True if the data was used since the last heartbeat. */
  private isWatched = false;
  private heartbeat: NodeJS.Timeout | null = null;

  private constructor(options: RedisLedgerOptions) {
    this.options = options;
    this.machine = options.machine ?? thisMachine();
    this.seen = new SeenLedger(this.machine);
    this.budgets = new Map([...options.budgets].map((budget) => [budget.name, budget]));
    for (const name of options.isGuest === true ? [] : (options.leases ?? [])) {
      const budget = this.budgets.get(name);
      if (budget !== undefined && mostLeased(budget.limit).each > 0)
        this.leases.set(name, new CancelLease(budget, this.machine));
    }
  }

  /** Reads the ledger, and writes the limits of this process. Rejects if Redis fails. */
  static async open(options: RedisLedgerOptions): Promise<RedisLedger> {
    const ledger = new RedisLedger(options);
    await ledger.join();
    ledger.heartbeat = setInterval(() => void ledger.beat(), HEARTBEAT_MS);
    ledger.heartbeat.unref();
    return ledger;
  }

  /** Admits a request. A cancel without a slot from Redis gets one of the lease, if one is left. */
  async enter(ask: EntryAsk, nowMs: number): Promise<Entry> {
    if (!this.budgets.has(ask.budget)) return refused(null);
    const entry = await this.enterRedis(ask, nowMs);
    const lease = ask.requestClass === 'cancel' ? this.leases.get(ask.budget) : undefined;
    return entry.isAdmitted || lease === undefined ? entry : (this.enterLease(ask, lease) ?? entry);
  }

  private enterLease(ask: EntryAsk, lease: CancelLease): Entry | null {
    const localMs = this.machine.monotonicMs();
    // Redis has not been read yet.
    if (!this.hasJoined) return null;
    const entry = this.evaluate(localMs, (rules, nowMs, { lockouts }) =>
      enterAtOnce(
        {
          admit: () => lease.admit(rules.namedLimits(nowMs).get(ask.budget) ?? null),
          withdraw: (slot) => lease.withdraw(slot),
        },
        {
          heldUntil: (of, atMs) => heldUntil(lockouts, of, atMs),
          acquire: (of, atMs) => acquirePermit(lockouts, of, atMs),
        },
        { ask, nowMs },
      ),
    );
    if (!entry.isAdmitted) return null;
    const { permit, slot } = entry;
    if (!permit.isCanary && !permit.isProbe) return entry;
    // Only one canary or probe may leave, and only Redis knows which.
    lease.withdraw(slot);
    return null;
  }

  private async enterRedis(ask: EntryAsk, nowMs: number): Promise<Entry> {
    try {
      return await this.alone(async () => {
        const entry = await this.transact(nowMs, (rules, draft, atMs) => ({
          value: enterDraft(rules, draft, { ask, nowMs: atMs }),
          allowed: rules.mostOccupied(ask, atMs),
        }));
        if (!entry.isAdmitted) return entry;
        this.unwritten.admitted(entry.slot, this.seen.image.head.epoch);
        // The 250 ms until the send begin when the slot was requested.
        return { ...entry, slot: { ...entry.slot, admittedAtMs: nowMs } };
      });
    } catch (error) {
      this.options.onFailure?.(error);
      return refused(ASK_AGAIN_MS);
    }
  }

  settle(slot: Slot, end: SlotEnd, atMs: number): void {
    if (isLeased(slot)) {
      this.leases.get(slot.budget)?.settle(slot, end, atMs);
      return;
    }
    this.unwritten.ended(slot.id, end, atMs);
    this.write();
  }

  withdraw(slot: Slot): void {
    if (isLeased(slot)) {
      this.leases.get(slot.budget)?.withdraw(slot);
      return;
    }
    this.unwritten.ended(slot.id, 'withdrawn', 0);
    this.write();
  }

  holds(slot: Slot): boolean {
    if (isLeased(slot)) return this.leases.get(slot.budget)?.holds(slot) ?? false;
    return this.evaluate(this.machine.monotonicMs(), (rules) => rules.holds(slot.id));
  }

  applyLimit(budget: string, word: LimitWord, atMs: number): LimitChange | null {
    const change = this.evaluate(atMs, (rules, nowMs) => rules.changeBy(budget, word, nowMs));
    this.unwritten.limitApplied(budget, word, atMs);
    this.write();
    return change;
  }

  namedLimits(nowMs: number): ReadonlyMap<string, number> {
    return this.evaluate(nowMs, (rules, atMs) => rules.namedLimits(atMs));
  }

  heldUntil(ask: LockoutAsk, nowMs: number): number | null {
    const untilMs = this.evaluate(nowMs, (_, atMs, draft) => heldUntil(draft.lockouts, ask, atMs));
    return untilMs === null ? null : nowMs + untilMs - this.seen.clock.earliest(nowMs);
  }

  report(permit: Permit, outcome: Outcome, nowMs: number): void {
    const changesNothing = outcome.kind === 'answered' || outcome.kind === 'silence';
    if (changesNothing && !permit.isCanary && !permit.isProbe) return;
    this.unwritten.reported(permit, outcome, nowMs);
    this.write();
  }

  /** Returns every budget as it was read last; the next heartbeat refreshes it. */
  rows(): readonly BudgetReport[] {
    this.isWatched = true;
    return reportOfImage(this.seen.image, this.seen.nowMs());
  }

  /** Resolves when all changes so far are written, or Redis has refused them. */
  async settled(): Promise<void> {
    await this.alone(async () => this.writePending()).catch(() => undefined);
  }

  /** Writes pending changes, if it can, and disconnects. Slots without a stamp stay occupied. */
  async close(): Promise<void> {
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
    await this.settled();
    await this.alone(async () => this.returnLeases()).catch(() => undefined);
    await this.alone(async () => this.ask({ kind: 'leave' })).catch(() => undefined);
    this.options.server.close();
  }

  /** Reads the ledger and registers this process. */
  private async join(): Promise<void> {
    await this.read();
    const nowMs = this.machine.monotonicMs();
    await this.alone(async () =>
      this.transact(nowMs, (rules, draft, atMs) => {
        draft.forgetOwners(atMs - FORGOTTEN_MS);
        rules.open(atMs);
        return { value: null, allowed: 0 };
      }),
    );
    this.hasJoined = true;
    await this.alone(async () => this.renewLeases());
  }

  /** Writes the slots of leases that are old, and of new ones if there is room. */
  private async renewLeases(): Promise<void> {
    const due = [...this.leases.values()].filter((lease) => lease.isDue());
    if (due.length === 0) return;
    const at = { atMs: this.machine.monotonicMs(), wallMs: this.machine.wallMs() };
    const written = await this.transact(at.atMs, (rules, draft, atMs) => ({
      value: due.filter((lease) => this.writeLease(lease, { rules, draft, atMs })),
      allowed: 0,
    }));
    for (const lease of written) lease.renewed(at);
  }

  private writeLease(
    { name, limit, size, windowMs }: CancelLease,
    at: { readonly rules: LedgerRules; readonly draft: LedgerDraft; readonly atMs: number },
  ): boolean {
    const { rules, draft, atMs } = at;
    const { slots } = draft;
    const holder = leaseholder(this.owner);
    const key = this.keyOf(name);
    if (slots.leased(key, holder) === 0) {
      const past = draft.clock.past();
      // Leases of earlier counts may still be in use: there is no room for another beside them.
      if (past !== null && mayBeLeased(past, atMs)) return false;
      const heldMs = windowMs + longerMs(windowMs);
      const grownAtMs = slots.budget(key)?.fullSinceMs ?? null;
      const unknown = [past, grownAtMs === null ? null : { sinceMs: grownAtMs, heardAtMs: null }];
      if (unknown.some((since) => since !== null && fullUntil(since, heldMs) >= atMs)) return false;
      slots.releaseBefore(key, atMs - heldMs);
      const most = rules.mostOccupied({ budget: name, requestClass: 'cancel' }, atMs);
      const isTooMuch = slots.leased(key) + size > mostLeased(limit).together;
      if (isTooMuch || slots.occupied(key) + size > most) return false;
    }
    slots.lease(key, holder, { count: size, atMs });
    return true;
  }

  /** Gives leases back to Redis. A lease with a request that may still arrive stays until it is too old. */
  private async returnLeases(): Promise<void> {
    const atRest = [...this.leases.values()].filter((lease) => lease.isAtRest());
    if (atRest.length === 0) return;
    const localMs = this.machine.monotonicMs();
    await this.transact(localMs, (_, draft) => {
      for (const { name } of atRest)
        draft.slots.returnLease(this.keyOf(name), leaseholder(this.owner), this.seen.clock.latest(localMs));
      return { value: null, allowed: 0 };
    });
  }

  private keyOf(name: string): BudgetKey {
    const budget = present(this.budgets.get(name), () => `a budget, not ${name}`);
    return { budget: name, subject: this.options.subjects[budget.per] };
  }

  /** Runs one piece of work after the other: a change is based on what was read. */
  private async alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.turn.then(work);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  private write(): void {
    if (this.isWriting) return;
    this.isWriting = true;
    void this.alone(async () => {
      this.isWriting = false;
      await this.writePending();
    }).catch((error: unknown) => this.options.onFailure?.(error));
  }

  private async writePending(): Promise<void> {
    if (this.unwritten.isNothing) return;
    await this.transact(this.machine.monotonicMs(), () => ({ value: null, allowed: 0 }));
  }

  /** Renews the sign of life, writes pending changes and renews leases; a timer calls it, too. */
  async beat(): Promise<void> {
    try {
      await this.alone(async () => {
        const answer = await this.ask({ kind: 'touch' });
        if (this.isWatched && answer.status === 'done') await this.read();
        this.isWatched = false;
        if (answer.status === 'done') await this.writePending();
        else await this.transact(this.machine.monotonicMs(), () => ({ value: null, allowed: 0 }));
        await this.renewLeases();
      });
    } catch (error) {
      this.options.onFailure?.(error);
    }
  }

  /**
   * Works on a draft until Redis accepts it, or no change is needed. Rejects if others write at the same time
   * too often, or the process stood still.
   */
  private async transact<T>(nowMs: number, work: Work<T>): Promise<T> {
    const { seen, unwritten } = this;
    let isFresh = false;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (this.machine.monotonicMs() - nowMs > MOST_SEND_DELAY_MS) throw new Error(TOO_LATE);
      const atMs = seen.clock.earliest(nowMs);
      const made = this.draft();
      const { draft, rules } = made;
      rules.unknownPast(atMs);
      // The process that began this count may have had another time than this one has found.
      if (seen.mustJoin && !draft.isBegun) draft.postpone(seen.unprovenMs());
      const written = this.writeTo(made);
      if (isFresh) draft.slots.dropUnknown((seq) => unwritten.isOwn(seq));
      const { value, allowed } = work(rules, draft, atMs);
      if (!draft.hasChanged && isFresh) {
        seen.mustJoin = false;
        unwritten.forget(written);
        return value;
      }
      const answer = draft.hasChanged
        ? await this.commit(draft, { atMs, allowed })
        : await this.ask({ kind: 'read' });
      if (answer.status === 'done') {
        if (draft.hasChanged) seen.mustJoin = false;
        unwritten.forget(written);
        return value;
      }
      isFresh = true;
    }
    throw new Error('others that write again and again');
  }

  private draft(): DraftOfCount {
    const { seen, machine } = this;
    const { subjects, isGuest = false, whenMissing } = this.options;
    const draft = new LedgerDraft(seen.image, {
      owner: this.owner,
      subjectOf: (budget) => subjects[present(this.budgets.get(budget), () => `a budget, not ${budget}`).per],
      credential: subjects.token,
      nextSeq: () => (this.lastSeq += 1),
      isCurrent: seen.doubt === null,
      beginsEmpty: whenMissing === 'empty' && !this.hasJoined,
    });
    const rules = new LedgerRules(draft, {
      budgets: this.budgets,
      subjects,
      isGuest,
      owner: this.owner,
      clockId: seen.run,
      lifeSignOf: (owner) => lifeSignIn(draft, owner, { machine, seen }),
      driftMs: longerMs,
      asksOfUnknown: false,
      // Leases of the previous count, which are no longer recorded.
      setAside: ({ name, limit }, past, nowMs) =>
        this.options.leases?.includes(name) === true && mayBeLeased(past, nowMs)
          ? mostLeased(limit).together
          : 0,
    });
    return { draft, rules, epoch: seen.epoch };
  }

  /** Writes pending changes into a draft, and returns them. */
  private writeTo(made: DraftOfCount): Written {
    return this.unwritten.writeTo(made, (localMs) => this.seen.clock.latest(localMs));
  }

  /** Applies the rules to what was read last, together with the pending changes. */
  private evaluate<T>(nowMs: number, work: (rules: LedgerRules, atMs: number, draft: LedgerDraft) => T): T {
    const made = this.draft();
    this.writeTo(made);
    return work(made.rules, this.seen.clock.earliest(nowMs), made.draft);
  }

  private async commit(
    draft: LedgerDraft,
    { atMs, allowed }: { readonly atMs: number; readonly allowed: number },
  ): Promise<ScriptAnswer> {
    const { seen } = this;
    draft.note(`who:${this.owner}`, whoIs(this.machine));
    const begins = draft.isBegun ? seen.nextEpoch(atMs) : '';
    const { doubt } = seen;
    const fields = draft.fields();
    const change = changeIn(draft, { atMs, allowed, begins });
    const answer = await seen.change(async () => this.ask(change));
    if (answer.status !== 'done') return answer;
    seen.wrote(fields, answer, { begins, atMs });
    if (begins !== '') this.options.onBegun?.(doubt ?? 'it was empty');
    return answer;
  }

  private async read(): Promise<void> {
    await this.ask({ kind: 'read' });
  }

  private async ask(part: AskPart): Promise<ScriptAnswer> {
    const { machine, seen, owner } = this;
    const sentMs = machine.monotonicMs();
    const answer = await this.options.server.ask(seen.askOf({ ...part, owner }, sentMs));
    this.options.onWorked?.();
    seen.apply(answer, { sentMs, receivedMs: machine.monotonicMs() });
    return answer;
  }
}

/** Part of a script request that a caller sets; the rest comes from what was read. */
type AskPart = Partial<ScriptAsk> & Pick<ScriptAsk, 'kind'>;

/** Returns a draft as a script request: only slots if nothing else has changed, or each changed field. */
function changeIn(
  draft: LedgerDraft,
  {
    atMs: now,
    allowed,
    begins,
  }: { readonly atMs: number; readonly allowed: number; readonly begins: string },
): AskPart {
  if (begins !== '' || !draft.isPlain)
    return { kind: begins === '' ? 'whole' : 'begin', now, fields: [...draft.fields()].flat(), begins };
  const { endings, entry } = draft.slots;
  const asked =
    entry === null ? null : { field: entry.field, seq: entry.seq, before: entry.beforeMs, allowed };
  return { kind: 'plain', now, endings, entry: asked };
}

type Work<T> = (
  rules: LedgerRules,
  draft: LedgerDraft,
  atMs: number,
) => { readonly value: T; readonly allowed: number };

/** True if leases of earlier counts may still be in use. */
const mayBeLeased = ({ sinceMs }: UnknownPast, nowMs: number): boolean =>
  nowMs < sinceMs + PART_STANDS_STILL_MS;

function refused(waitMs: number | null): Entry {
  return { isAdmitted: false, waitMs, heldBy: null, isUnusable: false };
}
