import { EnginePart } from '../engine-settings.ts';
import type { BalanceBooks } from '../../portfolio/balance-books.ts';
import {
  numberOfUnits,
  subtractUnits,
  addUnits,
  formatUnits,
  NO_UNITS,
  type Units,
} from '../../domain/money.ts';
import type { VenueWalletId } from '../../domain/order.ts';
import type { WalletReading } from '../../venues/port.ts';
import type { IssueLog } from '../issue-log.ts';
import { type Outbox, OutboxPart } from '../outbox.ts';
import { walletIssue, type ValidationIssue } from './plausibility.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import { restored, type StoredTexts } from '../stored-records.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { marginTopic, type PoolReading, type MarginReading, type SeenMargin } from '../../records/margin.ts';

/** The account's wallets as they were last read. */
export class AccountState extends OutboxPart {
  private readonly findings: IssueLog;
  readings: readonly WalletReading[] = [];
  private asOfMs: number | null = null;
  private readonly written = new Map<string, WalletReading>();
  /** Free amounts as numbers, by the index of the wallet; each is worked out when it is first read. */
  private freeNumbers: (number | undefined)[] = [];
  private readonly seen: Record<'orders' | 'fills' | 'balances', number | null> = {
    orders: null,
    fills: null,
    balances: null,
  };
  /** Currencies of wallets whose history was requested in this life, the latest at the end. */
  private readonly askedWallets = new Set<string>();
  private readonly listeners: (() => void)[] = [];

  constructor(outbox: Outbox, findings: IssueLog) {
    super(outbox);
    this.findings = findings;
  }

  saw(what: 'orders' | 'fills' | 'balances'): void {
    this.seen[what] = this.outbox.nowMs;
  }

  seenAtMs(what: 'orders' | 'fills' | 'balances'): number | null {
    return this.seen[what];
  }

  /**
   * Applies a reading of the wallets. An implausible wallet keeps its last values, and so does a `missing`
   * one, which could not be read. Returns the currencies of both.
   */
  apply(
    wallets: readonly WalletReading[],
    askedAtMs: number,
    missing: ReadonlySet<string> = new Set(),
  ): ReadonlySet<string> {
    this.asOfMs = askedAtMs;
    const unread = new Set(missing);
    const readings: WalletReading[] = [];
    for (const wallet of wallets) {
      if (this.isRight(wallet)) {
        readings.push(wallet);
        continue;
      }
      unread.add(wallet.currency);
      readings.push(...this.readings.filter(({ currency }) => currency === wallet.currency));
    }
    for (const wallet of this.readings) if (missing.has(wallet.currency)) readings.push(wallet);
    this.readings = readings;
    this.freeNumbers = [];
    this.saw('balances');
    this.write();
    for (const listener of this.listeners) listener();
    return unread;
  }

  /** Applies wallets that a trusted venue pushes; the list is the same object if nothing changed. */
  applyPushed(wallets: readonly WalletReading[]): void {
    this.saw('balances');
    this.asOfMs = this.outbox.nowMs;
    if (wallets === this.readings) return;
    this.readings = wallets;
    this.freeNumbers = [];
    this.write();
  }

  private isRight(wallet: WalletReading): boolean {
    const issue = walletIssue(wallet);
    if (issue === null && this.findings.entries.size === 0) return true;
    const subject = `wallet ${wallet.currency}`;
    if (issue === null) this.findings.clear(subject);
    else this.findings.note(subject, issue, { isGrave: false });
    return issue === null;
  }

  private write(): void {
    if (!this.outbox.isRestartable) return;
    for (const wallet of this.readings) {
      const before = this.written.get(wallet.currency);
      if (before?.total === wallet.total && before.held === wallet.held) continue;
      this.written.set(wallet.currency, wallet);
      this.outbox.change({ kind: 'wallet', wallet });
    }
  }

  /** Time at which the last wallets were requested: they are from then or later. Null before the first. */
  get readingsAsOfMs(): number | null {
    return this.asOfMs;
  }

