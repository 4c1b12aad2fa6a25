import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { ResultsView, RiskView, SeenBook, WantedOrder } from '../execution/risk/risk-view.ts';
import type { MarketDesk } from './market-desk.ts';
import type { Seat } from './seat.ts';

/** What the risk checks look at for one wanted order. What only some limits need, over all markets, is put together when it is first looked at. */
export class GateView implements RiskView {
  readonly nowMs: number;
  readonly order: WantedOrder;
  readonly book: SeenBook | null;
  readonly position: Units;
  readonly liveOrders: readonly OrderRecord[];
  readonly results: ResultsView;
  readonly plannedAtMs: readonly number[];
  private readonly markets: MarketDesk;
  private readonly seats: readonly Seat[];
  private gathered: RiskView['holdings'] | null = null;

  constructor(of: {
    readonly nowMs: number;
    readonly seat: Seat;
    readonly order: WantedOrder;
    readonly liveOrders: readonly OrderRecord[];
    readonly markets: MarketDesk;
    readonly seats: readonly Seat[];
  }) {
    const { nowMs, seat, order, markets } = of;
    const { symbol, dst } = order.market;
    this.nowMs = nowMs;
    this.order = order;
    this.book = markets.seenBook(symbol);
    this.position = seat.position(symbol, dst);
    this.liveOrders = of.liveOrders;
    this.results = seat.resultsView(dst, nowMs);
    this.plannedAtMs = seat.plannedAtMs;
    this.markets = markets;
    this.seats = of.seats;
  }

  get holdings(): RiskView['holdings'] {
    this.gathered ??= holdingsOf(this.markets, this.seats);
    return this.gathered;
  }
}

/** What all strategies together have, by market. */
function holdingsOf(markets: MarketDesk, seats: readonly Seat[]): RiskView['holdings'] {
  const holdings = new Map<string, { market: Market; position: Units; price: Units | null }>();
  for (const { market } of markets.all()) {
    const position = seats.reduce((sum, seat) => sum + seat.position(market.symbol, market.dst), 0n) as Units;
    holdings.set(market.symbol, { market, position, price: markets.priceOf(market.symbol) });
  }
  return holdings;
}
