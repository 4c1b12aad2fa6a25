import { expect, test } from 'vitest';
import { barsBetween } from '../../../../src/domain/candle-columns.ts';
import { readCandleFile, writeCandleFile } from '../../../../src/recording/column-file.ts';
import { checksumOf } from '../../../../src/study/file-cache.ts';
import { generatedCandles } from '../generated-candles.ts';

test('candles are read as they were written', () => {
  const columns = generatedCandles({ count: 50 });
  expect(readCandleFile(writeCandleFile(columns))).toEqual(barsBetween(columns, 0, 50));
});

test('candles that a trial may not see are not in the file', () => {
  const columns = generatedCandles({ count: 50 });
  const cut = barsBetween(columns, 0, 30);
  expect(readCandleFile(writeCandleFile(cut)).length).toBe(30);
  expect(checksumOf(writeCandleFile(cut))).toBe(checksumOf(writeCandleFile(generatedCandles({ count: 30 }))));
});

test.each([
  ['nothing', () => Buffer.alloc(0)],
  ['no header', () => Buffer.alloc(400)],
  ['a part', () => writeCandleFile(generatedCandles({ count: 50 })).subarray(0, -1)],
])('refuses %s', (_, bytes) => {
  expect(() => readCandleFile(bytes())).toThrow(
    'expected candles as the coordinator of a study packs them, found something else',
  );
});
