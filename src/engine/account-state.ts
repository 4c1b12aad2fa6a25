import type { DecimalText } from '../domain/decimal-text.ts';
import { formatUnits, unitsOf } from '../domain/money.ts';
import type { WalletReading } from '../domain/venue-call.ts';
import type { Outbox } from './outbox.ts';

const NOTHING_FREE: Readonly<Record<string, DecimalText>> = {};

/** The account's wallets as they were last read. */
export class AccountState {
  private readonly outbox: Outbox;
  private wallets: readonly WalletReading[] = [];
  private readonly written = new Map<string, string>();
  private freeByCurrency: Readonly<Record<string, DecimalText>> | null = NOTHING_FREE;
  private readonly seen = new Map<'orders' | 'fills' | 'balances', number>();
  private nextWallet = 0;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  saw(what: 'orders' | 'fills' | 'balances'): void {
    this.seen.set(what, this.outbox.nowMs);
  }

  seenAtMs(what: 'orders' | 'fills' | 'balances'): number | null {
    return this.seen.get(what) ?? null;
  }

  take(wallets: readonly WalletReading[]): void {
    this.wallets = wallets;
    this.freeByCurrency = null;
    this.saw('balances');
    for (const wallet of wallets) {
      const text = `${wallet.total} ${wallet.held}`;
      if (this.written.get(wallet.currency) === text) continue;
      this.written.set(wallet.currency, text);
      this.outbox.change({ kind: 'wallet', wallet });
    }
  }

  free(): Readonly<Record<string, DecimalText>> {
    this.freeByCurrency ??= Object.fromEntries(
      this.wallets.map(({ currency, total, held }) => [currency, formatUnits(unitsOf(total) - unitsOf(held))]),
    );
    return this.freeByCurrency;
  }

  totalOf(currency: string): bigint {
    const wallet = this.wallets.find((other) => other.currency === currency);
    return wallet === undefined ? 0n : unitsOf(wallet.total);
  }

  currencyOf(walletId: number): string | null {
    return this.wallets.find((wallet) => wallet.walletId === walletId)?.currency ?? null;
  }

  /** The wallets of some currencies, one after the other, for their history; null while none was read. */
  nextOf(currencies: ReadonlySet<string>): WalletReading | null {
    const wanted = this.wallets.filter(({ currency }) => currencies.has(currency));
    this.nextWallet = (this.nextWallet + 1) % Math.max(1, wanted.length);
    return wanted[this.nextWallet] ?? null;
  }
}
