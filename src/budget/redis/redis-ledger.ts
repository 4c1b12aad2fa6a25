import { randomBytes } from 'node:crypto';
import type { Budget } from '../../domain/rate-limit.ts';
import { present } from '../../domain/invariant.ts';
import { MOST_SEND_DELAY_MS, type AdmissionAsk, type Slot, type SlotEnd } from '../admission.ts';
import { enterAtOnce, type Admittance, type Entry, type EntryAsk } from '../admittance.ts';
import { LedgerRules } from '../ledger-rules.ts';
import { heldUntil, report, takePass, type LockoutAsk, type Pass, type Verdict } from '../lockouts.ts';
import { thisMachine, type Machine } from '../machine.ts';
import type { LimitChange, LimitWord } from '../named-limit.ts';
import type { BudgetReport } from '../ledger-report.ts';
import type { LifeSign } from '../process-owner.ts';
import { LedgerDraft } from './ledger-draft.ts';
import { LedgerImage } from './ledger-image.ts';
import type { ScriptAsk } from './ledger-script.ts';
import { reportOfImage } from './redis-report.ts';
import { ServerClock } from './server-clock.ts';

/** What the script answers: everything that there is, or how often it was written by now. */
export interface ScriptAnswer {
  readonly status: 'read' | 'changed' | 'stepped' | 'full' | 'done';
  readonly timeMs: number;
  readonly run: string;
  /** Null where it did what it was asked. */
  readonly fields: readonly string[] | null;
  readonly revision: number;
  readonly stable: number;
}

/** The way to the ledger's script. */
export interface LedgerServer {
  /** Rejects where Redis refuses, or does not answer in time. */
  ask(ask: ScriptAsk): Promise<ScriptAnswer>;
  close(): void;
}

export interface RedisLedgerOptions {
  readonly server: LedgerServer;
  readonly budgets: Iterable<Budget>;
  readonly subjects: { readonly ip: string; readonly token: string };
  /** Goes by the limits that are written down already. */
  readonly isGuest?: boolean;
  /** What it means that there is none when it is opened; one that goes later makes every window full. */
  readonly whenMissing: 'full' | 'empty';
  readonly machine?: Machine;
  /** Called where Redis does not do what it is asked, with every error. */
  readonly onFailure?: (error: unknown) => void;
  readonly onWorked?: () => void;
  /** Called when a new count begins: every window counts as full. */
  readonly onBegun?: (why: string) => void;
}

/** A request of ours, by the server's time. */
interface OwnSlot {
  readonly epoch: string;
  readonly slot: Slot;
}

/** Something that is still to be written. */
interface Pending {
  readonly endings: Map<number, { readonly end: SlotEnd | 'withdrawn'; readonly atMs: number }>;
  readonly heeds: { readonly budget: string; readonly word: LimitWord; readonly atMs: number }[];
  readonly reports: { readonly pass: Pass; readonly verdict: Verdict; readonly atMs: number }[];
}

/** How often it is tried again because others wrote meanwhile. */
const MOST_TRIES = 8;
/** Who was not admitted for want of an answer may ask again after so long. */
const ASK_AGAIN_MS = 50;
/** So often Redis is told that this process lives, and what is not written yet is tried again. */
const HEARTBEAT_MS = 2_000;

/** How far another process of this machine found the clocks apart is believed where it is off by no more. */
const ANCHOR_SLACK_MS = 200;
const ANCHOR_DRIFT_PARTS = 2_000;

/** An owner without slots that was not heard of for so long is forgotten. */
const FORGOTTEN_MS = 3_600_000;

/** Windows are longer by so much: two clocks have to agree, and each may be stepped unseen by a little. */
const DRIFT_PARTS = 500;
const STEP_MS = 100;

/**
 * The ledger that machines share, in Redis. The rules are those of the file; a draft of what Redis holds goes
 * back to it in one script, which does nothing where somebody else wrote meanwhile. Most requests change no
 * more than slots, and the script counts those anew, so that an admission is one round trip.
 *
 * Times are of the Redis server, as far as the monotonic clock here proves that they have passed. A Redis
 * that was restarted, emptied, put back to an older state, or whose clock was stepped makes every window
 * full.
 */
