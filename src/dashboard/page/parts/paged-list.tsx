import { Button } from './words.tsx';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { withQuery } from '../api.ts';
import { useReply } from '../use-reply.ts';
import { type DataColumn, DataTable } from './data-table.tsx';
import { WithReply } from './panel.tsx';

interface PageOf<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

interface PagedListProps<Item> {
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly label: string;
  readonly empty: string;
  readonly columns: readonly DataColumn<Item>[];
  readonly keyOf: (item: Item) => string;
}

const FIRST_ROWS = 50;
/** The most that the server gives at once. */
const MOST_ROWS = 500;

/**
 * A list, newest first. It grows to the most rows of a page, and then turns pages; what is shown is always
 * one reply, so that no row is missing between two of them and none is older than the rest.
 */
export function PagedList<Item>({ path, query, label, empty, columns, keyOf }: PagedListProps<Item>) {
  const place = useSignal<{ readonly limit: number; readonly before?: string }>({ limit: FIRST_ROWS });
  const filter = withQuery(path, query);
  useEffect(() => {
    place.value = { limit: FIRST_ROWS };
  }, [filter]);
  const reply = useReply<PageOf<Item>>(withQuery(path, { ...query, ...place.value }));
  const { limit, before } = place.value;
  return (
    <WithReply reply={reply.value}>
      {({ items, next }) => (
        <>
          <DataTable label={label} columns={columns} rows={items} keyOf={keyOf} empty={empty} />
          <p class="pages">
            {before === undefined ? null : (
              <Button text="list.newest" onClick={() => (place.value = { limit: FIRST_ROWS })} />
            )}
            {next === null ? null : (
              <Button
                text="list.older"
                onClick={() =>
                  (place.value = limit < MOST_ROWS ? { limit: MOST_ROWS } : { limit, before: next })
                }
              />
            )}
          </p>
        </>
      )}
    </WithReply>
  );
}
