import { formatUnits, type Units } from '../../domain/money.ts';
import type { Execution, Side } from '../../domain/order.ts';
import { sentence } from '../../language/sentence.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import {
  sayAmount,
  sayValue,
  type Objection,
  type RiskCheck,
  type SeenBook,
  type WantedOrder,
} from './risk-view.ts';

/**
 * Checks that the order could not trade with a live or planned one of this bot on the other side of the
 * market, of any strategy. An order that is being canceled counts until its end is seen. Exits are checked
 * too: trading with oneself is no exit. Cancel the other order first.
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
    if (order.side === 'buy' ? canMeet(own, other) : canMeet(other, own)) return objection(order, live);
  }
  return null;
};

function objection({ side, market, amount, price }: WantedOrder, live: OrderRecord): Objection {
  const say = (at: WantedOrder['price']): string => (at === null ? 'any price' : sayValue(at, market.quote));
  const livePrice = live.price ?? live.stopPrice;
  return {
    reason: sentence('risk-self-crossing', {
      side,
      amount: sayAmount(amount, market),
      price: say(price),
      otherSide: live.side,
      other: live.key,
      strategy: live.strategy,
      otherPrice: say(livePrice),
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
  /** Its worst: it may trade at this and all better ones. Null: at any. */
  readonly price: bigint | null;
  /** The stop price of a stop that sleeps; null for every other order. */
  readonly asleepAt: bigint | null;
}

/**
 * The exchange keeps an order without a price within one percent of the market price; the book that we know
 * is older than its own.
 */
const MARKET_REACH_BPS = 200n;
const BPS_OF_ALL = 10_000n;

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
