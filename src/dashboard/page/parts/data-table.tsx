import type { ComponentChildren } from 'preact';
import { textOf, type TextKey } from '../translate.ts';
import { Table, type Sorting, type ShownColumn } from '../../../page/table.tsx';
import { capitalised } from '../shown.ts';
import { WithCode, Button } from './words.tsx';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { withQuery } from '../api.ts';
import { useReply } from '../use-reply.ts';
import { WithReply } from './panel.tsx';

export type DataColumn<Row> = ShownColumn<Row>;

/** Style of a column: numbers align right, short text does not wrap, a title heads the card on a phone. */
type ColumnFlag = 'number' | 'short' | 'title';

export const column = <Row,>(
  text: TextKey,
  cell: (row: Row) => ComponentChildren,
  ...flags: readonly ColumnFlag[]
): ShownColumn<Row> => ({ head: capitalised(textOf(text)), cell, flags });

/** Shows one figure of a list with its label. */
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
      <dt>{textOf(text)}</dt>
      <dd class={name}>{children}</dd>
    </div>
  );
}

interface DataTableProps<Row> {
  readonly label: TextKey;
  /** Label to use if the text of the label needs values. */
  readonly labelText?: string;
  readonly columns: readonly ShownColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty: TextKey;
  readonly sorting?: Sorting | undefined;
}

export function DataTable<Row>({
  label,
  labelText = textOf(label),
  columns,
  rows,
  keyOf,
  empty,
  sorting,
}: DataTableProps<Row>) {
  if (rows.length === 0)
    return (
      <p class="empty">
        <WithCode text={textOf(empty)} />
      </p>
    );
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label={labelText}>
      <Table aria-label={labelText} columns={columns} rows={rows} keyOf={keyOf} sorting={sorting} />
    </div>
  );
}

interface PageOf<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

interface PagedListProps<Item, Page extends PageOf<Item>> {
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly label: TextKey;
  readonly empty: TextKey;
  readonly columns: readonly DataColumn<Item>[];
  readonly keyOf: (item: Item) => string;
  readonly sorting?: Sorting;
  /** Shortest interval of reads, in ms. */
  readonly pauseMs?: number;
  /** Shows more of the reply above the list. */
  readonly above?: (reply: Page) => ComponentChildren;
  /** Returns the rows to show for the items of a page; the items themselves if left out. */
  readonly shownOf?: (items: readonly Item[]) => readonly Item[];
}

const FIRST_ROWS = 50;
/** Maximum number of rows in a reply of the server. */
const MOST_ROWS = 500;

/**
 * Shows a list, newest first. It grows up to the rows of one page, and is then paged. What is shown is always
 * one reply, so that no row is missing between two of them and none is older than the rest.
 */
export function PagedList<Item, Page extends PageOf<Item> = PageOf<Item>>({
  path,
  query,
  above,
  shownOf,
  pauseMs,
  ...table
}: PagedListProps<Item, Page>) {
  const place = useSignal<{ readonly limit: number; readonly before?: string }>({ limit: FIRST_ROWS });
  const filter = withQuery(path, query);
  useEffect(() => {
    place.value = { limit: FIRST_ROWS };
  }, [filter]);
  const reply = useReply<Page>(withQuery(path, { ...query, ...place.value }), pauseMs);
  const { limit, before } = place.value;
  return (
    <WithReply reply={reply.value}>
      {(page) => (
        <>
          {above?.(page)}
          <DataTable rows={shownOf?.(page.items) ?? page.items} {...table} />
          <p class="pages">
            {before === undefined ? null : (
              <Button text="list.newest" onClick={() => (place.value = { limit: FIRST_ROWS })} />
            )}
            {page.next === null ? null : (
              <Button
                text="list.older"
                onClick={() =>
                  (place.value =
                    limit < MOST_ROWS ? { limit: MOST_ROWS } : { limit, before: page.next ?? '' })
                }
              />
            )}
          </p>
        </>
      )}
    </WithReply>
  );
}
