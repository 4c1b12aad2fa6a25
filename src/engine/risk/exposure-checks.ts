import type { Currency, MarketName, MarketNames } from '../../domain/market-symbol.ts';
import {
  formatUnits,
  NO_UNITS,
  UNITS_PER_ONE,
  addUnits,
  subtractUnits,
  type Units,
  divideUp,
} from '../../domain/money.ts';
import type { Execution, Side } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import {
  liveAmount,
  NO_LIVE_ORDERS,
  onlyReduces,
  sumLive,
  sumLiveByMarket,
  withWanted,
  worstExposure,
  worstLong,
  worstShort,
  type HeldPosition,
  type LiveSums,
} from '../live-exposure.ts';
import {
  BPS_OF_ALL,
  amountText,
  quoteText,
  type Objection,
  type RiskCheck,
  type RiskView,
  type SeenBook,
  type WantedOrder,
} from './risk-view.ts';
import type { MarketFlow } from '../../portfolio/asset-ledger.ts';

/**
 * Checks that the order could not trade with a live or planned order of this bot, of any strategy, on the
 * other side of the market. An order that is being canceled counts until its end is seen. Exits are checked
 * too, since a trade with oneself is no exit: cancel the other order first.
 */
export const checkSelfCrossing: RiskCheck = (
  { order, book, liveOrders, working },
  { refuseSelfCrossing },
) => {
  if (!refuseSelfCrossing) return null;
  let own: Reach | null = null;
  for (const live of liveOrders) {
    if (live.side === order.side || live.market !== order.market.symbol) continue;
    if (live.state !== 'planned' && !mayTrade(live)) continue;
    own ??= reachOf(order, book, false);
    const other = reachOf(live, book, live.venueStatus !== null && working.includes(live.venueStatus));
    if (order.side === 'buy' ? canMeet(own, other) : canMeet(other, own))
      return crossingObjection(order, live);
  }
  return null;
};

function crossingObjection({ side, market, amount, price }: WantedOrder, live: OrderRecord): Objection {
  const t = (at: WantedOrder['price']): string => (at === null ? 'any price' : quoteText(at, market.quote));
  const livePrice = live.price ?? live.stopPrice;
  return {
    reason: sentence('risk-self-crossing', {
      side,
      amount: amountText(amount, market),
      price: t(price),
      otherSide: live.side,
      other: live.key,
      strategy: live.strategy,
      otherPrice: t(livePrice),
    }),
    numbers: {
      price: price === null ? null : formatUnits(price),
      otherOrder: live.key,
      otherPrice: livePrice === null ? null : formatUnits(livePrice),
    },
  };
}

/** Fields that determine the prices of an order, planned or live. */
interface Reaching {
  readonly side: Side;
  readonly execution: Execution;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
}

/** The prices at which an order may trade, in units of the quote currency. */
interface Reach {
  /** Worst price of the order: it may trade at this and all better prices. Null: at any price. */
  readonly price: bigint | null;
  /** Stop price of a stop that was not triggered yet; null for every other order. */
  readonly asleepAt: bigint | null;
}

/**
 * Distance beyond the best price that a market order may reach, in bps. The exchange keeps it within one
 * percent of the market price, but the book that we know is older.
 */
const MARKET_REACH_BPS = 200n;

/**
 * Returns the reach of an order: to its own price; for a stop without one, to its stop price; without either,
 * to 200 bps beyond the best price on the other side, or to any price if there is none. `isWorking`: the
 * exchange reports it as working, so a stop has triggered.
 */
function reachOf(order: Reaching, book: SeenBook | null, isWorking: boolean): Reach {
  const { stopPrice } = order;
  const mayBeAwake = stopPrice === null || isWorking || isReached(order.side, stopPrice, book);
  return {
    price: order.price ?? stopPrice ?? marketReach(order.side, book),
    asleepAt: mayBeAwake ? null : stopPrice,
  };
}

/**
 * True if a buy and a sell can trade with each other: the buy's price is at or above the sell's, and while
 * one of them is an untriggered stop the other still rests when the market reaches that stop. A sell at a
 * stop of 85 never meets a buy at 99, which was filled on the way down.
 */
