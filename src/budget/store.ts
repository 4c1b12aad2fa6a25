import type { Budget } from '../domain/rate-limit.ts';
import { present } from '../domain/errors.ts';
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type {
  Admission,
  AdmissionAsk,
  RequestLedger,
  Slot,
  SlotEnd,
  LimitChange,
  LimitWord,
} from './admission.ts';
import { clockRow, namedLimitRows, slotRows } from './slot-rows.ts';
import type { CommitTimes } from './commit-times.ts';
import { isBusy, BUSY_TIMEOUT_MS, openLedgerFile, waitBriefly } from './ledger-file.ts';
import { LedgerRules, type SlotEnding } from './ledger-rules.ts';
import {
  heldUntil,
  report,
  acquirePermit,
  type Lockout,
  type LockoutAsk,
  type LockoutBook,
  type Permit,
  type Outcome,
  storedLockouts,
} from './lockouts.ts';
import { thisMachine, type Machine } from './process-owner.ts';

export interface LedgerStoreOptions {
  readonly path: string;
  readonly budgets: Iterable<Budget>;
  /** Subjects that are counted: the address this machine calls from, and the credential, hashed. */
  readonly subjects: { readonly ip: string; readonly token: string };
  /** Meaning of a missing file: unknown requests, or, if the venue begins with this run, none. */
  readonly whenMissing: 'full' | 'empty';
  /** True if the process uses the stored limits: a guest must not overwrite those of a bot beside it. */
  readonly isGuest?: boolean;
  readonly machine?: Machine;
  readonly commits?: CommitTimes | undefined;
}

/** Divisor for the margin of a window: clocks differ by tens of parts in a million. */
const CLOCK_DRIFT_PARTS = 10_000;

/**
 * The ledger in a SQLite file that all processes of a machine share, one file for each base address;
 * `BudgetLedger` explains why it holds. An admission is one transaction that is on disk before the request
 * leaves. A lock that is not free within 50 ms is a refusal. Stamps and lockouts that cannot be written are
 * kept, one for each slot, and written before the next admission.
 */
export class LedgerStore implements RequestLedger, LockoutBook {
  private readonly database: Database.Database;
  private readonly path: string;
  private readonly inode: number;
  private readonly rules: LedgerRules;
  private readonly lockouts: ReturnType<typeof storedLockouts>;
  private readonly commits: CommitTimes | null;
  /** Pending changes of own slots: how each ended, or null for a slot that is given back. */
  private readonly unwritten = new Map<number, SlotEnding | null>();
  private readonly unheeded: { readonly budget: string; readonly word: LimitWord; readonly atMs: number }[] =
    [];
  private readonly unreported: {
    readonly permit: Permit;
    readonly outcome: Outcome;
    readonly atMs: number;
  }[] = [];

  /**
   * @throws SarrafError `DATA_UNUSABLE` for a file that is damaged, foreign or not writable; it stays as it
   * is.
   */
  constructor(options: LedgerStoreOptions) {
    const { path, subjects, isGuest = false, machine = thisMachine() } = options;
    this.path = path;
    this.commits = options.commits ?? null;
    const budgets = new Map([...options.budgets].map((budget) => [budget.name, budget]));
    const { bootId: clockId, owner } = machine;
    const nowMs = machine.monotonicMs();
    this.database = openLedgerFile(path, (database) => {
      const fullSinceMs = options.whenMissing === 'full' ? nowMs : null;
      clockRow(database).begin(clockId, fullSinceMs);
    });
    this.inode = statSync(path).ino;
    this.lockouts = storedLockouts(this.database, {
      subjectOfBudget: (budget) =>
        subjects[present(budgets.get(budget), () => `a budget of this ledger, not ${budget}`).per],
      credential: subjects.token,
      wallMs: () => machine.wallMs(),
    });
    this.rules = new LedgerRules(
      {
        clock: clockRow(this.database),
        slots: slotRows(this.database),
        named: namedLimitRows(this.database),
        lockouts: this.lockouts,
      },
      {
        budgets,
        subjects,
        isGuest,
        owner,
        clockId,
        lifeSignOf: (other) => machine.lifeSignOf(other),
        driftMs: (windowMs) => Math.ceil(windowMs / CLOCK_DRIFT_PARTS),
        asksOfUnknown: true,
      },
    );
    this.database.transaction(() => this.rules.open(nowMs)).immediate();
    waitBriefly(this.database);
  }

