import { formatUnits, type Units } from '../domain/money.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import { tableLines, type Column } from './table.ts';
import { clockText } from '../domain/time-text.ts';

const COLUMNS: readonly Column[] = [
  { title: 'time (UTC)' },
  { title: 'order' },
  { title: 'strategy' },
  { title: 'market' },
  { title: 'side' },
  { title: 'type' },
  { title: 'price', align: 'right' },
  { title: 'stop', align: 'right' },
  { title: 'amount', align: 'right' },
  { title: 'filled', align: 'right' },
  { title: 'state' },
  { title: 'note' },
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
    [order.tag, order.reason].filter((note) => note !== null).join(', '),
  ]);
  return tableLines(COLUMNS, rows);
}
