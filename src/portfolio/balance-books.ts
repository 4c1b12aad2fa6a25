import type { z } from 'zod';
import { DAY_MS } from '../domain/time-text.ts';
import type { Units } from '../domain/money.ts';
import type { WalletTransactionId } from '../domain/order.ts';
import { baseMoved, quoteMoved, thirdCurrencyOf } from '../records/fill.ts';
import type { TradeAmounts } from '../domain/trade.ts';
import { linesAddingUpTo, linesOfSum } from './explaining-lines.ts';
import type { storedBooks } from './stored-books.ts';

type StoredBooks = z.input<typeof storedBooks>;

/** Change of balances by a trade. */
export interface TradeEffect extends TradeAmounts {
  readonly base: string;
  readonly quote: string;
  /** True if it stands for several trades of one side, each with lines of its own. */
  readonly isSum?: boolean | undefined;
}

/** Maximum number of trades of a currency whose lines were not seen yet; beyond it the oldest is given up. */
export const MOST_LINELESS_TRADES = 2_000;

/** Maximum number of lines of a currency without a known trade; beyond it the oldest is given up. */
const MOST_OUTSIDE = 300;

/**
 * Time in ms that is longer than the delay of any list. A line that no difference has needed within it
 * belongs to a trade that was given up, and is dropped when the books agree. A trade stops waiting for its
 * line once the history was read twice up to this long after it.
 */
const LINE_LASTS_MS = 600_000;

/** Time after the reading of an explaining line in which a trade may be booked that it belonged to. */
const ENTERED_LASTS_MS = DAY_MS;

/** Amount that came into or left a wallet other than by a known trade. */
interface OutsideEntry {
  readonly currency: string;
  readonly id: WalletTransactionId;
  readonly amount: bigint;
  /** Time at which its line was read. */
  readonly readAtMs: number;
}

/** Change of one balance by a trade or transfer whose line was not seen yet. */
interface WaitingTrade extends Pick<TradeEffect, 'amount' | 'isSum'> {
  /** Time of the trade or transfer. */
  readonly atMs: number;
}

/**
 * Expected total of every balance: a first reading, then each trade of the account, ours or not, and each
 * amount from or to the outside. Deposits, withdrawals and transfers are lines of the wallets' history, in
 * which trades have lines, too; amounts tell them apart.
 */
export class BalanceBooks {
  /** Expected totals by lower-case currency; null before the first reading. */
  private expected: Map<string, bigint> | null = null;
  /** Trades by currency that may still appear as lines. They are recorded also before the books begin. */
  private readonly waiting = new Map<string, WaitingTrade[]>();
  /** Lines by currency of no known trade, which no reading has confirmed yet. */
  private readonly outside = new Map<string, OutsideEntry[]>();
  /** Lines by currency that explained a difference. One may belong to a trade that was not listed yet. */
  private readonly entered = new Map<string, OutsideEntry[]>();
  /** Time by currency of the last trade or line that was given up for lack of room. */
  private readonly givenUpAtMs = new Map<string, number>();
  /** Time by currency up to which all listed lines are known. */
  private readonly readThroughMs = new Map<string, number>();
  private readonly lagMs: number;
  private beganAtMs: number | null = null;
  private pending = false;
  /** Time by currency of the last reading that agreed. */
  private agreedAtMs = new Map<string, number>();

  /** `lagMs`: longest delay of the list of trades behind the wallets and their history. */
  constructor(lagMs = 0) {
    this.lagMs = lagMs;
  }

  get hasBegun(): boolean {
    return this.expected !== null;
  }

  /** True if a currency's wallet existed when the books began, or has traded since. */
  knows(currency: string): boolean {
    return this.expected?.has(currency) ?? false;
  }

  /** Returns the balance by all entries; null before the books begin, and for an unknown currency. */
  expectedOf(currency: string): bigint | null {
    return this.expected?.get(currency) ?? null;
  }

  /** True if lines explained a difference in the last comparison that may still turn out to be trades. */
  get isPending(): boolean {
    return this.pending;
  }

