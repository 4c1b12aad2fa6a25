import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTimes } from '../../../../src/backtest/result/csv-tables.ts';

test('moments are written as toISOString does, in any order', () => {
  const moments = fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 });
  fc.assert(
    fc.property(moments, (dates) => {
      const iso = isoTimes();
      expect(dates.map((date) => iso(date.getTime()))).toEqual(dates.map((date) => date.toISOString()));
    }),
  );
  expect(() => isoTimes()(Number.NaN)).toThrow(RangeError);
});
