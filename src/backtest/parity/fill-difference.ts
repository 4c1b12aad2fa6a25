import type { Market } from '../../domain/market.ts';
import { formatUnits } from '../../domain/money.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { OrderRecord } from '../../execution/order-record.ts';
import type { Cause } from './difference.ts';

/** One order of a run with its fills, in the order of time. */
export interface FilledOrder {
  readonly order: OrderRecord;
  readonly fills: readonly FillRecord[];
}

export interface FillOptions {
  readonly market: Market | undefined;
  readonly toleranceMs: number;
}

/** How the fills of the same order differ between two runs; null where they do not. `atMs` is the first moment at which they do. */
export function fillDifference(
  session: FilledOrder,
  again: FilledOrder,
  options: FillOptions,
): { readonly cause: Cause; readonly atMs: number; readonly why: string } | null {
  const longest = Math.max(session.fills.length, again.fills.length);
  let rounded: number | null = null;
  for (let index = 0; index < longest; index += 1) {
    const left = session.fills[index];
    const right = again.fills[index];
    const atMs = Math.min(left?.atMs ?? Number.POSITIVE_INFINITY, right?.atMs ?? Number.POSITIVE_INFINITY);
    if (left === undefined || right === undefined) return { ...moved(session, again, options), atMs };
    const cause = causeOf(left, right, options);
    if (cause === 'rounding') rounded ??= atMs;
    else if (cause === 'queue') return { ...moved(session, again, options), atMs };
    else if (cause !== null) return { cause, atMs, why: WHY[cause] };
  }
  return rounded === null ? null : { cause: 'rounding', atMs: rounded, why: WHY.rounding };
}

/** The fills of an order in a few words. */
export function fillText({ order, fills }: FilledOrder): string {
  const { side, market, price } = order;
  const sum = (of: (fill: FillRecord) => bigint): string =>
    formatUnits(fills.reduce((all, fill) => all + of(fill), 0n));
  const at = price === null ? '' : ` at ${formatUnits(price)}`;
  return `${side} ${sum(({ amount }) => amount)} ${market}${at} in ${fills.length} fills, fee ${sum(({ fee }) => fee)}`;
}

const WHY = {
  'data age': 'a fill met another price',
  fee: 'the same fill cost another fee',
  rounding: 'less than a step or a unit',
} as const;

/** Another amount or moment at the same price: its place in the queue was another, or it came to it at another moment. */
function moved(
  { order: left }: FilledOrder,
  { order: right }: FilledOrder,
  { toleranceMs }: FillOptions,
): { readonly cause: 'queue' | 'latency'; readonly why: string } {
  const apartMs = Math.abs((left.sentAtMs ?? left.plannedAtMs) - (right.sentAtMs ?? right.plannedAtMs));
  return apartMs > toleranceMs
    ? { cause: 'latency', why: `sent ${apartMs} ms apart` }
    : { cause: 'queue', why: 'filled by another amount or at another moment, at the same price' };
}

function causeOf(
  left: FillRecord,
  right: FillRecord,
  { market, toleranceMs }: FillOptions,
): 'data age' | 'queue' | 'fee' | 'rounding' | null {
  const price = apart(left.price, right.price);
  const amount = apart(left.amount, right.amount);
  const fee = apart(left.fee, right.fee);
  if (price >= (market?.priceStep ?? 1n)) return 'data age';
  if (amount >= (market?.amountStep ?? 1n) || Math.abs(left.atMs - right.atMs) > toleranceMs) return 'queue';
  if (price > 0n || amount > 0n) return 'rounding';
  if (fee > 1n) return 'fee';
  return fee === 1n ? 'rounding' : null;
}

function apart(left: bigint, right: bigint): bigint {
  return left > right ? left - right : right - left;
}