export class RedisLedger implements Admittance {
  private readonly options: RedisLedgerOptions;
  private readonly machine: Machine;
  private readonly budgets: ReadonlyMap<string, Budget>;
  private readonly owner = randomBytes(6).toString('hex');
  private clock = new ServerClock();
  private image = new LedgerImage(new Map());
  private run = '';
  /** Why what Redis holds is of no use; null where it is. */
  private doubt: string | null = null;
  private known = { epoch: '', revision: 0 };
  /** Of all counts that were seen here, the one that was begun last. */
  private latestBegun = 0;
  private lastSeq = 0;
  private readonly own = new Map<number, OwnSlot>();
  private pending: Pending = { endings: new Map(), heeds: [], reports: [] };
  private turn: Promise<unknown> = Promise.resolve();
  private isWriting = false;
  private hasJoined = false;
  /** Whether the times of the count that is there are still to be compared with the clock. */
  private mustJoin = true;
  /** Whether somebody looked at what was read since the last heartbeat. */
  private isWatched = false;
  private heartbeat: NodeJS.Timeout | null = null;

  private constructor(options: RedisLedgerOptions) {
    this.options = options;
    this.machine = options.machine ?? thisMachine();
    this.budgets = new Map([...options.budgets].map((budget) => [budget.name, budget]));
  }

  /**
   * Reads what there is, and writes down the limits of this process. Rejects where Redis does not do that.
   */
  static async open(options: RedisLedgerOptions): Promise<RedisLedger> {
    const ledger = new RedisLedger(options);
    await ledger.join();
    ledger.heartbeat = setInterval(() => void ledger.beat(), HEARTBEAT_MS);
    ledger.heartbeat.unref();
    return ledger;
  }

  async enter(ask: EntryAsk, nowMs: number): Promise<Entry> {
    if (!this.budgets.has(ask.budget)) return refused(null);
    try {
      return await this.alone(async () => {
        const entry = await this.transact(nowMs, (rules, draft, atMs) => ({
          value: enterDraft(rules, draft, { ask, nowMs: atMs }),
          allowed: rules.mostOccupied(ask, atMs),
        }));
        if (!entry.isAdmitted) return entry;
        this.own.set(entry.slot.id, { epoch: this.image.head.epoch, slot: entry.slot });
        // The 250 ms to the send begin when it was asked.
        return { ...entry, slot: { ...entry.slot, admittedAtMs: nowMs } };
      });
    } catch (error) {
      this.options.onFailure?.(error);
      return refused(ASK_AGAIN_MS);
    }
  }

  settle(slot: Slot, end: SlotEnd, atMs: number): void {
    if (!this.pending.endings.has(slot.id)) this.pending.endings.set(slot.id, { end, atMs });
    this.write();
  }

  withdraw(slot: Slot): void {
    if (!this.pending.endings.has(slot.id)) this.pending.endings.set(slot.id, { end: 'withdrawn', atMs: 0 });
    this.write();
  }

  heed(budget: string, word: LimitWord, atMs: number): LimitChange | null {
    const change = this.look(atMs, (rules, nowMs) => rules.changeBy(budget, word, nowMs));
    this.pending.heeds.push({ budget, word, atMs });
    this.write();
    return change;
  }

  namedLimits(nowMs: number): ReadonlyMap<string, number> {
    return this.look(nowMs, (rules, atMs) => rules.namedLimits(atMs));
  }

  heldUntil(ask: LockoutAsk, nowMs: number): number | null {
    const untilMs = this.look(nowMs, (_, atMs, draft) => heldUntil(draft.lockouts, ask, atMs));
    return untilMs === null ? null : nowMs + untilMs - this.clock.earliest(nowMs);
  }

  report(pass: Pass, verdict: Verdict, nowMs: number): void {
    const changesNothing = verdict.kind === 'answered' || verdict.kind === 'silence';
    if (changesNothing && !pass.isCanary && !pass.isProbe) return;
    this.pending.reports.push({ pass, verdict, atMs: nowMs });
    this.write();
  }

  /** Every budget as it was read last; a heartbeat later it is newer. */
  rows(): readonly BudgetReport[] {
    this.isWatched = true;
    return reportOfImage(this.image, this.clock.earliest(this.machine.monotonicMs()));
  }

  /** Everything that was said until now is written, or Redis does not take it. */
  async settled(): Promise<void> {
    await this.alone(async () => this.writePending()).catch(() => undefined);
  }

