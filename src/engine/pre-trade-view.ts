import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { ResultsView, RiskView, SeenBook, WantedOrder } from '../execution/risk/risk-view.ts';
import type { MarketFlow } from '../portfolio/asset-ledger.ts';
import { positionIn } from '../portfolio/market-positions.ts';
import type { MarketDesk } from './market-data-cache.ts';
import type { Seat } from './strategy-instance.ts';

/** What the risk checks look at for one wanted order. What only some limits need, over all markets, is put together when it is first looked at. */
export class GateView implements RiskView {
  readonly nowMs: number;
  readonly order: WantedOrder;
  readonly book: SeenBook | null;
  readonly position: Units;
  readonly liveOrders: readonly OrderRecord[];
  readonly plannedAtMs: readonly number[];
  private readonly seat: Seat;
  private readonly markets: MarketDesk;
  private readonly seats: readonly Seat[];
  private gathered: RiskView['holdings'] | null = null;
  private worked: ResultsView | null = null;

  constructor(of: {
    readonly nowMs: number;
    readonly seat: Seat;
    readonly order: WantedOrder;
    readonly liveOrders: readonly OrderRecord[];
    readonly markets: MarketDesk;
    readonly seats: readonly Seat[];
  }) {
    const { nowMs, seat, order, markets } = of;
    const { symbol, src } = order.market;
    this.nowMs = nowMs;
    this.order = order;
    this.book = markets.seenBook(symbol);
    this.position = seat.held(src);
    this.liveOrders = of.liveOrders;
    this.plannedAtMs = seat.plannedAtMs;
    this.seat = seat;
    this.markets = markets;
    this.seats = of.seats;
  }

  get results(): ResultsView {
    this.worked ??= this.seat.resultsView(this.order.market.dst, this.nowMs);
    return this.worked;
  }

  get holdings(): RiskView['holdings'] {
    this.gathered ??= holdingsOf(this.markets, this.seats);
    return this.gathered;
  }
}

/** What all strategies together have, by market, each coin once. */
function holdingsOf(markets: MarketDesk, seats: readonly Seat[]): RiskView['holdings'] {
  const flowOf = (symbol: string): MarketFlow => {
    let position = 0n;
    let cash = 0n;
    for (const { ledger } of seats) {
      const flow = ledger.flowOf(symbol);
      position += flow.position;
      cash += flow.cash;
    }
    return { position: position as Units, cash: cash as Units };
  };
  const tether = seats.reduce((sum, seat) => sum + seat.held('usdt'), 0n) as Units;
  const holdings = new Map<string, { market: Market; position: Units; price: Units | null }>();
  for (const { market } of markets.all()) {
    const position = positionIn(market, flowOf, tether);
    holdings.set(market.symbol, { market, position, price: markets.priceOf(market.symbol) });
  }
  return holdings;
}