  /** True if lines are known that belong to no known trade and that no balance has confirmed. */
  get hasOutside(): boolean {
    return [...this.outside.values()].some((lines) => lines.length > 0);
  }

  /** True if trades or lines of a currency were given up: they may be the reason of a difference. */
  isIncomplete(currency: string): boolean {
    return this.givenUpAtMs.has(currency);
  }

  /** Begins again with a reading of the exchange. Trades that wait for their lines stay. */
  begin(totals: ReadonlyMap<string, bigint>, atMs: number | null = null): void {
    this.expected = new Map(totals);
    this.beganAtMs = atMs;
    this.outside.clear();
    this.entered.clear();
    this.agreedAtMs.clear();
  }

  /** Drops everything, until the books begin with another reading. */
  forget(): void {
    this.begin(new Map());
    this.expected = null;
  }

  /** Books a trade made at `atMs`, also in a market of which only one wallet is followed. */
  addTrade(effect: TradeEffect, followed: ReadonlySet<string>, atMs: number): void {
    for (const [currency, units] of movesOf(effect))
      if (followed.has(currency)) this.add(currency, { amount: units, atMs, isSum: effect.isSum });
  }

  /** Books a correction of trades made at `atMs`; a first reading after that is right already. */
  correct(by: TradeEffect, atMs: number): void {
    if (this.beganAtMs !== null && atMs <= this.beganAtMs) return;
    for (const [currency, units] of movesOf(by)) {
      const was = this.expected?.get(currency);
      if (was !== undefined) this.expected?.set(currency, was + units);
    }
  }

  /** Books a transfer to or from the margin wallet; a line of the history will follow. */
  addTransfer(currency: string, units: bigint, atMs: number): void {
    this.add(currency, { amount: units, atMs });
  }

  /** Books a line of a wallet's history, unless from before the books. True if it is of no known trade. */
  addLine(entry: OutsideEntry, { isPast = false }: { readonly isPast?: boolean } = {}): boolean {
    const { currency, amount } = entry;
    if (consumeAmount(this.waiting.get(currency), amount)) return false;
    if (isPast || this.expected === null) return true;
    const givenUp = addTo(this.outside, currency, entry, MOST_OUTSIDE);
    if (givenUp !== null) this.giveUp(currency, givenUp.readAtMs);
    return true;
  }

  /** Books an amount from outside that no list tells of, but a balance shows. */
  addSeen(entry: OutsideEntry): void {
    const { currency, amount } = entry;
    this.expected?.set(currency, (this.expected.get(currency) ?? 0n) + amount);
    // A trade of this amount that is listed later is in it already.
    addTo(this.entered, currency, entry, MOST_OUTSIDE);
  }

  /** Records that all lines of a currency that were listed by a time are known. */
  linesRead(currency: string, throughMs: number): void {
    this.readThroughMs.set(currency, throughMs);
    const waiting = this.waiting.get(currency);
    // Iterates over a copy, since trades are removed.
    for (const trade of waiting?.slice() ?? []) {
      if (trade.isSum === true) this.settleSum(currency, trade);
      if (trade.atMs + LINE_LASTS_MS <= throughMs) removeFrom(waiting, trade);
    }
  }

  /** Drops trades of a currency: their lines are in a reading that is not compared with them. */
  forgetTrades(currency: string): void {
    this.waiting.delete(currency);
    this.givenUpAtMs.delete(currency);
  }

  /** Records that trades or lines of a currency, the last at `atMs`, are unknown and stay so. */
  giveUp(currency: string, atMs: number): void {
    this.givenUpAtMs.set(currency, Math.max(atMs, this.givenUpAtMs.get(currency) ?? atMs));
  }

