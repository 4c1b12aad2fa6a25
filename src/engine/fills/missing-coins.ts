import { z } from 'zod';
import { addUnits, formatUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import { readStored, storedTimeMs, storedUnits } from '../../domain/stored-json.ts';
import type { AccountState } from '../feeds/account-state.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { Outbox } from '../outbox.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { KeptTexts } from '../mirror-change.ts';

/** Name under which missing coins are stored. */
export const KEPT_MISSING_COINS = 'missing-coins';

/** By coin: how much more strategies hold than the account has, and since when. */
export const storedMissingCoins = z.record(
  z.string(),
  z.object({ amount: storedUnits, sinceMs: storedTimeMs }),
);

/** So many readings of the wallets in a row show that coins are missing. */
const MISSING_AFTER_READINGS = 2;

interface MissingCoinsOptions {
  readonly outbox: Outbox;
  readonly account: AccountState;
  readonly instances: readonly StrategyInstance[];
  readonly markets: MarketDataCache;
  /** Expected balance by all that was read; null while the books have not begun. */
  readonly expected: (asset: string) => bigint | null;
  /** It is another than before whether coins are missing. */
  readonly onChange: (coin: string) => void;
}

/**
 * Coins that strategies hold by their fills and that the account does not have: somebody sold or moved them.
 * The books agree all the same, since trades and transfers of others count in them.
 */
export class MissingCoins {
  private readonly options: MissingCoinsOptions;
  private readonly missing = new Map<string, { readonly amount: Units; readonly sinceMs: number }>();
  /** Readings in a row that show it, of coins that are not missing yet. */
  private readonly seen = new Map<string, number>();

  constructor(options: MissingCoinsOptions) {
    this.options = options;
    options.account.listen(() => this.look());
  }

  areMissing(coin: string): boolean {
    return this.missing.has(coin);
  }

  restore({ [KEPT_MISSING_COINS]: json }: KeptTexts): void {
    if (json === undefined) return;
    const stored = readStored(storedMissingCoins, json, 'what is kept of missing coins');
    for (const [coin, one] of Object.entries(stored)) this.missing.set(coin, one);
  }

  private look(): void {
    const coins = new Set([...this.missing.keys(), ...this.seen.keys()]);
    for (const { ledger, quotes } of this.options.instances)
      for (const asset of ledger.state.holdings.keys()) if (!quotes.has(asset)) coins.add(asset);
    for (const coin of coins) this.lookAt(coin);
  }

  private lookAt(coin: string): void {
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
    const state = [...this.missing].map(([name, { amount, sinceMs }]) => [
      name,
      { amount: formatUnits(amount), sinceMs },
    ]);
    outbox.keep(KEPT_MISSING_COINS, Object.fromEntries(state));
    onChange(coin);
  }

  /** Returns how much more strategies hold than the account has; zero if it has all. */
  amountOf(coin: string): Units {
    const expected = this.options.expected(coin);
    if (expected === null) return NO_UNITS;
    let held = NO_UNITS;
    for (const instance of this.options.instances) {
      const own = instance.quotes.has(coin) ? NO_UNITS : instance.held(coin);
      if (own > 0n) held = addUnits(held, own);
    }
    return (held > expected ? held - expected : 0n) as Units;
  }
}
