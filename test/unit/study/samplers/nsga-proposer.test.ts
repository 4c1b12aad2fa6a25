import { expect, test } from 'vitest';
import { SpaceAxes } from '../../../../src/search/space-axes.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import {
  NsgaProposer,
  crossed,
  mutated,
  crowdingDistances,
  dominates,
  nonDominatedFronts,
} from '../../../../src/search/nsga-proposer.ts';
import { numberAt, RandomStream } from '../../../../src/search/proposer.ts';

const LINE = { low: -1, high: 3 };

test('the lonely ones of a front are kept, and have most children', () => {
  const axes = new SpaceAxes(readSpace({ x: { kind: 'decimal', min: 0, max: 1 } }));
  const proposer = new NsgaProposer({ axes, seed: 1, generation: 50 });
  // All trials are on one front: ten far from each other, and ninety within a hundredth of it.
  const places = Array.from({ length: 100 }, (_, number) =>
    number % 10 === 0 ? number / 100 : 0.5 + number / 10_000,
  );
  const trials = places.map((x, number) => ({
    number,
    coordinates: Float64Array.of(x),
    losses: [x, 1 - x],
    violation: 0,
  }));
  proposer.learn(trials.slice(0, 50));
  proposer.learn(trials.slice(50));
  const children = Array.from({ length: 400 }, (_, number) => numberAt(proposer.propose(100 + number, 0), 0));
  // Nine of 50 parents are lonely: without crowding in the tournament they would get 168 of 400 children.
  expect(children.filter((x) => x < 0.45 || x > 0.56).length).toBeGreaterThan(180);
  for (const lonely of [0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    expect(children.some((x) => Math.abs(x - lonely) < 0.03)).toBe(true);
});

test('children and mutants keep inside the line, near where they come from', () => {
  const random = new RandomStream(7);
  const draws = Array.from({ length: 4_000 }, () => crossed([0, 1], LINE, random));
  expect(draws.every((x) => x >= -1 && x <= 3)).toBe(true);
  const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
  expect(mean).toBeCloseTo(0.5, 1);
  expect(draws.filter((x) => Math.min(Math.abs(x), Math.abs(x - 1)) < 0.1).length).toBeGreaterThan(3_000);
  const mutants = Array.from({ length: 4_000 }, () => mutated(-1, LINE, random));
  expect(mutants.every((x) => x >= -1 && x <= 3)).toBe(true);
  expect(mutants.filter((x) => x < -0.5).length).toBeGreaterThan(3_500);
  expect(crossed([2, 2], LINE, random)).toBe(2);
});

const trial = (losses: readonly number[], violation = 0) => ({ losses, violation });
const failed = trial([], Infinity);

test.each([
  ['better in both', trial([1, 1]), trial([2, 2]), true],
  ['better in one and equal in the other', trial([1, 2]), trial([2, 2]), true],
  ['equal', trial([1, 1]), trial([1, 1]), false],
  ['better in one and worse in the other', trial([1, 3]), trial([2, 2]), false],
  ['feasible, and worse', trial([9, 9]), trial([1, 1], 0.1), true],
  ['less infeasible, and worse', trial([9, 9], 0.1), trial([1, 1], 0.2), true],
  ['equally infeasible, and better', trial([1, 1], 0.1), trial([9, 9], 0.1), false],
  ['infeasible, against a failed one', trial([9, 9], 5), failed, true],
  ['failed, against a failed one', failed, failed, false],
])('what is %s dominates: %#', (_, one, other, expected) => {
  expect(dominates(one, other)).toBe(expected);
});

test('fronts hold what only those before them dominate, failed trials last', () => {
  const trials = [
    [1, 5],
    [2, 2],
    [5, 1],
    [3, 3],
    [2, 6],
    [6, 6],
  ].map((losses) => trial(losses));
  const [infeasible, worse] = [trial([0, 0], 1), trial([0, 0], 2)];
  const fronts = nonDominatedFronts([failed, worse, infeasible, ...trials]);
  expect(fronts).toEqual([
    [trials[0], trials[1], trials[2]],
    [trials[3], trials[4]],
    [trials[5]],
    [infeasible],
    [worse],
    [failed],
  ]);
});

test('crowding is the way between the neighbours, as a share of the extent', () => {
  const front = [
    [0, 10],
    [1, 6],
    [4, 3],
    [10, 0],
  ].map((losses) => trial(losses));
  expect([...crowdingDistances(front)]).toEqual([Infinity, 0.4 + 0.7, 0.9 + 0.6, Infinity]);
  expect([...crowdingDistances([failed, failed])]).toEqual([0, 0]);
});