  admit(ask: AdmissionAsk, nowMs: number): Admission {
    if (!this.isSameFile()) return { admitted: false, reason: 'ledger unusable', waitMs: null };
    try {
      const admission = this.commit(() => {
        this.writeEndings();
        this.writeWords();
        return this.rules.admit(ask, nowMs);
      });
      this.unwritten.clear();
      this.unheeded.length = 0;
      return admission;
    } catch (error) {
      return isBusy(error)
        ? { admitted: false, reason: 'locked', waitMs: BUSY_TIMEOUT_MS }
        : { admitted: false, reason: 'ledger unusable', waitMs: null };
    }
  }

  settle(slot: Slot, end: SlotEnd, atMs: number, used: number | null = null): void {
    if (!this.unwritten.has(slot.id)) this.unwritten.set(slot.id, { slot, end, atMs, used });
    this.tryToWrite();
  }

  applyLimit(budget: string, word: LimitWord, atMs: number): LimitChange | null {
    const change = this.changeBy(budget, word, atMs);
    this.unheeded.push({ budget, word, atMs });
    this.tryToWrite();
    return change;
  }

  namedLimits(nowMs: number): ReadonlyMap<string, number> {
    return this.rules.namedLimits(nowMs);
  }

  withdraw(slot: Slot): void {
    if (!this.unwritten.has(slot.id)) this.unwritten.set(slot.id, null);
    this.tryToWrite();
  }

  holds(slot: Slot): boolean {
    try {
      return this.isSameFile() && this.rules.holds(slot.id);
    } catch {
      return false;
    }
  }

  acquire(ask: LockoutAsk, nowMs: number): Lockout {
    try {
      const lockout = this.commit((): Lockout => {
        this.writeReports();
        return acquirePermit(this.lockouts, ask, nowMs);
      });
      this.unreported.length = 0;
      return lockout;
    } catch {
      return { permit: null, retryAtMs: nowMs + BUSY_TIMEOUT_MS };
    }
  }

  heldUntil(ask: LockoutAsk, nowMs: number): number | null {
    try {
      return heldUntil(this.lockouts, ask, nowMs);
    } catch {
      return nowMs + BUSY_TIMEOUT_MS;
    }
  }

  report(permit: Permit, outcome: Outcome, nowMs: number): void {
    const changesNothing = outcome.kind === 'answered' || outcome.kind === 'silence';
    if (changesNothing && !permit.isCanary && !permit.isProbe) return;
    this.unreported.push({ permit, outcome, atMs: nowMs });
    this.tryToWrite();
  }

  /** Writes pending changes, if it can, and closes the file. Slots without a stamp stay occupied. */
  close(): void {
    this.tryToWrite();
    this.database.close();
  }

  /** Returns true if the file at the path is still the open one: two files would each allow a full limit. */
  private isSameFile(): boolean {
    try {
      return statSync(this.path).ino === this.inode;
    } catch {
      return false;
    }
  }

  private commit<T>(work: () => T): T {
    const transaction = this.database.transaction(work);
    return this.commits === null ? transaction.immediate() : this.commits.time(() => transaction.immediate());
  }

  private tryToWrite(): void {
    // An answer can come after the end of the bot: its slot stays occupied.
    if (!this.database.open) return;
    // An end that is lost with the machine's power leaves its slot occupied, so nothing waits for the disk.
    const isForgettable = this.unheeded.length + this.unreported.length === 0;
    try {
      if (isForgettable) this.database.pragma('synchronous = NORMAL');
      this.commit(() => {
        this.writeEndings();
        this.writeWords();
        this.writeReports();
      });
      this.unwritten.clear();
      this.unheeded.length = 0;
      this.unreported.length = 0;
    } catch {
      // The changes are kept and written with the next admission; until then the slots stay occupied.
    } finally {
      if (isForgettable) this.database.pragma('synchronous = FULL');
    }
  }

  private writeEndings(): void {
    for (const [id, ending] of this.unwritten) {
      if (ending === null) this.rules.withdraw(id);
      else this.rules.end(ending);
    }
  }

  /** Returns the effect of a limit reply on the stored limit; null if the file cannot be read. */
  private changeBy(budget: string, word: LimitWord, nowMs: number): LimitChange | null {
    try {
      return this.rules.changeBy(budget, word, nowMs);
    } catch {
      return null;
    }
  }

  private writeWords(): void {
    for (const { budget, word, atMs } of this.unheeded) this.rules.applyLimit(budget, word, atMs);
  }

  private writeReports(): void {
    for (const { permit, outcome, atMs } of this.unreported) report(this.lockouts, permit, outcome, atMs);
  }
}
