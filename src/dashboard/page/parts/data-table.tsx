import type { ComponentChildren } from 'preact';
import { say } from '../say.ts';
import { capitalised } from '../shown.ts';
import { WithCode } from './words.tsx';

type Says = Parameters<typeof say>[0];

/** Numbers end their column, short text is not broken, a title heads a phone's card, long may be left out. */
type ColumnFlag = 'number' | 'short' | 'title' | 'long';

export interface DataColumn<Row> {
  readonly says: Says;
  readonly cell: (row: Row) => ComponentChildren;
  readonly flags: readonly ColumnFlag[];
}

export const column = <Row,>(
  says: Says,
  cell: (row: Row) => ComponentChildren,
  ...flags: readonly ColumnFlag[]
): DataColumn<Row> => ({ says, cell, flags });

/** The texts of heads have no places. */
const headOf = (says: Says): string => capitalised(say(says as 'column.state'));

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
  readonly columns: readonly DataColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
}

/**
 * A table that is a list of cards on a phone. Roles are written out, since cards are no table to a browser.
 */
export function DataTable<Row>({ label, columns, rows, keyOf, empty }: DataTableProps<Row>) {
  if (rows.length === 0)
    return (
      <p class="empty">
        <WithCode text={empty} />
      </p>
    );
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label={label}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ says, flags }) => (
              <th key={says} role="columnheader" scope="col" class={flags.includes('number') ? 'number' : ''}>
                {headOf(says)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={keyOf(row)}>
              {columns.map(({ says, cell, flags }) => (
                <td key={says} role="cell" data-head={headOf(says)} class={flags.join(' ')}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
