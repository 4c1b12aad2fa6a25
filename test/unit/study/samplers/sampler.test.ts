import { describe, expect, test } from 'vitest';
import { type Space, readSpace } from '../../../../src/search/space-declaration.ts';
import { SpaceAxes } from '../../../../src/search/space-axes.ts';
import { RandomProposer } from '../../../../src/search/proposer.ts';
import { TpeProposer } from '../../../../src/search/tpe-proposer.ts';
import { Sampler } from '../../../../src/search/sampler.ts';
import {
  SAMPLER_KINDS,
  type SamplerSettings,
  type Trial,
  type TrialOutcome,
} from '../../../../src/search/trial-record.ts';
import { scenarios } from '../../../support/scenarios.ts';

const SETTINGS: SamplerSettings = { kind: 'random', seed: 1, generation: 4, objectives: ['minimize'] };

const SMALL = readSpace({
  length: { kind: 'integer', min: 1, max: 3 },
  mode: { kind: 'choice', values: ['fast', 'slow'] },
});
const WIDE = readSpace({
  x: { kind: 'decimal', min: -3, max: 7 },
  y: { kind: 'decimal', min: 0.001, max: 1, scale: 'log' },
  n: { kind: 'integer', min: 1, max: 50 },
});
const NUMBERS = readSpace({
  x: { kind: 'decimal', min: -3, max: 7 },
  n: { kind: 'integer', min: -5, max: 20 },
});

const complete = (...values: number[]): TrialOutcome => ({ kind: 'complete', values, violation: 0 });
const violated = (violation: number): TrialOutcome => ({ kind: 'complete', values: [1], violation });
const failed: TrialOutcome = { kind: 'failed', reason: 'the handler threw' };

const loss = ({ point }: Trial): number =>
  (Number(point['x']) - 2) ** 2 + (Number(point['n']) - 11) ** 2 / 50 + Number(point['y'] ?? 0);

const lossOf = (trial: Trial): TrialOutcome => complete(loss(trial));

const best = (sampler: Sampler): number =>
  Math.min(
    ...sampler.trials.map(({ outcome }) => (outcome?.kind === 'complete' ? outcome.values[0]! : Infinity)),
  );

/** Runs a study to its end, or for a number of trials, with settings that differ from {@link SETTINGS}. */
function study(
  space: Space,
  change: Partial<SamplerSettings>,
  trials: number,
  outcome: (trial: Trial) => TrialOutcome,
): Sampler {
  const settings = { ...SETTINGS, ...change };
  const sampler = new Sampler(space, settings);
  for (;;) {
    const asked = sampler.ask(Math.min(settings.generation, trials - sampler.trials.length));
    if (asked.length === 0) return sampler;
    sampler.add(asked.map((trial) => ({ number: trial.number, outcome: outcome(trial) })));
  }
}

const pointsOf = (sampler: Sampler): readonly string[] =>
  sampler.trials.map(({ point }) => JSON.stringify(point));

describe.each(['grid', 'random', 'sobol', 'tpe', 'nsga2'] as const)('%s', (kind) => {
  test('proposes every point of a small space once, and then no more', () => {
    const sampler = study(SMALL, { kind }, 100, ({ number }) => complete(number));
    expect(pointsOf(sampler).toSorted()).toEqual(
      [1, 2, 3]
        .flatMap((length) => ['fast', 'slow'].map((mode) => JSON.stringify({ length, mode })))
        .toSorted(),
    );
    expect(sampler.isExhausted).toBe(true);
    expect(sampler.ask(5)).toEqual([]);
  });
});

