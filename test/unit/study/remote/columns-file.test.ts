import { expect, test } from 'vitest';
import { barsBetween } from '../../../../src/domain/candle-columns.ts';
import { checksumOf, readColumns, writeColumns } from '../../../../src/study/file-cache.ts';
import { generatedCandles } from '../generated-candles.ts';

test('candles are read as they were written', () => {
  const columns = generatedCandles({ count: 50 });
  expect(readColumns(writeColumns(columns))).toEqual(barsBetween(columns, 0, 50));
});

test('candles that a trial may not see are not in the file', () => {
  const columns = generatedCandles({ count: 50 });
  const cut = barsBetween(columns, 0, 30);
  expect(readColumns(writeColumns(cut)).length).toBe(30);
  expect(checksumOf(writeColumns(cut))).toBe(checksumOf(writeColumns(generatedCandles({ count: 30 }))));
});

test.each([
  ['nothing', () => Buffer.alloc(0)],
  ['no header', () => Buffer.alloc(400)],
  ['a part', () => writeColumns(generatedCandles({ count: 50 })).subarray(0, -1)],
])('refuses %s', (_, bytes) => {
  expect(() => readColumns(bytes())).toThrow(/^expected .* from the coordinator of a study/);
});