  /**
   * Compares a reading with the books; returns what does not agree. If lines from outside add up to a
   * difference, they are booked once the trades were read, at a `nowMs` so late that no line can belong to a
   * trade still to come.
   * A line that was read well before a balance agreed is in that balance: mostly its trade was given up. Many
   * such lines can add up to any sum. So they explain a difference only when `withOld` says that nothing else
   * will.
   */
  compare(
    totals: ReadonlyMap<string, bigint>,
    nowMs: number,
    { withOld = false }: { readonly withOld?: boolean } = {},
  ): readonly Disagreement[] {
    const { expected } = this;
    this.pending = false;
    if (expected === null) return [];
    const disagreements: Disagreement[] = [];
    for (const currency of new Set([...expected.keys(), ...totals.keys()])) {
      // A wallet that is not in the books is newer than they are; one that is not listed was never used.
      const was = expected.get(currency) ?? 0n;
      const is = totals.get(currency) ?? 0n;
      const lines = [...(this.outside.get(currency) ?? [])];
      const explaining =
        was === is
          ? this.idleLines(currency, lines, nowMs)
          : linesAddingUpTo(is - was, withOld ? lines : lines.filter((line) => !this.isOld(line)));
      if (was === is) this.agreedAtMs.set(currency, nowMs);
      this.becomeComplete(currency);
      if (explaining === null) disagreements.push({ currency, expected: was, found: is });
      else if (was !== is && explaining.some(({ readAtMs }) => readAtMs + this.lagMs > nowMs))
        this.pending = true;
      else {
        expected.set(currency, is);
        for (const line of explaining) {
          removeFrom(this.outside.get(currency), line);
          if (was !== is) addTo(this.entered, currency, line, MOST_OUTSIDE);
        }
      }
    }
    return disagreements;
  }

  store(): StoredBooks {
    const expected: Record<string, string> = {};
    for (const [currency, units] of this.expected ?? []) expected[currency] = `${units}`;
    const unmatched: StoredTrade[] = [];
    for (const [currency, trades] of this.waiting)
      for (const { amount, atMs, isSum } of trades)
        unmatched.push(isSum === true ? [currency, `${amount}`, atMs, true] : [currency, `${amount}`, atMs]);
    return {
      expected: this.expected === null ? null : expected,
      unmatched,
      outside: linesIn(this.outside),
      beganAtMs: this.beganAtMs,
      entered: linesIn(this.entered),
      agreedAtMs: Object.fromEntries(this.agreedAtMs),
      givenUpAtMs: Object.fromEntries(this.givenUpAtMs),
    };
  }

  restore(
    { expected, beganAtMs = null, unmatched, outside, entered = [], ...times }: z.output<typeof storedBooks>,
    nowMs: number,
  ): void {
    this.expected = expected === null ? null : new Map(Object.entries(expected));
    this.beganAtMs = beganAtMs;
    for (const [currency, amount, atMs = nowMs, isSum] of unmatched)
      addTo(this.waiting, currency, { amount, atMs, isSum }, MOST_LINELESS_TRADES);
    for (const [lines, stored] of [[this.outside, outside] as const, [this.entered, entered] as const]) {
      for (const [currency, id, amount, readAtMs] of stored)
        addTo(lines, currency, { currency, id, amount, readAtMs }, MOST_OUTSIDE);
    }
    this.agreedAtMs = new Map(Object.entries(times.agreedAtMs));
    for (const [currency, atMs] of Object.entries(times.givenUpAtMs ?? {}))
      this.givenUpAtMs.set(currency, atMs);
  }

  /** Returns lines of a currency that agrees, once they include those of the trades that were given up. */
  private idleLines(
    currency: string,
    lines: readonly OutsideEntry[],
    nowMs: number,
  ): readonly OutsideEntry[] {
    return this.hasAllSinceGivenUp(currency)
      ? lines
      : lines.filter((line) => line.readAtMs + LINE_LASTS_MS < nowMs);
  }

  /** Ends a currency's incomplete state if it has agreed since, and all lines are known. */
  private becomeComplete(currency: string): void {
    const givenUpAtMs = this.givenUpAtMs.get(currency);
    const agreedAtMs = this.agreedAtMs.get(currency);
    if (givenUpAtMs === undefined || agreedAtMs === undefined || agreedAtMs <= givenUpAtMs) return;
    if (this.hasAllSinceGivenUp(currency)) this.givenUpAtMs.delete(currency);
  }

  private hasAllSinceGivenUp(currency: string): boolean {
    const givenUpAtMs = this.givenUpAtMs.get(currency);
    const readThroughMs = this.readThroughMs.get(currency);
    return (
      givenUpAtMs !== undefined && readThroughMs !== undefined && givenUpAtMs + LINE_LASTS_MS <= readThroughMs
    );
  }