describe.each(['random', 'sobol', 'tpe', 'nsga2', 'cmaes'] as const)('%s', (kind) => {
  const space = kind === 'cmaes' ? NUMBERS : WIDE;

  test('goes on where every trial failed, and where every trial is infeasible', () => {
    expect(study(space, { kind }, 120, () => failed).trials).toHaveLength(120);
    const infeasible = study(space, { kind }, 120, (trial) => {
      return { kind: 'complete', values: [loss(trial)], violation: 1 + trial.number };
    });
    expect(infeasible.trials).toHaveLength(120);
  });

  test('another seed proposes other points', () => {
    const [one, other] = [1, 2].map((seed) => pointsOf(study(space, { kind, seed }, 8, lossOf)));
    expect(one).not.toEqual(other);
  });
});

describe.each(['tpe', 'cmaes', 'nsga2'] as const)('%s', (kind) => {
  const space = kind === 'cmaes' ? NUMBERS : WIDE;

  test('comes nearer to the best than chance', () => {
    // NSGA-II learns only once in each population, so it takes longer.
    const trials = kind === 'nsga2' ? 400 : 200;
    const [ours, chance] = ([kind, 'random'] as const).map((one) =>
      [1, 2, 3].reduce((sum, seed) => sum + best(study(space, { kind: one, seed }, trials, lossOf)), 0),
    );
    expect(ours! * 2).toBeLessThan(chance!);
  });

  test('maximises what is to be large', () => {
    const objectives = ['maximize'] as const;
    const negative = study(space, { kind, objectives }, 80, (trial) => complete(-loss(trial)));
    expect(pointsOf(negative)).toEqual(pointsOf(study(space, { kind }, 80, lossOf)));
  });

  test('finds the feasible part, and the best in it', () => {
    // The best point of all, at x = 2, is not feasible.
    const constrained = study(space, { kind }, 240, (trial) => {
      const violation = Math.max(0, 4 - Number(trial.point['x']));
      return { kind: 'complete', values: [loss(trial)], violation };
    });
    const feasible = constrained.trials.filter(
      ({ outcome }) => outcome?.kind === 'complete' && outcome.violation === 0,
    );
    expect(feasible.length).toBeGreaterThan(80);
    expect(Math.min(...feasible.map(({ point }) => Number(point['x'])))).toBeLessThan(4.3);
  });
});

test('TPE keeps away from where trials fail', () => {
  const { trials } = study(WIDE, { kind: 'tpe' }, 160, (trial) =>
    Number(trial.point['x']) > 4 ? failed : lossOf(trial),
  );
  const late = trials.slice(80).filter(({ outcome }) => outcome?.kind === 'failed');
  // Fewer than 10 of 80; by chance it would be 24.
  expect(late.length).toBeLessThan(10);
});

test('a proposal of TPE keeps others of its generation away', () => {
  const axes = new SpaceAxes(NUMBERS);
  const proposers = [1, 2].map(() => new TpeProposer({ axes, seed: 3, generation: 40 }));
  const random = new RandomProposer({ axes, seed: 3, generation: 40 });
  const trials = Array.from({ length: 40 }, (_, number) => {
    const coordinates = random.propose(number, 0);
    return { number, coordinates, losses: [(coordinates[0]! - 2) ** 2 + coordinates[1]! ** 2], violation: 0 };
  });
  for (const proposer of proposers) proposer.learn(trials);
  const [alone, among] = proposers;
  const wanted = alone!.propose(60, 0);
  // Both draw the same candidates, but trials at the best one are already under way.
  for (let number = 40; number < 60; number += 1) among!.accept(number, wanted);
  expect(among!.propose(60, 0)).not.toEqual(wanted);
});

test('NSGA-II spreads over a front of two objectives', () => {
  const objectives = ['minimize', 'maximize'] as const;
  const { trials } = study(WIDE, { kind: 'nsga2', generation: 10, objectives }, 400, ({ point }) =>
    complete(Number(point['x']) ** 2 + Number(point['y']), Number(point['x'])),
  );
  // From x = 0 upwards, no point is worse than another in both objectives.
  const late = trials.slice(300).map(({ point }) => Number(point['x']));
  expect(late.filter((x) => x > -0.2).length).toBeGreaterThan(85);
  for (const from of [0, 2, 4, 6]) expect(late.some((x) => x >= from && x < from + 1)).toBe(true);
});

