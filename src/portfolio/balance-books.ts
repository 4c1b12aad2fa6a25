import { z } from 'zod';
import { DAY_MS } from '../domain/time-text.ts';
import type { Units } from '../domain/money.ts';
import { type Side, type WalletTransactionId, storedWalletTransactionId } from '../domain/order.ts';
import { linesAddingUpTo, linesOfSum } from './explaining-lines.ts';
import { storedTimeMs } from '../domain/stored-json.ts';

const wholeUnits = z
  .string()
  .regex(/^-?\d{1,80}$/, 'expected a whole number of units')
  .transform((text) => BigInt(text));
const currency = z.string();

const line = z.tuple([currency, storedWalletTransactionId, wholeUnits, storedTimeMs]);

/** The books as JSON, for the mirror. */
export const storedBooks = z.object({
  expected: z.record(currency, wholeUnits).nullable(),
  /** Time of the reading that they began with; an early version did not know it. */
  beganAtMs: storedTimeMs.nullable().optional(),
  /** Trades whose lines were not seen yet: currency, amount, time (an early version had none), if a sum. */
  unmatched: z.array(z.tuple([currency, wholeUnits, storedTimeMs.optional(), z.literal(true).optional()])),
  /** Currency, id, amount and when it was read. */
  outside: z.array(line),
  /** The same of those that explained a difference; an early version did not keep them. */
  entered: z.array(line).optional(),
  /** By currency: when its balance agreed last. */
  agreedAtMs: z.record(currency, storedTimeMs),
  /** By currency: when the last was that is not remembered; an early version did not know it. */
  givenUpAtMs: z.record(currency, storedTimeMs).optional(),
});

type StoredBooks = z.input<typeof storedBooks>;

/** Change of balances by a trade: units of 1e-10; the fee is in the currency received. */
export interface TradeEffect {
  readonly base: string;
  readonly quote: string;
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
  /** True if it stands for several trades of one side, each of which has lines of its own. */
  readonly isSum?: boolean | undefined;
}

/** Trades of a currency whose lines were not seen yet; beyond it the oldest is given up. */
export const MOST_LINELESS_TRADES = 2_000;

/** Lines of a currency that are no known trade's; beyond it the oldest is given up. */
const MOST_OUTSIDE = 300;

/**
 * Lists lag by less. A line that no difference has asked for within this time is one of a trade that was
 * given up, and goes when the books agree. No line is waited for any more of a trade so long before the
 * history was read twice.
 */
const LINE_LASTS_MS = 600_000;

/**
 * From the reading of a line that explained a difference: until then a trade may be booked that it was of.
 */
const ENTERED_LASTS_MS = DAY_MS;

/** Amount that came into or left a wallet otherwise than by a known trade. */
interface OutsideEntry {
  readonly currency: string;
  readonly id: WalletTransactionId;
  readonly amount: bigint;
  /** Time of its reading. */
  readonly readAtMs: number;
}

/** Change of one balance by a trade or a transfer, the line of which was not seen yet. */
interface WaitingTrade extends Pick<TradeEffect, 'amount' | 'isSum'> {
  /** Time of the trade or transfer. */
  readonly atMs: number;
}

/**
 * Expected total of every balance: a first reading, and from then on each trade of the account, ours or not,
 * and each amount that came from or went outside. Deposits, withdrawals and transfers show in the wallets'
 * history, where trades have lines too; these are distinguished by their amounts.
 */
export class BalanceBooks {
  /** By lower-case currency; null before the first reading. */
  private expected: Map<string, bigint> | null = null;
  /** By currency: trades that may still show as lines of the history. Known also before the books begin. */
  private readonly waiting = new Map<string, WaitingTrade[]>();
  /** By currency: lines that are no known trade's, and that no reading has confirmed yet. */
  private readonly outside = new Map<string, OutsideEntry[]>();
  /** By currency: lines that explained a difference. One may be of a trade that no list had by then. */
  private readonly entered = new Map<string, OutsideEntry[]>();
  /** By currency: of when the last trade or line is that was given up for want of room. */
  private readonly givenUpAtMs = new Map<string, number>();
  /** By currency: all lines are known that were listed by then. */
  private readonly readThroughMs = new Map<string, number>();
  private readonly lagMs: number;
  private beganAtMs: number | null = null;
  private pending = false;
  /** Time of the last reading at which each currency's balance agreed. */
  private agreedAtMs = new Map<string, number>();

