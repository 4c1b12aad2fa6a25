import { expect, test } from 'vitest';
import { crowdingDistances, dominates, nonDominatedFronts } from '../../../../src/search/nsga-proposer.ts';

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
