import type { Currency } from '../domain/market-symbol.ts';
import { leastAmountAt } from '../domain/market.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../domain/money.ts';
import { pathOf, valueIn, type PriceOf } from '../portfolio/holding.ts';
import type { Wallet } from '../simulator/accounts.ts';
import type { BarMarket } from './bars/bar-market.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';

/** Counter that changes with every change of a wallet. */
interface WalletVersion {
  readonly walletVersion: number;
}

/** A currency and the markets that value it: each multiplies by its price, or divides by it. */
interface Valued {
  readonly wallet: Wallet;
  readonly steps: readonly { readonly market: BarMarket; readonly isDivided: boolean }[];
  /** Market in which it could be sold; null if it is the quote currency of that market. */
  readonly sale: BarMarket | null;
  /** Bounds above which a holding is surely enough for an order: two amount steps, twice the least value. */
  readonly clearly: { readonly coins: number; readonly value: number };
  /** Total of the wallet as a number; kept while no wallet changes. */
  coins: number;
}

/**
 * Values the account in one quote currency: each currency by the last closes and the rule of `valueIn`, as
 * live profit does. A market counts at its first open until it has a close, so that money of a market whose
 * bars begin later counts from the start. A currency that no markets connect to the quote currency counts as
 * zero, and is named.
 */
export class EquityValuer {
  /** Currencies of the account that cannot be valued. */
  readonly unvalued: readonly string[];
  private readonly quote: Currency;
  private readonly wallets: ReadonlyMap<string, Wallet>;
  private readonly markets: ReadonlyMap<string, BarMarket>;
  private readonly firstPrices: ReadonlyMap<string, Units>;
  private readonly valued: readonly Valued[];
  private readonly account: WalletVersion;
  /** Currencies with a balance. */
  private held: readonly Valued[] = [];
  private seenVersion = -1;
  private cashNumber = 0;

  constructor(options: {
    readonly quote: Currency;
    readonly wallets: ReadonlyMap<string, Wallet>;
    readonly markets: readonly BarMarket[];
    /** First opens by market; a market without one counts for nothing before its first close. */
    readonly firstPrices: ReadonlyMap<string, Units>;
    readonly account: WalletVersion;
  }) {
    const { quote, wallets, markets } = options;
    this.quote = quote;
    this.wallets = wallets;
    this.account = options.account;
    this.firstPrices = options.firstPrices;
    this.markets = new Map(markets.map((market) => [market.name.symbol, market]));
    const others = [...wallets.values()].filter(({ currency }) => currency !== quote);
    this.valued = others.flatMap((wallet) => this.valuedOf(wallet) ?? []);
    this.unvalued = others
      .map(({ currency }) => currency)
      .filter((currency) => !this.valued.some(({ wallet }) => wallet.currency === currency));
  }

  /** Returns the exact equity by the last closes: the value of each currency is rounded half-even. */
  exact(): Units {
    return this.by((symbol) => {
      const market = this.markets.get(symbol);
      return market?.hasClosed === true ? market.closeUnits : (this.firstPrices.get(symbol) ?? null);
    });
  }

  /** Returns the equity before the first bar, at the opens. */
  initial(): Units {
    return this.by((symbol) => this.firstPrices.get(symbol) ?? null);
  }

  /** Returns `exact` as a number, for curves, with one or two products for each held currency. */
  number(): number {
    if (this.seenVersion !== this.account.walletVersion) this.refresh();
    let sum = this.cashNumber;
    for (const { coins, steps } of this.held) {
      let value = coins;
      for (const { market, isDivided } of steps) {
        const price = market.hasClosed
          ? market.closeNumber
          : numberOf(this.firstPrices.get(market.name.symbol) ?? 0n);
        value = isDivided ? (price === 0 ? 0 : value / price) : value * price;
      }
      sum += value;
    }
    return sum;
  }

  /** True if the account could sell a coin for the quote currency in a valid order, by the last closes. */
  isExposed(): boolean {
    if (this.seenVersion !== this.account.walletVersion) this.refresh();
    for (const valued of this.held) if (this.isEnough(valued)) return true;
    return false;
  }

  private by(priceOf: PriceOf): Units {
    const prices = { marketNames: MARKET_NAMES, priceOf };
    let sum = 0n;
    for (const { currency, total } of this.wallets.values())
      sum += valueIn(this.quote, { asset: currency, amount: total }, prices) ?? 0n;
    return sum as Units;
  }

  /** Returns a currency with its path to the quote currency; null if there is none in the run. */
  private valuedOf(wallet: Wallet): Valued | null {
    const { bridge } = MARKET_NAMES;
    const path = pathOf(this.quote, wallet.currency, {
      marketNames: MARKET_NAMES,
      priceOf: (symbol) => (this.markets.has(symbol) ? ANY_PRICE : null),
    });
    if (path === null) return null;
    const steps = path.flatMap((symbol) => {
      const market = this.markets.get(symbol);
      const isDivided = symbol === bridge.market && this.quote === bridge.base;
      return market === undefined ? [] : [{ market, isDivided }];
    });
    const [first] = steps;
    const sale = first === undefined || first.isDivided ? null : first.market;
    return {
      wallet,
      steps,
      sale,
      clearly: {
        coins: 2 * numberOf(sale?.grid.amountStep ?? 0n),
        value: 2 * numberOf(sale?.grid.minOrderValue ?? 0n),
      },
      coins: 0,
    };
  }

  /** True if the holding of a currency is enough for an order. */
  private isEnough({ wallet, sale, coins, clearly }: Valued): boolean {
    if (sale === null) return wallet.total > 0n;
    // Most holdings are far above, or dust: products are spared a division of large numbers at each bar.
    if (wallet.total < sale.grid.amountStep) return false;
    const value = sale.hasClosed ? coins * sale.closeNumber : null;
    if (value !== null && coins > clearly.coins && value > clearly.value) return true;
    if (value !== null && value < clearly.value / 4) return false;
    const price = sale.hasClosed ? sale.closeUnits : (this.firstPrices.get(sale.name.symbol) ?? NO_UNITS);
    return wallet.total >= leastAmountAt(sale.grid, price);
  }

  private refresh(): void {
    this.seenVersion = this.account.walletVersion;
    this.cashNumber = numberOf(this.wallets.get(this.quote)?.total ?? 0n);
    for (const valued of this.valued) valued.coins = numberOf(valued.wallet.total);
    this.held = this.valued.filter(({ coins }) => coins > 0);
  }
}

const ANY_PRICE = 1n as Units;

const numberOf = (units: bigint): number => Number(units) / Number(UNITS_PER_ONE);
