import { formatUnits } from '../domain/money.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { tableLines, type Column } from './table.ts';
import { clockText } from '../domain/time-text.ts';

const COLUMNS: readonly Column[] = [
  { title: 'time (UTC)' },
  { title: 'trade', align: 'right' },
  { title: 'strategy' },
  { title: 'market' },
  { title: 'side' },
  { title: 'price', align: 'right' },
  { title: 'amount', align: 'right' },
  { title: 'total', align: 'right' },
  { title: 'fee', align: 'right' },
  { title: 'order' },
];

/** A table of the account's trades, one a line. Those of orders by hand are manual, and any others that no order of ours made are foreign. */
export function fillLines(
  fills: readonly FillRecord[],
  { nowMs, manual }: { readonly nowMs: number; readonly manual: ReadonlyMap<number, string> },
): string[] {
  const rows = fills.map((fill) => {
    const byHand = manual.get(fill.venueOrderId ?? 0);
    return [
      clockText(fill.atMs, nowMs),
      String(fill.tradeId),
      fill.strategy ?? (byHand === undefined ? '(foreign)' : '(manual)'),
      fill.market,
      fill.side,
      formatUnits(fill.price),
      formatUnits(fill.amount),
      formatUnits(fill.total),
      formatUnits(fill.fee),
      fill.orderKey ?? byHand ?? (fill.venueOrderId === null ? '' : `(${fill.venueOrderId})`),
    ];
  });
  return tableLines(COLUMNS, rows);
}
