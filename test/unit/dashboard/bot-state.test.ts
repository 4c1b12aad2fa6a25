import { expect, test } from 'vitest';
import { botState, type BotSigns } from '../../../src/dashboard/folder/bot-folder-reader.ts';
import { inEnglish } from '../../../src/language/sentence.ts';

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
