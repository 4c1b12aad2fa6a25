import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import { parseUnits } from '../domain/money.ts';
import { currencySymbol, decimalAmount, positiveDecimal } from '../simulator/setting-fields.ts';
import { DURATION, formatDuration, parseDuration } from './duration-text.ts';
import { readDay, WEEKDAYS } from '../domain/time-text.ts';
import { readClock, readTehranTime, tehranInstant } from '../domain/zone-time.ts';
import type { Session, TimeSpan } from '../engine/trading-calendar.ts';

/** Longest duration that a setting accepts if no other bound is given, in ms. */
const LONGEST_MS = 366 * 86_400_000;

/** Field for a duration as text, read to ms, within the bounds (both included). */
export const duration = (bounds: { readonly leastMs?: number; readonly mostMs?: number } = {}) =>
  z
    .string({ error: 'expected a length of time with its unit, such as 30s, 5m or 2h' })
    .meta({ pattern: DURATION.source })
    .transform((text, context) => {
      const { leastMs = 1, mostMs = LONGEST_MS } = bounds;
      const read = parseDuration(text);
      if (read !== null && read >= leastMs && read <= mostMs) return read;
      const range = `${formatDuration(leastMs)} to ${formatDuration(mostMs)}`;
      const message = `expected a length of time from ${range}, such as 30s, 5m or 2h, was ${JSON.stringify(text)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

/**
 * Field for the address of an exchange: scheme, host and an optional port, nothing after them. Read to its
 * origin, such as `https://exchange.example`.
 */
export const address = () =>
  z.string({ error: 'expected an address such as https://exchange.example' }).transform((text, context) => {
    const url = URL.parse(text);
    const isPlain =
      url !== null &&
      url.pathname === '/' &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '' &&
      url.password === '';
    if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin;
    // The text is not repeated: someone may have written a password into it.
    const message = 'expected an address of scheme and host alone, such as https://exchange.example';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** True if data sent to the address never leaves this machine. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Field for a market in any of its spellings (`BTCIRT`, `btc-rls`), read to its symbol. */
export const marketSymbol = () =>
  z.string({ error: 'expected a market such as BTCIRT' }).transform((spelling, context): MarketSymbol => {
    try {
      return parseMarket(spelling).symbol;
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });

/** Field for a decimal by quote currency: `{ rls: '50000000', usdt: '500' }`. */
export const perQuoteField = () =>
  z.strictObject({ rls: positiveDecimal().optional(), usdt: positiveDecimal().optional() });

const units = () => decimalAmount().transform((text) => parseUnits(text));

/**
 * Field for a limit on a value by quote currency, read to units. A currency left out inherits the limit that
 * this one overrides; null means no limit.
 */
export const valueLimit = () =>
  z
    .strictObject({ rls: units().nullable().optional(), usdt: units().nullable().optional() })
    .nullable()
    .optional();

/** Field for a limit on an amount by base currency, read to units. */
export const amountLimit = () => z.record(currencySymbol(), units().nullable()).nullable().optional();

/** Field for the initial balances of an account, by currency. */
export const balances = () => z.record(currencySymbol(), decimalAmount());

/** Field for amounts of coins, without the quote currencies: `{ btc: '0.5' }`. */
export const inventory = () =>
  z.record(currencySymbol(), positiveDecimal()).superRefine((coins, context) => {
    for (const { currency } of MARKET_NAMES.quotes) {
      const amount = coins[currency];
      if (amount === undefined) continue;
      const message = `expected a coin such as btc, was ${currency}, which counts with capital: write capital: { ${currency}: '${amount}' }`;
      context.addIssue({ code: 'custom', path: [currency], message });
    }
  });

const DAY_MINUTES = 1_440;

/** Maximum number of sessions of a day, and most closed times, that one rule may name. */
export const MOST_SESSIONS = 20;
export const MOST_CLOSED = 1_000;

/** Field for a session such as `09:00-23:00` in Tehran; one that ends before it begins passes midnight. */
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

export function sessionText({ fromMinute, toMinute }: Session): string {
  return [fromMinute, toMinute > DAY_MINUTES ? toMinute - DAY_MINUTES : toMinute]
    .map((minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`)
    .join('-');
}

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * Field for a closed time: a date, or two with `..` between them, both included. With times of the day the
 * end is not included.
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

/** Reads a span; returns the problem if the text is wrong. */
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

/** Field for the days on which sessions begin, by index in `WEEKDAYS`. */
export const weekdays = () =>
  z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .max(WEEKDAYS.length)
    .prefault([...WEEKDAYS]);
