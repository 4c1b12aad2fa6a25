import type { Currency } from '../../domain/market-symbol.ts';
import { leastAmountAt } from '../../domain/market.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { valueIn, type Prices } from '../../portfolio/holding.ts';
import type { EquityCurve } from '../backtest-run.ts';
import type { FollowedExchange } from '../../venues/followed-exchange.ts';
import type { FollowedMarket } from '../../venues/followed-market.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';

/**
 * Value of the account in one quote currency, and its history, by the last prices at the exchange, whether
 * the bot has seen them or not.
 */
export class PollEquity {
  /** Currencies of the account that no market values: they count for nothing. */
  readonly unvalued: readonly string[];
  private readonly exchange: FollowedExchange;
  private readonly quote: Currency;
  private readonly markets: ReadonlyMap<string, FollowedMarket>;
  private readonly prices: Prices = {
    marketNames: MARKET_NAMES,
    priceOf: (symbol) => this.markets.get(symbol)?.price ?? null,
  };
  private readonly timeMs: number[] = [];
  private readonly equity: number[] = [];
  private readonly isExposed: number[] = [];

  constructor(exchange: FollowedExchange, quote: Currency) {
    this.exchange = exchange;
    this.quote = quote;
    this.markets = new Map(exchange.markets.map((market) => [market.state.rules.symbol, market]));
    this.unvalued = exchange
      .balances()
      .flatMap(([currency, total]) =>
        total > 0n && this.valueOf(currency, total) === null ? [currency] : [],
      );
  }

  /**
   * By the rule of `valueIn`, as profit is shown live, to the last digit: each currency's value is rounded
   * half-even.
   */
  exact(): Units {
    let sum = 0n;
    for (const [currency, total] of this.exchange.balances()) sum += this.valueOf(currency, total) ?? 0n;
    return sum as Units;
  }

  private valueOf(asset: string, amount: bigint): Units | null {
    return valueIn(this.quote, { asset, amount }, this.prices);
  }

  /** Adds a point to the curve, unless there is one of that time. */
  note(timeMs: number): void {
    if (this.timeMs.at(-1) === timeMs) return;
    this.timeMs.push(timeMs);
    this.equity.push(Number(this.exact()) / Number(UNITS_PER_ONE));
    const holds = ({ state: { rules } }: FollowedMarket): boolean =>
      rules.base !== this.quote &&
      this.exchange.balance(rules.base) >=
        leastAmountAt(rules, this.prices.priceOf(rules.symbol) ?? NO_UNITS);
    this.isExposed.push([...this.markets.values()].some(holds) ? 1 : 0);
  }

  curve(): EquityCurve {
    return {
      length: this.timeMs.length,
      timeMs: Float64Array.from(this.timeMs),
      equity: Float64Array.from(this.equity),
      isExposed: Uint8Array.from(this.isExposed),
    };
  }
}
