import { expect, test } from 'vitest';
import { overviewReplyOf, type OverviewParts } from '../../../src/dashboard/readers/overview-reply.ts';
import { sentence, inEnglish } from '../../../src/language/sentence.ts';
import { LATER, MirrorFolder, NOW_MS } from '../mirror/mirror-fixture.ts';
import { botState, type BotSigns } from '../../../src/dashboard/folder/bot-folder-reader.ts';

const PULSE = { pid: 1, sinceMs: 1_000, beatMs: 99_000, endedAtMs: null, failure: null };
const RUNNING: BotSigns = {
  nowMs: 100_000,
  isFolderInUse: true,
  hasWriter: true,
  pulse: PULSE,
  lastWriteMs: 98_000,
  halt: null,
  drainingSinceMs: null,
};
const HALT = { sinceMs: 50_000, reason: 'news' };

test.each<[string, Partial<BotSigns>, object]>([
  ['trades', {}, { state: 'running', sinceMs: 1_000, silentSinceMs: null }],
  ['is halted', { halt: HALT }, { state: 'halted', sinceMs: 50_000, reason: 'news' }],
  ['is ending', { halt: HALT, drainingSinceMs: 60_000 }, { state: 'draining', sinceMs: 60_000 }],
  ['waits for the exchange', { hasWriter: false }, { state: 'starting', sinceMs: 1_000 }],
  ['stands still', { pulse: { ...PULSE, beatMs: 80_000.5 } }, { state: 'silent', silentSinceMs: 80_000 }],
  ['stood still as it was halted', { halt: HALT, pulse: { ...PULSE, beatMs: 0 } }, { state: 'silent' }],
  [
    'was killed',
    { isFolderInUse: false },
    { state: 'ended', silentSinceMs: 99_000, reason: 'its process was ended from outside' },
  ],
  [
    'failed',
    { isFolderInUse: false, pulse: { ...PULSE, endedAtMs: 99_500, failure: 'no disk' } },
    { state: 'ended', sinceMs: 99_500, reason: 'no disk' },
  ],
  [
    'is of a version without a pulse',
    { isFolderInUse: false, pulse: null, halt: HALT },
    { state: 'ended', silentSinceMs: 98_000, reason: 'it is halted: news' },
  ],
])('a bot that %s is told so', (_what, signs, told) => {
  expect(inEnglish(botState({ ...RUNNING, ...signs }))).toMatchObject(told);
});

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
  folder.write(
    [{ kind: 'kept', name: 'read-times', json: JSON.stringify({ orders: NOW_MS - 2_000 }) }],
    LATER,
  );
  const reader = folder.read();
  const botNowMs = (parts: Partial<OverviewParts>) =>
    overviewReplyOf(reader, { ...PARTS, ...parts }).botNowMs;
  expect(botNowMs({})).toBe(NOW_MS + HOUR_MS);
  expect(botNowMs({ bot: EMBEDDED, note: note('on') })).toBe(NOW_MS + HOUR_MS);
  expect(botNowMs({ bot: EMBEDDED, note: note('other speed') })).toBe(NOW_MS - 2_000);
  expect(botNowMs({ bot: EMBEDDED })).toBe(NOW_MS - 2_000);
});

test('what the cancels of a halt wait for is shown in facts, which each language has its words for', () => {
  const haltWait = sentence('cancels-wait-answers', { count: 3 });
  expect(overviewReplyOf(null, { ...PARTS, haltWait }).haltWait).toEqual({
    reason: '3 cancels wait for the answer of the exchange',
    reasonFacts: { code: 'cancels-wait-answers', facts: { count: '3' } },
  });
  expect(overviewReplyOf(null, PARTS).haltWait).toBe(null);
});
