import { describe, expect, test } from 'vitest';
import { tehranScale } from '../../../../src/dashboard/page/charts/tehran-scale.ts';
import {
  chartNumber,
  plainNumber,
  shortChartNumber,
  timesNumber,
} from '../../../../src/dashboard/page/charts/chart-number.ts';
import { localeOf } from '../../../../src/language/locale.ts';

type Points = Parameters<ReturnType<typeof tehranScale>['fillWeightsForPoints']>[0];

/** Returns the weights of hourly marks that begin at a time, in a calendar. */
function weightsOf(fromIso: string, hours: number, calendar: 'gregorian' | 'jalali'): readonly number[] {
  const from = Date.parse(fromIso) / 1_000;
  const points = Array.from({ length: hours }, (_, hour) => ({
    originalTime: from + hour * 3_600,
    timeWeight: 0,
  })) as unknown as Points;
  tehranScale(calendar).fillWeightsForPoints(points, 0);
  return points.map(({ timeWeight }) => timeWeight);
}

test('a day, a month and a year begin on the axis where they begin in Tehran', () => {
  // 20:30 UTC is midnight in Tehran; the first candle after it opens at 21:00 UTC.
  const newYear = weightsOf('2026-03-20T18:00:00Z', 6, 'jalali');
  expect(newYear).toEqual([30, 30, 30, 70, 30, 30]);
  expect(weightsOf('2026-03-20T18:00:00Z', 6, 'gregorian')).toEqual([30, 30, 30, 50, 30, 30]);
  expect(weightsOf('2026-03-31T18:00:00Z', 6, 'gregorian')[3]).toBe(60);
  expect(weightsOf('2026-04-20T18:00:00Z', 6, 'jalali')[3]).toBe(60);
});

const english = localeOf('en');
const persian = localeOf('fa');

describe('a number of a chart', () => {
  test('is short on a narrow axis, and in Persian its word stands at its left', () => {
    expect(shortChartNumber(99_500_000_000, 'rls', english)).toBe('99.5B');
    expect(shortChartNumber(99_500_000_000, 'rls', persian)).toBe('\u2067۹۹٫۵\u00A0میلیارد\u2069');
    expect(shortChartNumber(99_500_000_000, 'rls', localeOf('fa', 'toman'))).toBe(
      '\u2067۹٫۹۵\u00A0میلیارد\u2069',
    );
  });

  test('has the digits of the language', () => {
    expect(chartNumber(1_234.5, 'usdt', persian)).toBe('۱٬۲۳۴٫۵');
    expect(plainNumber(41.5, localeOf('fa', 'toman'))).toBe('۴۱٫۵');
    expect(timesNumber(12, english)).toBe('×12');
    expect(timesNumber(12, persian)).toBe('×۱۲');
  });
});
