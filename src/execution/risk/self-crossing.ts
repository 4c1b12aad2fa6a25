import { formatUnits } from '../../domain/money.ts';
import { mayTrade, type OrderRecord } from '../order-record.ts';
import { canMeet, reachOf, type Reach } from './crossing-reach.ts';
import type { RiskCheck } from './risk-check.ts';
import type { RiskRefusal, WantedOrder } from './risk-view.ts';
import { sayAmount, sayValue } from './say-units.ts';

/**
 * Whether the order could trade with a live or planned one of this bot on the other side of the market, whichever strategy has it. An order that is
 * being canceled counts until its end is seen. Ways out are looked at too: trading with oneself is none. Cancel the other order first.
 */
export const checkSelfCrossing: RiskCheck = ({ order, book, liveOrders }, { refuseSelfCrossing }) => {
  if (!refuseSelfCrossing) return null;
  let own: Reach | null = null;
  for (const live of liveOrders) {
    if (live.side === order.side || live.market !== order.market.symbol) continue;
    if (live.state !== 'planned' && !mayTrade(live)) continue;
    own ??= reachOf(order, book);
    const other = reachOf(live, book);
    if (order.side === 'buy' ? canMeet(own, other) : canMeet(other, own)) return refusal(order, live);
  }
  return null;
};

function refusal({ side, market, amount, price }: WantedOrder, live: OrderRecord): RiskRefusal {
  const say = (at: WantedOrder['price']): string => (at === null ? 'any price' : sayValue(at, market.quote));
  const livePrice = live.price ?? live.stopPrice;
  return {
    check: 'self-crossing',
    reason: `the ${side} of ${sayAmount(amount, market)} at ${say(price)} could trade with the own ${live.side} ${live.key} of strategy ${live.strategy} at ${say(livePrice)}`,
    numbers: {
      price: price === null ? null : formatUnits(price),
      otherOrder: live.key,
      otherPrice: livePrice === null ? null : formatUnits(livePrice),
    },
  };
}
