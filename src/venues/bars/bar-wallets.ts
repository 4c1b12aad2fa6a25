import type { Balance } from '../../domain/balance.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Market } from '../../domain/market.ts';
import { formatUnits, NO_UNITS, type Units } from '../../domain/money.ts';
import { walletReadingOf } from '../door/venue-records.ts';
import type { WalletReading } from '../port.ts';
import type { WalletPair } from '../../simulator/core/trading/trader.ts';
import { Wallet } from '../../simulator/core/wallet.ts';

/** A wallet for each currency that can be traded or that there is something of. */
export class BarWallets {
  private readonly wallets = new Map<string, Wallet>();
  /** As they were last read: most are the same from one reading to the next. */
  private readonly readings: WalletReading[] = [];

  /** Throws `INVALID_OPTIONS` for a negative balance. */
  constructor(markets: readonly Market[], balances: Readonly<Record<string, Units>>) {
    const currencies = new Set([
      ...markets.flatMap(({ quote, base }) => [quote, base]),
      ...Object.keys(balances),
    ]);
    for (const currency of currencies) {
      const wallet = this.ensure(currency);
      wallet.total = balances[currency] ?? NO_UNITS;
      if (wallet.total >= 0n) continue;
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected no negative balance of ${currency}, was ${formatUnits(wallet.total)}`,
      );
    }
  }

  get all(): ReadonlyMap<string, Wallet> {
    return this.wallets;
  }

  /** The wallets that a market is traded with. */
  pairOf({ base, quote }: Market): WalletPair {
    return { base: this.ensure(base), quote: this.ensure(quote) };
  }

  /** Nothing of a currency that nobody named. */
  balance(currency: string): Balance {
    const { total = NO_UNITS, held = NO_UNITS } = this.wallets.get(currency) ?? {};
    return { total: total as Units, held: held as Units };
  }

  read(): readonly WalletReading[] {
    const { readings } = this;
    let place = 0;
    for (const wallet of this.wallets.values()) {
      const last = readings[place];
      if (last === undefined) readings.push(walletReadingOf(wallet));
      else if (last.total !== wallet.total || last.held !== wallet.held)
        readings[place] = { ...last, total: wallet.total as Units, held: wallet.held as Units };
      place += 1;
    }
    return readings.slice();
  }

  private ensure(currency: string): Wallet {
    const found = this.wallets.get(currency);
    if (found !== undefined) return found;
    const id = this.wallets.size + 1;
    const wallet = new Wallet({ id, userId: 1, currency, kind: 'spot', transactionsKept: 1 });
    this.wallets.set(currency, wallet);
    return wallet;
  }
}
