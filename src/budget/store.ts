import type { Budget } from '../domain/rate-limit.ts';
import { present } from '../domain/invariant.ts';
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import {
  reserveOf,
  waitForSlot,
  type Admission,
  type AdmissionAsk,
  type RequestLedger,
  type Slot,
  type SlotEnd,
} from './admission.ts';
import { ClockRow } from './clock-row.ts';
import { PROBE_EVERY_MS } from './credential-stop.ts';
import { waitForProbe } from './doubt.ts';
import { isBusy, LOCK_WAIT_MS, openLedgerFile, waitBriefly } from './ledger-file.ts';
import {
  heldUntil,
  report,
  takePass,
  type Lockout,
  type LockoutAsk,
  type LockoutBook,
  type Pass,
  type Verdict,
} from './lockouts.ts';
import { thisMachine, type Machine } from './machine.ts';
import { afterLimitReply, inForce, lowered, type LimitChange, type LimitWord } from './named-limit.ts';
import { NamedLimitRows } from './named-limit-rows.ts';
import { SlotRows, type BudgetKey, type BudgetRow } from './slot-rows.ts';
import { StoredLockouts } from './stored-lockouts.ts';
import { fullUntil, longestWait, mayAsk, type UnknownPast } from './unknown-past.ts';

export interface LedgerStoreOptions {
  readonly path: string;
  readonly budgets: Iterable<Budget>;
  /** Who is counted: the address this machine calls from, and the credential, hashed. */
  readonly subjects: { readonly ip: string; readonly token: string };
  /**
   * What a missing file means: requests that nobody knows of, or, for a venue that begins with this run,
   * none.
   */
  readonly whenMissing: 'full' | 'empty';
  /**
   * A guest, such as a call by hand, goes by the limits that are written down already: its own would stand in
   * place of those of a bot beside it.
   */
  readonly isGuest?: boolean;
  readonly machine?: Machine;
}

/** How a request ended, as it is to be written. */
interface Ending {
  readonly slot: Slot;
  readonly end: SlotEnd;
  readonly atMs: number;
}

/**
 * How long a slot without a stamp is kept for an owner about which nothing can be proven, such as one in
 * another container. It sends within `MOST_SEND_DELAY_MS` or not at all, so this is far beyond any arrival.
 */
const UNPROVABLE_OWNER_MS = 3_600_000;

/** Clocks differ by tens of parts in a million: the exchange's window may be that much longer than ours. */
const CLOCK_DRIFT_PARTS = 10_000;

/**
 * The ledger in a SQLite file that all processes of a machine share, one file a base address; see
 * `BudgetLedger` for why it holds. Each admission is one transaction that is on the disk before the request
 * leaves. A lock that is not had in 50 ms is a no. Stamps and lockouts that can not be written at once are
 * kept, one a slot, and written before anything else is admitted.
 *
 * The limits are those of whoever opened it last, guests aside; a window that grew counts as full, because
 * what was released may count again.
 */
export class LedgerStore implements RequestLedger, LockoutBook {
  private readonly database: Database.Database;
  private readonly machine: Machine;
  private readonly path: string;
  private readonly inode: number;
  private readonly clock: ClockRow;
  private readonly rows: SlotRows;
  private readonly lockouts: StoredLockouts;
  private readonly named: NamedLimitRows;
  private readonly budgets: ReadonlyMap<string, Budget>;
  private readonly subjects: LedgerStoreOptions['subjects'];
  private readonly isGuest: boolean;
  /** What is still to be written of own slots: how each ended, or null for a slot that is given back. */
  private readonly unwritten = new Map<number, Ending | null>();
  private readonly unheeded: { readonly budget: string; readonly word: LimitWord; readonly atMs: number }[] =
    [];
  private readonly unreported: { readonly pass: Pass; readonly verdict: Verdict; readonly atMs: number }[] =
    [];

  /**
   * @throws SarrafError `DATA_UNUSABLE` for a file that is damaged, foreign or can not be written; it stays
   * as it is.
   */
  constructor(options: LedgerStoreOptions) {
    this.machine = options.machine ?? thisMachine();
    this.path = options.path;
    this.subjects = options.subjects;
    this.isGuest = options.isGuest ?? false;
    this.budgets = new Map([...options.budgets].map((budget) => [budget.name, budget]));
    const { bootId } = this.machine;
    const nowMs = this.machine.monotonicMs();
    this.database = openLedgerFile(options.path, (database) => {
      const fullSinceMs = options.whenMissing === 'full' ? nowMs : null;
      new ClockRow(database).begin(bootId, fullSinceMs);
    });
    this.inode = statSync(options.path).ino;
    this.clock = new ClockRow(this.database);
    this.rows = new SlotRows(this.database);
    this.named = new NamedLimitRows(this.database);
    this.lockouts = new StoredLockouts(this.database, {
      subjectOfBudget: (budget) => this.keyOf(budget).subject,
      credential: options.subjects.token,
      wallMs: () => this.machine.wallMs(),
    });
    this.database
      .transaction(() => {
        this.unknownPast(nowMs);
        this.named.forgetOld(nowMs);
        if (!this.isGuest) this.rows.forgetIdleBudgets();
        for (const budget of this.budgets.values()) this.writeBudget(budget, nowMs);
      })
      .immediate();
    waitBriefly(this.database);
  }

