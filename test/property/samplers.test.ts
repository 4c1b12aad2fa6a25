import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Space, readSpace } from '../../src/search/space-declaration.ts';
import { paramsOfPoint } from '../../src/search/params-of-point.ts';
import { SpaceAxes } from '../../src/search/space-axes.ts';
import { Sampler } from '../../src/search/sampler.ts';
import {
  type SamplerSettings,
  trialRecords,
  type Trial,
  type TrialOutcome,
} from '../../src/search/trial-record.ts';
import { deepRuns } from '../support/deep-runs.ts';

/** A numeric parameter, and a strategy's schema that allows nothing else. */
const numeric = fc
  .record({
    first: fc.integer({ min: 1, max: 40 }),
    stride: fc.integer({ min: 1, max: 7 }),
    count: fc.integer({ min: 2, max: 30 }),
    decimals: fc.integer({ min: 0, max: 6 }),
    isLog: fc.boolean(),
    isStepped: fc.boolean(),
  })
  .map(({ first, stride, count, decimals, isLog, isStepped }) => {
    const unit = 10 ** -decimals;
    const least = isLog ? first + stride : first - 20;
    const text = (units: number): string => (units * unit).toFixed(decimals);
    const range = { min: text(least), max: text(least + stride * (count - 1)) };
    const isInteger = decimals === 0 && isStepped;
    return {
      ...range,
      kind: isInteger ? ('integer' as const) : ('decimal' as const),
      ...(isStepped ? { step: text(stride) } : {}),
      scale: isLog ? ('log' as const) : ('linear' as const),
    };
  });

const choice = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 1, 2, true), { minLength: 2, maxLength: 5 })
  .map((values) => ({ kind: 'choice' as const, values }));

/** A space of some parameters, the last of which are under a condition. */
const spaces = fc
  .record({
    mode: choice,
    free: fc.array(fc.oneof(numeric, choice, fc.constant({ kind: 'boolean' as const })), {
      minLength: 1,
      maxLength: 4,
    }),
    held: fc.array(fc.oneof(numeric, choice), { maxLength: 2 }),
  })
  .map(({ mode, free, held }) => ({
    mode,
    ...Object.fromEntries(free.map((entry, index) => [`p${index}`, entry])),
    ...Object.fromEntries(
      held.map((entry, index) => [
        `q.${index === 0 ? 'a' : 'b'}`,
        { ...entry, when: { mode: mode.values[0] } },
      ]),
    ),
  }));

const settings = fc.record({
  kind: fc.constantFrom('random', 'sobol', 'tpe', 'nsga2'),
  seed: fc.integer({ min: 0, max: 2 ** 40 }),
  generation: fc.integer({ min: 1, max: 12 }),
  objectives: fc.constant(['maximize'] as const),
});

/** Number in units of the sixth decimal. */
const units = (text: string): bigint => BigInt(Number(text).toFixed(6).replace('.', ''));

/** Outcome of a trial: some fail, some are infeasible. */
function outcomeOf({ number, point }: Trial): TrialOutcome {
  if (number % 7 === 3) return { kind: 'failed', reason: 'planted' };
  const values = [JSON.stringify(point).length + Number(point['p0'] ?? 0)];
  return { kind: 'complete', values, violation: number % 5 === 4 ? 0.5 : 0 };
}

/** Runs a study that asks for `atOnce` trials, and reports them in the order that `shuffle` makes. */
function run(
  space: Space,
  of: { readonly settings: SamplerSettings; readonly atOnce: number; readonly trials: number },
  shuffle: (trials: Trial[]) => Trial[],
): Sampler {
  const sampler = new Sampler(space, of.settings);
  for (;;) {
    const waiting: Trial[] = [];
    for (;;) {
      const asked = sampler.ask(Math.min(of.atOnce, of.trials - sampler.trials.length));
      waiting.push(...asked);
      if (asked.length === 0) break;
    }
    if (waiting.length === 0) return sampler;
    for (const trial of shuffle(waiting)) sampler.add([{ number: trial.number, outcome: outcomeOf(trial) }]);
  }
}

