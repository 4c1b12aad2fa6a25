import { z } from 'zod';
import type { Side } from '../domain/order.ts';
import { storedTimeMs } from '../domain/stored-json.ts';
import { storedWalletTransactionId, type WalletTransactionId } from '../domain/venue-id.ts';

/** What changes balances by a trade: units of 1e-10; the fee is in the currency received. */
export interface TradeEffect {
  readonly base: string;
  readonly quote: string;
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

/** Trades whose lines were not seen yet, and lines whose reason was not; the oldest are given up. */
const MOST_UNMATCHED = 300;

/**
 * A line that no difference has asked for within this time is one of a trade that was given up, and goes when
 * the books agree.
 */
const LINE_LASTS_MS = 600_000;

/** Lines of which every set is tried as the reason of a difference. Of more, too many sums would fit. */
const MOST_COMBINED = 12;

/** What came into or left a wallet otherwise than by a trade that we know. */
export interface OutsideEntry {
  readonly currency: string;
  readonly id: WalletTransactionId;
  readonly amount: bigint;
  /** When it was read. */
  readonly readAtMs: number;
}

const wholeUnits = z
  .string()
  .regex(/^-?\d{1,80}$/, 'expected a whole number of units')
  .transform((text) => BigInt(text));
const currency = z.string();

/** The books as JSON, for the mirror. */
export const storedBooks = z.object({
  expected: z.record(currency, wholeUnits).nullable(),
  unmatched: z.array(z.tuple([currency, wholeUnits])),
  /** Currency, id, amount and when it was read. */
  outside: z.array(z.tuple([currency, storedWalletTransactionId, wholeUnits, storedTimeMs])),
  /** By currency: when its balance agreed last. */
  agreedAtMs: z.record(currency, storedTimeMs),
});

/**
 * What every balance should be: a first reading, and from then on each trade of the account, ours or not, and
 * what came from or went outside. Deposits, withdrawals and transfers show in the wallets' history, where
 * trades have lines too; these are told apart by their amounts.
 */
export class BalanceBooks {
  /** By lower-case currency; null before the first reading. */
  private expected: Map<string, bigint> | null = null;
  /** Effects of trades that may still show as lines of the history. */
  private unmatched: [currency: string, amount: bigint][] = [];
  /** Lines that are no known trade's, and that no reading has confirmed yet. */
  private outside: OutsideEntry[] = [];
  private readonly lagMs: number;
  private pending = false;
  /** When each currency's balance agreed last, by the time of its reading. */
  private agreedAtMs = new Map<string, number>();

  /** `lagMs`: by how much the list of trades may lag behind wallets and their history. */
  constructor(lagMs = 0) {
    this.lagMs = lagMs;
  }

  get hasBegun(): boolean {
    return this.expected !== null;
  }

  /** Whether a currency's wallet was there when the books began, or has traded since. */
  knows(currency: string): boolean {
    return this.expected?.has(currency) ?? false;
  }

  /** What a balance should be by all that was entered; null before they begin, and where they know none. */
  expectedOf(currency: string): bigint | null {
    return this.expected?.get(currency) ?? null;
  }

  /**
   * Whether the last comparison left a difference out that lines explain which may still turn out to be
   * trades.
   */
  get isPending(): boolean {
    return this.pending;
  }

  /** Begins anew from what the exchange says now. */
  begin(totals: ReadonlyMap<string, bigint>): void {
    this.expected = new Map(totals);
    this.unmatched = [];
    this.outside = [];
    this.agreedAtMs.clear();
  }

  /** Forgets everything, until they begin with another reading. */
  forget(): void {
    this.begin(new Map());
    this.expected = null;
  }

  /** A trade of the account, also in a market of which not both wallets are followed. */
  addTrade(effect: TradeEffect, followed: ReadonlySet<string>): void {
    if (this.expected === null) return;
    const { base, quote, side, amount, total, fee } = effect;
    const isBuy = side === 'buy';
    if (followed.has(base)) this.add(base, isBuy ? amount - fee : -amount);
    if (followed.has(quote)) this.add(quote, isBuy ? -total : total - fee);
  }

  /** Money that went to the margin wallet, or came from there; a line of the history will tell of it, too. */
  addTransfer(currency: string, units: bigint): void {
    this.add(currency, units);
  }

