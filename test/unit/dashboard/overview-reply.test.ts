import { expect, test } from 'vitest';
import { overviewReplyOf, type OverviewParts } from '../../../src/dashboard/readers/overview-reply.ts';
import { sentence } from '../../../src/language/sentence.ts';
import { MirrorReader } from '../../../src/mirror/mirror-reader.ts';
import { LATER, MirrorFolder, NOW_MS } from '../mirror/mirror-fixture.ts';

const HOUR_MS = 3_600_000;
const BOT = {
  instance: 'bot',
  venue: 'live',
  isEmbedded: false,
  state: 'ended',
  sinceMs: NOW_MS,
  reason: null,
  reasonFacts: null,
  silentSinceMs: NOW_MS,
  lastOrderAtMs: null,
} as const satisfies OverviewParts['bot'];
const PARTS = {
  nowMs: NOW_MS + HOUR_MS,
  bot: BOT,
  note: null,
  waitsFor: null,
  haltWait: null,
  lockouts: [],
  alerts: [],
} as const satisfies OverviewParts;
const EMBEDDED = { ...BOT, venue: 'embedded', isEmbedded: true } as const;
const note = (alerts: 'on' | 'other speed'): OverviewParts['note'] => ({
  mode: 'embedded',
  instance: 'bot',
  alerts,
  strategies: [],
});

test('what a bot read grows old by the clock once it is gone, but on an exchange in another time', () => {
  using folder = new MirrorFolder();
  const store = folder.open();
  store.apply(
    [{ kind: 'kept', name: 'read-times', json: JSON.stringify({ orders: NOW_MS - 2_000 }) }],
    LATER,
  );
  store.flush();
  const reader = new MirrorReader(folder.path);
  const botNowMs = (parts: Partial<OverviewParts>) =>
    overviewReplyOf(reader, { ...PARTS, ...parts }).botNowMs;
  expect(botNowMs({})).toBe(NOW_MS + HOUR_MS);
  expect(botNowMs({ bot: EMBEDDED, note: note('on') })).toBe(NOW_MS + HOUR_MS);
  expect(botNowMs({ bot: EMBEDDED, note: note('other speed') })).toBe(NOW_MS - 2_000);
  expect(botNowMs({ bot: EMBEDDED })).toBe(NOW_MS - 2_000);
  reader.close();
});

test('what the cancels of a halt wait for is shown in facts, which each language has its words for', () => {
  const haltWait = sentence('cancels-wait-answers', { count: 3 });
  expect(overviewReplyOf(null, { ...PARTS, haltWait }).haltWait).toEqual({
    reason: '3 cancels wait for the answer of the exchange',
    reasonFacts: { code: 'cancels-wait-answers', facts: { count: '3' } },
  });
  expect(overviewReplyOf(null, PARTS).haltWait).toBe(null);
});
