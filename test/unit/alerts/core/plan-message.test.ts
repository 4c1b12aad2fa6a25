import { describe, expect, test } from 'vitest';
import type { Severity, Alert } from '../../../../src/alerts/core/alert-facts.ts';
import { planMessage, type Note, dueSummaries } from '../../../../src/alerts/core/plan-message.ts';
import { NOON_MS, openAlert } from './snapshot-fixture.ts';

const SETTINGS = { groupMs: 10_000, mostPerHour: 3, quietHours: null } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const note = (id: number, over: Partial<Alert> = {}, kind: Note['kind'] = 'opened'): Note => ({
  id,
  kind,
  atMs: NOON_MS,
  alert: openAlert({ id, key: `k${id}`, severity: 'warning', ...over }),
});

const plan = (
  notes: readonly Note[],
  {
    sentAtMs = [],
    mutedUntilMs = 0,
    sentAs = 'warning',
    atMs = NOON_MS,
    quietHours = null as { fromMinute: number; toMinute: number } | null,
  }: {
    readonly sentAtMs?: readonly number[];
    readonly mutedUntilMs?: number;
    readonly sentAs?: Severity;
    readonly atMs?: number;
    readonly quietHours?: { readonly fromMinute: number; readonly toMinute: number } | null;
  } = {},
): ReturnType<typeof planMessage> =>
  planMessage(
    { notes, sent: sentAtMs.map((sentMs) => ({ atMs: sentMs, severity: sentAs })), mutedUntilMs },
    { ...SETTINGS, quietHours },
    atMs,
  );

