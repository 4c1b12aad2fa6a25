import type { VenueOrder } from '../../../src/domain/order.ts';
import type { VenueTrade } from '../../../src/domain/trade.ts';
import type { Page, VenueCallKind, WalletReading, WalletTransaction } from '../../../src/venues/port.ts';
import type { EngineWorld } from './engine-world.ts';

/**
 * Has so many replies to questions of a kind say something else than the exchange has; then it is right
 * again.
 */
function wrongly<Value>(
  world: EngineWorld,
  { kind, times }: { readonly kind: VenueCallKind; readonly times: number },
  change: (value: Value) => Value,
): void {
  const { venue } = world;
  const read = venue.read.bind(venue);
  let left = times;
  venue.read = (call) => {
    const value = read(call);
    if (call.kind !== kind || left === 0 || value === undefined) return value;
    const wrong = change(structuredClone(value) as Value);
    if (JSON.stringify(wrong) === JSON.stringify(value)) return value;
    left -= 1;
    return wrong as typeof value;
  };
}

/** The same for the first record of a list of orders that has any. */
export function wrongOrders(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<Page<VenueOrder>>(world, { kind: 'orders', times }, ({ items, hasNext }) => ({
    items: items.map((order, index) => (index === 0 ? { ...order, ...changed } : order)),
    hasNext,
  }));
}

/** The same for an order that is asked for by itself. */
export function wrongOrder(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<VenueOrder>(world, { kind: 'order', times }, (order) => ({ ...order, ...changed }));
}

/** And of a list of trades. */
export function wrongTrades(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<Page<VenueTrade>>(world, { kind: 'trades', times }, ({ items, hasNext }) => ({
    items: items.map((trade, index) => (index === 0 ? { ...trade, ...changed } : trade)),
    hasNext,
  }));
}

/** And of one wallet. */
export function wrongWallets(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<readonly WalletReading[]>(world, { kind: 'wallets', times }, (wallets) =>
    wallets.map((wallet, index) => (index === 0 ? { ...wallet, ...changed } : wallet)),
  );
}

/** So many readings of orders, in lists and by themselves, lack fields of every record. */
export function withoutFields(
  world: EngineWorld,
  times: number,
  lacking: Readonly<Record<string, null>>,
): void {
  wrongly<Page<VenueOrder>>(world, { kind: 'orders', times }, ({ items, hasNext }) => ({
    items: items.map((order) => ({ ...order, ...lacking })),
    hasNext,
  }));
  wrongly<VenueOrder>(world, { kind: 'order', times }, (order) => ({ ...order, ...lacking }));
}

/** So many readings of a wallet's history are older than its newest line. */
export function withoutNewestLine(world: EngineWorld, times: number): void {
  wrongly<Page<WalletTransaction>>(world, { kind: 'transactions', times }, ({ items, hasNext }) => ({
    items: items.slice(1),
    hasNext,
  }));
}

/** So many readings of trades that have one alone say that more pages follow. */
export function fullOfOneTrade(world: EngineWorld, times: number): void {
  wrongly<Page<VenueTrade>>(world, { kind: 'trades', times }, ({ items, hasNext }) => ({
    items,
    hasNext: items.length === 1 || hasNext,
  }));
}
