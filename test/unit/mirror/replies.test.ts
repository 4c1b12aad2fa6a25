import { afterEach, beforeEach, expect, test } from 'vitest';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import type { ReplyRecord } from '../../../src/engine/mirror-change.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';
import { DURABLE, LATER, MirrorFolder, NOW_MS, orderRecord, replyRecord } from './mirror-fixture.ts';

const KEY = replyRecord().orderKey;

let place: MirrorFolder;

beforeEach(() => {
  place = new MirrorFolder();
});

afterEach(() => place[Symbol.dispose]());

function kept(key = KEY): readonly ReplyRecord[] {
  const reader = new MirrorReader(place.path);
  try {
    return reader.replies(key);
  } finally {
    reader.close();
  }
}

const reply = (changed: Partial<ReplyRecord>) => ({ kind: 'reply', reply: replyRecord(changed) }) as const;

const order = (key: string) => ({ kind: 'order', order: orderRecord({ key, state: 'filled' }) }) as const;

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
