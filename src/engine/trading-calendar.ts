import { weekdayOf } from '../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../domain/zone-time.ts';

/** A range of time in ms since 1970; `toMs` is not part of it. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A trading session in minutes of Tehran's day. A session over midnight ends beyond 1,440. */
export interface Session {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Trading times: the sessions of the listed weekdays, without the closed times. */
export interface TradingCalendar {
  readonly sessions: readonly Session[];
  /** True for the days on which sessions begin, in the order of `WEEKDAYS`. */
  readonly weekdays: readonly boolean[];
  readonly closed: readonly TimeSpan[];
}

/** State of a calendar at a time, and until when it surely lasts. */
interface CalendarState {
  readonly isOpen: boolean;
  /** Time of the next change, or, without one, the end of the searched range; in ms since 1970. */
  readonly untilMs: number;
  readonly isChange: boolean;
}

const DAY_MINUTES = 1_440;

/** Number of days that are searched for the next change. Later changes are found later. */
const LOOKAHEAD_DAYS = 400;

/** True if sessions fill every day without a gap: then only the closed times matter. */
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
 * Returns if trading is open at a time, and the time of the next change. Days are those of Tehran. A session
 * with a clock change in it is longer or shorter by that.
 */
export function calendarAt(calendar: TradingCalendar, atMs: number): CalendarState {
  const { closed } = calendar;
  const isAlways = isAlwaysInSession(calendar);
  const first = tehranDay(atMs);
  // A session of the day before may last past midnight.
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