test('every point lies in the space, on its steps, and its params are what the strategy takes', () => {
  fc.assert(
    fc.property(spaces, settings, (declaration, settings) => {
      const space = readSpace(declaration);
      const axes = new SpaceAxes(space);
      const { trials } = run(space, { settings, atOnce: 3, trials: 40 }, (all) => all);
      const seen = new Set<string>();
      for (const { point } of trials) {
        expect(axes.problemOf(point)).toBeNull();
        seen.add(JSON.stringify(point));
        for (const [name, value] of Object.entries(point)) {
          const entry = (
            declaration as Readonly<Record<string, { kind: string; min?: string; step?: string }>>
          )[name]!;
          if (entry.kind !== 'decimal' || entry.step === undefined) continue;
          expect((units(String(value)) - units(entry.min!)) % units(entry.step)).toBe(0n);
        }
        const params = paramsOfPoint(space, point);
        expect(Number.isFinite(Number(params['p0'])) || typeof params['p0'] === 'string').toBe(true);
        const schema = z
          .strictObject({ q: z.record(z.string(), z.unknown()).optional() })
          .catchall(z.unknown());
        expect(schema.safeParse(params).success).toBe(true);
      }
      expect(seen.size).toBe(trials.length);
    }),
    { numRuns: deepRuns(30, 20) },
  );
});

test('who runs the trials, how many at once and which ends first change nothing', () => {
  fc.assert(
    fc.property(spaces, settings, fc.integer({ min: 1, max: 40 }), (declaration, settings, atOnce) => {
      const space = readSpace(declaration);
      const alone = run(space, { settings, atOnce: 1, trials: 45 }, (all) => all);
      const many = run(space, { settings, atOnce, trials: 45 }, (all) => all.toReversed());
      expect(JSON.stringify(many.trials)).toBe(JSON.stringify(alone.trials));
    }),
    { numRuns: deepRuns(20, 15) },
  );
});

test('a study goes on from its trials as JSON, at any moment, as it would have gone on', () => {
  fc.assert(
    fc.property(spaces, settings, fc.nat(40), (declaration, settings, cut) => {
      const space = readSpace(declaration);
      const whole = run(space, { settings, atOnce: 40, trials: 45 }, (all) => all);
      const sampler = run(space, { settings, atOnce: 40, trials: cut }, (all) => all.slice(0, all.length));
      const restored = new Sampler(
        space,
        settings,
        trialRecords.parse(JSON.parse(JSON.stringify(sampler.trials))),
      );
      const twin = new Sampler(
        space,
        settings,
        trialRecords.parse(JSON.parse(JSON.stringify(sampler.trials))),
      );
      const rest = 45 - cut;
      expect(twin.ask(rest)).toEqual(restored.ask(rest));
      const next = restored.trials.slice(cut).map(({ point }) => point);
      expect(whole.trials.slice(cut, cut + next.length).map(({ point }) => point)).toEqual(next);
    }),
    { numRuns: deepRuns(20, 15) },
  );
});

test('CMA-ES and the grid do the same', () => {
  const numbers = fc.array(numeric, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(numbers, settings, fc.nat(60), (entries, drawn, cut) => {
      const space = readSpace(Object.fromEntries(entries.map((entry, index) => [`p${index}`, entry])));
      const isGrid = entries.every((entry) => 'step' in entry) && entries.length < 4 && cut % 2 === 0;
      const settings = { ...drawn, kind: isGrid ? ('grid' as const) : ('cmaes' as const) };
      const axes = new SpaceAxes(space);
      const whole = run(space, { settings, atOnce: 1, trials: 70 }, (all) => all);
      for (const { point } of whole.trials) expect(axes.problemOf(point)).toBeNull();
      const half = run(space, { settings, atOnce: 40, trials: cut }, (all) => all.toReversed());
      const restored = new Sampler(
        space,
        settings,
        trialRecords.parse(JSON.parse(JSON.stringify(half.trials))),
      );
      const next = restored.ask(70 - cut).map(({ point }) => point);
      expect(whole.trials.slice(cut, cut + next.length).map(({ point }) => point)).toEqual(next);
    }),
    { numRuns: deepRuns(20, 15) },
  );
});
