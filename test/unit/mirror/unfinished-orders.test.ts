import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { ORDER_STATES } from '../../../src/domain/order.ts';
import type { OrderState } from '../../../src/records/order.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { DURABLE, MirrorFolder, orderRecord } from './mirror-fixture.ts';

test('orders of each state are found, and those that are not final', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  store.apply(
    ORDER_STATES.map((state) => ({ kind: 'order', order: orderRecord({ key: state, state }) })),
    DURABLE,
  );
  store.close();
  const reader = new MirrorReader(mirror.path);
  const keysOf = (state: OrderState | 'open' | 'all', last = 100): readonly string[] =>
    reader.orders({ state, strategy: null, market: null, last }).map(({ key }) => key);
  expect(keysOf('open')).toEqual(ORDER_STATES.slice(0, 6));
  expect(keysOf('open', 2)).toEqual(['cancelling', 'settling']);
  expect(keysOf('all')).toEqual(ORDER_STATES);
  for (const state of ORDER_STATES.filter((one) => one !== 'open')) expect(keysOf(state)).toEqual([state]);
  reader.close();
});

test.each(['open', 'unknown'] as const)('no order at its end is looked at for those that are %s', (state) => {
  using mirror = new MirrorFolder();
  mirror.open().close();
  const reader = new MirrorReader(mirror.path);
  const asked = vi.spyOn(Database.prototype, 'prepare');
  reader.orders({ state, strategy: null, market: null, last: 5 });
  const statements = asked.mock.calls.flatMap(([sql]) => (sql.includes('FROM orders') ? sql : []));
  asked.mockRestore();
  reader.close();
  const database = new Database(mirror.path, { readonly: true });
  const values = state === 'open' ? [5] : [state, 5];
  const plan = statements.flatMap((sql) =>
    database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values),
  );
  database.close();
  const details = plan.map(({ detail }) => detail);
  expect(details.join('\n')).toContain('orders_unfinished');
  expect(details).not.toContain('SCAN orders');
});
