import type { ComponentChildren } from 'preact';
import { t } from '../translate.ts';
import { Table, type ShownColumn } from '../../../page/table.tsx';
import { capitalised } from '../shown.ts';
import { WithCode } from './words.tsx';

type TextKey = Parameters<typeof t>[0];

export type DataColumn<Row> = ShownColumn<Row>;

/** Numbers end their column, short text is not broken, and a title heads the card of a phone. */
type ColumnFlag = 'number' | 'short' | 'title';

export const column = <Row,>(
  text: TextKey,
  cell: (row: Row) => ComponentChildren,
  ...flags: readonly ColumnFlag[]
): ShownColumn<Row> => ({ head: capitalised(t(text as 'column.state')), cell, flags });

/** One figure of a list, by the text that names it. */
export function NamedFigure({
  text,
  class: name,
  children,
}: {
  readonly text: TextKey;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{t(text as 'column.state')}</dt>
      <dd class={name}>{children}</dd>
    </div>
  );
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly ShownColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
}

export function DataTable<Row>({ label, columns, rows, keyOf, empty }: DataTableProps<Row>) {
  if (rows.length === 0)
    return (
      <p class="empty">
        <WithCode text={empty} />
      </p>
    );
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label} columns={columns} rows={rows} keyOf={keyOf} />
    </div>
  );
}