function canMeet(buy: Reach, sell: Reach): boolean {
  if (buy.price !== null && sell.price !== null && buy.price < sell.price) return false;
  if (sell.asleepAt !== null && buy.price !== null && buy.price > sell.asleepAt) return false;
  return buy.asleepAt === null || sell.price === null || sell.price >= buy.asleepAt;
}

function isReached(side: Side, stopPrice: Units, book: SeenBook | null): boolean {
  if (side === 'buy') return book === null || book.bestAsk === null || book.bestAsk >= stopPrice;
  return book === null || book.bestBid === null || book.bestBid <= stopPrice;
}

function marketReach(side: Side, book: SeenBook | null): bigint | null {
  const best = side === 'buy' ? book?.bestAsk : book?.bestBid;
  if (best === undefined || best === null) return null;
  return (
    (best * (side === 'buy' ? BPS_OF_ALL + MARKET_REACH_BPS : BPS_OF_ALL - MARKET_REACH_BPS)) / BPS_OF_ALL
  );
}

/**
 * Checks the position that the strategy would have in the coin, long or short, over all its markets, if this
 * order and all its live orders of the same side traded and none of the other side did. Orders of unknown
 * outcome count whole. An order that only reduces the position passes. While a live market order without a
 * price pays or gets the coin, the amount is unknown, and every other order is refused.
 */
export const checkPositionSize: RiskCheck = (view, { maxPosition }) => {
  const { order, position, liveOrders, marketNames } = view;
  const { market, side, strategy, amount } = order;
  const limit = maxPosition?.[market.base];
  if (limit === undefined) return null;
  const live = liveAmount(liveOrders, { asset: market.base, side, strategy, marketNames });
  if (live === null) return unknownPosition(view, limit);
  const added = live + amount;
  const worst = side === 'buy' ? position + added : added - position;
  if (worst <= limit || onlyReduces(view)) return null;
  return {
    reason: sentence(side === 'buy' ? 'risk-position' : 'risk-short-position', {
      amount: amountText(amount, market),
      worst: amountText(worst, market),
      limit: amountText(limit, market),
    }),
    numbers: {
      amount: formatUnits(amount),
      position: formatUnits(position),
      live: formatUnits(live),
      worst: formatUnits(worst),
      limit: formatUnits(limit),
    },
  };
};

function unknownPosition({ order, position }: RiskView, limit: bigint): Objection {
  const { market, amount } = order;
  const coin = market.base.toUpperCase();
  return {
    reason: sentence('risk-position-unknown', {
      amount: amountText(amount, market),
      coin,
      limit: amountText(limit, market),
    }),
    numbers: {
      amount: formatUnits(amount),
      position: formatUnits(position),
      live: null,
      worst: null,
      limit: formatUnits(limit),
    },
  };
}

/**
 * Checks the value that all strategies together would have in the order's market, long or short, if it and
 * all live orders of its side traded and none of the other side did, before fees. Without a price to value
 * it, the order is refused. An order that only reduces its strategy's position passes.
 */
export const checkMarketExposure: RiskCheck = (view, { maxMarketExposure }) => {
  const { market, side, amount } = view.order;
  const limit = maxMarketExposure?.[market.quote] ?? null;
  if (limit === null) return null;
  const held = view.holdings.get(market.symbol) ?? { position: view.position, price: null };
  const sums = withWanted(sumLive(view.liveOrders, market.symbol), view);
  const worst = side === 'buy' ? worstLong(held, sums) : worstShort(held, sums);
  if ((worst !== null && worst <= limit * UNITS_PER_ONE) || onlyReduces(view)) return null;
  const exposure = worst === null ? null : divideUp(worst, UNITS_PER_ONE);
  const facts = { amount: amountText(amount, market), limit: quoteText(limit, market.quote) };
  return {
    reason:
      exposure === null
        ? sentence('risk-exposure-unpriced', facts)
        : sentence('risk-market-exposure', {
            ...facts,
            exposure: quoteText(exposure, market.quote),
            market: market.symbol,
          }),
    numbers: {
      amount: formatUnits(amount),
      position: formatUnits(held.position),
      exposure: exposure === null ? null : formatUnits(exposure),
      limit: formatUnits(limit),
    },
  };
};

/**
 * Checks the value that all strategies together would have in all markets of the order's quote currency,
 * before fees, each market at its worse side as `market-exposure` counts it. An order passes if it does not
 * raise the worst value of its own market, or only reduces its strategy's position. If a market with a
 * holding or live orders has no price, nothing else passes: a limit that cannot be checked does not hold.
 */
