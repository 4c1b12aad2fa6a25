import { parseMarket, MARKET_NAMES } from '../../exchange/market-names.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { leastAmountAt, type Market } from '../../domain/market.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { movesOf } from '../../portfolio/balance-books.ts';
import { valueIn, type PriceOf } from '../../portfolio/holding.ts';
import type { EquityCurve } from '../backtest-run.ts';
import type { PriceHistory } from './price-history.ts';

/** Holdings of an account by currency, lower case. */
export type Holdings = ReadonlyMap<string, bigint>;

interface AccountHistoryOptions {
  /** Before all fills. */
  readonly opening: Holdings;
  /** By their time. */
  readonly fills: readonly FillRecord[];
  readonly markets: readonly Market[];
  readonly prices: PriceHistory;
  readonly quote: Currency;
}

/**
 * Value of an account at moments that only go forward, from its first holdings and its trades: by the rule of
 * `valueIn`, each currency once and rounded half-even. Holdings without a price count for nothing.
 */
export class AccountHistory {
  private readonly options: AccountHistoryOptions;
  private readonly held: Map<string, bigint>;
  private next = 0;

  constructor(options: AccountHistoryOptions) {
    this.options = options;
    this.held = new Map(options.opening);
  }

  /** Trades of the moment itself are in it. */
  advance(timeMs: number): void {
    const { fills, prices } = this.options;
    prices.advance(timeMs);
    for (;;) {
      const fill = fills[this.next];
      if (fill === undefined || fill.atMs > timeMs) return;
      addEffect(this.held, fill, 1n);
      this.next += 1;
    }
  }

  exact(): Units {
    const { quote, prices } = this.options;
    return holdingsValue(this.held, quote, prices.priceOf);
  }

  /** Returns true if the holding of any currency other than that of the results is enough for an order. */
  isExposed(): boolean {
    const { markets, prices, quote } = this.options;
    return markets.some((market) => {
      if (market.base === quote) return false;
      const least = leastAmountAt(market, prices.priceOf(market.symbol) ?? NO_UNITS);
      return (this.held.get(market.base) ?? 0n) >= least;
    });
  }

  /** The curve at these moments, which rise. */
  curveAt(momentsMs: readonly number[]): EquityCurve {
    const length = momentsMs.length;
    const equity = new Float64Array(length);
    const isExposed = new Uint8Array(length);
    for (const [index, timeMs] of momentsMs.entries()) {
      this.advance(timeMs);
      equity[index] = Number(this.exact()) / Number(UNITS_PER_ONE);
      isExposed[index] = this.isExposed() ? 1 : 0;
    }
    return { length, timeMs: Float64Array.from(momentsMs), equity, isExposed };
  }
}

/**
 * Returns the value of holdings, each currency rounded by itself. Holdings without a price count for nothing.
 */
export function holdingsValue(held: Holdings, quote: Currency, priceOf: PriceOf): Units {
  let sum = 0n;
  for (const [asset, amount] of held)
    sum += valueIn(quote, { asset, amount }, { marketNames: MARKET_NAMES, priceOf }) ?? 0n;
  return sum as Units;
}

/** Returns what fills brought, less what they cost. */
export function broughtBy(fills: readonly FillRecord[]): Holdings {
  const held = new Map<string, bigint>();
  for (const fill of fills) addEffect(held, fill, 1n);
  return held;
}

/** Returns the holdings of an account before all these fills, from those after them. */
export function openingOf(closing: Holdings, fills: readonly FillRecord[]): Holdings {
  const held = new Map(closing);
  for (const fill of fills) addEffect(held, fill, -1n);
  return held;
}

/** Adds the effect of a fill on the wallets; a factor of -1 reverses it. */
function addEffect(held: Map<string, bigint>, fill: FillRecord, factor: 1n | -1n): void {
  for (const [currency, units] of movesOf({ ...fill, ...parseMarket(fill.market) }))
    held.set(currency, (held.get(currency) ?? 0n) + factor * units);
}
