import { z } from 'zod';
import { parseMarket } from '../domain/market-symbol.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';
import { readStored, storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import type { WalletReading, WalletTransaction } from '../venues/port.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import { BalanceBooks, storedBooks, type Disagreement } from '../portfolio/balance-books.ts';
import type { ReconciliationSettings } from './engine-settings.ts';
import type { FlawLog } from './flaw-log.ts';
import type { Outbox } from './outbox.ts';
import { lineFlaw } from './plausibility/wallet-flaw.ts';

/**
 * What the reconciler waits for: it asks for the feeds in this order, each after the one before has been
 * answered.
 */
type Phase =
  | { readonly kind: 'idle'; readonly nextAtMs: number }
  | { readonly kind: 'fills before'; readonly sinceMs: number }
  | { readonly kind: 'wallets'; readonly sinceMs: number }
  | { readonly kind: 'fills after'; readonly sinceMs: number; readonly totals: ReadonlyMap<string, bigint> };

const decimal = storedUnits.transform((units): string => formatUnits(units));
const disagreement = z.object({ currency: z.string(), expected: decimal, found: decimal });

/** Expected and found are decimals. */
export type DisagreementText = z.output<typeof disagreement>;

/** A difference that the next conclusion must confirm. */
const suspicion = z.object({ sinceMs: storedTimeMs, rows: z.array(disagreement).readonly() });

/** What is kept, and what `sarraf reconcile` shows. */
export const storedReconciliation = z.object({
  books: storedBooks,
  lastLineIds: z.record(z.string(), storedCount),
  concludedAtMs: storedTimeMs.nullable(),
  conclusions: storedCount,
  /**
   * Currencies that were compared. Missing in what was stored before this was kept: then those of the books.
   */
  followed: z.array(z.string()).optional(),
  /**
   * When the books began, until a later reading has confirmed them. Missing in what was stored before this
   * was kept.
   */
  begunAtMs: storedTimeMs.nullable().optional(),
  suspicion: suspicion.nullable(),
  /** What kept the last comparisons from saying anything, once that has lasted for too long. */
  blockedBy: z.string().nullable().optional(),
  /** A break stops new orders until a person has looked at it. */
  break: suspicion.extend({ atMs: storedTimeMs }).nullable(),
});

export type StoredReconciliation = z.output<typeof storedReconciliation>;
type Suspicion = z.output<typeof suspicion>;

export const KEPT_RECONCILIATION = 'reconciliation';

/** How soon another cut is tried after one that said nothing. */
const TRY_AGAIN_MS = 5_000;

/** A phase that is not answered for this long is given up. */
const PHASE_PATIENCE_MS = 60_000;

/** What the reconciler asks of the engine around it. */
export interface ReconcilerPorts {
  /** Brings a feed forward. */
  hasten(feed: 'fills' | 'wallets' | 'transactions'): void;
  /**
   * What makes a comparison say nothing: an order whose request is on its way, or whose fate or fills are
   * missing. Null where nothing does.
   */
  unsettled(): string | null;
  readonly findings: FlawLog;
}

/**
 * Compares the books with the exchange on a consistent cut: the wallets read between two readings of the
 * trades of which the second brings nothing new, with nothing in flight and nothing settling. Anything else
 * says nothing. Two cuts that disagree in the same way, further apart than lists may lag, are a break.
 */
export class Reconciler {
  private readonly settings: ReconciliationSettings;
  private readonly outbox: Outbox;
  private readonly ports: ReconcilerPorts;
  private readonly books: BalanceBooks;
  private readonly lastLineIds = new Map<string, number>();
  private phase: Phase = { kind: 'idle', nextAtMs: 0 };
  private suspicion: Suspicion | null = null;
  private found: StoredReconciliation['break'] = null;
  private concludedAtMs: number | null = null;
  private conclusions = 0;
  private begunAtMs: number | null = null;
  private isAlarmed = false;
  /** Why the last comparison said nothing; null where it did. */
  private blockedBy: string | null = null;
  /** Wallets whose history must be read before the books can begin. */
  private unread: readonly string[] = [];
  /** The lines of the wallet that is being read, by their id. */
  private readonly lines = new Map<number, WalletTransaction>();
  /** Whether one of them can not be right. */
  private flawedLines = false;
  /**
   * What the last reading of each wallet's history told that was new, and wallets that are to be read again
   * to confirm it.
   */
  private readonly toldLines = new Map<string, string>();
  private readonly unconfirmed = new Set<string>();
  /**
   * When the history that is being read was asked for, and the last two that were read to their end, by
   * currency.
   */
  private askedAtMs = 0;
  private readonly readSinceMs = new Map<string, number>();
  private readonly readBeforeMs = new Map<string, number>();
  private startedAtMs: number | null = null;

  /**
   * Currencies that are compared: those of the markets that are traded, and those that the books have from
   * before. A start without some of the markets, such as an offline halt, must not take their wallets for
   * empty.
   */
  readonly currencies: Set<string>;

  constructor(
    settings: ReconciliationSettings & { readonly currencies: ReadonlySet<string> },
    outbox: Outbox,
    ports: ReconcilerPorts,
  ) {
    this.currencies = new Set(settings.currencies);
    this.settings = settings;
    this.books = new BalanceBooks(settings.lagMs);
    this.outbox = outbox;
    this.ports = ports;
  }

  /** The break that stops new orders; null while the books agree, as far as is known. */
  get break(): StoredReconciliation['break'] {
    return this.found;
  }

  /** How many cuts said something. */
  get conclusionCount(): number {
    return this.conclusions;
  }

  restore(json: string | undefined): void {
    if (json === undefined) return;
    const stored = readStored(storedReconciliation, json, 'what is kept of the reconciliation');
    this.books.restore(stored.books);
    for (const [currency, id] of Object.entries(stored.lastLineIds)) this.lastLineIds.set(currency, id);
    this.suspicion = stored.suspicion;
    this.found = stored.break;
    this.concludedAtMs = stored.concludedAtMs;
    this.conclusions = stored.conclusions;
    this.begunAtMs = stored.begunAtMs ?? null;
    this.followAll(stored);
  }

  /**
   * What a wallet had before it was followed is in no book: where one is added, the books begin anew, unless
   * a break has to be looked at first.
   */
  private followAll({ books, followed }: StoredReconciliation): void {
    if (books.expected === null) return;
    const before = new Set([...(followed ?? []), ...Object.keys(books.expected)]);
    const isNew = [...this.currencies].some((currency) => !before.has(currency));
    for (const currency of before) this.currencies.add(currency);
    if (isNew && this.found === null) this.beginAnew();
  }

  /** Tries at once, as at the start and at the end. */
  tryNow(): void {
    if (this.phase.kind === 'idle') this.phase = { kind: 'idle', nextAtMs: this.outbox.nowMs };
  }

  /** Begins a cut when one is due, and gives up one that stands still. */
  pump(nowMs: number): void {
    this.startedAtMs ??= nowMs;
    if (this.phase.kind === 'idle') {
      if (this.phase.nextAtMs > nowMs) return;
      this.alarmIfLong(nowMs);
      this.phase = { kind: 'fills before', sinceMs: nowMs };
      this.ports.hasten('fills');
    } else if (this.phase.sinceMs + PHASE_PATIENCE_MS < nowMs) {
      const what = this.phase.kind === 'wallets' ? 'wallets' : 'trades';
      this.inconclusive(nowMs, `the ${what} could not be read for ${PHASE_PATIENCE_MS / 1_000} s`);
    }
  }

  wakeAtMs(): number {
    return this.phase.kind === 'idle' ? this.phase.nextAtMs : this.phase.sinceMs + PHASE_PATIENCE_MS + 1;
  }

  onFill(fill: FillRecord): void {
    if (fill.market === '?') return;
    const { base, quote } = parseMarket(fill.market);
    const { side, amount, total, fee } = fill;
    this.books.addTrade({ base, quote, side, amount, total, fee }, this.currencies);
    if (this.books.hasBegun) this.keep();
  }

  onFillsRead(askedAtMs: number, taken: number, nowMs: number): void {
    const { phase } = this;
    if (phase.kind === 'fills before' && askedAtMs >= phase.sinceMs) {
      this.phase = { kind: 'wallets', sinceMs: nowMs };
      this.ports.hasten('wallets');
    } else if (phase.kind === 'fills after' && askedAtMs >= phase.sinceMs) {
      const unsettled = taken > 0 ? 'trades came while it was compared' : this.ports.unsettled();
      if (unsettled !== null) this.inconclusive(nowMs, unsettled);
      else this.conclude(phase, nowMs);
    } else if (phase.kind === 'wallets' && taken > 0)
      this.inconclusive(nowMs, 'trades came while it was compared');
  }

  /** `unread`: currencies whose wallet in this reading can not be right. */
  onWallets(
    wallets: readonly WalletReading[],
    {
      askedAtMs,
      nowMs,
      unread,
    }: { readonly askedAtMs: number; readonly nowMs: number; readonly unread: ReadonlySet<string> },
  ): void {
    const { phase } = this;
    if (phase.kind !== 'wallets' || askedAtMs < phase.sinceMs) return;
    for (const currency of unread) {
      if (this.currencies.has(currency))
        return this.inconclusive(nowMs, `the wallet of ${currency} could not be read`);
    }
    const unsettled = this.ports.unsettled();
    if (unsettled !== null) {
      this.inconclusive(nowMs, unsettled);
      return;
    }
    const totals = new Map(
      wallets
        .filter(({ currency }) => this.currencies.has(currency))
        .map(({ currency, total }) => [currency, parseUnits(total) as bigint]),
    );
    this.phase = { kind: 'fills after', sinceMs: nowMs, totals };
    this.ports.hasten('fills');
  }

  /** The currencies whose history is waited for: before the books begin, or to explain a difference. */
  wantedLines(nowMs: number): ReadonlySet<string> {
    const unread = this.unread.filter((currency) => !this.lastLineIds.has(currency));
    const isDue =
      this.suspicion !== null && this.found === null && nowMs >= this.suspicion.sinceMs + this.settings.lagMs;
    return new Set([...unread, ...this.unconfirmed, ...(isDue ? this.unexplained() : [])]);
  }

  /**
   * One page of a wallet's history, newest first. Answers whether all of it was new, so that more may be on
   * the next page.
   */
  onLines(
    currency: string,
    lines: readonly WalletTransaction[],
    { page, askedAtMs }: { readonly page: number; readonly askedAtMs: number },
  ): boolean {
    const before = this.lastLineIds.get(currency);
    // A page that is read again while lines are added begins with some of the page before.
    if (page === 1) {
      this.lines.clear();
      this.flawedLines = false;
      this.askedAtMs = askedAtMs;
    }
    for (const line of lines) {
      const flaw = lineFlaw(line, currency);
      if (flaw === null) this.lines.set(line.id, line);
      else {
        this.ports.findings.note(`line ${line.id} of ${currency}`, flaw, { isGrave: false });
        this.flawedLines = true;
      }
    }
    return before !== undefined && lines.length > 0 && lines.every(({ id }) => id > before);
  }

  /** The last page of a wallet's history was read. Answers the lines that are new. */
  linesEnd(currency: string): readonly WalletTransaction[] {
    const before = this.lastLineIds.get(currency);
    const lines = this.confirmedLines(currency, before);
    // What one reading alone has told may be wrong, and a line that is passed over never comes again.
    if (lines === null) return [];
    this.readBeforeMs.set(currency, this.readSinceMs.get(currency) ?? Number.NEGATIVE_INFINITY);
    this.readSinceMs.set(currency, this.askedAtMs);
    // 0 where the wallet has had no line yet.
    const lastId = lines.at(-1)?.id ?? before ?? 0;
    if (lastId === before) return [];
    this.lastLineIds.set(currency, lastId);
    // Lines that were there before the books began are in the first reading.
    const isPast = !this.books.hasBegun || (before === undefined && this.books.knows(currency));
    // Unless they came after that reading, which nothing tells: the books begin with another one.
    if (!this.books.hasBegun && this.phase.kind === 'fills after') {
      this.inconclusive(this.outbox.nowMs, 'the history of a wallet came while it was compared');
    }
    const fresh = isPast ? [] : lines.filter(({ id }) => before === undefined || id > before);
    for (const { id, amount } of fresh) {
      this.books.addLine({ currency, id, amount: parseUnits(amount), readAtMs: this.outbox.nowMs });
    }
    this.keep();
    return fresh;
  }

  /**
   * The lines that two readings in a row have told alike, by rising id; null while those that are new were
   * read only once.
   */
  private confirmedLines(currency: string, before: number | undefined): readonly WalletTransaction[] | null {
    const lines = [...this.lines.values()].toSorted((left, right) => left.id - right.id);
    this.lines.clear();
    const text = lines
      .filter(({ id }) => before === undefined || id > before)
      .map(({ id, amount }) => `${id} ${amount}`)
      .join(', ');
    const isNews = text !== '' || this.flawedLines;
    const isTold = this.toldLines.get(currency) === text && !this.flawedLines;
    this.toldLines.set(currency, text);
    if (isNews && !isTold) {
      this.unconfirmed.add(currency);
      return null;
    }
    this.unconfirmed.delete(currency);
    return lines;
  }

  /** A person has looked: the books begin anew with the next reading. */
  accept(): void {
    this.found = null;
    this.beginAnew();
    this.phase = { kind: 'idle', nextAtMs: this.outbox.nowMs };
    this.outbox.journal('reconciliation', 'accepted', {});
    this.keep();
  }

  private beginAnew(): void {
    this.suspicion = null;
    this.books.restore({ expected: null, unmatched: [], outside: [] });
  }

  /**
   * The mirror was put back from a copy: what came and went since can not be told apart any more, so the
   * books begin with the next reading. A break that the copy had stays one.
   */
  afterPutBack(): void {
    this.beginAnew();
    this.begunAtMs = null;
    this.lastLineIds.clear();
    this.toldLines.clear();
    this.phase = { kind: 'idle', nextAtMs: this.outbox.nowMs };
    this.outbox.journal('reconciliation', 'put back', {});
    this.keep();
  }

  /** A fill of an order that can have none. Stops new orders at once. */
  breakAtFill({ tradeId, amount }: FillRecord, { key, state, market, filled, ...order }: OrderRecord): void {
    const why = `the trade ${tradeId} of ${formatUnits(amount)} is of ${key}, which is ${state} with ${formatUnits(filled)} of ${formatUnits(order.amount)} filled`;
    this.breakAt(
      [{ currency: market, expected: formatUnits(filled), found: formatUnits(filled + amount) }],
      why,
    );
  }

  private breakAt(rows: readonly DisagreementText[], why: string): void {
    const { nowMs } = this.outbox;
    this.found ??= { sinceMs: nowMs, atMs: nowMs, rows };
    this.outbox.journal('reconciliation', 'break', { why, rows });
    this.outbox.alarm(
      `the books do not agree, so no new orders are placed: ${why}. See "sarraf reconcile --explain"`,
    );
    this.keep();
  }

  private conclude({ totals, sinceMs }: Extract<Phase, { kind: 'fills after' }>, nowMs: number): void {
    // What came before the books begin must be known as such, or it would count as coming after.
    this.unread = this.books.hasBegun
      ? []
      : [...totals.keys()].filter((currency) => !this.lastLineIds.has(currency));
    if (this.unread.length > 0) {
      this.ports.hasten('transactions');
      this.inconclusive(nowMs, `the history of ${this.unread.join(', ')} is still to be read`);
      return;
    }
    this.phase = { kind: 'idle', nextAtMs: nowMs + this.settings.everyMs };
    let isConclusive = true;
    if (!this.books.hasBegun) this.begin(totals, nowMs);
    else {
      const disagreements = this.books.compare(totals, sinceMs);
      if (this.begunAtMs === null) isConclusive = this.judge(disagreements, nowMs);
      else isConclusive = this.confirm(disagreements, totals, nowMs);
    }
    if (isConclusive) {
      this.concludedAtMs = nowMs;
      this.conclusions += 1;
      this.blockedBy = null;
      if (this.isAlarmed) this.outbox.info('the books are compared with the exchange again');
      this.isAlarmed = false;
    }
    this.keep();
  }

  private begin(totals: ReadonlyMap<string, bigint>, nowMs: number): void {
    this.books.begin(totals);
    this.begunAtMs = nowMs;
    this.phase = { kind: 'idle', nextAtMs: nowMs + Math.min(this.settings.everyMs, this.settings.lagMs) };
  }

  /**
   * The first reading may hold trades that the list of trades did not have yet: the books begin anew from a
   * reading that differs, until one so much later that no list lags behind the first any more agrees. Answers
   * whether that says something.
   */
  private confirm(
    disagreements: readonly Disagreement[],
    totals: ReadonlyMap<string, bigint>,
    nowMs: number,
  ): boolean {
    if (disagreements.length > 0) {
      this.begin(totals, nowMs);
      return false;
    }
    if (this.begunAtMs !== null && nowMs - this.begunAtMs >= this.settings.lagMs) this.begunAtMs = null;
    return this.judge(disagreements, nowMs);
  }

  /**
   * Answers whether that says something: a difference does not while the history that may explain it could
   * not be read.
   */
  private judge(disagreements: readonly Disagreement[], nowMs: number): boolean {
    if (disagreements.length === 0) {
      this.suspicion = null;
      if (this.books.isPending) this.phase = { kind: 'idle', nextAtMs: nowMs + TRY_AGAIN_MS };
      return !this.books.isPending;
    }
    const rows = disagreements.map(({ currency, expected, found }) => ({
      currency,
      expected: formatUnits(expected),
      found: formatUnits(found),
    }));
    this.phase = { kind: 'idle', nextAtMs: nowMs + TRY_AGAIN_MS };
    this.ports.hasten('transactions');
    const same = this.suspicion !== null && differences(this.suspicion.rows) === differences(rows);
    if (!same) this.suspicion = { sinceMs: nowMs, rows };
    else if (
      this.suspicion !== null &&
      nowMs - this.suspicion.sinceMs >= this.settings.lagMs &&
      this.found === null
    ) {
      if (this.unexplained().length > 0) return false;
      const why = rows
        .map(({ currency, expected, found }) => `expected ${expected} ${currency}, the exchange has ${found}`)
        .join('; ');
      this.breakAt(rows, why);
    }
    if (this.found !== null) this.phase = { kind: 'idle', nextAtMs: nowMs + this.settings.everyMs };
    return true;
  }

  /**
   * Currencies that differ and whose history was not read twice since by as much as lists may lag: a deposit
   * in it may be the reason, and a single reading without it may be an old one.
   */
  private unexplained(): readonly string[] {
    const { suspicion } = this;
    if (suspicion === null) return [];
    const sinceMs = suspicion.sinceMs + this.settings.lagMs;
    return suspicion.rows
      .map(({ currency }) => currency)
      .filter((currency) => (this.readBeforeMs.get(currency) ?? Number.NEGATIVE_INFINITY) < sinceMs);
  }

  private inconclusive(nowMs: number, why: string): void {
    this.phase = { kind: 'idle', nextAtMs: nowMs + TRY_AGAIN_MS };
    if (this.blockedBy === why) return;
    this.blockedBy = why;
    // What stands for a moment is of no interest to anybody.
    if (this.isOverdue(nowMs)) this.keep();
  }

  private isOverdue(nowMs: number): boolean {
    const { alertAfterMs, everyMs } = this.settings;
    return (
      this.startedAtMs !== null && nowMs - this.waitsSinceMs(nowMs) >= Math.max(alertAfterMs, 2 * everyMs)
    );
  }

  /**
   * Since when a comparison is waited for. What was before this life does not count: nobody could compare.
   */
  private waitsSinceMs(nowMs: number): number {
    return Math.max(this.concludedAtMs ?? 0, this.startedAtMs ?? nowMs);
  }

  private alarmIfLong(nowMs: number): void {
    if (this.isAlarmed || !this.isOverdue(nowMs)) return;
    this.isAlarmed = true;
    const minutes = Math.round((nowMs - this.waitsSinceMs(nowMs)) / 60_000);
    this.outbox.alarm(
      `the books could not be compared with the exchange for ${minutes} minutes, so no new orders are placed: ${this.blockedBy ?? 'no comparison came to its end'}. See "sarraf reconcile --explain"`,
    );
    this.keep();
  }

  /** Why new orders are kept back: no comparison has said anything for too long. Null while one has. */
  overdue(nowMs: number): string | null {
    if (!this.isOverdue(nowMs)) return null;
    const minutes = Math.round((nowMs - this.waitsSinceMs(nowMs)) / 60_000);
    return `the books could not be compared with the exchange for ${minutes} minutes: ${this.blockedBy ?? 'no comparison came to its end'}`;
  }

  private keep(): void {
    const stored: z.input<typeof storedReconciliation> = {
      books: this.books.store(),
      lastLineIds: Object.fromEntries(this.lastLineIds),
      concludedAtMs: this.concludedAtMs,
      conclusions: this.conclusions,
      followed: [...this.currencies],
      begunAtMs: this.begunAtMs,
      suspicion: this.suspicion,
      ...(this.isAlarmed ? { blockedBy: this.blockedBy } : {}),
      break: this.found,
    };
    this.outbox.keep(KEPT_RECONCILIATION, stored);
  }
}

/**
 * By how much each balance is off: that stays as it is while trades go on and move the balances themselves.
 */
function differences(rows: readonly DisagreementText[]): string {
  return rows
    .map(({ currency, expected, found }) => `${currency} ${parseUnits(found) - parseUnits(expected)}`)
    .toSorted()
    .join(', ');
}
