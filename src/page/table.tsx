import type { ComponentChildren, HTMLAttributes } from 'preact';

export interface ShownColumn<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Classes of the column's cells; its head gets only `number`. */
  readonly flags?: readonly string[];
  /** Returns the class of a row's cell. */
  readonly classOf?: (row: Row) => string;
}

/** Sorting by a click on a head. */
export interface Sorting {
  readonly column: number;
  readonly direction: number;
  readonly by: (column: number) => void;
}

/** Table that all pages use. Roles are explicit: on a phone rows are cards, which browsers call no table. */
export function Table<Row>({
  columns,
  rows,
  keyOf,
  rowProps,
  sorting,
  ...named
}: {
  readonly 'aria-label'?: string;
  readonly columns: readonly ShownColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly rowProps?: (row: Row) => HTMLAttributes<HTMLTableRowElement>;
  /** Absent if the table cannot be sorted. */
  readonly sorting?: Sorting | undefined;
}) {
  const orderOf = (index: number) =>
    index !== sorting?.column ? 'none' : sorting.direction === 1 ? 'ascending' : 'descending';
  return (
    <table role="table" {...named}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, flags = [] }, index) => (
            <th
              key={index}
              role="columnheader"
              scope="col"
              class={flags.includes('number') ? 'number' : ''}
              aria-sort={sorting && orderOf(index)}
            >
              {sorting ? (
                <button type="button" onClick={() => sorting.by(index)}>
                  {head}
                </button>
              ) : (
                head
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" key={keyOf(row)} {...rowProps?.(row)}>
            {columns.map(({ head, cell, flags = [], classOf }, index) => (
              <td key={index} role="cell" data-head={head} class={classOf?.(row) ?? flags.join(' ')}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
