import { expect, test } from 'vitest';
import { TpeHistory } from '../../../../src/search/tpe-proposer.ts';

/** The first parameter always exists; the two others do so together, in two of three trials. */
const trial = (number: number, loss: number | null, violation = 0) => ({
  number,
  coordinates: Float64Array.of(
    number,
    number % 3 === 0 ? Number.NaN : number,
    number % 3 === 0 ? Number.NaN : -number,
  ),
  losses: loss === null ? [] : [loss],
  violation: loss === null ? Infinity : violation,
});

test('a tenth of the trials with values are good: feasible ones by loss, then the least infeasible', () => {
  const history = new TpeHistory(3);
  for (let number = 0; number < 30; number += 1) {
    if (number === 20) history.add(trial(number, 9));
    else history.add(number < 8 ? trial(number, null) : trial(number, number, 100 - number));
  }
  // 22 have values, so 3 are good: the feasible one, and the two least infeasible.
  expect(history.completeCount).toBe(22);
  const [good, others] = history.parted([0]);
  expect([...good[0]!.observed]).toEqual([20, 28, 29]);
  expect(others[0]!.observed).toHaveLength(27);
});

test('both sides hold the trials that have the parameters, in order of their numbers and of their values', () => {
  const history = new TpeHistory(3);
  for (let number = 0; number < 300; number += 1) history.add(trial(number, 300 - number));
  const [good, others] = history.parted([1, 2]);
  // The best 25 are the latest.
  expect([...good[0]!.observed]).toEqual(
    Array.from({ length: 25 }, (_, place) => 275 + place).filter((number) => number % 3 !== 0),
  );
  expect(good[0]!.observed.length + others[0]!.observed.length).toBe(200);
  for (const side of [good, others]) {
    expect([...side[0]!.order]).toEqual([...side[0]!.observed.keys()]);
    expect([...side[1]!.order]).toEqual([...side[0]!.observed.keys()].toReversed());
  }
});
