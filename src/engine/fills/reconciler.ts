import { formatUnits, parseUnits, subtractUnits, type Units } from '../../domain/money.ts';
import { walletTransactionId } from '../../domain/order.ts';
import { english, joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import type { VenueProfile, WalletReading, WalletTransaction } from '../../venues/port.ts';
import { isPlaceholder, type FillRecord } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';
import { BalanceBooks, type Disagreement } from '../../portfolio/balance-books.ts';
import { BalanceMarks, ComparisonWatch } from '../comparisons.ts';
import type { ReconciliationSettings } from '../engine-settings.ts';
import type { IssueLog } from '../issue-log.ts';
import type { Outbox } from '../outbox.ts';
import {
  restored,
  type DisagreementText,
  type StoredTexts,
  type StoredReconciliation,
  type Suspicion,
} from '../stored-records.ts';
import { WalletHistory, type HistoryRead } from '../feeds/wallet-history.ts';

/**
 * Answer that the reconciler waits for. It requests fills, wallets and again fills, each after the answer to
 * the request before.
 */
type Phase =
  | { readonly kind: 'idle'; readonly nextAtMs: number }
  | { readonly kind: 'fills before'; readonly sinceMs: number }
  | { readonly kind: 'wallets'; readonly sinceMs: number }
  | { readonly kind: 'fills after'; readonly sinceMs: number; readonly totals: ReadonlyMap<string, bigint> };

/** Delay before the next attempt after an inconclusive comparison, in ms. */
const TRY_AGAIN_MS = 5_000;

/**
 * Maximum wait for the answer of a phase, in ms. Its request may have to wait for one that has just left, and
 * the exchange may lower a limit to one request per minute.
 */
const PHASE_PATIENCE_MS = 150_000;

/** Functions and data that the reconciler needs from the engine. */
interface ReconcilerPorts {
  /** Makes the next reading of a feed due now. */
  requestNow(feed: 'fills' | 'wallets' | 'transactions'): void;
  /**
   * Returns why a comparison would be inconclusive: the request of an order is in flight, or its outcome or
   * its fills are unknown. Null if nothing prevents it.
   */
  unsettled(): Sentence | null;
  readonly findings: IssueLog;
  readonly venue: Pick<VenueProfile, 'ownLists' | 'marketNames'>;
}

/**
 * Compares the books with the wallets of the exchange. A comparison is conclusive if the wallets were read
 * between two readings of the trades, the second of which brings nothing new, and no order or transfer is
 * unsettled. Two conclusive comparisons with the same difference, further apart than lists lag, are a break.
 */
export class Reconciler {
  private readonly settings: ReconciliationSettings;
  private readonly outbox: Outbox;
  private readonly ports: ReconcilerPorts;
  readonly books: BalanceBooks;
  readonly history: WalletHistory;
  readonly watch: ComparisonWatch;
  /** Balances of each month, for statements over years. */
  private readonly marks: BalanceMarks;
  private phase: Phase = { kind: 'idle', nextAtMs: 0 };
  /** Time of the next `pump`, in ms since 1970. */
  dueAtMs = 0;
  private suspicion: Suspicion | null = null;
  private found: StoredReconciliation['break'] = null;
  private begunAtMs: number | null = null;
  /** Time by which the history lists all movements that the books began with, in ms since 1970. */
  private linesListedMs = 0;
  /** True if something has changed since the last `store`. */
  isChanged = false;
  /** Currencies whose wallet history must be read before the books can begin. */
  private unread: readonly string[] = [];

  /**
   * Currencies that are compared: those of the traded markets and of fees, and those of stored books. So a
   * start without some of the markets, such as an offline halt, does not count their wallets as empty.
   */
  readonly currencies: Set<string>;
  /** Currencies of fees that are followed once the books agree: they do not know these balances. */
  private readonly joining = new Set<string>();

  constructor(
    settings: ReconciliationSettings & { readonly currencies: ReadonlySet<string> },
    outbox: Outbox,
    ports: ReconcilerPorts,
  ) {
    this.currencies = new Set(settings.currencies);
    this.settings = settings;
    this.books = new BalanceBooks(settings.lagMs);
    this.watch = new ComparisonWatch(settings, outbox);
    this.marks = new BalanceMarks(outbox);
    this.history = new WalletHistory(ports.findings, ports.venue.ownLists);
    this.outbox = outbox;
    this.ports = ports;
  }

  /** The break that stops new orders; null while none is known. */
  get break(): StoredReconciliation['break'] {
    return this.found;
  }

  restore(texts: StoredTexts): void {
    this.marks.restore(texts);
    const stored = restored(texts, 'reconciliation');
    if (stored === null) return;
    this.books.restore(stored.books, this.outbox.nowMs);
    this.history.restore(stored.lastLines);
    this.suspicion = stored.suspicion;
    this.found = stored.break;
    this.watch.restore(stored);
    this.begunAtMs = stored.begunAtMs;
    this.linesListedMs = (stored.begunAtMs ?? 0) + this.settings.lagMs;
    this.marks.movedAtMs = stored.movedAtMs ?? null;
    this.followAll(stored);
  }

  /**
   * Adds the currencies of the stored books. If a currency is new, the books do not know its balance, so they
   * begin anew, unless there is a break that a person has to review first.
   */
  private followAll({ books, followed }: StoredReconciliation): void {
    if (books.expected === null) return;
    const before = new Set([...followed, ...Object.keys(books.expected)]);
    const isNew = [...this.currencies].some((currency) => !before.has(currency));
    for (const currency of before) this.currencies.add(currency);
    if (isNew && this.found === null) this.beginAnew();
  }

  /**
   * Starts a comparison at once, as at the end of a run. One that runs is dropped: its readings are older
   * than what the caller wants compared.
   */
  tryNow(): void {
    this.enter({ kind: 'idle', nextAtMs: this.outbox.nowMs });
  }

  /** Begins a comparison when one is due, and gives up one whose answer does not arrive. */
  pump(nowMs: number): void {
    this.watch.begin(nowMs);
    if (this.phase.kind === 'idle') {
      if (this.watch.alarmIfLong(nowMs)) this.isChanged = true;
      this.enter({ kind: 'fills before', sinceMs: nowMs });
      this.ports.requestNow('fills');
    } else {
      const what = this.phase.kind === 'wallets' ? 'wallets' : 'trades';
      this.inconclusive(nowMs, sentence('books-unread', { what, seconds: PHASE_PATIENCE_MS / 1_000 }));
    }
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.dueAtMs = phase.kind === 'idle' ? phase.nextAtMs : phase.sinceMs + PHASE_PATIENCE_MS + 1;
  }

  onFill(fill: FillRecord): void {
    if (fill.market === '?') return;
    const market = this.ports.venue.marketNames.parseMarket(fill.market);
    if (fill.feeCurrency !== null) this.followFee(fill.feeCurrency);
    // The first balances of unconfirmed books may include this trade, which was listed late. It would count
    // twice, and no comparison shows that while another trade of its size is still to be listed.
    const begunMs = this.begunAtMs;
    if (begunMs !== null && fill.atMs <= begunMs && fill.atMs > begunMs - this.settings.lagMs)
      this.books.forget();
    this.books.addTrade({ ...fill, ...market, isSum: isPlaceholder(fill) }, this.currencies, fill.atMs);
    this.marks.moved(fill.atMs);
    this.isChanged = true;
  }

  /** Applies the correction of booked fills: `by` is the difference to what was booked. */
  onCorrection(by: FillRecord): void {
    if (by.feeCurrency !== null) this.followFee(by.feeCurrency);
    this.books.correct({ ...by, ...this.ports.venue.marketNames.parseMarket(by.market) }, by.atMs);
    this.isChanged = true;
  }

  /** Follows the currency of a fee, as soon as the books can begin with its balance. */
  private followFee(currency: string): void {
    if (this.currencies.has(currency)) return;
    if (this.books.hasBegun) this.joining.add(currency);
    else this.currencies.add(currency);
  }

  /** Applies a transfer between wallets: positive into the spot wallet, negative out of it. */
  onTransfer(currency: string, units: bigint): void {
    if (!this.currencies.has(currency)) return;
    this.books.addTransfer(currency, units, this.outbox.nowMs);
    this.marks.transferred(currency, units);
    this.isChanged = true;
  }

  onFillsRead(askedAtMs: number, applied: number, nowMs: number): void {
    const { phase } = this;
    if (phase.kind === 'fills before' && askedAtMs >= phase.sinceMs) {
      this.enter({ kind: 'wallets', sinceMs: nowMs });
      this.ports.requestNow('wallets');
    } else if (phase.kind === 'fills after' && askedAtMs >= phase.sinceMs) {
      const unsettled = applied > 0 ? sentence('books-trades-came') : this.ports.unsettled();
      if (unsettled !== null) this.inconclusive(nowMs, unsettled);
      else this.conclude(phase, nowMs);
    } else if (phase.kind === 'wallets' && applied > 0)
      this.inconclusive(nowMs, sentence('books-trades-came'));
  }

  /** Applies a reading of the wallets. `unread`: currencies whose wallet can not be right in it. */
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
        return this.inconclusive(nowMs, sentence('books-wallet-unread', { currency }));
    }
    const unsettled = this.ports.unsettled();
    if (unsettled !== null) {
      this.inconclusive(nowMs, unsettled);
      return;
    }
    const totals = new Map<string, bigint>();
    for (const { currency, total } of wallets) if (this.currencies.has(currency)) totals.set(currency, total);
    this.enter({ kind: 'fills after', sinceMs: nowMs, totals });
    this.ports.requestNow('fills');
  }

  /** Returns the currencies whose history is needed, to begin the books or to explain a difference. */
  wantedLines(nowMs: number): ReadonlySet<string> {
    const wanted = new Set<string>();
    for (const currency of this.unread) if (!this.history.lastLines.has(currency)) wanted.add(currency);
    for (const currency of this.history.unconfirmed) wanted.add(currency);
    const isDue =
      this.suspicion !== null && this.found === null && nowMs >= this.suspicion.sinceMs + this.settings.lagMs;
    if (isDue) for (const currency of this.unexplained()) wanted.add(currency);
    return wanted;
  }

  /** Applies a wallet's history after its last page. Returns the lines to store. */
  linesEnd(currency: string): readonly WalletTransaction[] {
    const read = this.history.end(currency);
    const lines = read === null ? [] : this.applyLines(currency, read);
    this.books.linesRead(currency, this.history.readTwiceSinceMs(currency));
    return lines;
  }

  private applyLines(currency: string, read: HistoryRead): readonly WalletTransaction[] {
    const { lines, isFirst, isCut } = read;
    const { nowMs } = this.outbox;
    // Movements from before the books began are included in their first balances.
    const isPast = !this.books.hasBegun || (isFirst && this.books.knows(currency));
    let hasOutside = false;
    for (const { id, amount } of lines)
      if (this.books.addLine({ currency, id, amount, readAtMs: nowMs }, { isPast })) hasOutside = true;
    if (isFirst && isPast) this.books.forgetTrades(currency);
    if (isCut) {
      // The lines between the last reading and this one were not read: they are too many.
      this.books.giveUp(currency, nowMs);
      this.outbox.warn(
        `the history of the wallet of ${currency} has more new lines than the bot reads at once: what came in or went out among the older ones explains no difference`,
      );
    }
    // The wallets just read may lack the new movement: the books begin with the next reading instead.
    const isRead = this.phase.kind === 'wallets' || this.phase.kind === 'fills after';
    if (!this.books.hasBegun && isRead && hasOutside) {
      this.inconclusive(nowMs, sentence('books-history-came'));
    }
    // Movements since the books were cleared are in the first balances, but are stored as new lines.
    const newLines = isFirst && isPast ? [] : lines;
    for (const { amount, atMs } of newLines) this.marks.lineRead(currency, amount, atMs);
    this.isChanged = true;
    return newLines;
  }

  /** Accepts the exchange's balances on a person's command: the books begin anew with the next reading. */
  accept(): void {
    this.found = null;
    this.beginAnew();
    this.enter({ kind: 'idle', nextAtMs: this.outbox.nowMs });
    this.outbox.journal('reconciliation', 'accepted', {});
    this.isChanged = true;
  }

  /** Called with each old trade of a list that is read for the first time: the balances have it already. */
  onOldTrade(market: string): void {
    if (!this.books.hasBegun || this.found !== null) return;
    this.beginAnew();
    this.outbox.info(
      `the trades of ${market} are new to the bot: the books begin again with the next balances`,
    );
  }

  private beginAnew(): void {
    for (const currency of this.joining) this.currencies.add(currency);
    this.joining.clear();
    this.marks.begin();
    this.suspicion = null;
    this.books.forget();
  }

  /**
   * Called if the mirror came from a copy. The movements since the copy are unknown, so the books begin anew
   * with the next reading. A break in the copy stays a break.
   */
  afterPutBack(): void {
    this.beginAnew();
    this.begunAtMs = null;
    this.history.forget();
    this.enter({ kind: 'idle', nextAtMs: this.outbox.nowMs });
    this.outbox.journal('reconciliation', 'put back', {});
    this.isChanged = true;
  }

  /** Declares a break, because an order got a fill that it can not have. New orders stop at once. */
  breakAtFill({ tradeId, amount }: FillRecord, { key, state, market, filled, ...order }: OrderRecord): void {
    const why = sentence('books-impossible-fill', {
      trade: tradeId,
      amount: formatUnits(amount),
      order: key,
      state,
      filled: formatUnits(filled),
      whole: formatUnits(order.amount),
    });
    this.breakAt(
      [{ currency: market, expected: formatUnits(filled), found: formatUnits(filled + amount) }],
      why,
    );
  }

  private breakAt(rows: readonly DisagreementText[], why: Sentence): void {
    const { nowMs } = this.outbox;
    this.found ??= { sinceMs: nowMs, atMs: nowMs, rows };
    this.outbox.journal('reconciliation', 'break', { why, rows });
    this.outbox.alarm(
      `the books do not agree, so no new orders are placed: ${english(why)}. See "sarraf reconcile --explain"`,
    );
    this.isChanged = true;
  }

  private conclude({ totals, sinceMs }: Extract<Phase, { kind: 'fills after' }>, nowMs: number): void {
    // The histories must be read before the books begin: otherwise older movements would count as new ones.
    this.unread =
      this.books.hasBegun || !this.history.isListed
        ? []
        : [...totals.keys()].filter((currency) => !this.history.lastLines.has(currency));
    if (this.unread.length > 0) {
      this.ports.requestNow('transactions');
      this.inconclusive(nowMs, sentence('books-history-unread', { currencies: this.unread.join(', ') }));
      return;
    }
    this.enter({ kind: 'idle', nextAtMs: nowMs + this.settings.everyMs });
    let isConclusive = true;
    if (!this.books.hasBegun) this.begin(totals, nowMs);
    else {
      // True if this comparison declares a break, unless the difference is gone or explained.
      const withOld = this.isSuspicionOld(nowMs) && this.unexplained().length === 0;
      // Trades wait for lines that never come.
      if (!this.history.isListed) for (const currency of totals.keys()) this.books.linesRead(currency, nowMs);
      const disagreements = this.books.compare(totals, sinceMs, { withOld });
      if (this.begunAtMs === null) isConclusive = this.judge(disagreements, nowMs);
      else isConclusive = this.confirm(disagreements, totals, nowMs);
    }
    if (isConclusive) this.watch.concluded(nowMs);
    // The books have been confirmed since they began, and agree.
    const isSure = this.begunAtMs === null && this.suspicion === null && this.found === null;
    if (isConclusive && isSure && this.knowsLinesOf(totals)) this.marks.agreed(totals, sinceMs);
    // Books that agree lose no difference when they begin anew.
    if (isConclusive && isSure && this.joining.size > 0) this.beginAnew();
    this.isChanged = true;
  }

  /**
   * True if the time of every movement in the balances is known: each wallet's history was read twice since
   * all movements of the first balances were listed, and no line is missing in the balances.
   */
  private knowsLinesOf(totals: ReadonlyMap<string, bigint>): boolean {
    if (this.books.hasOutside) return false;
    if (!this.history.isListed) return true;
    return [...totals.keys()].every(
      (currency) => this.history.readTwiceSinceMs(currency) >= this.linesListedMs,
    );
  }

  private begin(totals: ReadonlyMap<string, bigint>, nowMs: number): void {
    this.linesListedMs = nowMs + this.settings.lagMs;
    this.books.begin(totals, nowMs);
    this.begunAtMs = nowMs;
    this.enter({ kind: 'idle', nextAtMs: nowMs + Math.min(this.settings.everyMs, this.settings.lagMs) });
  }

  /**
   * Compares for the first time since the books began: the first balances can include trades that the list
   * did not show yet. While they differ, the books begin anew. They are confirmed by an agreement so much
   * later that no list lags behind. True if the comparison was conclusive.
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
   * Judges the differences. True if the comparison was conclusive: it is not while the history that may
   * explain a difference has not been read.
   */
  private judge(disagreements: readonly Disagreement[], nowMs: number): boolean {
    if (disagreements.length === 0) {
      this.suspicion = null;
      if (this.books.isPending) this.enter({ kind: 'idle', nextAtMs: nowMs + TRY_AGAIN_MS });
      return !this.books.isPending;
    }
    const known = disagreements.filter(({ currency }) => !this.books.isIncomplete(currency));
    if (known.length === 0) {
      this.suspicion = null;
      const currencies = disagreements.map(({ currency }) => currency).join(', ');
      this.inconclusive(nowMs, sentence('books-forgotten', { currencies }));
      return false;
    }
    const rows = known.map(({ currency, expected, found }) => ({
      currency,
      expected: formatUnits(expected),
      found: formatUnits(found),
    }));
    this.enter({ kind: 'idle', nextAtMs: nowMs + TRY_AGAIN_MS });
    this.ports.requestNow('transactions');
    const same = this.suspicion !== null && differences(this.suspicion.rows) === differences(rows);
    if (!same) this.suspicion = { sinceMs: nowMs, rows };
    else if (this.isSuspicionOld(nowMs) && this.found === null) {
      if (!this.history.isListed && haveOneSign(known)) {
        for (const disagreement of known) this.movedOutside(disagreement);
        this.suspicion = null;
        return true;
      }
      const unread = this.unexplained();
      if (unread.length > 0) {
        this.inconclusive(nowMs, sentence('books-differing-unread', { currencies: unread.join(', ') }));
        return false;
      }
      const why = joinSentences(
        'both',
        rows.map(({ currency, expected, found }) =>
          sentence('books-difference', { expected: `${expected} ${currency}`, found }),
        ),
      );
      this.breakAt(rows, why);
    }
    if (this.found !== null) this.enter({ kind: 'idle', nextAtMs: nowMs + this.settings.everyMs });
    return true;
  }

  /** Books a difference as a deposit or a withdrawal, where the exchange lists none. */
  private movedOutside({ currency, expected, found }: Disagreement): void {
    const { nowMs } = this.outbox;
    const id = walletTransactionId(`seen-${nowMs}`);
    const amount = subtractUnits(found as Units, expected as Units);
    const description = 'seen in the balance';
    this.books.addSeen({ currency, id, amount, readAtMs: nowMs });
    this.marks.lineRead(currency, amount, nowMs);
    const transaction = { id, currency, atMs: nowMs, amount, description, tooFine: null };
    this.outbox.change({ kind: 'transaction', transaction });
    this.outbox.warn(
      `the balance of ${currency} is ${formatUnits(found)} where the trades make it ${formatUnits(expected)}: the difference counts as a deposit or a withdrawal, which the exchange does not list`,
    );
  }

  /** True if the same difference has lasted for at least the time that lists may lag. */
  private isSuspicionOld(nowMs: number): boolean {
    return this.suspicion !== null && nowMs - this.suspicion.sinceMs >= this.settings.lagMs;
  }

  /**
   * Returns the differing currencies whose history was not read twice late enough: it may hold a deposit that
   * explains the difference, and a single reading may be old.
   */
  private unexplained(): readonly string[] {
    const { suspicion } = this;
    if (suspicion === null || !this.history.isListed) return [];
    const sinceMs = suspicion.sinceMs + this.settings.lagMs;
    return suspicion.rows
      .map(({ currency }) => currency)
      .filter((currency) => this.history.readTwiceSinceMs(currency) < sinceMs);
  }

  private inconclusive(nowMs: number, why: Sentence): void {
    this.enter({ kind: 'idle', nextAtMs: nowMs + TRY_AGAIN_MS });
    if (this.watch.blocked(why, nowMs)) this.isChanged = true;
  }

  /** Stores the state; called once a step, since a step can bring many trades. */
  store(): void {
    this.isChanged = false;
    this.outbox.persist('reconciliation', {
      books: this.books.store(),
      lastLines: this.history.store(),
      ...this.watch.store(),
      followed: [...this.currencies],
      begunAtMs: this.begunAtMs,
      movedAtMs: this.marks.movedAtMs,
      suspicion: this.suspicion,
      break: this.found,
    });
  }
}

/** True if no balance is too high while another one is too low, as a trade that is missing makes them. */
const haveOneSign = (differing: readonly Disagreement[]): boolean =>
  new Set(differing.map(({ expected, found }) => found > expected)).size === 1;

/** Returns the differences as text, to compare them: trades move the balances, but not a difference. */
function differences(rows: readonly DisagreementText[]): string {
  return rows
    .map(({ currency, expected, found }) => `${currency} ${parseUnits(found) - parseUnits(expected)}`)
    .toSorted()
    .join(', ');
}