  /** Registers a listener, called after each reading was applied, but not for pushed wallets. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Returns the free amount of a currency as a number; 0 if the currency has no wallet. */
  freeNumber(currency: string): number {
    const place = this.readings.findIndex((wallet) => wallet.currency === currency);
    const wallet = this.readings[place];
    if (wallet === undefined) return 0;
    return (this.freeNumbers[place] ??= numberOfUnits(subtractUnits(wallet.total, wallet.held)));
  }

  totalOf(currency: string): bigint {
    const wallet = this.readings.find((other) => other.currency === currency);
    return wallet === undefined ? 0n : wallet.total;
  }

  currencyOf(walletId: VenueWalletId): string | null {
    for (const wallet of this.readings) if (wallet.walletId === walletId) return wallet.currency;
    return null;
  }

  /**
   * Returns the wallet among some currencies whose history was requested the longest ago; null if none was
   * read. Wallets not requested in this life come first, and the clock picks one of them: otherwise, many
   * short lives of the bot would always request the first ones and never the others.
   */
  nextOf(currencies: ReadonlySet<string>): WalletReading | null {
    const { askedWallets } = this;
    const wanted = new Map<string, WalletReading>();
    const unasked: WalletReading[] = [];
    for (const wallet of this.readings) {
      if (!currencies.has(wallet.currency)) continue;
      wanted.set(wallet.currency, wallet);
      if (!askedWallets.has(wallet.currency)) unasked.push(wallet);
    }
    let next = unasked[Math.floor(this.outbox.nowMs / 1_000) % Math.max(1, unasked.length)] ?? null;
    for (const asked of askedWallets) next ??= wanted.get(asked) ?? null;
    if (next === null) return null;
    askedWallets.delete(next.currency);
    askedWallets.add(next.currency);
    return next;
  }
}

/** Number of wallet readings in a row that have to show missing coins before they count as missing. */
const MISSING_AFTER_READINGS = 2;

export interface MissingCoinsOptions {
  readonly outbox: Outbox;
  readonly account: AccountState;
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
  /** Gives the balance expected from all that was read; null while the books have not begun. */
  readonly books: Pick<BalanceBooks, 'expectedOf'>;
  /** Called when a coin begins or ends to be missing, or when its missing amount changes. */
  readonly onChange: (coin: string) => void;
}

/**
 * Finds coins that strategies hold by their fills and that the account does not have: somebody sold or moved
 * them. The books agree all the same, since trades and transfers of others count in them.
 */
export class MissingCoins extends EnginePart<MissingCoinsOptions> {
  private readonly missing = new Map<string, { readonly amount: Units; readonly sinceMs: number }>();
  /** Number of readings in a row with a shortage that does not count yet, by coin. */
  private readonly seen = new Map<string, number>();

  constructor(options: MissingCoinsOptions) {
    super(options);
    options.account.listen(this.checkAll);
  }

  areMissing(coin: string): boolean {
    return this.missing.has(coin);
  }

  restore(stored: StoredTexts): void {
    for (const [coin, one] of Object.entries(restored(stored, 'missing-coins') ?? {}))
      this.missing.set(coin, one);
  }

  private readonly checkAll = (): void => {
    const coins = new Set([...this.missing.keys(), ...this.seen.keys()]);
    for (const { ledger, quotes } of this.options.instances)
      for (const asset of ledger.state.holdings.keys()) if (!quotes.has(asset)) coins.add(asset);
    for (const coin of coins) this.checkCoin(coin);
  };

  private checkCoin(coin: string): void {
    const { outbox, markets } = this.options;
    const amount = this.amountOf(coin);
    const before = this.missing.get(coin);
    if (amount < markets.leastAmountOf(coin)) {
      this.seen.delete(coin);
      if (!this.missing.delete(coin)) return;
      outbox.info(`the account has all ${coin.toUpperCase()} that strategies hold again`);
      this.changed(coin);
      return;
    }
    if (before?.amount === amount) return;
    const readings = (this.seen.get(coin) ?? 0) + 1;
    this.seen.set(coin, readings);
    if (readings < MISSING_AFTER_READINGS) return;
    this.seen.delete(coin);
    this.missing.set(coin, { amount, sinceMs: before?.sinceMs ?? outbox.nowMs });
    outbox.alarm(
      `strategies hold ${formatUnits(amount)} ${coin.toUpperCase()} more than the account has: somebody sold or moved them. "sarraf position write-off STRATEGY MARKET AMOUNT" takes them out of the books of a strategy`,
    );
    this.changed(coin);
  }