  admit(ask: AdmissionAsk, nowMs: number): Admission {
    const budget = this.budgets.get(ask.budget);
    if (budget === undefined) return { admitted: false, reason: 'unknown budget', waitMs: null };
    if (!this.isSameFile()) return { admitted: false, reason: 'ledger unusable', waitMs: null };
    try {
      const admission = this.database.transaction(() => this.admitLocked(ask, budget, nowMs)).immediate();
      this.unwritten.clear();
      this.unheeded.length = 0;
      return admission;
    } catch (error) {
      return isBusy(error)
        ? { admitted: false, reason: 'locked', waitMs: LOCK_WAIT_MS }
        : { admitted: false, reason: 'ledger unusable', waitMs: null };
    }
  }

  settle(slot: Slot, end: SlotEnd, atMs: number): void {
    if (!this.unwritten.has(slot.id)) this.unwritten.set(slot.id, { slot, end, atMs });
    this.tryToWrite();
  }

  heed(budget: string, word: LimitWord, atMs: number): LimitChange | null {
    const change = this.changeBy(budget, word, atMs);
    this.unheeded.push({ budget, word, atMs });
    this.tryToWrite();
    return change;
  }

  namedLimits(nowMs: number): ReadonlyMap<string, number> {
    const named = new Map<string, number>();
    for (const budget of this.budgets.keys()) {
      const holds = inForce(this.named.of(this.keyOf(budget)), nowMs);
      if (holds !== null) named.set(budget, holds.limit);
    }
    return named;
  }

  withdraw(slot: Slot): void {
    if (!this.unwritten.has(slot.id)) this.unwritten.set(slot.id, null);
    this.tryToWrite();
  }

  take(ask: LockoutAsk, nowMs: number): Lockout {
    try {
      const lockout = this.database
        .transaction((): Lockout => {
          this.writeReports();
          return takePass(this.lockouts, ask, nowMs);
        })
        .immediate();
      this.unreported.length = 0;
      return lockout;
    } catch {
      return { pass: null, retryAtMs: nowMs + LOCK_WAIT_MS };
    }
  }

  heldUntil(ask: LockoutAsk, nowMs: number): number | null {
    try {
      return heldUntil(this.lockouts, ask, nowMs);
    } catch {
      return nowMs + LOCK_WAIT_MS;
    }
  }

  report(pass: Pass, verdict: Verdict, nowMs: number): void {
    const changesNothing = verdict.kind === 'answered' || verdict.kind === 'silence';
    if (changesNothing && !pass.isCanary && !pass.isProbe) return;
    this.unreported.push({ pass, verdict, atMs: nowMs });
    this.tryToWrite();
  }

  /**
   * Writes what is still unwritten, if it can, and closes the file. Slots without a stamp stay occupied until
   * this process is gone.
   */
  close(): void {
    this.tryToWrite();
    this.database.close();
  }

  private admitLocked(ask: AdmissionAsk, budget: Budget, nowMs: number): Admission {
    this.writeEndings();
    this.writeHeeds();
    const past = this.unknownPast(nowMs);
    const key = this.keyOf(ask.budget);
    const row = this.rows.budget(key) ?? this.writeBudget(budget, nowMs);
    const windowMs = row.windowMs + Math.ceil(row.windowMs / CLOCK_DRIFT_PARTS);
    this.endForOthers(key, nowMs);
    this.rows.endOldestDoubts(nowMs);
    this.rows.releaseBefore(key, nowMs - windowMs);
    const { requestLimit, statedLimit, reserve } = row;
    const named = inForce(this.named.of(key), nowMs)?.limit ?? null;
    const stated = lowered({ name: ask.budget, limit: requestLimit, statedLimit, windowMs, reserve }, named);
    const doubts = this.rows.doubts(key);
    const onTheWay = doubts.length > 0 || past?.heardAtMs === null ? this.rows.onTheWay(key) : [];
    if (doubts.length > 0) {
      const probeWaitMs = waitForProbe({ doubts, onTheWay, limit: stated.limit, nowMs });
      if (probeWaitMs !== 0) return { admitted: false, reason: 'full', waitMs: probeWaitMs };
    }
    const { requestClass } = ask;
    const open = onTheWay.length + doubts.length;
    const isQuestion = past !== null && mayAsk(past, { budget: stated, requestClass, open });
    const waitMs = waitForSlot({
      budget: stated,
      requestClass,
      occupied: this.rows.occupied(key),
      stampAt: (index) => this.rows.stampAt(key, index),
      fullUntilMs: latest(
        past === null || isQuestion ? null : fullUntil(past, windowMs),
        row.fullSinceMs === null ? null : fullUntil({ sinceMs: row.fullSinceMs, heardAtMs: null }, windowMs),
      ),
      nowMs,
    });
    if (waitMs !== 0) {
      const mostMs = past === null ? Number.POSITIVE_INFINITY : longestWait(past, stated);
      return { admitted: false, reason: 'full', waitMs: waitMs === null ? null : Math.min(waitMs, mostMs) };
    }
    const { owner } = this.machine;
    const id = this.rows.insert(key, owner, nowMs);
    const slot = {
      id,
      budget: ask.budget,
      owner,
      admittedAtMs: nowMs,
      stampedAtMs: null,
      endedAtMs: null,
      isFollowed: false,
    };
    return { admitted: true, slot };
  }

