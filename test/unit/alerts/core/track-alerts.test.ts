import { describe, expect, test } from 'vitest';
import {
  type Alert,
  type AlertCondition,
  channelsFor,
  ABSENT_FOR_MS,
  trackAlerts,
  type AlertChange,
} from '../../../../src/alerts/core/alert-facts.ts';
import { NOON_MS, openAlert as alert } from './snapshot-fixture.ts';

const SETTINGS = { escalateAfterMs: 600_000, lastStep: 2, remindEveryMs: 3_600_000 } as const;

const halted: AlertCondition = {
  key: 'halted',
  severity: 'critical',
  facts: { rule: 'halted', reason: 'by hand' },
  sinceMs: NOON_MS,
};

const track = (
  open: readonly Alert[],
  conditions: readonly AlertCondition[],
  afterMs = 0,
  waiting = new Map<string, number>(),
): readonly AlertChange[] => trackAlerts({ open, conditions, waiting }, SETTINGS, NOON_MS + afterMs);

describe('trackAlerts', () => {
  test('opens what is new, and leaves alone what is known', () => {
    expect(track([], [halted])).toEqual([{ kind: 'open', condition: halted }]);
    expect(track([alert()], [halted])).toEqual([]);
  });

  test('ends what has not held for a while, at the time when it ceased', () => {
    expect(track([alert()], [], 5)).toEqual([{ kind: 'absent', id: 1, sinceMs: NOON_MS + 5 }]);
    const absent = alert({ absentSinceMs: NOON_MS + 5 });
    expect(track([absent], [], ABSENT_FOR_MS)).toEqual([]);
    expect(track([absent], [], ABSENT_FOR_MS + 5)).toEqual([{ kind: 'end', id: 1, atMs: NOON_MS + 5 }]);
  });

  test('takes what holds again for the same alert', () => {
    const absent = alert({ absentSinceMs: NOON_MS });
    expect(track([absent], [halted], 5)).toEqual([{ kind: 'absent', id: 1, sinceMs: null }]);
  });

  test('waits with what must hold for a while, and begins anew where it did not', () => {
    const slow = { ...halted, forMs: 1_000 };
    const waiting = new Map<string, number>();
    expect(track([], [slow], 0, waiting)).toEqual([]);
    expect(track([], [slow], 999, waiting)).toEqual([]);
    expect(track([], [], 1_000, waiting)).toEqual([]);
    expect(track([], [slow], 1_100, waiting)).toEqual([]);
    expect(track([], [slow], 2_100, waiting)).toEqual([{ kind: 'open', condition: slow }]);
    expect(waiting.size).toBe(0);
  });

  test('escalates what nobody has acknowledged, up to the last step, and then reminds', () => {
    expect(track([alert()], [halted], 600_000)).toEqual([{ kind: 'escalate', id: 1, step: 2 }]);
    const last = alert({ step: 2 });
    expect(track([last], [halted], 3_599_999)).toEqual([]);
    expect(track([last], [halted], 3_600_000)).toEqual([{ kind: 'remind', id: 1 }]);
    const acknowledged = alert({ acknowledgedAtMs: NOON_MS });
    expect(track([acknowledged], [halted], 9_000_000)).toEqual([]);
  });

  test('reminds of nothing that is a warning', () => {
    const warning = alert({ severity: 'warning', step: 2 });
    expect(track([warning], [{ ...halted, severity: 'warning' }], 9_000_000)).toEqual([]);
  });
});

describe('a clock that was set back by a day', () => {
  const DAY_MS = 86_400_000;

  test('escalates and reminds at once, as nobody knows for how long nobody has acknowledged', () => {
    expect(track([alert()], [halted], -DAY_MS)).toEqual([{ kind: 'escalate', id: 1, step: 2 }]);
    expect(track([alert({ step: 2 })], [halted], -DAY_MS)).toEqual([{ kind: 'remind', id: 1 }]);
  });

  test('changes nothing where it was put right by a second', () => {
    expect(track([alert()], [halted], -1_000)).toEqual([]);
  });

  test('ends what does not hold any more after the usual time', () => {
    const absent = alert({ absentSinceMs: NOON_MS });
    const sinceMs = NOON_MS - DAY_MS;
    expect(track([absent], [], -DAY_MS)).toEqual([{ kind: 'absent', id: 1, sinceMs }]);
    const anew = alert({ absentSinceMs: sinceMs });
    expect(track([anew], [], ABSENT_FOR_MS - DAY_MS)).toEqual([{ kind: 'end', id: 1, atMs: sinceMs }]);
  });

  test('opens what must hold for a while after that while', () => {
    const slow = { ...halted, forMs: 1_000 };
    const waiting = new Map([[slow.key, NOON_MS]]);
    expect(track([], [slow], -DAY_MS, waiting)).toEqual([]);
    expect(track([], [slow], 1_000 - DAY_MS, waiting)).toEqual([{ kind: 'open', condition: slow }]);
  });
});

describe('channelsFor', () => {
  const channels = [
    { name: 'phone', least: 'critical', step: 1 },
    { name: 'all', least: 'info', step: 1 },
    { name: 'boss', least: 'warning', step: 2 },
  ] as const;

  test.each([
    ['opened', 'critical', 1, ['phone', 'all']],
    ['opened', 'info', 1, ['all']],
    ['escalated', 'critical', 2, ['boss']],
    ['ended', 'critical', 2, ['phone', 'all', 'boss']],
    ['reminder', 'warning', 2, ['all', 'boss']],
  ] as const)('tells of what is %s with severity %s at step %i: %j', (kind, severity, step, names) => {
    expect(channelsFor({ kind, severity, step }, channels)).toEqual(names);
  });
});
