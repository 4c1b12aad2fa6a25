import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closedTime, session } from '../../../../src/daemon/setting-fields.ts';
import { WEEKDAYS, isoText } from '../../../../src/domain/time-text.ts';
import { calendarAt, type TradingCalendar } from '../../../../src/engine/trading-calendar.ts';
import { scenarios } from '../../../support/scenarios.ts';

const MINUTE_MS = 60_000;

const calendarOf = (
  open: readonly string[],
  { days = WEEKDAYS, closed = [] }: { days?: readonly string[]; closed?: readonly string[] } = {},
): TradingCalendar => ({
  sessions: open.map((text) => session().parse(text)),
  weekdays: WEEKDAYS.map((day) => days.includes(day)),
  closed: closed.map((text) => closedTime().parse(text)),
});

const at = (calendar: TradingCalendar, iso: string): string => {
  const { isOpen, untilMs, isChange } = calendarAt(calendar, Date.parse(iso));
  return `${isOpen ? 'open' : 'closed'} until ${isChange ? isoText(untilMs) : 'far'}`;
};

scenarios<readonly [Parameters<typeof at>[0], string]>((state, [calendar, iso]) => {
  expect(at(calendar, iso)).toBe(state);
})`
  its end ${[calendarOf(['09:00-17:00']), '2026-04-04T13:30:00Z']}: closed until 2026-04-05T05:30:00Z
  over midnight ${[calendarOf(['22:00-02:00']), '2026-04-04T21:00:00Z']}: open until 2026-04-04T22:30:00Z
  a weekend
    ${[calendarOf(['09:00-17:00'], { days: ['sat', 'sun', 'mon', 'tue', 'wed'] }), '2026-04-01T14:00:00Z']}
    closed until 2026-04-04T05:30:00Z
  a holiday ${[calendarOf(['09:00-17:00'], { closed: ['1405/01/13'] }), '2026-04-02T06:00:00Z']}
    closed until 2026-04-03T05:30:00Z
  whole days join ${[calendarOf(['00:00-24:00']), '2026-04-02T06:00:00Z']}: open until far
  dates alone ${[calendarOf(['00:00-24:00'], { closed: ['1405/01/13..1405/01/14'] }), '2026-04-01T06:00:00Z']}
    open until 2026-04-01T20:30:00Z
  a part of a day
    ${[calendarOf(['00:00-24:00'], { closed: ['1405/01/13 12:00..1405/01/13 18:00'] }), '2026-04-02T09:00:00Z']}
    closed until 2026-04-02T14:30:00Z
  the short day on which the clock went forward ${[calendarOf(['09:00-24:00']), '2022-03-21T06:00:00Z']}
    open until 2022-03-21T20:30:00Z
  hours of a summer with daylight saving time ${[calendarOf(['09:00-17:00']), '2022-07-01T04:30:00Z']}
    open until 2022-07-01T12:30:00Z
`;

test.each([
  // 2026-04-04 is a Saturday; Tehran is 3 h 30 min ahead of UTC.
  ['within hours', calendarOf(['09:00-17:00']), '2026-04-04T06:00:00Z', 'open until 2026-04-04T13:30:00Z'],
])('%s', (_, calendar, iso, state) => {
  expect(at(calendar, iso)).toBe(state);
});

test('nothing changes before the time that it says, and something does then', () => {
  const minute = fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15);
  const sessions = fc.array(
    fc.tuple(minute, fc.integer({ min: 1, max: 95 })).map(([fromMinute, quarters]) => ({
      fromMinute,
      toMinute: fromMinute + quarters * 15,
    })),
    { minLength: 1, maxLength: 3 },
  );
  const days = fc.array(fc.boolean(), { minLength: 7, maxLength: 7 });
  const fromMs = fc.integer({ min: 0, max: 4_000 }).map((hours) => Date.UTC(2022, 1, 1) + hours * 3_600_000);
  fc.assert(
    fc.property(sessions, days, fromMs, (wanted, weekdays, nowMs) => {
      const calendar = { sessions: wanted, weekdays, closed: [] };
      const { isOpen, untilMs, isChange } = calendarAt(calendar, nowMs);
      expect(untilMs).toBeGreaterThan(nowMs);
      const lastMs = Math.min(untilMs, nowMs + 3 * 86_400_000);
      for (let atMs = nowMs; atMs < lastMs; atMs += 45 * MINUTE_MS)
        expect(calendarAt(calendar, atMs).isOpen).toBe(isOpen);
      if (isChange) expect(calendarAt(calendar, untilMs).isOpen).toBe(!isOpen);
    }),
    { numRuns: 60 },
  );
});
