import { describe, expect, test } from 'vitest';
import {
  FaultPlan,
  NO_FAULT,
  FAULT_KINDS,
  LONGEST_DELAY_MS,
  type FaultRule,
} from '../../../../src/simulator-server/fault-plan.ts';

const decisions = (plan: FaultPlan, count: number, endpoint = 'addOrder') =>
  Array.from({ length: count }, () => plan.decide(endpoint));

test('without rules nothing goes wrong', () => {
  const plan = new FaultPlan();
  expect(plan.isQuiet).toBe(true);
  expect(plan.decide('addOrder')).toEqual(NO_FAULT);
});

test('the same seed and rules give the same faults, another seed others', () => {
  const rules: readonly FaultRule[] = FAULT_KINDS.map((kind) => ({ kind, probability: 0.3 }));
  const runs = [1, 1, 2].map((seed) => JSON.stringify(decisions(new FaultPlan({ seed, rules }), 200)));
  expect(runs[0]).toBe(runs[1]);
  expect(runs[0]).not.toBe(runs[2]);
});

test('a further rule does not change the chances of the others', () => {
  const lost: FaultRule = { kind: 'lost', probability: 0.5 };
  const alone = decisions(new FaultPlan({ seed: 5, rules: [lost] }), 100).map(
    ({ handledAfterMs }) => handledAfterMs,
  );
  const beside = decisions(
    new FaultPlan({ seed: 5, rules: [lost, { kind: 'delay', probability: 0.5 }] }),
    100,
  );
  expect(beside.map(({ handledAfterMs }) => handledAfterMs)).toEqual(alone);
});

test('a probability is about kept', () => {
  const struck = decisions(
    new FaultPlan({ seed: 9, rules: [{ kind: 'reset', probability: 0.2 }] }),
    5_000,
  ).filter(({ answer }) => answer !== null);
  expect(struck.length).toBeGreaterThan(850);
  expect(struck.length).toBeLessThan(1_150);
});

test('a script names requests by their number among those it is for', () => {
  const plan = new FaultPlan({ rules: [{ kind: 'reset', endpoints: ['addOrder'], requests: [2, 3] }] });
  const seen = ['addOrder', 'wallets', 'addOrder', null, 'addOrder', 'addOrder'].map(
    (endpoint) => plan.decide(endpoint).answer?.kind ?? null,
  );
  expect(seen).toEqual([null, null, 'reset', null, 'reset', null]);
});

const decide = (rules: readonly FaultRule[]) => new FaultPlan({ rules }).decide('addOrder');

describe('rules together', () => {
  test('add delays up to the longest', () => {
    expect(
      decide([
        { kind: 'delay', delayMs: 60_000 },
        { kind: 'delay', delayMs: 60_000 },
      ]).answeredAfterMs,
    ).toBe(LONGEST_DELAY_MS);
    expect(
      decide([
        { kind: 'late', delayMs: 10 },
        { kind: 'delay', delayMs: 20 },
      ]),
    ).toMatchObject({
      handledAfterMs: 10,
      answeredAfterMs: 20,
    });
  });

  test('let the first fault of the answer count', () => {
    expect(decide([{ kind: 'truncated' }, { kind: 'lost' }])).toMatchObject({
      answer: { kind: 'truncated' },
      handledAfterMs: 0,
    });
  });

  test('add up what they do to the lists', () => {
    const { distortion } = decide([
      { kind: 'lagging-lists', lagMs: 7 },
      { kind: 'shuffled-trades' },
      { kind: 'missing-fields' },
      { kind: 'unknown-fields' },
    ]);
    expect(distortion).toEqual({ lagMs: 7, shufflesTrades: true, omitsFields: true, addsFields: true });
  });
});

test.each([
  ['reset', undefined, true],
  ['reset', false, false],
  ['server-error', undefined, false],
  ['server-error', true, true],
  ['bad-gateway', undefined, true],
  ['bad-gateway', false, false],
  ['truncated', undefined, true],
  ['reply-lost', undefined, true],
  ['lost', undefined, false],
  ['forbidden', undefined, false],
  ['unauthorized', undefined, false],
  ['too-many-requests', undefined, false],
] as const)('%s with isHandled %s is handled: %s', (kind, isHandled, expected) => {
  const { handledAfterMs } = new FaultPlan({ rules: [{ kind, isHandled }] }).decide('addOrder');
  expect(handledAfterMs !== null).toBe(expected);
});
