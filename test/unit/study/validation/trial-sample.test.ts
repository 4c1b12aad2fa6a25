import { expect, test } from 'vitest';
import { createRandom } from '../../../../src/domain/random.ts';
import { drawSample, sameDays, sampleSize } from '../../../../src/study/validation/luck-statistics.ts';

test('a sample is bounded by trials and by returns', () => {
  expect([40, 1_000, 2_500, 50_000].map(sampleSize)).toEqual([1_000, 1_000, 400, 100]);
});

test('a sample has its size, keeps the order, and takes each number as often as any other', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const random = createRandom(4);
  const drawn = Array.from({ length: 4_000 }, () => drawSample(numbers, { size: 5, random }));
  expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([5]));
  expect(
    drawn.every((sample) => sample.every((number, at) => at === 0 || number > (sample[at - 1] ?? 0))),
  ).toBe(true);
  const counts = numbers.map((number) => drawn.filter((sample) => sample.includes(number)).length);
  expect(Math.min(...counts)).toBeGreaterThan(880);
  expect(Math.max(...counts)).toBeLessThan(1_120);
  expect(drawSample(numbers, { size: 20, random })).toBe(numbers);
});

test('returns of other days are put on the same days, with 0 where there are none', () => {
  const columns = sameDays([
    { firstDay: 7, returns: Float64Array.of(1, 2, 3) },
    { firstDay: 5, returns: Float64Array.of(4, 5, 6) },
  ]);
  expect(columns.map((column) => [...column])).toEqual([
    [0, 0, 1, 2, 3],
    [4, 5, 6, 0, 0],
  ]);
});
