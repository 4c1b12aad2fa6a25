import { type MarketState, SimulatedOrder, type WalletPair, type Trader } from './market-state.ts';
import type { Placement } from './trading/order-plan.ts';

/**
 * The orders of an accepted placement, with their money set aside. Of an OCO the first holds for both: the
 * dearer of the two. A market buy may hold less than its band asks for: all that is free.
 */
export function createOrders(
  placement: Placement,
  of: {
    readonly trader: Trader;
    readonly market: MarketState;
    readonly wallets: WalletPair;
    readonly createdAtMs: number;
    readonly firstId: number;
  },
): readonly SimulatedOrder[] {
  const first = new SimulatedOrder(of.firstId, placement.first, of);
  let { hold } = placement.first;
  if (placement.second !== null && placement.second.hold > hold) hold = placement.second.hold;
  const { payingWallet } = first;
  const { free } = payingWallet;
  first.held = hold < free ? hold : free;
  payingWallet.hold(first.held);
  if (placement.second === null) return [first];
  const second = new SimulatedOrder(of.firstId + 1, placement.second, of);
  first.pair = second;
  second.pair = first;
  return [first, second];
}
