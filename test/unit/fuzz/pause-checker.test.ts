import { describe, expect, test } from 'vitest';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { PauseChecker } from '../../../src/fuzz/checkers/freshness-checker.ts';
import { intentRecord, journalLine } from '../mirror/mirror-fixture.ts';

const pauseOf = (endsAtMs: number): MirrorChange => ({
  kind: 'kept',
  name: 'locks',
  json: JSON.stringify({ locks: [{ strategy: 'one', endsAtMs, pauses: true }] }),
});
const stateOf = (books: number, fills = 0): MirrorChange => ({
  kind: 'strategy',
  strategy: {
    name: 'one',
    status: 'running',
    reason: null,
    json: JSON.stringify({ state: { books }, fills }),
    atMs: 1,
  },
});
const wishOf = (tag: string, id = 'i1'): MirrorChange => ({
  kind: 'intent',
  intent: intentRecord({ id, strategy: 'one', json: JSON.stringify({ kind: 'place', tag }) }),
});
const noted = (subject: string, facts: unknown): MirrorChange =>
  journalLine(subject, JSON.stringify(facts), 'control');

/** Faults of steps, one of each list, a second apart; the first begins a pause of ten seconds. */
function faultsOf(...steps: readonly (readonly MirrorChange[])[]): number {
  const checker = new PauseChecker();
  checker.watch({ changes: [stateOf(1), pauseOf(10_000)] }, 0);
  for (const [index, changes] of steps.entries()) checker.watch({ changes }, (index + 1) * 1_000);
  return checker.violations().length;
}

describe('a strategy that is paused', () => {
  test('that changes its state was told something, and figures are no state', () => {
    expect(faultsOf([stateOf(1, 3)])).toBe(0);
    expect(faultsOf([stateOf(2)])).toBe(1);
  });

  test('wants nothing, but for what a person places and closes for it', () => {
    expect(faultsOf([wishOf('mine')])).toBe(1);
    expect(faultsOf([wishOf('by-hand')])).toBe(0);
    expect(faultsOf([wishOf('', 'i7'), noted('close sells', { intentId: 'i7' })])).toBe(0);
  });

  test('may be told again from the step on in which its pause ends', () => {
    expect(faultsOf([noted('lock ended early', { strategy: 'one', pauses: true }), stateOf(2)])).toBe(0);
    expect(faultsOf(...Array.from({ length: 9 }, () => []), [stateOf(2)])).toBe(0);
    expect(faultsOf(...Array.from({ length: 8 }, () => []), [stateOf(2)])).toBe(1);
  });
});