  /** Writes what is still unwritten, if it can. Slots without a stamp stay occupied. */
  async close(): Promise<void> {
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
    await this.settled();
    await this.alone(async () => this.ask({ kind: 'leave' })).catch(() => undefined);
    this.options.server.close();
  }

  /** Reads the ledger and joins those who use it. */
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
  }

  /**
   * How much of the time since somebody last proved one nobody can prove: whether it has passed, or the
   * server's clock was stepped. Another process of this machine left how far the two clocks are apart.
   */
  private unprovenMs(): number {
    const seenMs = this.image.head.seen;
    const nowMs = this.clock.earliest(this.machine.monotonicMs());
    const sinceMs = Math.max(0, nowMs - seenMs);
    const ahead = Number(this.image.fields.get(`ahead:${this.machineName}`) ?? Number.NaN);
    const slackMs = ANCHOR_SLACK_MS + sinceMs / ANCHOR_DRIFT_PARTS;
    return Math.abs(this.clock.leastAheadMs - ahead) <= slackMs ? 0 : sinceMs;
  }

  /** Monotonic clocks are of one boot of a machine; '' where that has no name. */
  private get machineName(): string {
    const { bootId } = this.machine;
    return bootId === 'unknown-boot' ? '' : bootId;
  }

  /** One thing at a time: what is changed is built on what was read. */
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
    const { endings, heeds, reports } = this.pending;
    if (endings.size + heeds.length + reports.length === 0) return;
    await this.transact(this.machine.monotonicMs(), () => ({ value: null, allowed: 0 }));
  }

  private async beat(): Promise<void> {
    try {
      await this.alone(async () => {
        const answer = await this.ask({ kind: 'touch' });
        if (this.isWatched && answer.status === 'done') await this.read();
        this.isWatched = false;
        if (answer.status === 'done') await this.writePending();
        else await this.transact(this.machine.monotonicMs(), () => ({ value: null, allowed: 0 }));
      });
    } catch (error) {
      this.options.onFailure?.(error);
    }
  }

  /**
   * Works on a draft until Redis takes it, or nothing is to be changed in what is there for certain. Rejects
   * where others write again and again, or the process stood still.
   */
  private async transact<T>(nowMs: number, work: Work<T>): Promise<T> {
    let isFresh = false;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (this.machine.monotonicMs() - nowMs > MOST_SEND_DELAY_MS) throw new Error('no answer in 250 ms');
      const atMs = this.clock.earliest(nowMs);
      const { draft, rules, epoch } = this.draft();
      rules.lookBack(atMs);
      // Whoever has begun this count may have had another time than this process found before.
      if (this.mustJoin && !draft.isBegun) draft.postpone(this.unprovenMs());
      const written = this.writeInto(rules, draft, epoch);
      if (isFresh) draft.slots.dropUnknown((seq) => this.own.has(seq));
      const { value, allowed } = work(rules, draft, atMs);
      if (!draft.hasChanged && isFresh) {
        this.mustJoin = false;
        this.forget(written);
        return value;
      }
      const answer = draft.hasChanged
        ? await this.commit(draft, { atMs, allowed })
        : await this.ask({ kind: 'read' });
      if (answer.status === 'done') {
        if (draft.hasChanged) this.mustJoin = false;
        this.forget(written);
        return value;
      }
      isFresh = true;
    }
    throw new Error('others that write again and again');
  }

  private draft(): { readonly draft: LedgerDraft; readonly rules: LedgerRules; readonly epoch: string } {
    const { subjects, isGuest = false, whenMissing } = this.options;
    const draft = new LedgerDraft(this.image, {
      owner: this.owner,
      subjectOf: (budget) => subjects[present(this.budgets.get(budget), () => `a budget, not ${budget}`).per],
      credential: subjects.token,
      nextSeq: () => (this.lastSeq += 1),
      isCurrent: this.doubt === null,
      beginsEmpty: whenMissing === 'empty' && !this.hasJoined,
    });
    const rules = new LedgerRules(draft, {
      budgets: this.budgets,
      subjects,
      isGuest,
      owner: this.owner,
      clockId: this.run,
      lifeSignOf: (owner) => this.lifeSignOf(draft, owner),
      driftMs: longerMs,
      asksOfUnknown: false,
    });
    return { draft, rules, epoch: this.doubt === null ? this.image.head.epoch : '' };
  }

  /** Writes what is pending into a draft; answers what that was. Slots of an earlier count are nobody's. */
  private writeInto(rules: LedgerRules, draft: LedgerDraft, epoch: string): Pending {
    const { endings, heeds, reports } = this.pending;
    for (const [seq, { end, atMs }] of endings) {
      const own = this.own.get(seq);
      if (own !== undefined && own.epoch !== epoch) continue;
      if (end === 'withdrawn' || own === undefined) rules.withdraw(seq);
      else rules.end({ slot: own.slot, end, atMs: this.clock.latest(atMs) });
    }
    for (const { budget, word, atMs } of heeds) rules.heed(budget, word, this.clock.latest(atMs));
    for (const { pass, verdict, atMs } of reports)
      report(draft.lockouts, pass, verdict, this.clock.latest(atMs));
    return { endings: new Map(endings), heeds: [...heeds], reports: [...reports] };
  }

  private forget(written: Pending): void {
    const { endings, heeds, reports } = this.pending;
    for (const seq of written.endings.keys()) {
      endings.delete(seq);
      this.own.delete(seq);
    }
    this.pending = {
      endings,
      heeds: heeds.filter((heed) => !written.heeds.includes(heed)),
      reports: reports.filter((each) => !written.reports.includes(each)),
    };
  }

  /** What the rules say of what was read last, with what is pending. */
  private look<T>(nowMs: number, work: (rules: LedgerRules, atMs: number, draft: LedgerDraft) => T): T {
    const { draft, rules, epoch } = this.draft();
    this.writeInto(rules, draft, epoch);
    return work(rules, this.clock.earliest(nowMs), draft);
  }

  private async commit(
    draft: LedgerDraft,
    { atMs, allowed }: { readonly atMs: number; readonly allowed: number },
  ): Promise<ScriptAnswer> {
    draft.note(`who:${this.owner}`, JSON.stringify([this.machine.bootId, this.machine.owner]));
    const begins = draft.isBegun ? this.nextEpoch(atMs) : '';
    const { endings, entry } = draft.slots;
    const isPlain = draft.isPlain;
    const { doubt } = this;
    const fields = draft.fields();
    const answer = await this.askAnew({
      kind: begins !== '' ? 'begin' : isPlain ? 'plain' : 'whole',
      now: atMs,
      endings: isPlain ? endings : [],
      entry:
        isPlain && entry !== null
          ? { field: entry.field, seq: entry.seq, before: entry.beforeMs, allowed }
          : null,
      fields: isPlain ? [] : [...fields].flat(),
      begins,
    });
    if (answer.status !== 'done') return answer;
    const { head } = this.image;
    const isAlone = answer.revision === head.revision + 1;
    const epoch = begins === '' ? head.epoch : begins;
    this.known = { epoch, revision: answer.revision };
    this.latestBegun = Math.max(this.latestBegun, begunOf(epoch));
    this.image = this.image.with(fields, {
      run: answer.run,
      epoch,
      // Others wrote in between: what is kept here is older, and nothing whole can be built on it.
      revision: isAlone ? answer.revision : head.revision,
      stable: answer.stable,
      seen: Math.max(head.seen, atMs),
    });
    if (begins !== '') this.options.onBegun?.(doubt ?? 'it was empty');
    return answer;
  }

  /** Asks for a change, which ends the doubt there was; the answer may be the reason for another. */
  private async askAnew(part: Partial<ScriptAsk> & Pick<ScriptAsk, 'kind'>): Promise<ScriptAnswer> {
    const { doubt, image } = this;
    this.doubt = null;
    let isDone = false;
    try {
      const answer = await this.ask(part);
      isDone = answer.status === 'done';
      return answer;
    } finally {
      if (!isDone && this.image.head.epoch === image.head.epoch) this.doubt ??= doubt;
    }
  }

  /** The name of the next count. It begins with a number above that of every one before. */
  private nextEpoch(atMs: number): string {
    return epochName(Math.max(this.latestBegun + 1, begunOf(this.image.head.epoch) + 1, atMs));
  }

  private async read(): Promise<void> {
    await this.ask({ kind: 'read' });
  }

  private async ask(part: Partial<ScriptAsk> & Pick<ScriptAsk, 'kind'>): Promise<ScriptAnswer> {
    const { head } = this.image;
    const { machine, owner, clock, machineName } = this;
    const isBuilt = part.kind === 'whole' || part.kind === 'begin';
    const sentMs = machine.monotonicMs();
    const answer = await this.options.server.ask({
      owner,
      now: clock.isKnown ? clock.earliest(sentMs) : 0,
      epoch: head.epoch,
      revision: isBuilt || this.known.epoch !== head.epoch ? head.revision : this.known.revision,
      stable: head.stable,
      endings: [],
      entry: null,
      fields: [],
      begins: '',
      machine: clock.isKnown && part.kind !== 'begin' ? machineName : '',
      ahead: clock.isKnown ? clock.leastAheadMs : 0,
      ...part,
    });
    this.options.onWorked?.();
    this.take(answer, { sentMs, receivedMs: machine.monotonicMs() });
    return answer;
  }

  private take(
    { status, timeMs, run, fields, revision }: ScriptAnswer,
    at: { readonly sentMs: number; readonly receivedMs: number },
  ): void {
    const reading = { ...at, serverMs: timeMs };
    if (!this.clock.read(reading)) this.doubt = 'its clock was stepped';
    this.run = run;
    if (fields === null) {
      // Of this count still: the script looks.
      this.known = { ...this.known, revision: Math.max(this.known.revision, revision) };
      return;
    }
    this.image = LedgerImage.of(fields);
    const { head, isEmpty } = this.image;
    const isOlder = head.epoch === this.known.epoch && head.revision < this.known.revision;
    if (status === 'stepped' || head.seen > timeMs + STEP_MS) this.doubt = 'its clock was stepped';
    else if (isEmpty) this.doubt = 'it was empty';
    else if (head.run !== run) this.doubt = 'Redis was restarted, or another one has taken its place';
    else if (isOlder || begunOf(head.epoch) < this.latestBegun)
      this.doubt = 'it was put back to an older state';
    // Somebody else has begun the count by now.
    else if (head.epoch !== this.known.epoch) this.doubt = null;
    const isOther = head.epoch !== this.known.epoch;
    this.latestBegun = Math.max(this.latestBegun, begunOf(head.epoch));
    if (isOther || !isOlder) this.known = { epoch: head.epoch, revision: head.revision };
    if (isOther) this.mustJoin = true;
    if (this.doubt === null && !isOther) return;
    this.clock = new ServerClock();
    this.clock.read(reading);
  }

  /** A process of this machine by its id; of another one by the lease that it renews. */
  private lifeSignOf(draft: LedgerDraft, owner: string): LifeSign {
    const [bootId, text] = whoIn(draft.text(`who:${owner}`));
    const isHere = this.machineName !== '' && bootId === this.machine.bootId;
    const sign = isHere ? this.machine.lifeSignOf(text) : 'foreign';
    if (sign !== 'foreign') return sign;
    const untilMs = Number(draft.text(`lease:${owner}`) ?? 0);
    return untilMs >= this.clock.earliest(this.machine.monotonicMs()) ? 'alive' : 'silent';
  }
}

