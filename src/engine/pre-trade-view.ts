import type { Market } from '../domain/market.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, type Units } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { PnlViews, RiskView, SeenBook, WantedOrder } from '../execution/risk/risk-view.ts';
import type { MarketFlow } from '../portfolio/asset-ledger.ts';
import { positionIn } from '../portfolio/market-positions.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/**
 * View of the risk checks for one requested order. Data over all markets that only some limits need is put
 * together when it is first read.
 */
export class PreTradeView implements RiskView {
  readonly nowMs: number;
  readonly order: WantedOrder;
  readonly book: SeenBook | null;
  readonly standstill: RiskView['standstill'];
  readonly position: Units;
  readonly liveOrders: readonly OrderRecord[];
  readonly working: readonly string[];
  readonly plannedAtMs: readonly number[];
  readonly marketNames: MarketNames;
  private readonly instance: StrategyInstance;
  private readonly markets: MarketDataCache;
  private readonly instances: readonly StrategyInstance[];
  private gathered: RiskView['holdings'] | null = null;
  private worked: PnlViews | null = null;

  constructor(of: {
    readonly nowMs: number;
    readonly instance: StrategyInstance;
    readonly order: WantedOrder;
    readonly liveOrders: readonly OrderRecord[];
    readonly working: readonly string[];
    readonly markets: MarketDataCache;
    readonly instances: readonly StrategyInstance[];
    readonly marketNames: MarketNames;
  }) {
    const { nowMs, instance, order, markets } = of;
    const { symbol, base } = order.market;
    this.nowMs = nowMs;
    this.order = order;
    this.book = markets.seenBook(symbol);
    this.standstill = markets.standstills.of(symbol);
    this.position = instance.held(base);
    this.liveOrders = of.liveOrders;
    this.working = of.working;
    this.plannedAtMs = instance.plannedAtMs;
    this.marketNames = of.marketNames;
    this.instance = instance;
    this.markets = markets;
    this.instances = of.instances;
  }

  get results(): PnlViews {
    this.worked ??= this.instance.pnlViews(this.order.market.quote, this.nowMs);
    return this.worked;
  }

  get holdings(): RiskView['holdings'] {
    this.gathered ??= holdingsOf(this.markets, this.instances, this.marketNames);
    return this.gathered;
  }
}

/** Returns the holdings of all strategies together, by market, each coin once. */
function holdingsOf(
  markets: MarketDataCache,
  instances: readonly StrategyInstance[],
  marketNames: MarketNames,
): RiskView['holdings'] {
  const flowOf = (symbol: string): MarketFlow => {
    let position: Units = NO_UNITS;
    let cash: Units = NO_UNITS;
    for (const { ledger } of instances) {
      const flow = ledger.flowOf(symbol);
      position = addUnits(position, flow.position);
      cash = addUnits(cash, flow.cash);
    }
    return { position, cash };
  };
  const { base } = marketNames.bridge;
  const bridgeHeld = instances.reduce((sum, instance) => addUnits(sum, instance.held(base)), NO_UNITS);
  const holdings = new Map<string, { market: Market; position: Units; price: Units | null }>();
  for (const { market } of markets.all()) {
    const position = positionIn(market, flowOf, { marketNames, bridgeHeld });
    holdings.set(market.symbol, { market, position, price: markets.priceOf(market.symbol) });
  }
  return holdings;
}