  /** `lagMs`: by how much the list of trades may lag behind wallets and their history. */
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

  /** The balance by all entries; null before the books begin, and for a currency that they do not know. */
  expectedOf(currency: string): bigint | null {
    return this.expected?.get(currency) ?? null;
  }

  /** True if the last comparison let lines explain a difference that may still turn out to be trades. */
  get isPending(): boolean {
    return this.pending;
  }

  /** True if there are known lines that belong to no known trade and that no balance has shown yet. */
  get hasOutside(): boolean {
    return [...this.outside.values()].some((lines) => lines.length > 0);
  }

  /** True if trades or lines of a currency were given up: one may be the reason of a difference in it. */
  isIncomplete(currency: string): boolean {
    return this.givenUpAtMs.has(currency);
  }

  /** Begins anew from what the exchange says now. Trades whose lines are still to come stay known as such. */
  begin(totals: ReadonlyMap<string, bigint>, atMs: number | null = null): void {
    this.expected = new Map(totals);
    this.beganAtMs = atMs;
    this.outside.clear();
    this.entered.clear();
    this.agreedAtMs.clear();
  }

  /** Forgets everything, until they begin with another reading. */
  forget(): void {
    this.begin(new Map());
    this.expected = null;
  }

  /** A trade of the account, made at `atMs`, also in a market of which not both wallets are followed. */
  addTrade(effect: TradeEffect, followed: ReadonlySet<string>, atMs: number): void {
    for (const [currency, units] of movesOf(effect))
      if (followed.has(currency)) this.add(currency, { amount: units, atMs, isSum: effect.isSum });
  }

  /** By how much trades were others than they were taken for at `atMs`. The first reading has them right. */
  correct(by: TradeEffect, atMs: number): void {
    if (this.beganAtMs !== null && atMs <= this.beganAtMs) return;
    for (const [currency, units] of movesOf(by)) {
      const was = this.expected?.get(currency);
      if (was !== undefined) this.expected?.set(currency, was + units);
    }
  }

  /** Money that went to the margin wallet, or came from there; a line of the history will tell of it, too. */
  addTransfer(currency: string, units: bigint, atMs: number): void {
    this.add(currency, { amount: units, atMs });
  }

  /**
   * A line of a wallet's history. One that was there before the books began is in their first reading.
   * Answers whether it is no known trade's.
   */
  addLine(entry: OutsideEntry, { isPast = false }: { readonly isPast?: boolean } = {}): boolean {
    const { currency, amount } = entry;
    if (consumeAmount(this.waiting.get(currency), amount)) return false;
    if (isPast || this.expected === null) return true;
    const givenUp = addTo(this.outside, currency, entry, MOST_OUTSIDE);
    if (givenUp !== null) this.giveUp(currency, givenUp.readAtMs);
    return true;
  }

  /** All lines of a currency are known that were listed by a time. */
  linesRead(currency: string, throughMs: number): void {
    this.readThroughMs.set(currency, throughMs);
    const waiting = this.waiting.get(currency);
    // Over a copy: some are taken out.
    for (const trade of waiting?.slice() ?? []) {
      if (trade.isSum === true) this.settleSum(currency, trade);
      if (trade.atMs + LINE_LASTS_MS <= throughMs) removeFrom(waiting, trade);
    }
  }

  /** The lines of all trades of a currency so far are in a reading that is not compared with them. */
  forgetTrades(currency: string): void {
    this.waiting.delete(currency);
    this.givenUpAtMs.delete(currency);
  }