  private changed(coin: string): void {
    const { outbox, onChange } = this.options;
    outbox.persist('missing-coins', Object.fromEntries(this.missing));
    onChange(coin);
  }

  /** Returns how much more strategies hold than the account has; zero if it has all. */
  amountOf(coin: string): Units {
    const expected = this.options.books.expectedOf(coin);
    if (expected === null) return NO_UNITS;
    let held = NO_UNITS;
    for (const instance of this.options.instances) {
      const own = instance.quotes.has(coin) ? NO_UNITS : instance.held(coin);
      if (own > 0n) held = addUnits(held, own);
    }
    return (held > expected ? held - expected : 0n) as Units;
  }
}

interface MarginCacheOptions {
  readonly outbox: Outbox;
  readonly findings: IssueLog;
  /** Sends a reading to the strategies that subscribed to it. */
  readonly emit: (topic: string, seen: SeenMargin) => void;
}

/**
 * Holds the last reading of each kind of margin data. A reading with an impossible number is not used: the
 * one before stays, and ages. Nothing is stored: a restart reads it again.
 */
export class MarginCache extends EnginePart<MarginCacheOptions> {
  private readonly seen = new Map<string, SeenMargin>();

  /** Returns the last reading of a topic (`marginTopic`); null before the first. */
  get(topic: string): SeenMargin | null {
    return this.seen.get(topic) ?? null;
  }

  applyPools(pools: readonly PoolReading[]): void {
    const numbers = pools.flatMap(({ currency, capacity, filledCapacity, availableBalance }) =>
      Object.entries({ capacity, filledCapacity, availableBalance }).map(
        ([field, text]) => [`${field} of ${currency}`, text] as const,
      ),
    );
    this.apply({ kind: 'pools', pools }, firstNegative(numbers));
  }

  applyLimitOf(currency: string, limit: DecimalText): void {
    this.apply({ kind: 'delegation-limit', currency, limit }, firstNegative([['limit', limit]]));
  }

  applyWallets(readings: readonly WalletReading[]): void {
    const issue = readings.map(walletIssue).find((one) => one !== null) ?? null;
    const wallets = (issue === null ? readings : []).map(({ currency, total, held }) => ({
      currency,
      total: formatUnits(total),
      held: formatUnits(held),
      free: formatUnits(subtractUnits(total, held)),
    }));
    this.apply({ kind: 'margin-wallets', wallets }, issue);
  }

  /** Notes that the exchange refused a reading, and its reason; the feed is polled again. */
  refused(topic: string, { code, message }: { readonly code: string; readonly message: string }): void {
    const issue = { field: 'answer', expected: 'a reading', found: `${code}: ${message}` };
    this.options.findings.note(topic, issue, { isGrave: false });
  }

  private apply(reading: MarginReading, issue: ValidationIssue | null): void {
    const { outbox, findings, emit } = this.options;
    const topic = marginTopic(reading);
    if (issue !== null) {
      findings.note(topic, issue, { isGrave: false });
      return;
    }
    if (findings.entries.size > 0) findings.clear(topic);
    const seen: SeenMargin = { reading, seenAtMs: outbox.nowMs };
    this.seen.set(topic, seen);
    emit(topic, seen);
  }
}

function firstNegative(
  numbers: readonly (readonly [field: string, text: DecimalText | null])[],
): ValidationIssue | null {
  for (const [field, text] of numbers) {
    if (text?.startsWith('-') === true) return { field, expected: 'not below 0', found: text };
  }
  return null;
}
