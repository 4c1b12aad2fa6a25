import { ZERO, type DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import { formatUnits, NO_UNITS, UNITS_PER_ONE, type Units } from '../domain/money.ts';
import type { OrderBook } from '../domain/order-book.ts';
import { divideHalfEven } from '../domain/rounding.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { OwnOrder } from '../strategy/definition.ts';
import type { MarketRules } from '../strategy/market-rules.ts';
import type { EngineView } from '../strategy/strategy-event.ts';
import type { AccountState } from './account-state.ts';
import type { MarketDesk } from './market-desk.ts';
import type { OrderKeeper } from './order-keeper.ts';
import type { Seat } from './seat.ts';

/** What one strategy may look at. Everything is worked out when it is looked at. */
export class SeatView implements EngineView {
  nowMs = 0;
  /** Looked at far more often than it changes. */
  private lastPosition: { readonly units: Units; readonly text: DecimalText } = { units: NO_UNITS, text: ZERO };
  private readonly seat: Seat;
  private readonly markets: MarketDesk;
  private readonly keeper: OrderKeeper;
  private readonly account: AccountState;
  private readonly candlesSeenAtMs: (market: string) => number | null;

  constructor(options: {
    readonly seat: Seat;
    readonly markets: MarketDesk;
    readonly keeper: OrderKeeper;
    readonly account: AccountState;
    readonly candlesSeenAtMs: (market: string) => number | null;
  }) {
    this.seat = options.seat;
    this.markets = options.markets;
    this.keeper = options.keeper;
    this.account = options.account;
    this.candlesSeenAtMs = options.candlesSeenAtMs;
  }

  position(market: string): DecimalText {
    const units = this.positionUnits(market);
    const { lastPosition } = this;
    if (units !== lastPosition.units) this.lastPosition = { units, text: formatUnits(units) };
    return this.lastPosition.text;
  }

  positionUnits(market: string): Units {
    const state = this.markets.get(market);
    return state === undefined ? (0n as Units) : this.seat.position(market, state.market.dst);
  }

  free(): Readonly<Record<string, DecimalText>> {
    return this.account.free();
  }

  orders(): readonly OwnOrder[] {
    return this.keeper.table.unfinishedOf(this.seat.name).map((order) => this.shown(order));
  }

  book(market: string): OrderBook | null {
    return this.markets.get(market)?.book ?? null;
  }

  stats(market: string): MarketStats | null {
    return this.markets.get(market)?.stats ?? null;
  }

  rules(market: string): MarketRules | null {
    return this.markets.rulesOf(market);
  }

  equity(market: string): DecimalText | null {
    const units = this.equityUnits(market);
    return units === null ? null : formatUnits(units);
  }

  /** Its capital, or else the account's balance, with the money its fills moved, and its position at the last price. */
  equityUnits(market: string): Units | null {
    const price = this.markets.priceOf(market);
    const state = this.markets.get(market);
    if (price === null || state === undefined) return null;
    const { dst } = state.market;
    const { capital } = this.seat.settings;
    const own = capital[dst];
    const quote = own === undefined ? this.account.totalOf(dst) : own + this.seat.cash(market, dst);
    const position = this.seat.position(market, dst);
    return (quote + divideHalfEven(position * price, UNITS_PER_ONE)) as Units;
  }

  ageMs(what: 'book' | 'stats' | 'trades' | 'candles', market: string): number | null {
    const state = this.markets.get(market);
    if (state === undefined) return null;
    const seenAtMs = {
      book: state.bookSeenAtMs,
      stats: state.statsSeenAtMs,
      trades: state.tapeSeenAtMs,
      candles: what === 'candles' ? this.candlesSeenAtMs(market) : null,
    }[what];
    return seenAtMs === null ? null : this.nowMs - seenAtMs;
  }

  accountAgeMs(what: 'orders' | 'fills' | 'balances'): number | null {
    const seenAtMs = this.account.seenAtMs(what);
    return seenAtMs === null ? null : this.nowMs - seenAtMs;
  }

  private shown(order: OrderRecord): OwnOrder {
    const { key, market, side, execution, price, stopPrice, amount, matched, tag, state, plannedAtMs } = order;
    return {
      clientOrderId: key,
      market,
      side,
      execution,
      price: price === null || execution === 'market' ? null : formatUnits(price),
      stopPrice: stopPrice === null ? null : formatUnits(stopPrice),
      amount: formatUnits(amount),
      matchedAmount: formatUnits(matched),
      tag,
      state,
      ageMs: this.nowMs - plannedAtMs,
    };
  }
}
