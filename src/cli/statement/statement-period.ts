import {
  DAY_MS,
  isoText,
  dayOfGregorian,
  dayOfJalali,
  gregorianOf,
  jalaliOf,
  jalaliText,
  latinDigits,
  readDay,
} from '../../domain/time-text.ts';
import { tehranDay, tehranInstant } from '../../domain/zone-time.ts';
import { wrongInput } from '../command-error.ts';
import { parseUnits, type Units } from '../../domain/money.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import { walletLineKind } from '../../exchange/wallet.ts';
import { isPlaceholder, type FillRecord } from '../../records/fill.ts';
import type { StatementRows } from '../../mirror/read-statement-rows.ts';
import type { RecordedBalances, StatementTrade } from '../../portfolio/statement-line.ts';
import { lineKey, type StatementSource } from '../../portfolio/make-statement.ts';

export const CALENDARS = ['jalali', 'gregorian'] as const;

export type Calendar = (typeof CALENDARS)[number];

/** Period requested by a person. */
export interface WantedPeriod {
  readonly year?: string;
  readonly from?: string;
  readonly to?: string;
  readonly calendar?: Calendar;
}

/** A period of whole days of Tehran. */
export interface ReadPeriod {
  readonly calendar: Calendar;
  readonly fromMs: number;
  /** First moment after the period, in ms since 1970. */
  readonly toMs: number;
  /** Title: `1405`, or the first and last day. */
  readonly title: string;
}

/** Last year that is read as Jalali, as in dates. */
const LAST_JALALI = 1500;

/** Reads a year, this Jalali one by default, or days including the last. Throws with exit code 2. */
export function readPeriod(wanted: WantedPeriod, nowMs: number): ReadPeriod {
  const { year, from, to } = wanted;
  if (year !== undefined && (from !== undefined || to !== undefined))
    throw wrongInput('expected --year, or --from and --to, were both');
  if (from !== undefined || to !== undefined) return ofDays(wanted, nowMs);
  const calendar = wanted.calendar ?? (year === undefined ? 'jalali' : calendarOf(year));
  const today = tehranDay(nowMs);
  const thisYear = (calendar === 'jalali' ? jalaliOf(today) : gregorianOf(today)).year;
  const number = year === undefined ? thisYear : yearOf(year, calendar);
  const first = { year: number, month: 1, day: 1 };
  const next = { year: number + 1, month: 1, day: 1 };
  const dayOf = calendar === 'jalali' ? dayOfJalali : dayOfGregorian;
  return { calendar, ...between(dayOf(first), dayOf(next)), title: String(number) };
}

function ofDays({ from, to, calendar }: WantedPeriod, nowMs: number): ReadPeriod {
  if (from === undefined) throw wrongInput('expected --from with --to, was none');
  const first = dayOf(from, '--from');
  const last = to === undefined ? tehranDay(nowMs) : dayOf(to, '--to');
  if (last < first)
    throw wrongInput(`expected a last day that is not before the first, was ${to ?? 'today'} after ${from}`);
  const shown = calendar ?? calendarOf(latinDigits(from).slice(0, 4));
  const title = `${dayText(first, shown)} to ${dayText(last, shown)}`;
  return { calendar: shown, ...between(first, last + 1), title };
}

function between(first: number, end: number): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: tehranInstant(first, 0), toMs: tehranInstant(end, 0) };
}

function dayOf(text: string, option: string): number {
  const read = readDay(text);
  if (read.ok) return read.day;
  throw wrongInput(`${option}: ${read.problem}`);
}

const calendarOf = (year: string): Calendar =>
  Number(latinDigits(year)) > LAST_JALALI ? 'gregorian' : 'jalali';

function yearOf(text: string, calendar: Calendar): number {
  const plain = latinDigits(text.trim());
  const firstDay = readDay(`${plain}-01-01`);
  if (!firstDay.ok) throw wrongInput(`--year: expected a year such as 1405 or 2026, was "${text}"`);
  if (calendarOf(plain) !== calendar)
    throw wrongInput(`expected a ${calendar} year with --calendar ${calendar}, was ${plain}`);
  return Number(plain);
}

