import { z } from 'zod';
import { readDay, WEEKDAYS } from '../../domain/calendar-day.ts';
import { readClock, readTehranTime, tehranInstant } from '../../domain/tehran-time.ts';
import type { Session, TimeSpan } from '../../engine/trading-calendar.ts';

const DAY_MINUTES = 1_440;

/** Sessions of a day, and closed times, that one rule may name. */
export const MOST_SESSIONS = 20;
export const MOST_CLOSED = 1_000;

/** `09:00-23:00` of Tehran's clock; one that ends before it begins goes on past midnight. */
export const session = () =>
  z
    .string({ error: 'expected trading hours such as "09:00-23:00", in quotes' })
    .transform((text, context): Session => {
      const [from = '', to = '', more] = text.split('-');
      const [fromMinute, toMinute] = [readClock(from), readClock(to)];
      if (fromMinute !== null && toMinute !== null && more === undefined && fromMinute < DAY_MINUTES) {
        const isNextDay = toMinute <= fromMinute;
        if (fromMinute !== toMinute)
          return { fromMinute, toMinute: isNextDay ? toMinute + DAY_MINUTES : toMinute };
      }
      const message = `expected trading hours such as "09:00-23:00" or "22:00-02:00", was ${JSON.stringify(text)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/** As it is written. */
export function sessionText({ fromMinute, toMinute }: Session): string {
  return [fromMinute, toMinute > DAY_MINUTES ? toMinute - DAY_MINUTES : toMinute]
    .map((minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`)
    .join('-');
}

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * A closed time: a date, or two with `..` between them, both included; with times of the day the end is not
 * included.
 */
export const closedTime = () =>
  z
    .string({ error: 'expected a date such as "1405/01/13", or "1405/01/01..1405/01/05", in quotes' })
    .transform((text, context): TimeSpan => {
      const read = readSpan(text);
      if (typeof read !== 'string') return read;
      context.addIssue({ code: 'custom', message: read });
      return z.NEVER;
    });

/** The span, or what is wrong with the text. */
function readSpan(text: string): TimeSpan | string {
  const [from = '', to = from, more] = text.split('..');
  if (more !== undefined) return `expected at most two dates with ".." between them, was "${text}"`;
  const begin = readTehranTime(from);
  if (!begin.ok) return begin.problem;
  const lastDay = readDay(to);
  const end = lastDay.ok
    ? { ok: true as const, atMs: tehranInstant(lastDay.day + 1, 0) }
    : /[: T]/.test(to.trim())
      ? readTehranTime(to)
      : lastDay;
  if (!end.ok) return end.problem;
  if (end.atMs > begin.atMs) return { fromMs: begin.atMs, toMs: end.atMs };
  return `expected the second date after the first, was "${text}"`;
}

/** The days on which sessions begin, by place in `WEEKDAYS`. */
export const weekdays = () =>
  z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .max(WEEKDAYS.length)
    .prefault([...WEEKDAYS]);
