import { expect, test } from 'vitest';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import { distributionSection } from '../../../../src/backtest/report/sections/return-sections.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';

/** Returns the labels of bin edges for closed trades with these returns, in hundredths of a percent. */
function edgesOf(returnsBps: readonly number[], language: 'en' | 'fa'): readonly string[] {
  const trips = returnsBps.map((bps) => ({
    isOpen: false,
    profit: parseUnits(String(bps)),
    cost: parseUnits('10000'),
  }));
  const html = distributionSection(trips, reportVoice(language));
  return [...html.matchAll(/text-anchor="(?:start|middle)">([^<]*[%٪][^<]*)</g)].map(([, text = '']) =>
    withoutDirectionMarks(text),
  );
}

test('edges of columns have as few decimals as tell them apart, since three look like thousands', () => {
  expect(edgesOf([-120, -40, 10, 90], 'fa')).toContain('-۱٫۲٪');
  expect(edgesOf([-12, -4, 1, 9], 'en')).toContain('-0.12 %');
  // Labels of quarter percents have two decimals, and no edge is rounded away.
  expect(edgesOf([-300, 0, 280], 'en')).toContain('-2.25 %');
  expect(edgesOf([-1.2, 0.9], 'en')).toContain('-0.012 %');
});