test('CMA-ES starts anew when a search has ended', () => {
  const line = readSpace({ x: { kind: 'decimal', min: -3, max: 7 } });
  const { trials } = study(line, { kind: 'cmaes', generation: 1 }, 600, ({ point }) =>
    complete((Number(point['x']) - 2) ** 2),
  );
  const away = trials.map(({ point }) => Math.abs(Number(point['x']) - 2));
  const ended = away.findIndex((_, place) =>
    away.slice(place, place + 20).every((distance) => distance < 1e-4),
  );
  expect(ended).toBeGreaterThan(0);
  expect(away.slice(ended).filter((distance) => distance > 0.5).length).toBeGreaterThan(10);
});

test('CMA-ES keeps other values of a stepped parameter in reach', () => {
  const { trials } = study(NUMBERS, { kind: 'cmaes', generation: 1 }, 350, ({ point }) =>
    complete((Number(point['x']) - 2) ** 2 + 10 * (Number(point['n']) - 11) ** 2),
  );
  const late = trials.slice(200).map(({ point }) => point['n']);
  expect(late.filter((n) => n === 11).length).toBeGreaterThan(100);
  expect(late.filter((n) => n !== 11).length).toBeGreaterThan(5);
});

describe('a sampler', () => {
  test('proposes no more than the generation under way, until all of it is told', () => {
    const sampler = new Sampler(WIDE, SETTINGS);
    expect(sampler.ask(3).map(({ number }) => number)).toEqual([0, 1, 2]);
    expect(sampler.ask(3).map(({ number }) => number)).toEqual([3]);
    expect(sampler.ask(3)).toEqual([]);
    sampler.add([0, 1, 3].map((number) => ({ number, outcome: complete(1) })));
    expect(sampler.ask(3)).toEqual([]);
    expect(sampler.pending).toEqual([{ number: 2, point: sampler.trials[2]!.point }]);
    sampler.add([{ number: 2, outcome: failed }]);
    expect(sampler.pending).toEqual([]);
    expect(sampler.ask(3).map(({ number }) => number)).toEqual([4, 5, 6]);
  });

  test.each([
    ['NaN', complete(Number.NaN), 'expected a finite objective 1, found NaN'],
    ['an infinite value', complete(-Infinity), 'expected a finite objective 1, found -Infinity'],
    ['a violation that is no number', violated(Number.NaN), 'expected a violation of 0 or more, found NaN'],
    ['a violation below 0', violated(-1), 'expected a violation of 0 or more, found -1'],
  ])('takes %s as a failed trial', (_, outcome, reason) => {
    const sampler = new Sampler(WIDE, SETTINGS);
    sampler.ask(1);
    sampler.add([{ number: 0, outcome }]);
    expect(sampler.trials[0]!.outcome).toEqual({ kind: 'failed', reason });
  });

  test('refuses outcomes that are not due, and keeps those before them', () => {
    const sampler = new Sampler(WIDE, SETTINGS);
    sampler.ask(2);
    const told = { number: 0, outcome: complete(1) };
    expect(() => sampler.add([told, { number: 2, outcome: complete(1) }])).toThrow(
      'expected the outcome of a trial that is due, found that of trial 2, which was not asked for',
    );
    expect(() => sampler.add([told])).toThrow('found that of trial 0, which was told before');
    expect(() => sampler.add([{ number: 1, outcome: complete(1, 2) }])).toThrow(
      'expected 1 values, one an objective, for trial 1, found 2',
    );
    expect(sampler.trials.map(({ outcome }) => outcome)).toEqual([complete(1), null]);
  });

  test('goes on from its trials as if nothing had happened, and from trials with gaps', () => {
    const sampler = new Sampler(WIDE, { ...SETTINGS, kind: 'tpe' });
    for (let generation = 0; generation < 5; generation += 1)
      sampler.add(sampler.ask(4).map((trial) => ({ number: trial.number, outcome: complete(loss(trial)) })));
    sampler.ask(4);
    sampler.add([{ number: 22, outcome: complete(7) }]);
    const again = new Sampler(WIDE, { ...SETTINGS, kind: 'tpe' }, JSON.parse(JSON.stringify(sampler.trials)));
    expect(again.pending.map(({ number }) => number)).toEqual([20, 21, 23]);
    for (const one of [sampler, again])
      one.add([20, 23, 21].map((number) => ({ number, outcome: complete(number) })));
    expect(again.ask(4)).toEqual(sampler.ask(4));
  });

  test('knows a stored point again, in whatever order its values stand', () => {
    const trials = [{ point: { mode: 'slow', length: 2 }, outcome: failed }];
    const sampler = new Sampler(SMALL, { ...SETTINGS, generation: 6 }, trials);
    const points = [...trials, ...sampler.ask(5)].map(({ point }) => `${point.length}${point.mode}`);
    expect(new Set(points).size).toBe(6);
    expect(sampler.isExhausted).toBe(true);
  });

  test.each([
    [
      [{ point: { length: 9, mode: 'fast' }, outcome: null }],
      'trial 0: length: expected integer 1 to 3 in 2 steps, found 9',
    ],
    [
      Array.from({ length: 6 }, () => ({ point: { length: 1, mode: 'fast' }, outcome: null })),
      'trial 4: expected every outcome of the generation before, found 0 of 4',
    ],
  ])('refuses trials of another study: %#', (trials, problem) => {
    expect(() => new Sampler(SMALL, SETTINGS, trials)).toThrow(problem);
  });
});