  private isOld({ currency, readAtMs }: OutsideEntry): boolean {
    const agreedAtMs = this.agreedAtMs.get(currency);
    return agreedAtMs !== undefined && readAtMs + this.lagMs <= agreedAtMs;
  }

  private add(currency: string, trade: WaitingTrade): void {
    const { amount } = trade;
    if (amount === 0n) return;
    const entered = this.entered.get(currency);
    if (entered !== undefined && isAmong(entered, trade)) return;
    const { expected } = this;
    if (expected !== null) expected.set(currency, (expected.get(currency) ?? 0n) + amount);
    // The line of the trade may have been read before the trade.
    if (consumeAmount(this.outside.get(currency), amount)) return;
    const givenUp = addTo(this.waiting, currency, trade, MOST_LINELESS_TRADES);
    if (givenUp !== null) this.giveUp(currency, givenUp.atMs);
    if (trade.isSum === true) this.settleSum(currency, trade);
  }

  /** Gives a sum of trades its lines, if all are there: no other difference needs them. */
  private settleSum(currency: string, trade: WaitingTrade): void {
    const outside = this.outside.get(currency);
    const lines = linesOfSum(trade.amount, [...(outside ?? [])]);
    if (lines === null) return;
    removeFrom(this.waiting.get(currency), trade);
    for (const line of lines) removeFrom(outside, line);
  }
}

/** Returns true if lines of a late trade were booked as money from outside, and removes them. */
function isAmong(entered: OutsideEntry[], { amount, atMs, isSum = false }: WaitingTrade): boolean {
  const recent = entered.filter(({ readAtMs }) => readAtMs + ENTERED_LASTS_MS > atMs);
  const lines = isSum
    ? linesOfSum(amount, recent)
    : recent.filter((line) => line.amount === amount && line.readAtMs >= atMs).slice(0, 1);
  for (const line of lines ?? []) removeFrom(entered, line);
  return lines !== null && lines.length > 0;
}

/** Returns the change of each balance by a trade: two, or three with a fee in another currency. */
export function movesOf(effect: TradeEffect): readonly (readonly [string, Units])[] {
  const { base, quote, fee, feeCurrency } = effect;
  const moves: [string, Units][] = [
    [base, baseMoved(effect, base)],
    [quote, quoteMoved(effect, quote)],
  ];
  const third = feeCurrency === null ? null : thirdCurrencyOf(effect, effect);
  if (third !== null) moves.push([third, -fee as Units]);
  return moves;
}

function linesIn(queues: ReadonlyMap<string, readonly OutsideEntry[]>): StoredLine[] {
  const stored: StoredLine[] = [];
  for (const lines of queues.values())
    for (const of of lines) stored.push([of.currency, of.id, `${of.amount}`, of.readAtMs]);
  return stored;
}

type StoredTrade = StoredBooks['unmatched'][number];
type StoredLine = StoredBooks['outside'][number];

/** Adds an item to those of a currency. Returns the oldest if it was dropped for lack of room; else null. */
function addTo<Item>(queues: Map<string, Item[]>, currency: string, item: Item, most: number): Item | null {
  const queue = queues.get(currency);
  if (queue === undefined) queues.set(currency, [item]);
  else if (queue.push(item) > most) return queue.shift() ?? null;
  return null;
}

/** Removes the oldest item of an amount from a queue. Returns true if there was one. */
function consumeAmount(queue: { readonly amount: bigint }[] | undefined, amount: bigint): boolean {
  for (const [at, item] of queue?.entries() ?? []) {
    if (item.amount !== amount) continue;
    queue?.splice(at, 1);
    return true;
  }
  return false;
}

function removeFrom<Item>(queue: Item[] | undefined, item: Item): void {
  const at = queue?.indexOf(item) ?? -1;
  if (at !== -1) queue?.splice(at, 1);
}

/** A balance that differs from the books, in units of 1e-10. */
export interface Disagreement {
  readonly currency: string;
  readonly expected: bigint;
  readonly found: bigint;
}
