import type { Market } from '../../domain/market.ts';
import type { Units } from '../../domain/money.ts';
import type { AlgorithmView, Close } from './algorithm-step.ts';
import type { OrderRecord } from '../../records/order.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';

/** View of an algorithm. The book is computed when it is read, which most algorithms never do. */
export class WorkView implements AlgorithmView {
  readonly nowMs: number;
  readonly market: Market;
  readonly orders: readonly OrderRecord[];
  readonly position: Units;
  readonly equity: Units | null;
  readonly closes: readonly Close[];
  readonly refusals: AlgorithmView['refusals'];
  readonly refusalPauseMs: number;
  readonly refusalCauseOf: AlgorithmView['refusalCauseOf'];
  readonly priceBand: Units | null;
  readonly portfolio: AlgorithmView['portfolio'];
  readonly liveAmong: AlgorithmView['liveAmong'];
  private readonly exits: () => Units;
  private readonly markets: MarketDataCache;
  private readonly closed: () => string | null;
  private readonly areMissing: (coin: string) => boolean;

  constructor(
    of: {
      readonly markets: MarketDataCache;
      readonly closed: () => string | null;
      readonly areMissing: (coin: string) => boolean;
    },
    view: Omit<AlgorithmView, 'book' | 'levels' | 'canPlace' | 'inExits' | 'areCoinsMissing'> & {
      readonly exits: () => Units;
    },
  ) {
    this.markets = of.markets;
    this.closed = of.closed;
    this.areMissing = of.areMissing;
    this.nowMs = view.nowMs;
    this.market = view.market;
    this.orders = view.orders;
    this.position = view.position;
    this.equity = view.equity;
    this.closes = view.closes;
    this.refusals = view.refusals;
    this.refusalPauseMs = view.refusalPauseMs;
    this.refusalCauseOf = view.refusalCauseOf;
    this.priceBand = view.priceBand;
    this.portfolio = view.portfolio;
    this.liveAmong = view.liveAmong;
    this.exits = view.exits;
  }

  get canPlace(): boolean {
    return this.closed() === null;
  }

  get inExits(): Units {
    return this.exits();
  }

  get areCoinsMissing(): boolean {
    return this.areMissing(this.market.base);
  }

  get book(): AlgorithmView['book'] {
    return this.markets.seenBook(this.market.symbol);
  }

  get levels(): AlgorithmView['levels'] {
    return this.markets.get(this.market.symbol)?.book ?? null;
  }
}
