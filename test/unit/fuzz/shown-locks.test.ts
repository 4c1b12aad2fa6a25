import { expect, test } from 'vitest';
import { ShownLocks, type ShowingBot } from '../../../src/fuzz/checkers/lock-checker.ts';
import type { ShownLock } from '../../../src/strategy/shown-lock.ts';

const shownLock = (changes: Partial<ShownLock>): ShownLock => ({
  name: 'hand',
  kind: 'hand',
  market: null,
  strategy: null,
  reason: 'news',
  beganAtMs: 0,
  endsAtMs: 10,
  entries: 'cancel',
  ...changes,
});
/** Two strategies of which both see the same. */
const showing = (...locks: readonly ShownLock[]): ShowingBot => ({
  instances: ['one', 'two'].map((name) => ({ name, runner: { market: 'BTCIRT' } })),
  locks: { shownTo: () => locks },
});
const json = (...locks: readonly ShownLock[]): string =>
  JSON.stringify({ locks: locks.map((lock) => ({ ...lock, rule: null })) });

const ALL = shownLock({});
const OF_ONE = shownLock({ strategy: 'one' });

test.each([
  ['the lock that was written', json(ALL), showing(ALL), 0, 0],
  ['none where none was written', json(), showing(), 0, 0],
  ['a lock that was not written', json(), showing(ALL), 0, 2],
  ['no lock where one was written', json(ALL), showing(), 0, 2],
  ['a lock of one strategy also in the other', json(OF_ONE), showing(OF_ONE), 0, 1],
  ['a lock at its end', json(ALL), showing(ALL), 10, 2],
  ['a lock of another market', json(shownLock({ market: 'ETHIRT' })), showing(), 0, 2],
  ['a lock up to another end', json(shownLock({ endsAtMs: 12 })), showing(ALL), 0, 2],
])('handlers that see %s', (_, written, bot, atMs, differences) => {
  const checker = new ShownLocks();
  checker.watch(bot, written, atMs);
  expect(checker.differences).toHaveLength(differences);
});

test('nothing is known of a new life before it writes', () => {
  const checker = new ShownLocks();
  checker.watch(showing(ALL), json(ALL), 0);
  checker.beginAnew();
  checker.watch(showing(), null, 0);
  expect(checker.differences).toEqual([]);
});
