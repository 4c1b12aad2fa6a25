import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { VenueOrder } from '../../../src/domain/order.ts';
import { tooFineIn, unitsAbout } from '../../../src/domain/money.ts';
import { writeUnits } from '../../../src/domain/stored-json.ts';
import type { VenueTrade } from '../../../src/domain/trade.ts';
import type { Page, VenueCallKind, WalletReading, WalletTransaction } from '../../../src/venues/port.ts';
import type { EngineWorld } from './engine-world.ts';

/** Fields of records that hold money. */
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

/** Converts decimal texts of money to units, as a venue does when it reads a reply. */
function inUnits(changed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const texts = Object.entries(changed).flatMap(([field, value]) =>
    MONEY.has(field) && typeof value === 'string' ? [[field, decimalText(value)] as const] : [],
  );
  const units = texts.map(([field, text]) => [field, unitsAbout(text)]);
  const tooFine = tooFineIn(Object.fromEntries(texts));
  return { ...changed, ...Object.fromEntries(units), ...(tooFine === null ? {} : { tooFine }) };
}

/** Changes the next `times` replies to a kind of call; the replies after them are right again. */
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

/** Changes fields of the first order in the next `times` lists of orders. */
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

/** Changes fields of an order in the next `times` look-ups of a single order. */
export function wrongOrder(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<VenueOrder>(world, { kind: 'order', times }, (order) => ({ ...order, ...inUnits(changed) }));
}

/** Changes fields of the first trade in the next `times` lists of trades. */
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

/** Changes fields of the first wallet in the next `times` readings of wallets. */
export function wrongWallets(
  world: EngineWorld,
  times: number,
  changed: Readonly<Record<string, unknown>>,
): void {
  wrongly<readonly WalletReading[]>(world, { kind: 'wallets', times }, (wallets) =>
    wallets.map((wallet, index) => (index === 0 ? { ...wallet, ...inUnits(changed) } : wallet)),
  );
}

/** Drops fields of all orders in the next `times` lists, and in the next `times` look-ups. */
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

/** Drops the newest line from the next `times` readings of a wallet's history. */
export function withoutNewestLine(world: EngineWorld, times: number): void {
  wrongly<Page<WalletTransaction>>(world, { kind: 'transactions', times }, ({ items, hasNext }) => ({
    items: items.slice(1),
    hasNext,
  }));
}

/** Lets the next `times` lists of trades say that more pages follow after a page with a single trade. */
export function fullOfOneTrade(world: EngineWorld, times: number): void {
  wrongly<Page<VenueTrade>>(world, { kind: 'trades', times }, ({ items, hasNext }) => ({
    items,
    hasNext: items.length === 1 || hasNext,
  }));
}