function enterDraft(
  rules: LedgerRules,
  draft: LedgerDraft,
  at: { readonly ask: EntryAsk; readonly nowMs: number },
): Entry {
  return enterAtOnce(
    {
      admit: (ask: AdmissionAsk, nowMs) => rules.admit(ask, nowMs),
      withdraw: ({ id }: Slot) => rules.withdraw(id),
    },
    {
      heldUntil: (ask, nowMs) => heldUntil(draft.lockouts, ask, nowMs),
      take: (ask, nowMs) => takePass(draft.lockouts, ask, nowMs),
    },
    at,
  );
}

/** A count by when it was begun. */
export function epochName(begunMs: number): string {
  return `${begunMs}-${randomBytes(6).toString('hex')}`;
}

/** When a count was begun, in numbers that only rise. */
export function begunOf(epoch: string): number {
  return Number(epoch.split('-', 1)[0]);
}

type Work<T> = (
  rules: LedgerRules,
  draft: LedgerDraft,
  atMs: number,
) => { readonly value: T; readonly allowed: number };

/** What a window is longer here than it is. */
export function longerMs(windowMs: number): number {
  return STEP_MS + Math.ceil(windowMs / DRIFT_PARTS);
}

function refused(waitMs: number | null): Entry {
  return { isAdmitted: false, waitMs, heldBy: null, isUnusable: false };
}

function whoIn(text: string | undefined): readonly [string, string] {
  const found: unknown = text === undefined ? null : JSON.parse(text);
  return Array.isArray(found) ? [String(found[0]), String(found[1])] : ['', ''];
}