export const checkTotalExposure: RiskCheck = (view, { maxTotalExposure }) => {
  const { market } = view.order;
  const limit = maxTotalExposure?.[market.quote] ?? null;
  if (limit === null) return null;
  const live = sumLiveByMarket(view.liveOrders);
  const held = view.holdings.get(market.symbol) ?? { position: view.position, price: null };
  const before = live.get(market.symbol) ?? NO_LIVE_ORDERS;
  const after = withWanted(before, view);
  const worstBefore = worstExposure(held, before);
  const worstAfter = worstExposure(held, after);
  if (worstBefore !== null && worstAfter !== null && worstAfter <= worstBefore) return null;
  live.set(market.symbol, after);
  const total = worstOfAll(view, market.quote, live);
  if ((total.unpriced === null && total.sum <= limit * UNITS_PER_ONE) || onlyReduces(view)) return null;
  return totalObjection(view, { ...total, limit });
};

interface Total {
  /** Sum of the values, with twenty decimals. */
  readonly sum: bigint;
  /** Symbol of a market without a price to value it; null if there is none. */
  readonly unpriced: string | null;
}

function worstOfAll(view: RiskView, quote: Currency, live: ReadonlyMap<string, LiveSums>): Total {
  let sum = 0n;
  let unpriced: string | null = null;
  const count = (symbol: string, held: HeldPosition): void => {
    const worst = worstExposure(held, live.get(symbol) ?? NO_LIVE_ORDERS);
    if (worst === null) unpriced = symbol;
    else sum += worst;
  };
  for (const [symbol, holding] of view.holdings) {
    if (holding.market.quote === quote) count(symbol, holding);
  }
  for (const symbol of live.keys()) {
    if (view.holdings.has(symbol)) continue;
    if (symbol === view.order.market.symbol) count(symbol, { position: view.position, price: null });
    else if (view.marketNames.parseMarket(symbol).quote === quote)
      count(symbol, { position: NO_UNITS, price: null });
  }
  return { sum, unpriced };
}

function totalObjection(
  view: RiskView,
  { sum, unpriced, limit }: Total & { readonly limit: bigint },
): Objection {
  const { market, amount } = view.order;
  const exposure = divideUp(sum, UNITS_PER_ONE);
  return {
    reason:
      unpriced === null
        ? sentence('risk-total-exposure', {
            amount: amountText(amount, market),
            exposure: quoteText(exposure, market.quote),
            limit: quoteText(limit, market.quote),
          })
        : sentence('risk-market-unpriced', { market: unpriced, limit: quoteText(limit, market.quote) }),
    numbers: {
      amount: formatUnits(amount),
      exposure: unpriced === null ? formatUnits(exposure) : null,
      limit: formatUnits(limit),
    },
  };
}

/**
 * Returns the holding of a coin by the market in which it was bought, so that limits on single markets count
 * it once. A coin bought in one market and sold in another is held in neither: the rest counts in the market
 * where more of it was bought, or sold. The base of the bridge counts in the bridge, plus the proceeds of
 * sales for it, less the cost of purchases with it, down to zero: a purchase with an amount that the account
 * had before makes no short position. `bridgeHeld`: the total of that base.
 */
export function positionIn(
  { symbol, base, quote }: MarketName,
  flowOf: (market: string) => MarketFlow,
  { marketNames, bridgeHeld }: { readonly marketNames: MarketNames; readonly bridgeHeld: Units },
): Units {
  const { position } = flowOf(symbol);
  const { bridge, symbolIn, otherQuote } = marketNames;
  if (symbol === bridge.market) return heldInBridge(position, subtractUnits(bridgeHeld, position));
  const other = flowOf(symbolIn(base, otherQuote(quote))).position;
  if (position > 0n === other > 0n || position === 0n || other === 0n) return position;
  const net = addUnits(position, other);
  return net > 0n === position > 0n ? net : NO_UNITS;
}

/** Returns the holding in the bridge, from what was bought in it and what came from other markets. */
function heldInBridge(bought: Units, came: Units): Units {
  const net = addUnits(bought, came);
  if (net >= 0n) return net;
  if (bought >= 0n) return NO_UNITS;
  return net > bought ? net : bought;
}
