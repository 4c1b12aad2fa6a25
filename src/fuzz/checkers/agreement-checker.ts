import { formatUnits, parseUnits } from '../../domain/money.ts';
import {
  type ExchangeTruth,
  type TrueFill,
  type TrueOrder,
  type MirrorFill,
  type MirrorRows,
  type MirrorOrder,
  namedOrders,
  NONE_REFUSED,
  ownKeyOf,
  placedNameOf,
  violationsOf,
  type Violation,
} from './exchange-truth.ts';

const LIVE: ReadonlySet<string> = new Set(['open', 'cancelling']);
const FINAL: ReadonlySet<string> = new Set(['filled', 'cancelled', 'rejected']);

interface AgreementOptions {
  /** First part of the bot's order ids. */
  readonly instance: string;
  /** Names of orders that the bot saw refused. */
  readonly refused?: ReadonlySet<string>;
}

/**
 * Checks that nothing was lost: once all is quiet, the mirror has every order and fill of the bot exactly
 * once, as the exchange has it, no others, and the same balances. An order with a false refusal is included,
 * unless it ended without a trace.
 */
export function checkAgreement(
  truth: ExchangeTruth,
  rows: MirrorRows,
  options: AgreementOptions,
): readonly Violation[] {
  return [
    ...violationsOf('orders agree', orderMessages(truth, rows, options)),
    ...violationsOf('fills agree', fillMessages(truth, rows, options)),
    ...violationsOf('balances agree', balanceMessages(truth, rows)),
  ];
}

function orderMessages(
  truth: ExchangeTruth,
  rows: MirrorRows,
  { instance, refused = NONE_REFUSED }: AgreementOptions,
): readonly string[] {
  const messages: string[] = [];
  const byId = new Map(truth.orders.map((order) => [order.id, order]));
  const rowOf = new Map(rows.orders.map((row) => [row.key, row]));
  const seen = new Set<string>();
  for (const order of truth.orders) {
    const key = ownKeyOf(order, byId, instance);
    if (key === null) continue;
    seen.add(key);
    const row = rowOf.get(key);
    const isTraceless = !order.isOpen && order.matched === 0n && refused.has(placedNameOf(key));
    if (isTraceless && (row === undefined || row.state === 'rejected')) continue;
    messages.push(
      ...(row === undefined
        ? [`expected order ${order.id} (${key}) in the mirror, it is not there`]
        : orderDifferences(order, row)),
    );
  }
  for (const row of rows.orders) {
    if (seen.has(row.key) || row.state === 'rejected') continue;
    messages.push(
      `expected ${row.key}, which is ${row.state} in the mirror, at the exchange, it never was there`,
    );
  }
  return messages;
}

function orderDifferences(order: TrueOrder, row: MirrorOrder): readonly string[] {
  const name = `order ${order.id} (${row.key})`;
  const messages: string[] = [];
  if (order.isOpen !== LIVE.has(row.state) || order.isOpen === FINAL.has(row.state))
    messages.push(`${name} is ${order.status} at the exchange and ${row.state} in the mirror`);
  if (row.state === 'rejected') messages.push(`${name} is rejected in the mirror, the exchange has it`);
  if (row.venueId !== String(order.id)) messages.push(`${name} has the id ${row.venueId} in the mirror`);
  if (parseUnits(row.amount) !== order.amount)
    messages.push(
      `${name} has the amount ${formatUnits(order.amount)} at the exchange and ${row.amount} in the mirror`,
    );
  if (parseUnits(row.matched) !== order.matched || parseUnits(row.filled) !== order.matched)
    messages.push(
      `${name} matched ${formatUnits(order.matched)} at the exchange, in the mirror ${row.matched}, filled ${row.filled}`,
    );
  return messages;
}

/** Returns a name for a side of an order, by which its fills are compared: the exchange changes their ids. */
const sideOf = (orderId: number | string | null, side: string): string => `order ${orderId} (${side})`;

