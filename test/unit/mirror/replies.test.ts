import { expect, test, vi } from 'vitest';
import type { ReplyRecord } from '../../../src/engine/mirror-change.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';
import {
  DURABLE,
  LATER,
  NOW_MS,
  replyRecord,
  fillChange,
  mirrorOfEachTest,
  orderChange,
} from './mirror-fixture.ts';
import { tradeIdOf } from '../../../src/venues/read-records.ts';
import Database from 'better-sqlite3';
import { ORDER_STATES } from '../../../src/domain/order.ts';
import type { OrderState } from '../../../src/records/order.ts';

const place = mirrorOfEachTest();

test('orders of each state are found, and those that are not final', () => {
  place.write(ORDER_STATES.map((state) => orderChange({ key: state, state })));
  const reader = place.read();
  const keysOf = (state: OrderState | 'open' | 'all', last = 100): readonly string[] =>
    reader.orders({ state, strategy: null, market: null, last }).map(({ key }) => key);
  expect(keysOf('open')).toEqual(ORDER_STATES.slice(0, 6));
  expect(keysOf('open', 2)).toEqual(['cancelling', 'settling']);
  expect(keysOf('all')).toEqual(ORDER_STATES);
  for (const state of ORDER_STATES.filter((one) => one !== 'open')) expect(keysOf(state)).toEqual([state]);
});

test.each(['open', 'unknown'] as const)('no order at its end is looked at for those that are %s', (state) => {
  place.open().close();
  const reader = place.read();
  const asked = vi.spyOn(Database.prototype, 'prepare');
  reader.orders({ state, strategy: null, market: null, last: 5 });
  const statements = asked.mock.calls.flatMap(([sql]) => (sql.includes('FROM orders') ? sql : []));
  asked.mockRestore();
  const values = state === 'open' ? [5] : [state, 5];
  const plan = statements.flatMap((sql) => place.rows(`EXPLAIN QUERY PLAN ${sql}`, values));
  const details = plan.map((step) => (step as { detail: string }).detail);
  expect(details.join('\n')).toContain('orders_unfinished');
  expect(details).not.toContain('SCAN orders');
});

test('a page of the fills of an old order has them, however many others came later', () => {
  const fills = Array.from({ length: 50_010 }, (_, index) =>
    fillChange({ tradeId: tradeIdOf(index), cursor: index, orderKey: index < 3 ? 'old' : `new-${index}` }),
  );
  place.write(fills);
  const reader = place.read();
  const page = { strategy: null, market: null, orderKey: 'old', limit: 2 };
  const first = reader.pages.fills({ ...page, before: null });
  expect(first.rows.map(({ cursor }) => cursor)).toEqual([2, 1]);
  const second = reader.pages.fills({ ...page, before: first.next });
  expect(second).toMatchObject({ rows: [{ cursor: 0 }], next: null });
});

const KEY = replyRecord().orderKey;

const kept = (key = KEY): readonly ReplyRecord[] => place.read().replies(key);

const reply = (changed: Partial<ReplyRecord>) => ({ kind: 'reply', reply: replyRecord(changed) }) as const;

const order = (key: string) => orderChange({ key, state: 'filled' });

test('of each step the last reply that was used is kept, and the last that was not, over a restart', () => {
  const store = place.open();
  const html = '<html>502 سرور</html>';
  store.apply([reply({ body: 'first' }), reply({ step: 'cancel', problem: 'no JSON', body: html })], DURABLE);
  store.apply(
    [reply({ body: 'second', atMs: NOW_MS + 1 }), reply({ step: 'cancel', atMs: NOW_MS + 2 })],
    LATER,
  );
  store.apply([reply({ orderKey: 'other' })], DURABLE);
  store.close();
  place.open().close();
  expect(kept()).toMatchObject([
    { step: 'cancel', body: html, problem: 'no JSON' },
    { step: 'place', body: 'second', problem: null },
    { step: 'cancel', problem: null },
  ]);
});

test('replies go with their order, and no other does', () => {
  const retention = { ...DEFAULT_RETENTION, finalOrders: 1_000 };
  const store = place.open({ retention });
  const early = { atMs: NOW_MS - 3_600_000, isDurable: true };
  store.apply([order(KEY), reply({}), order('stays'), reply({ orderKey: 'stays' })], early);
  store.apply(
    Array.from({ length: 999 }, (_, index) => order(`new-${index}`)),
    DURABLE,
  );
  store.flush();
  store.close();
  expect([kept().length, kept('stays').length]).toEqual([0, 1]);
});