/** Writes a day by its calendar. */
export const dayText = (day: number, calendar: Calendar): string =>
  calendar === 'jalali' ? jalaliText(day) : isoText(day * DAY_MS).slice(0, 10);

/** Returns a function that writes the month of a time in Tehran, such as `1405/01` or `2026-03`. */
export function monthReader(calendar: Calendar): (atMs: number) => string {
  let [day, month] = [Number.NaN, ''];
  return (atMs) => {
    const at = tehranDay(atMs);
    if (at !== day) [day, month] = [at, dayText(at, calendar).slice(0, 7)];
    return month;
  };
}

/** Data of a mirror for a statement, with remarks on it. */
export interface ReadSource {
  readonly source: StatementSource;
  /** Reason for the start of the data. */
  readonly begins: 'mirror' | 'deleted-trades' | 'deleted-lines';
  /** Currencies whose wallet's history the bot reads. */
  readonly followed: ReadonlySet<string>;
  /** Differences of a break that nobody has accepted yet; empty without one. */
  readonly differences: readonly {
    readonly currency: string;
    readonly expected: string;
    readonly found: string;
  }[];
  /** Number of trades in unknown markets: they are left out. */
  readonly unknownMarkets: number;
}

/** Builds the source of a statement from a mirror's rows. Null if the mirror is empty. */
export function sourceOf(rows: StatementRows): ReadSource | null {
  const { beganAtMs, aliveUntilMs, deletedFills, deletedLines } = rows;
  if (beganAtMs === null || aliveUntilMs === null) return null;
  const fillsSinceMs = deletedFills.count > 0 ? (deletedFills.sinceMs ?? 0) : 0;
  const linesSinceMs = Math.max(0, ...deletedLines.map(({ sinceMs }) => sinceMs));
  const sinceMs = Math.max(beganAtMs, fillsSinceMs, linesSinceMs);
  const stored = readRecord(rows.stored, 'reconciliation');
  const expected = stored?.books.expected ?? {};
  const now = new Map(rows.balances.map(({ currency, total }) => [currency, total]));
  // The books agree with the stored trades; a wallet may be read before its last trade is.
  for (const [currency, units] of Object.entries(expected)) now.set(currency, units as Units);
  const marks = readRecord(rows.stored, 'balance-marks')?.marks ?? [];
  const records: RecordedBalances[] = marks
    .filter(({ throughMs }) => sinceMs === beganAtMs || throughMs >= sinceMs)
    .map(({ totals, ...times }) => ({ ...times, totals: new Map(Object.entries(totals)) }));
  records.push({ throughMs: Number.POSITIVE_INFINITY, seenAtMs: aliveUntilMs, totals: now });
  return {
    source: {
      marketNames: MARKET_NAMES,
      beganAtMs: sinceMs,
      trades: () => tradesOf(rows.fills()),
      lines: rows.lines.filter(({ atMs }) => atMs >= sinceMs),
      moves: rows.moves.map((move) => ({
        ...move,
        amount: parseUnits(move.amount),
        price: parseUnits(move.price),
      })),
      describedKind: walletLineKind,
      uncounted: new Set((stored?.books.outside ?? []).map(([currency, id]) => lineKey({ currency, id }))),
      records,
      closes: rows.closesOf(MARKET_NAMES.bridge.market),
    },
    begins: sinceMs === beganAtMs ? 'mirror' : sinceMs === fillsSinceMs ? 'deleted-trades' : 'deleted-lines',
    followed: new Set([...(stored?.followed ?? []), ...Object.keys(expected)]),
    differences: stored?.break?.rows ?? [],
    unknownMarkets: countUnknown(rows.fills()),
  };
}

const UNKNOWN_MARKET = '?';

function* tradesOf(fills: Iterable<FillRecord>): Generator<StatementTrade> {
  for (const fill of fills) {
    if (fill.market === UNKNOWN_MARKET) continue;
    yield { ...fill, market: parseMarket(fill.market), isSum: isPlaceholder(fill) };
  }
}

function countUnknown(fills: Iterable<FillRecord>): number {
  let count = 0;
  for (const { market } of fills) if (market === UNKNOWN_MARKET) count += 1;
  return count;
}
