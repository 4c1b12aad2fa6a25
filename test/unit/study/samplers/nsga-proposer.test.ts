import { expect, test } from 'vitest';
import { SpaceAxes } from '../../../../src/search/space-axes.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import { NsgaProposer, crossed, mutated } from '../../../../src/search/nsga-proposer.ts';
import { numberAt, RandomStream } from '../../../../src/search/proposer.ts';

const LINE = { low: -1, high: 3 };

test('the lonely ones of a front are kept, and have most children', () => {
  const axes = new SpaceAxes(readSpace({ x: { kind: 'decimal', min: 0, max: 1 } }));
  const proposer = new NsgaProposer({ axes, seed: 1, generation: 50 });
  // All are on one front: ten far from each other, and ninety in a hundredth of it.
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
  // Nine of fifty parents are lonely: without crowding in the tournament it would be 168 of 400.
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
