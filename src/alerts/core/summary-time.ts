import { tehranDay, tehranInstant } from '../../domain/tehran-time.ts';
import { weekdayOf } from '../../domain/calendar-day.ts';

/** Times at which summaries are sent, in minutes of Tehran's clock; null: never. */
export interface SummarySettings {
  readonly dailyMinute: number | null;
  /** On Fridays, of the seven days before. */
  readonly weeklyMinute: number | null;
}

interface DueSummary {
  readonly period: 'day' | 'week';
  readonly fromMs: number;
  readonly toMs: number;
  /** The Tehran day on which it is due, in days since 1970: each is made once. */
  readonly day: number;
}

const WEEK_DAYS = 7;
/** The place of Friday, the last day of Tehran's week, in `WEEKDAYS`. */
const FRIDAY = 6;

/**
 * The summaries that are due and were not made: of the day that ends with the time that is set, and of the
 * week. One that was missed while no bot ran is made at the next start of the same day.
 */
export function dueSummaries(
  settings: SummarySettings,
  made: { readonly day: number | null; readonly week: number | null },
  atMs: number,
): readonly DueSummary[] {
  const today = tehranDay(atMs);
  const due: DueSummary[] = [];
  const { dailyMinute, weeklyMinute } = settings;
  if (dailyMinute !== null && made.day !== today && atMs >= tehranInstant(today, dailyMinute))
    due.push({
      period: 'day',
      fromMs: tehranInstant(today - 1, dailyMinute),
      toMs: tehranInstant(today, dailyMinute),
      day: today,
    });
  if (
    weeklyMinute !== null &&
    made.week !== today &&
    weekdayOf(today) === FRIDAY &&
    atMs >= tehranInstant(today, weeklyMinute)
  )
    due.push({
      period: 'week',
      fromMs: tehranInstant(today - WEEK_DAYS, weeklyMinute),
      toMs: tehranInstant(today, weeklyMinute),
      day: today,
    });
  return due;
}