  /**
   * What the file does not know; null where it knows everything. Times of another boot say nothing: its slots
   * become a full window, its lockouts go on.
   */
  private unknownPast(nowMs: number): UnknownPast | null {
    const { bootId } = this.machine;
    if (this.clock.isOf(bootId)) return this.clock.past();
    this.clock.begin(bootId, nowMs);
    this.rows.deleteAll();
    this.database.exec('UPDATE budgets SET full_since_ms = NULL');
    this.lockouts.carryOver(nowMs, nowMs + PROBE_EVERY_MS);
    this.named.carryOver(nowMs);
    return { sinceMs: nowMs, heardAtMs: null };
  }

  /** Writes down the limit of a budget as this process has it. */
  private writeBudget(budget: Budget, nowMs: number): BudgetRow {
    const key = this.keyOf(budget.name);
    const known = this.rows.budget(key);
    if (known !== null && this.isGuest) return known;
    const hasGrown = known !== null && known.windowMs < budget.windowMs;
    const row = {
      requestLimit: budget.limit,
      statedLimit: budget.statedLimit ?? budget.limit,
      windowMs: budget.windowMs,
      reserve: reserveOf(budget),
      assumed: Number(budget.assumed),
      fullSinceMs: hasGrown ? nowMs : (known?.fullSinceMs ?? null),
    };
    this.rows.saveBudget(key, row);
    return row;
  }

  /** Ends slots whose owners can not do so any more. */
  private endForOthers(key: BudgetKey, nowMs: number): void {
    for (const { id, owner, admittedAtMs } of this.rows.unstampedOfOthers(key, this.machine.owner)) {
      const sign = this.machine.lifeSignOf(owner);
      if (sign === 'dead') this.rows.end(id, nowMs);
      if (sign === 'foreign' && admittedAtMs + UNPROVABLE_OWNER_MS < nowMs) {
        this.rows.stamp(id, admittedAtMs + UNPROVABLE_OWNER_MS);
      }
    }
  }

  /**
   * Whether the file at the path is still the one that is open: two files would each give the whole limit.
   */
  private isSameFile(): boolean {
    try {
      return statSync(this.path).ino === this.inode;
    } catch {
      return false;
    }
  }

  private tryToWrite(): void {
    try {
      this.database
        .transaction(() => {
          this.writeEndings();
          this.writeHeeds();
          this.writeReports();
        })
        .immediate();
      this.unwritten.clear();
      this.unheeded.length = 0;
      this.unreported.length = 0;
    } catch {
      // Kept, and written with the next admission; until then the slots stay occupied.
    }
  }

  private writeEndings(): void {
    for (const [id, ending] of this.unwritten) {
      if (ending === null) this.rows.delete(id);
      else this.writeEnding(ending);
    }
  }

  private writeEnding({ slot, end, atMs }: Ending): void {
    if (end === 'unanswered') this.rows.end(slot.id, atMs);
    else this.rows.stamp(slot.id, atMs);
    if (end !== 'answered') return;
    const answer = { admittedAtMs: slot.admittedAtMs, atMs };
    this.rows.endDoubts(this.keyOf(slot.budget), answer);
    this.clock.heard(answer);
  }

  /** What a limit reply changes, by what is written down now; a file that can not be read says nothing. */
  private changeBy(budget: string, word: LimitWord, nowMs: number): LimitChange | null {
    try {
      const statedLimit = this.statedLimitOf(budget);
      return afterLimitReply(this.named.of(this.keyOf(budget)), word, { statedLimit, nowMs }).change;
    } catch {
      return null;
    }
  }

  private writeHeeds(): void {
    for (const { budget, word, atMs } of this.unheeded) {
      const key = this.keyOf(budget);
      const of = { statedLimit: this.statedLimitOf(budget), nowMs: atMs };
      this.named.save(key, afterLimitReply(this.named.of(key), word, of).state);
    }
  }

  /** As it is written down, which for a guest is not what it goes by itself. */
  private statedLimitOf(budget: string): number {
    const { limit, statedLimit = limit } = this.known(budget);
    return this.rows.budget(this.keyOf(budget))?.statedLimit ?? statedLimit;
  }

  private writeReports(): void {
    for (const { pass, verdict, atMs } of this.unreported) report(this.lockouts, pass, verdict, atMs);
  }

  private keyOf(budget: string): BudgetKey {
    return { budget, subject: this.subjects[this.known(budget).per] };
  }

  private known(budget: string): Budget {
    return present(this.budgets.get(budget), () => `a budget of this ledger, not ${budget}`);
  }
}

/** The later of two times, either of which may be none. */
function latest(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.max(left, right);
}
