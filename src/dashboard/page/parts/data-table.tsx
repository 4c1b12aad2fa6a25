import type { ComponentChildren } from 'preact';
import { capitalised } from '../shown.ts';
import { WithCode } from './words.tsx';

/** One column of a table. */
export interface DataColumn<Row> {
  readonly key: string;
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the end of their column, digits below digits. */
  readonly isNumber?: boolean;
  /** True for text better not broken into lines, such as a time. */
  readonly isShort?: boolean;
  /** True if this names the row: it is the title of the card on a phone. */
  readonly isTitle?: boolean;
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
            {columns.map(({ key, head, isNumber }) => (
              <th key={key} role="columnheader" scope="col" class={isNumber === true ? 'number' : ''}>
                {capitalised(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={keyOf(row)}>
              {columns.map(({ key, head, cell, isNumber, isShort, isTitle }) => (
                <td
                  key={key}
                  role="cell"
                  data-head={capitalised(head)}
                  class={[
                    isNumber === true && 'number',
                    isShort === true && 'short',
                    isTitle === true && 'title',
                  ]
                    .filter((name) => name !== false)
                    .join(' ')}
                >
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
