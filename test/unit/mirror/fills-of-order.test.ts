import { expect, test } from 'vitest';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { tradeIdOf } from '../../../src/venues/read-records.ts';
import { DURABLE, fillRecord, MirrorFolder } from './mirror-fixture.ts';

test('a page of the fills of an old order has them, however many others came later', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  const fills = Array.from({ length: 50_010 }, (_, index) => ({
    kind: 'fill' as const,
    fill: fillRecord({
      tradeId: tradeIdOf(index),
      cursor: index,
      orderKey: index < 3 ? 'old' : `new-${index}`,
    }),
  }));
  store.apply(fills, DURABLE);
  store.close();
  const reader = new MirrorReader(mirror.path);
  const page = { strategy: null, market: null, orderKey: 'old', limit: 2 };
  const first = reader.pages.fills({ ...page, before: null });
  expect(first.rows.map(({ cursor }) => cursor)).toEqual([2, 1]);
  const second = reader.pages.fills({ ...page, before: first.next });
  expect(second).toMatchObject({ rows: [{ cursor: 0 }], next: null });
  reader.close();
});