describe('settings', () => {
  const many = readSpace(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`p${index}`, { kind: 'integer', min: 1, max: 9 }]),
    ),
  );
  const withChoice = readSpace({
    n: { kind: 'integer', min: 1, max: 9 },
    mode: { kind: 'choice', values: ['a', 'b'] },
  });
  const withCondition = readSpace({
    n: { kind: 'integer', min: 1, max: 9 },
    m: { kind: 'integer', min: 1, max: 9, when: { n: 3 } },
  });

  scenarios<readonly [Space, Partial<SamplerSettings>]>((problem, [space, settings]) => {
    expect(() => new Sampler(space, { ...SETTINGS, ...settings })).toThrow(problem);
  }, 'with %s are refused')`
    no such sampler ${[SMALL, { kind: 'annealing' as never }]}
      expected a sampler among ${SAMPLER_KINDS.join(', ')}, found annealing
    a broken seed ${[SMALL, { seed: 0.5 }]}: expected a seed that is a whole number from 0, found 0.5
    no generation ${[SMALL, { generation: 0 }]}: expected a generation of 1 to 1000 trials, found 0
    no objective ${[SMALL, { objectives: [] }]}: expected 1 to 8 objectives, found 0
    two objectives ${[SMALL, { kind: 'tpe', objectives: ['minimize', 'maximize'] }]}
      expected one objective for tpe (nsga2 takes several), found 2
    a choice ${[withChoice, { kind: 'cmaes' }]}
      expected numbers only for cmaes, found the choice mode: take tpe
    a condition ${[withCondition, { kind: 'cmaes' }]}: found the conditional parameter m
    a decimal without steps ${[WIDE, { kind: 'grid' }]}
      expected a step for x, found none: a grid tries every value
    a grid beyond bounds ${[many, { kind: 'grid' }]}
      expected a grid of at most 100000 points, found ${9n ** 40n}
  `;

  test('let CMA-ES have 40 dimensions', () => {
    const settings = { kind: 'cmaes', generation: 15 } as const;
    expect(study(many, settings, 45, ({ number }) => complete(number)).trials).toHaveLength(45);
  });
});
