import { weekdayOf } from '../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../domain/zone-time.ts';

/** A time from and up to, in ms since 1970; the end is not in it. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A session of a day, in minutes of Tehran's clock; one over midnight ends beyond 1,440. */
export interface Session {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Trading times: in the sessions of its days, and not in the closed times. */
export interface TradingCalendar {
  readonly sessions: readonly Session[];
  /** By place in `WEEKDAYS`: the days on which sessions begin. */
  readonly weekdays: readonly boolean[];
  readonly closed: readonly TimeSpan[];
}

/** State of a calendar, and the time until which it lasts at least. */
interface CalendarState {
  readonly isOpen: boolean;
  /** Time of the change, or the end of the searched range. */
  readonly untilMs: number;
  readonly isChange: boolean;
}

const DAY_MINUTES = 1_440;

/** Days ahead that are searched for a change. A later change is found when that time comes. */
const LOOKAHEAD_DAYS = 400;

/** Sessions of every day without a gap: then only the closed times matter, and no day is looked at. */
function isAlwaysInSession({ sessions, weekdays }: TradingCalendar): boolean {
  const isWhole = sessions.some(({ fromMinute, toMinute }) => fromMinute === 0 && toMinute >= DAY_MINUTES);
  return isWhole && weekdays.every(Boolean);
}

function spansOf({ sessions, weekdays }: TradingCalendar, day: number): readonly TimeSpan[] {
  if (weekdays[weekdayOf(day)] !== true) return [];
  return sessions.map(({ fromMinute, toMinute }) => ({
    fromMs: tehranInstant(day, fromMinute),
    toMs: tehranInstant(day + Math.floor(toMinute / DAY_MINUTES), toMinute % DAY_MINUTES),
  }));
}

const holds =
  (atMs: number) =>
  ({ fromMs, toMs }: TimeSpan): boolean =>
    fromMs <= atMs && atMs < toMs;

/**
 * Returns the state of trading at a time, and the time of the next change. Days are those of Tehran. A
 * session during which the clock is changed is longer or shorter by that.
 */
export function calendarAt(calendar: TradingCalendar, atMs: number): CalendarState {
  const { closed } = calendar;
  const isAlways = isAlwaysInSession(calendar);
  const first = tehranDay(atMs);
  // Those of the day before may go on past midnight.
  let spans = isAlways ? [] : [...spansOf(calendar, first - 1), ...spansOf(calendar, first)];
  const isOpenAt = (timeMs: number): boolean =>
    (isAlways || spans.some(holds(timeMs))) && !closed.some(holds(timeMs));
  const isOpen = isOpenAt(atMs);
  const farMs = tehranInstant(first + LOOKAHEAD_DAYS, 0);
  for (let day = first; day < first + LOOKAHEAD_DAYS; day += 1) {
    const beginMs = isAlways ? atMs : tehranInstant(day, 0);
    const endMs = isAlways ? farMs : tehranInstant(day + 1, 0);
    if (!isAlways)
      spans = [...spansOf(calendar, day - 1), ...spansOf(calendar, day), ...spansOf(calendar, day + 1)];
    const edges = [...spans, ...closed]
      .flatMap(({ fromMs, toMs }) => [fromMs, toMs])
      .filter((edgeMs) => edgeMs > atMs && edgeMs >= beginMs && edgeMs < endMs)
      .toSorted((left, right) => left - right);
    const changeMs = edges.find((edgeMs) => isOpenAt(edgeMs) !== isOpen);
    if (changeMs !== undefined) return { isOpen, untilMs: changeMs, isChange: true };
    if (isAlways) break;
  }
  return { isOpen, untilMs: farMs, isChange: false };
}
