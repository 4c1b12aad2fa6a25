import type { ComponentChildren } from 'preact';
import { say } from '../say.ts';
import { Table, type ShownColumn } from '../../../page/table.tsx';
import { capitalised } from '../shown.ts';
import { WithCode } from './words.tsx';

type Says = Parameters<typeof say>[0];

export type DataColumn<Row> = ShownColumn<Row>;

/** Numbers end their column, short text is not broken, and a title heads the card of a phone. */
type ColumnFlag = 'number' | 'short' | 'title';

export const column = <Row,>(
  says: Says,
  cell: (row: Row) => ComponentChildren,
  ...flags: readonly ColumnFlag[]
): ShownColumn<Row> => ({ head: capitalised(say(says as 'column.state')), cell, flags });

/** One figure of a list, by the text that names it. */
export function NamedFigure({
  says,
  class: name,
  children,
}: {
  readonly says: Says;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <dt>{say(says as 'column.state')}</dt>
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