  /** A line of a wallet's history. */
  addLine(entry: OutsideEntry): void {
    if (this.expected === null) return;
    const match = this.unmatched.findIndex(
      ([currency, amount]) => currency === entry.currency && amount === entry.amount,
    );
    if (match === -1) this.outside.push(entry);
    else this.unmatched.splice(match, 1);
    if (this.outside.length > MOST_UNMATCHED) this.outside.shift();
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
    this.matchOutside();
    const disagreements: Disagreement[] = [];
    for (const currency of new Set([...expected.keys(), ...totals.keys()])) {
      // A wallet that the books do not know began after them, and one that is not listed was never used.
      const was = expected.get(currency) ?? 0n;
      const is = totals.get(currency) ?? 0n;
      const lines = this.outside.filter((entry) => entry.currency === currency);
      const explaining =
        was === is
          ? lines.filter((line) => line.readAtMs + LINE_LASTS_MS < nowMs)
          : addingUpTo(is - was, withOld ? lines : lines.filter((line) => !this.isOld(line)));
      if (was === is) this.agreedAtMs.set(currency, nowMs);
      if (explaining === null) disagreements.push({ currency, expected: was, found: is });
      else if (was !== is && explaining.some(({ readAtMs }) => readAtMs + this.lagMs > nowMs))
        this.pending = true;
      else {
        expected.set(currency, is);
        if (explaining.length > 0) this.outside = this.outside.filter((entry) => !explaining.includes(entry));
      }
    }
    return disagreements;
  }

  store(): z.input<typeof storedBooks> {
    return {
      expected:
        this.expected === null
          ? null
          : Object.fromEntries([...this.expected].map(([currency, units]) => [currency, String(units)])),
      unmatched: this.unmatched.map(([currency, amount]) => [currency, String(amount)]),
      outside: this.outside.map(({ currency, id, amount, readAtMs }) => [
        currency,
        id,
        String(amount),
        readAtMs,
      ]),
      agreedAtMs: Object.fromEntries(this.agreedAtMs),
    };
  }

  restore({ expected, unmatched, outside, agreedAtMs }: z.output<typeof storedBooks>): void {
    this.expected = expected === null ? null : new Map(Object.entries(expected));
    this.unmatched = unmatched;
    this.outside = outside.map(([currency, id, amount, readAtMs]) => ({ currency, id, amount, readAtMs }));
    this.agreedAtMs = new Map(Object.entries(agreedAtMs));
  }

  private isOld({ currency, readAtMs }: OutsideEntry): boolean {
    const agreedAtMs = this.agreedAtMs.get(currency);
    return agreedAtMs !== undefined && readAtMs + this.lagMs <= agreedAtMs;
  }

  private add(currency: string, units: bigint): void {
    if (this.expected === null || units === 0n) return;
    this.expected.set(currency, (this.expected.get(currency) ?? 0n) + units);
    this.unmatched.push([currency, units]);
    if (this.unmatched.length > MOST_UNMATCHED) this.unmatched.shift();
  }

  /** Lines that were read before the trade they are of. */
  private matchOutside(): void {
    this.outside = this.outside.filter((entry) => {
      const match = this.unmatched.findIndex(
        ([currency, amount]) => currency === entry.currency && amount === entry.amount,
      );
      if (match !== -1) this.unmatched.splice(match, 1);
      return match === -1;
    });
  }
}

/**
 * Lines whose amounts add up to a difference: all of them, the newest few, one, two, or any of few lines.
 * Null where none do.
 */
function addingUpTo(difference: bigint, lines: readonly OutsideEntry[]): readonly OutsideEntry[] | null {
  let sum = 0n;
  for (const [place, { amount }] of lines.toReversed().entries()) {
    sum += amount;
    if (sum === difference) return lines.slice(-1 - place);
  }
  for (const [index, line] of lines.entries()) {
    if (line.amount === difference) return [line];
    const other = lines.slice(index + 1).find(({ amount }) => line.amount + amount === difference);
    if (other !== undefined) return [line, other];
  }
  return lines.length > MOST_COMBINED ? null : fewestAddingUpTo(difference, lines);
}

/** Several deposits between lines of given-up trades. Each set of lines is tried; the smallest is taken. */
function fewestAddingUpTo(
  difference: bigint,
  lines: readonly OutsideEntry[],
): readonly OutsideEntry[] | null {
  const sets: { readonly sum: bigint; readonly of: readonly OutsideEntry[] }[] = [{ sum: 0n, of: [] }];
  for (const line of lines) {
    for (const { sum, of } of sets.slice()) sets.push({ sum: sum + line.amount, of: of.concat(line) });
  }
  const fitting = sets.filter(({ sum }) => sum === difference).map(({ of }) => of);
  return fitting.toSorted((left, right) => left.length - right.length)[0] ?? null;
}

/** A balance that is not what the books say. Units of 1e-10. */
export interface Disagreement {
  readonly currency: string;
  readonly expected: bigint;
  readonly found: bigint;
}