const textOf = (fill: Pick<TrueFill, 'amount' | 'total' | 'fee'>): string =>
  `${formatUnits(fill.amount)} for ${formatUnits(fill.total)} with a fee of ${formatUnits(fill.fee)}`;

/** Returns the numbers of a mirror's fill in the exchange's units. */
function unitsOf({ amount, total, fee }: MirrorFill): Pick<TrueFill, 'amount' | 'total' | 'fee'> {
  return { amount: parseUnits(amount), total: parseUnits(total), fee: parseUnits(fee) };
}

function fillMessages(
  truth: ExchangeTruth,
  rows: MirrorRows,
  { instance }: AgreementOptions,
): readonly string[] {
  const messages: string[] = [];
  const own = new Set(namedOrders(truth, instance).map(({ order }) => order.id));
  const stored = Map.groupBy(rows.fills, (row) => sideOf(row.venueOrderId, row.side));
  const real = Map.groupBy(truth.fills, (fill) => sideOf(fill.orderId, fill.side));
  for (const [name, fills] of real) messages.push(...differences(name, fills, stored.get(name) ?? [], own));
  for (const name of stored.keys())
    if (!real.has(name))
      messages.push(`expected fills of ${name} of the mirror at the exchange, there were none`);
  return messages;
}

/** Returns the sums of some fills. */
function sumOf(
  fills: readonly Pick<TrueFill, 'amount' | 'total' | 'fee'>[],
): Pick<TrueFill, 'amount' | 'total' | 'fee'> {
  const sum = (field: 'amount' | 'total' | 'fee'): bigint =>
    fills.reduce((all, fill) => all + fill[field], 0n);
  return { amount: sum('amount'), total: sum('total'), fee: sum('fee') };
}

/**
 * Describes how an order's fills differ: each fill of the exchange must be there once, and no other. A
 * placeholder must equal the sum of those that are missing, to the last digit.
 */
function differences(
  name: string,
  fills: readonly TrueFill[],
  found: readonly MirrorFill[],
  own: ReadonlySet<number>,
): readonly string[] {
  const left = found.map((row) => ({ tradeId: row.tradeId, text: textOf(unitsOf(row)) }));
  const unread = fills.filter((fill) => {
    const place = left.findIndex(({ tradeId, text }) => text === textOf(fill) && !isPlaceholder(tradeId));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  // Nobody learns of a trade of others that no list shows any more: lines of the wallet explain it.
  const missing = unread.filter(({ orderId, isUnlisted }) => isUnlisted !== true || own.has(orderId));
  const [only] = left;
  const stands = left.length === 1 && only !== undefined && isPlaceholder(only.tradeId);
  if (stands && missing.length > 0 && only.text === textOf(sumOf(missing))) return [];
  const extra = left.map(
    ({ tradeId, text }) =>
      `expected fill ${tradeId} of ${name} of the mirror, ${text}, once at the exchange, it is not`,
  );
  return [
    ...missing.map(
      (fill) => `expected fill ${fill.tradeId} of ${name} in the mirror, ${textOf(fill)}: it is not there`,
    ),
    ...extra,
  ];
}

const isPlaceholder = (tradeId: string): boolean => tradeId.startsWith('placeholder ');

function balanceMessages(truth: ExchangeTruth, rows: MirrorRows): readonly string[] {
  const stored = new Map(rows.balances.map((row) => [row.currency, row]));
  return [...truth.balances].flatMap(([currency, { total, held }]) => {
    const row = stored.get(currency);
    if (row === undefined)
      return total === 0n ? [] : [`expected a balance of ${currency} in the mirror, there is none`];
    if (parseUnits(row.total) === total && parseUnits(row.held) === held) return [];
    return [
      `${currency}: ${formatUnits(total)}, held ${formatUnits(held)} at the exchange; ${row.total}, held ${row.held} in the mirror`,
    ];
  });
}
