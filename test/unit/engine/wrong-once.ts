import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { VenueOrder } from '../../../src/domain/order.ts';
import { tooFineIn, unitsAbout } from '../../../src/domain/money.ts';
import { writeUnits } from '../../../src/domain/stored-json.ts';
import type { VenueTrade } from '../../../src/domain/trade.ts';
import type { Page, VenueCallKind, WalletReading, WalletTransaction } from '../../../src/venues/port.ts';
import type { EngineWorld } from './engine-world.ts';

/** Fields of records that have money. */
const MONEY: ReadonlySet<string> = new Set([
  'price',
  'stopPrice',
  'amount',
  'matchedAmount',
  'unmatchedAmount',
  'total',
  'orderTotal',
  'fee',
  'averagePrice',
  'held',
]);

/** Changes as a venue reads them from the wire: decimal texts of money as units. */
function inUnits(changed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const texts = Object.entries(changed).flatMap(([field, value]) =>
    MONEY.has(field) && typeof value === 'string' ? [[field, decimalText(value)] as const] : [],
  );
  const units = texts.map(([field, text]) => [field, unitsAbout(text)]);
  const tooFine = tooFineIn(Object.fromEntries(texts));
  return { ...changed, ...Object.fromEntries(units), ...(tooFine === null ? {} : { tooFine }) };
}

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
    if (JSON.stringify(wrong, writeUnits) === JSON.stringify(value, writeUnits)) return value;
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
    items: items.map((order, index) => (index === 0 ? { ...order, ...inUnits(changed) } : order)),
    hasNext,
  }));
}

/** The same for an order that is asked for by itself. */
export function wrongOrder(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<VenueOrder>(world, { kind: 'order', times }, (order) => ({ ...order, ...inUnits(changed) }));
}

/** And of a list of trades. */
export function wrongTrades(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<Page<VenueTrade>>(world, { kind: 'trades', times }, ({ items, hasNext }) => ({
    items: items.map((trade, index) => (index === 0 ? { ...trade, ...inUnits(changed) } : trade)),
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
    wallets.map((wallet, index) => (index === 0 ? { ...wallet, ...inUnits(changed) } : wallet)),
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
