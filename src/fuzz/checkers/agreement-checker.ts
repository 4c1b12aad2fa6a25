import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { ExchangeTruth, TrueFill, TrueOrder } from './exchange-truth.ts';
import type { MirrorFill, MirrorRows, MirrorOrder } from './mirror-rows.ts';
import { NONE_REFUSED, ownKeyOf, placedNameOf } from './own-key.ts';
import { violationsOf, type Violation } from './violation.ts';

const LIVE: ReadonlySet<string> = new Set(['open', 'cancelling']);
const FINAL: ReadonlySet<string> = new Set(['filled', 'cancelled', 'rejected']);

export interface AgreementOptions {
  /** The first part of our ids. */
  readonly instance: string;
  /** Names of orders whose refusal the bot received. */
  readonly refused?: ReadonlySet<string>;
}

/**
 * Never lost: once all is quiet, the mirror has every order and every fill of ours exactly once and as the
 * exchange has it, has none that the exchange does not have, and has the same balances. An order with a wrong
 * refusal is there all the same, unless it ended without a trace.
 */
export function checkAgreement(
  truth: ExchangeTruth,
  rows: MirrorRows,
  options: AgreementOptions,
): readonly Violation[] {
  return [
    ...violationsOf('orders agree', orderMessages(truth, rows, options)),
    ...violationsOf('fills agree', fillMessages(truth, rows)),
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
  if (order.isOpen !== LIVE.has(row.state) || order.isOpen === FINAL.has(row.state)) {
    messages.push(`${name} is ${order.status} at the exchange and ${row.state} in the mirror`);
  }
  if (row.state === 'rejected') messages.push(`${name} is rejected in the mirror, the exchange has it`);
  if (row.venueId !== String(order.id)) messages.push(`${name} has the id ${row.venueId} in the mirror`);
  if (parseUnits(row.amount) !== order.amount) {
    messages.push(
      `${name} has the amount ${formatUnits(order.amount)} at the exchange and ${row.amount} in the mirror`,
    );
  }
  if (parseUnits(row.matched) !== order.matched || parseUnits(row.filled) !== order.matched) {
    messages.push(
      `${name} matched ${formatUnits(order.matched)} at the exchange, in the mirror ${row.matched}, filled ${row.filled}`,
    );
  }
  return messages;
}

/** The mirror has ids as text, the exchange as numbers. */
function nameOf(
  fill: { readonly tradeId: number | string; readonly side: string },
  orderId: number | string | null,
): string {
  return `${fill.tradeId} of order ${orderId} (${fill.side})`;
}

function fillMessages(truth: ExchangeTruth, rows: MirrorRows): readonly string[] {
  const messages: string[] = [];
  const stored = Map.groupBy(rows.fills, (row) => nameOf(row, row.venueOrderId));
  const names = new Set<string>();
  for (const fill of truth.fills) {
    const name = nameOf(fill, fill.orderId);
    names.add(name);
    const found = stored.get(name) ?? [];
    const [row] = found;
    if (row === undefined) messages.push(`expected fill ${name} in the mirror, it is not there`);
    else if (found.length > 1)
      messages.push(`expected fill ${name} once in the mirror, it is there ${found.length} times`);
    else messages.push(...fillDifferences(name, fill, row));
  }
  for (const name of stored.keys()) {
    if (!names.has(name))
      messages.push(`expected fill ${name} of the mirror at the exchange, it never was there`);
  }
  return messages;
}

function fillDifferences(name: string, fill: TrueFill, row: MirrorFill): readonly string[] {
  const fields = ['amount', 'total', 'fee'] as const;
  return fields
    .filter((field) => parseUnits(row[field]) !== fill[field])
    .map(
      (field) =>
        `fill ${name}: ${field} is ${formatUnits(fill[field])} at the exchange and ${row[field]} in the mirror`,
    );
}

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
