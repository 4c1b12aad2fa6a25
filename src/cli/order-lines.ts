import { formatUnits, type Units } from '../domain/money.ts';
import { clockText } from '../domain/time-text.ts';
import type { FillRecord } from '../records/fill.ts';
import type { VenueOrderId } from '../domain/order.ts';
import type { OrderRecord } from '../records/order.ts';
import { tableLines, type TableColumn } from './table.ts';
import { reasonText } from './reason-text.ts';

const ORDER_COLUMNS: readonly TableColumn[] = [
  'time (UTC)',
  'order',
  'strategy',
  'market',
  'side',
  'type',
  '>price',
  '>stop',
  '>amount',
  '>filled',
  'state',
  'note',
];

/** Units for people; nothing where there are none. */
export const unitsText = (units: Units | null): string => (units === null ? '' : formatUnits(units));

/** A table of orders, one a line. */
export function orderLines(orders: readonly OrderRecord[], nowMs: number): string[] {
  const rows = orders.map((order) => [
    clockText(order.plannedAtMs, nowMs),
    order.key,
    order.strategy,
    order.market,
    order.side,
    order.execution,
    order.price === null ? 'market' : formatUnits(order.price),
    unitsText(order.stopPrice),
    formatUnits(order.amount),
    formatUnits(order.filled),
    order.state,
    [order.exit ?? '', order.tag ?? '', reasonText(order.reason)].filter((note) => note !== '').join(', '),
  ]);
  return tableLines(ORDER_COLUMNS, rows);
}

const FILL_COLUMNS: readonly TableColumn[] = [
  'time (UTC)',
  '>trade',
  'strategy',
  'market',
  'side',
  '>price',
  '>amount',
  '>total',
  '>fee',
  'order',
];

/** Names of orders that were placed by hand, by their ids at the venue. */
type ManualOrders = ReadonlyMap<VenueOrderId, string>;

/** The name of the order by hand that a trade is of; null where it is of none. */
export function manualNameOf({ venueOrderId }: FillRecord, manual: ManualOrders): string | null {
  return venueOrderId === null ? null : (manual.get(venueOrderId) ?? null);
}

/**
 * A table of the account's trades, one a line. Those of orders by hand are manual, and any others that no
 * order of ours made are foreign.
 */
export function fillLines(
  fills: readonly FillRecord[],
  { nowMs, manual }: { readonly nowMs: number; readonly manual: ManualOrders },
): string[] {
  const rows = fills.map((fill) => {
    const byHand = manualNameOf(fill, manual);
    return [
      clockText(fill.atMs, nowMs),
      String(fill.tradeId),
      fill.strategy ?? (byHand === null ? '(foreign)' : '(manual)'),
      fill.market,
      fill.side,
      formatUnits(fill.price),
      formatUnits(fill.amount),
      formatUnits(fill.total),
      formatUnits(fill.fee),
      fill.orderKey ?? byHand ?? (fill.venueOrderId === null ? '' : `(${fill.venueOrderId})`),
    ];
  });
  return tableLines(FILL_COLUMNS, rows);
}