describe('planMessage', () => {
  test('has nothing to do without notes', () => {
    expect(plan([])).toEqual({ kind: 'idle' });
  });

  test('sends the first note at once, and gathers what comes after it', () => {
    expect(plan([note(1)])).toMatchObject({ kind: 'send', message: { noteIds: [1] } });
    expect(plan([note(2)], { sentAtMs: [NOON_MS - 4_000] })).toEqual({
      kind: 'wait',
      untilMs: NOON_MS + 6_000,
    });
  });

  test('waits for no message that left before the clock was set back', () => {
    const sentAtMs = [NOON_MS + DAY_MS - 2, NOON_MS + DAY_MS - 1, NOON_MS + DAY_MS];
    expect(plan([note(2)], { sentAtMs })).toMatchObject({ kind: 'send' });
  });

  test('lets what is graver than all that was just said go at once', () => {
    const sentAtMs = [NOON_MS - 4_000];
    const critical = [note(2, { severity: 'critical' })];
    expect(plan(critical, { sentAtMs })).toMatchObject({ kind: 'send' });
    expect(plan([note(2)], { sentAtMs, sentAs: 'info' })).toMatchObject({ kind: 'send' });
    expect(plan(critical, { sentAtMs, sentAs: 'critical' })).toMatchObject({ kind: 'wait' });
  });

  test('makes one message of a burst: ten lines, the worst first, and a count of the rest', () => {
    const burst = Array.from({ length: 22 }, (_, index) =>
      note(index + 1, { severity: index === 21 ? 'critical' : 'warning' }),
    );
    const { message } = plan(burst) as Extract<ReturnType<typeof plan>, { kind: 'send' }>;
    expect(message).toMatchObject({ severity: 'critical', more: 12 });
    expect(message.items.map(({ alert }) => alert.id)).toEqual([22, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(message.noteIds).toHaveLength(22);
  });

  test('says in one line what was opened and is over', () => {
    const ended = { endedAtMs: NOON_MS };
    const found = plan([note(1, ended), { ...note(1, ended, 'ended'), id: 2 }]);
    expect(found).toMatchObject({
      message: { severity: 'info', items: [{ kind: 'ended' }], noteIds: [1, 2] },
    });
  });

  test('waits at the bound of an hour, with room for what is critical', () => {
    const sentAtMs = [50, 40, 30].map((minutes) => NOON_MS - minutes * 60_000);
    expect(plan([note(1)], { sentAtMs })).toEqual({ kind: 'wait', untilMs: NOON_MS + 10 * 60_000 });
    expect(plan([note(1), note(2, { severity: 'critical' })], { sentAtMs })).toMatchObject({ kind: 'send' });
    const many = sentAtMs.flatMap((sentMs) => [sentMs, sentMs]);
    expect(plan([note(2, { severity: 'critical' })], { sentAtMs: many })).toMatchObject({ kind: 'wait' });
  });

  test('holds all but what is critical back in quiet hours of Tehran, over midnight too', () => {
    // Quiet from 23:00 to 08:00 in Tehran; noon of the fixture is 12:00 in Tehran.
    const quietHours = { fromMinute: 23 * 60, toMinute: 32 * 60 };
    const night = NOON_MS + 13 * HOUR_MS;
    const notes = [note(1), note(2, { severity: 'critical' })];
    expect(plan(notes, { quietHours })).toMatchObject({ message: { noteIds: [1, 2] } });
    expect(plan(notes, { quietHours, atMs: night })).toMatchObject({ message: { noteIds: [2] } });
    const morning = NOON_MS + 20 * HOUR_MS;
    expect(plan([note(1)], { quietHours, atMs: night })).toEqual({ kind: 'wait', untilMs: morning });
    expect(plan([note(1)], { quietHours, atMs: morning })).toMatchObject({ kind: 'send' });
  });

  test('holds all but what is critical back while it is muted', () => {
    const mutedUntilMs = NOON_MS + 5_000;
    expect(plan([note(1)], { mutedUntilMs })).toEqual({ kind: 'wait', untilMs: mutedUntilMs });
    expect(plan([note(1, { severity: 'critical' })], { mutedUntilMs })).toMatchObject({ kind: 'send' });
  });

  test('sends a summary alone', () => {
    const figures = { fromMs: 0, toMs: 1, equity: [], trades: 0, fees: [], lockouts: 0 };
    const summary = note(2, { severity: 'info', facts: { rule: 'summary', period: 'day', figures } });
    const over = note(3, { severity: 'critical', endedAtMs: NOON_MS }, 'ended');
    expect(plan([summary, over])).toMatchObject({ message: { noteIds: [2] } });
    expect(plan([note(1), summary])).toMatchObject({ message: { noteIds: [1] } });
    expect(plan([summary])).toMatchObject({ message: { noteIds: [2] } });
  });

  test('lets nothing that is graver wait for a summary', () => {
    const figures = { fromMs: 0, toMs: 1, equity: [], trades: 0, fees: [], lockouts: 0 };
    const summary = note(2, { severity: 'info', facts: { rule: 'summary', period: 'day', figures } });
    const sentAtMs = [50, 40, 30].map((minutes) => NOON_MS - minutes * 60_000);
    expect(plan([summary], { sentAtMs })).toMatchObject({ kind: 'wait' });
    expect(plan([summary, note(3, { severity: 'critical' })], { sentAtMs })).toMatchObject({
      kind: 'send',
      message: { severity: 'critical', noteIds: [3] },
    });
    expect(plan([summary, note(3)])).toMatchObject({ message: { noteIds: [3] } });
  });
});

describe('dueSummaries', () => {
  const settings = { dailyMinute: 12 * 60, weeklyMinute: 12 * 60 };
  const today = 20_458;

  test('are made once on each day of Tehran, of the day that has just ended', () => {
    expect(dueSummaries(settings, { day: null, week: null }, NOON_MS - 1)).toEqual([]);
    expect(dueSummaries(settings, { day: null, week: null }, NOON_MS)).toEqual([
      { period: 'day', fromMs: NOON_MS - DAY_MS, toMs: NOON_MS, day: today },
    ]);
    expect(dueSummaries(settings, { day: today, week: null }, NOON_MS)).toEqual([]);
  });

  test('are made of a week on Fridays', () => {
    // The fixture is a Monday.
    const friday = NOON_MS + 4 * DAY_MS;
    expect(dueSummaries(settings, { day: today + 4, week: null }, friday)).toEqual([
      { period: 'week', fromMs: friday - 7 * DAY_MS, toMs: friday, day: today + 4 },
    ]);
  });

  test('are not made where no time is set', () => {
    const off = { dailyMinute: null, weeklyMinute: null };
    expect(dueSummaries(off, { day: null, week: null }, NOON_MS)).toEqual([]);
  });
});
