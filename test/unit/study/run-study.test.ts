import { setImmediate as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/domain/random.ts';
import { runStudy, type StudyRun } from '../../../src/study/study-session.ts';
import type { SamplerKind } from '../../../src/search/trial-record.ts';
import { readSpace } from '../../../src/search/space-declaration.ts';
import type { Params } from '../../../src/search/params-of-point.ts';
import { rowOf, type StoredTrial } from '../../../src/study/study-rows.ts';
import type { TrialReport } from '../../../src/study/objectives.ts';
import type { TrialRunner } from '../../../src/study/trial-runner.ts';

const space = readSpace({
  fast: { kind: 'integer', min: 1, max: 40 },
  share: { kind: 'decimal', min: 0.1, max: 0.9, step: 0.1 },
});

/** Measures a trial: best at fast 17 and share 0.4; it throws where fast is a multiple of 7. */
function measured({ fast, share }: Params): TrialReport {
  if (Number(fast) % 7 === 0) return { kind: 'failed', failure: 'threw', reason: `fast was ${String(fast)}` };
  const sharpe = -((Number(fast) - 17) ** 2) / 100 - (Number(share) - 0.4) ** 2;
  const daily = { firstDay: 3, returns: Float64Array.of(sharpe, 0.5) };
  const fills = Number(fast) === 20 ? 0 : 4;
  return { kind: 'ran', metrics: { sharpe: fills === 0 ? null : sharpe, trades: fills, fills }, daily };
}

/** Makes a runner that ends trials in a random order. */
function shuffled(width: number, run: (params: Params) => TrialReport = measured): TrialRunner {
  const random = createRandom(width);
  return {
    width,
    async run(params) {
      for (let turns = Math.floor(random.next() * 9); turns > 0; turns -= 1) await pause();
      return run(params);
    },
    close: async () => undefined,
  };
}

class KeptTrials {
  readonly kept = new Map<number, StoredTrial>();

  outcomes(): readonly StoredTrial[] {
    return [...this.kept.values()].toSorted((left, right) => left.number - right.number);
  }

  add(trial: StoredTrial): void {
    if (this.kept.has(trial.number)) throw new Error(`expected trial ${trial.number} once`);
    this.kept.set(trial.number, trial);
  }

  get rows(): string {
    return JSON.stringify(this.outcomes().map(rowOf));
  }
}

function runOf(store: KeptTrials, of: Partial<StudyRun> & { readonly kind?: SamplerKind } = {}): StudyRun {
  const { kind = 'tpe', ...more } = of;
  return {
    space,
    sampler: { kind, seed: 5, generation: 6, objectives: ['maximize'] },
    goals: { objectives: [{ metric: 'sharpe', direction: 'maximize' }], constraints: [] },
    fixed: { mode: 'plain' },
    trials: 40,
    store,
    runner: shuffled(1),
    isOver: () => false,
    clock: () => 0,
    onTrial: () => undefined,
    ...more,
  };
}

async function whole(of: Parameters<typeof runOf>[1] = {}): Promise<KeptTrials> {
  const store = new KeptTrials();
  expect(await runStudy(runOf(store, of))).toBe('complete');
  return store;
}

describe('a study', () => {
  test.each(['tpe', 'nsga2', 'cmaes', 'random', 'sobol', 'grid'] as const)(
    'by %s is the same whoever runs it, and in whatever order its trials end',
    async (kind) => {
      const { rows } = await whole({ kind });
      for (const width of [2, 7, 80])
        expect((await whole({ kind, runner: shuffled(width) })).rows).toBe(rows);
    },
  );

  test('keeps params with those that are fixed, figures, daily returns and why a trial failed', async () => {
    const trials = (await whole()).outcomes();
    const failures = new Set(trials.map(({ failure }) => failure));
    expect(failures).toEqual(new Set([null, 'threw', 'no trade']));
    const first = trials.find(({ failure }) => failure === null);
    expect(first?.params).toMatchObject({ mode: 'plain', fast: expect.any(Number) as number });
    expect(first?.daily?.returns[1]).toBe(0.5);
    expect(trials.find(({ failure }) => failure === 'threw')?.outcome).toMatchObject({ kind: 'failed' });
  });

  test('goes on from any trials that ended, runs none of them twice, and ends as the whole one', async () => {
    const all = await whole();
    for (const missing of [[39], [0], [13, 14, 22], [5, 6, 7, 8, 9, 10, 11]]) {
      const store = new KeptTrials();
      const lastWhole = Math.floor(Math.min(...missing) / 6) * 6 + 6;
      // No trial beyond the generation of the first missing one can have begun.
      for (const trial of all.outcomes())
        if (!missing.includes(trial.number) && trial.number < lastWhole) store.add(trial);
      let ran = 0;
      const begun = store.kept.size;
      const runner = shuffled(5, (params) => {
        ran += 1;
        return measured(params);
      });
      expect(await runStudy(runOf(store, { runner }))).toBe('complete');
      expect([store.rows, ran]).toEqual([all.rows, 40 - begun]);
    }
  });

  test('goes on with more trials as if it had had them from the beginning', async () => {
    const store = await whole({ trials: 21 });
    await runStudy(runOf(store));
    expect(store.rows).toBe((await whole()).rows);
  });

  test('that is stopped has ended the trials under way: they are the first ones of the whole study', async () => {
    const store = new KeptTrials();
    const isOver = (): boolean => store.kept.size >= 15;
    expect(await runStudy(runOf(store, { runner: shuffled(4), isOver }))).toBe('stopped');
    const all = await whole();
    const firsts = all.outcomes().slice(0, store.kept.size);
    expect(store.rows).toBe(JSON.stringify(firsts.map(rowOf)));
    expect(store.kept.size).toBeLessThan(20);
  });

  test('ends where every point of its space was tried', async () => {
    const store = new KeptTrials();
    const small = readSpace({ fast: { kind: 'integer', min: 1, max: 5 } });
    expect(await runStudy(runOf(store, { space: small, kind: 'random' }))).toBe('exhausted');
    expect(store.kept.size).toBe(5);
  });

  test('ends with what its store throws, and loses nothing of what is kept', async () => {
    const store = new KeptTrials();
    const full = {
      outcomes: () => store.outcomes(),
      add(trial: StoredTrial) {
        if (store.kept.size === 9) throw new Error('no room to write');
        store.add(trial);
      },
    };
    await expect(runStudy({ ...runOf(store, { runner: shuffled(4) }), store: full })).rejects.toThrow(
      'no room',
    );
    expect(store.kept.size).toBe(9);
    await runStudy(runOf(store));
    expect(store.rows).toBe((await whole()).rows);
  });

  test('refuses trials of other params, which are of another study', async () => {
    const store = await whole({ trials: 3 });
    const [trial] = store.outcomes();
    if (trial === undefined) throw new Error('expected a trial');
    store.kept.clear();
    store.add({ ...trial, number: 2 });
    await expect(runStudy(runOf(store))).rejects.toThrow(
      /expected trial 2 of this study, found one of other params/,
    );
  });
});