  /** Trades or lines of a currency are not known, and never will be, the last of them at `atMs`. */
  giveUp(currency: string, atMs: number): void {
    this.givenUpAtMs.set(currency, Math.max(atMs, this.givenUpAtMs.get(currency) ?? atMs));
  }

  /**
   * Compares a reading with the books. A difference that lines from outside add up to is entered, once the
   * trades were read, at `nowMs`, so much later that none of the lines can be of a trade that is still to
   * come. Answers what does not agree.
   *
   * A line that was read well before a balance agreed is in that balance: mostly its trade was given up. Many
   * such lines add up to anything. So they explain a difference only when `withOld` says that nothing else
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
      // A wallet that the books do not know began after them, and one that is not listed was never used.
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

  /**
   * Lines of a currency that agrees that nothing will ask for any more: all of them, once they have those of
   * the trades that were given up.
   */
  private idleLines(
    currency: string,
    lines: readonly OutsideEntry[],
    nowMs: number,
  ): readonly OutsideEntry[] {
    return this.hasAllSinceGivenUp(currency)
      ? lines
      : lines.filter((line) => line.readAtMs + LINE_LASTS_MS < nowMs);
  }

  /** A currency is complete again once it has agreed since it gave something up, and all lines are known. */
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
    // Its line may have been read before it.
    if (consumeAmount(this.outside.get(currency), amount)) return;
    const givenUp = addTo(this.waiting, currency, trade, MOST_LINELESS_TRADES);
    if (givenUp !== null) this.giveUp(currency, givenUp.atMs);
    if (trade.isSum === true) this.settleSum(currency, trade);
  }

  /** Gives a sum of trades the lines of these, once there are all of them: no other difference needs one. */
  private settleSum(currency: string, trade: WaitingTrade): void {
    const outside = this.outside.get(currency);
    const lines = linesOfSum(trade.amount, [...(outside ?? [])]);
    if (lines === null) return;
    removeFrom(this.waiting.get(currency), trade);
    for (const line of lines) removeFrom(outside, line);
  }
}

/**
 * True if lines of a trade that no list had in time were entered as money from outside: it is in the books.
 * The lines are taken out.
 */
function isAmong(entered: OutsideEntry[], { amount, atMs, isSum = false }: WaitingTrade): boolean {
  const recent = entered.filter(({ readAtMs }) => readAtMs + ENTERED_LASTS_MS > atMs);
  const lines = isSum
    ? linesOfSum(amount, recent)
    : recent.filter((line) => line.amount === amount && line.readAtMs >= atMs).slice(0, 1);
  for (const line of lines ?? []) removeFrom(entered, line);
  return lines !== null && lines.length > 0;
}

/** Returns the change of each balance by a trade. */
export function movesOf(effect: TradeEffect): readonly (readonly [string, Units])[] {
  const { base, quote, side, amount, total, fee } = effect;
  const isBuy = side === 'buy';
  return [
    [base, (isBuy ? amount - fee : -amount) as Units],
    [quote, (isBuy ? -total : total - fee) as Units],
  ];
}

function linesIn(queues: ReadonlyMap<string, readonly OutsideEntry[]>): StoredLine[] {
  const stored: StoredLine[] = [];
  for (const lines of queues.values())
    for (const of of lines) stored.push([of.currency, of.id, `${of.amount}`, of.readAtMs]);
  return stored;
}

type StoredTrade = StoredBooks['unmatched'][number];
type StoredLine = StoredBooks['outside'][number];

/** Adds an item to those of a currency. Answers the oldest, if it had to go to make room; else null. */
function addTo<Item>(queues: Map<string, Item[]>, currency: string, item: Item, most: number): Item | null {
  const queue = queues.get(currency);
  if (queue === undefined) queues.set(currency, [item]);
  else if (queue.push(item) > most) return queue.shift() ?? null;
  return null;
}

/** Takes the oldest item of an amount out of a queue. Answers whether there was one. */
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

/** A balance that is not what the books say. Units of 1e-10. */
export interface Disagreement {
  readonly currency: string;
  readonly expected: bigint;
  readonly found: bigint;
}
