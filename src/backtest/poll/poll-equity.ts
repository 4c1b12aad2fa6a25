import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import type { EquityCurve } from '../backtest-run.ts';
import type { PollExchange } from './poll-exchange.ts';
import type { RecordedMarket } from './recorded-market.ts';

/** What the account is worth in one quote currency, by the last prices at the exchange, whether the bot has seen them or not; and how that went. */
export class PollEquity {
  /** Currencies of the account that no market values: they count for nothing. */
  readonly unvalued: readonly string[];
  private readonly exchange: PollExchange;
  private readonly quote: QuoteCurrency;
  private readonly valued: readonly RecordedMarket[];
  private readonly timeMs: number[] = [];
  private readonly equity: number[] = [];
  private readonly isExposed: number[] = [];

  constructor(exchange: PollExchange, quote: QuoteCurrency) {
    this.exchange = exchange;
    this.quote = quote;
    this.valued = exchange.markets.filter(({ state }) => state.rules.dst === quote);
    const known = new Set([quote as string, ...this.valued.map(({ state }) => state.rules.src)]);
    this.unvalued = exchange
      .balances()
      .flatMap(([currency, total]) => (total > 0n && !known.has(currency) ? [currency] : []));
  }

  /** To the last digit: each currency's value is rounded half-even. */
  exact(): Units {
    let sum = this.exchange.balance(this.quote);
    for (const market of this.valued) {
      sum += divideHalfEven(this.exchange.balance(market.state.rules.src) * market.price, UNITS_PER_ONE);
    }
    return sum as Units;
  }

  /** Adds a point to the curve, unless there is one of that time. */
  note(timeMs: number): void {
    if (this.timeMs.at(-1) === timeMs) return;
    this.timeMs.push(timeMs);
    this.equity.push(Number(this.exact()) / Number(UNITS_PER_ONE));
    const holds = ({ state }: RecordedMarket): boolean =>
      this.exchange.balance(state.rules.src) >= state.rules.amountStep;
    this.isExposed.push(this.valued.some(holds) ? 1 : 0);
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
