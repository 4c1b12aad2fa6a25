import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { Wallet } from '../../simulator/core/wallet.ts';
import type { CandleMarket } from './candle-market.ts';

/** A currency, and the market that says what it is worth in the quote currency. */
interface Valued {
  readonly wallet: Wallet;
  readonly market: CandleMarket;
  /** Its total as a number; kept while no wallet changes. */
  coins: number;
}

/**
 * What the account is worth in one quote currency: what it has of it, and all else by the last close of the market between the two. A currency without
 * such a market counts for nothing, and is named.
 */
export class EquityValuer {
  /** Currencies of the account that no market values. */
  readonly unvalued: readonly string[];
  private readonly cash: Wallet | undefined;
  private readonly valued: readonly Valued[];
  private readonly version: () => number;
  private seenVersion = -1;
  private cashNumber = 0;
  private isHolding = false;

  constructor(options: {
    readonly quote: QuoteCurrency;
    readonly wallets: ReadonlyMap<string, Wallet>;
    readonly markets: readonly CandleMarket[];
    /** Changes whenever a wallet does. */
    readonly version: () => number;
  }) {
    const { quote, wallets, markets } = options;
    this.version = options.version;
    this.cash = wallets.get(quote);
    const others = [...wallets.values()].filter(({ currency }) => currency !== quote);
    const marketOf = (currency: string): CandleMarket | undefined =>
      markets.find(({ name }) => name.src === currency && name.dst === quote);
    this.valued = others.flatMap((wallet) => {
      const market = marketOf(wallet.currency);
      return market === undefined ? [] : [{ wallet, market, coins: 0 }];
    });
    this.unvalued = others.map(({ currency }) => currency).filter((currency) => marketOf(currency) === undefined);
  }

  /** To the last digit: each currency's value is rounded half-even. What has had no bar yet counts for nothing. */
  exact(): Units {
    let sum = this.cash?.total ?? 0n;
    for (const { wallet, market } of this.valued) {
      if (market.columns === null || wallet.total === 0n) continue;
      sum += divideHalfEven(wallet.total * market.closeUnits, UNITS_PER_ONE);
    }
    return sum as Units;
  }

  /** The same as a number, for curves, at a product or two for each currency that is held. */
  number(): number {
    if (this.seenVersion !== this.version()) this.refresh();
    let sum = this.cashNumber;
    for (const { coins, market } of this.valued) if (coins > 0) sum += coins * market.closeNumber;
    return sum;
  }

  /** Whether the account has at least one amount step of anything that it could sell for the quote currency. */
  isExposed(): boolean {
    if (this.seenVersion !== this.version()) this.refresh();
    return this.isHolding;
  }

  private refresh(): void {
    this.seenVersion = this.version();
    this.cashNumber = numberOf(this.cash?.total ?? 0n);
    for (const valued of this.valued) valued.coins = numberOf(valued.wallet.total);
    this.isHolding = this.valued.some(({ wallet, market }) => wallet.total >= market.grid.amountStep);
  }
}

function numberOf(units: bigint): number {
  return Number(units) / Number(UNITS_PER_ONE);
}
