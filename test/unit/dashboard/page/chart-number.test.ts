import { describe, expect, test } from 'vitest';
import {
  chartNumber,
  plainNumber,
  shortChartNumber,
  timesNumber,
} from '../../../../src/dashboard/page/charts/chart-number.ts';
import { localeOf } from '../../../../src/language/locale.ts';

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
