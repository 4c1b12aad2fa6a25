import { describe, expect, test } from 'vitest';
import { withPlan } from '../../../src/cli/study/walk-forward-command.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import type { WalkQuestion } from '../../../src/study/walk-plan.ts';

const DAY_MS = 86_400_000;
const ROLLING: WalkQuestion = {
  kind: 'rolling',
  choose: 'best',
  trainMs: 180 * DAY_MS,
  testMs: 30 * DAY_MS,
  stepMs: 30 * DAY_MS,
  purgeMs: 0,
  embargoMs: 0,
};

/** Returns the walk-forward settings of a study file whose plan is `own`, together with options. */
function planOf(of: {
  readonly own?: object;
  readonly flags?: Record<string, string>;
  readonly trials?: number;
  readonly begun?: WalkQuestion;
}) {
  const { own, flags = {}, trials, begun = null } = of;
  const validation = own === undefined ? {} : { walkForward: own };
  const study = { strategy: 'ma-cross', markets: 'BTCUSDT', balances: { usdt: 1 }, validation };
  const told = { source: 'study.yaml', advice: 'leave one of them out' };
  const read = withPlan(readWrittenStudy(study), { flags, trials, begun, ...told });
  // The plan as it is stored is read again as the same settings.
  expect(readWrittenStudy(read.written).settings).toEqual(read.settings);
  return read.settings.validation.walkForward;
}

const flags = { train: '180d', test: '30d' };

describe('the plan of a walk-forward', () => {
  test('is that of the options, of the study, or the one that it was begun with', () => {
    expect(planOf({ flags })).toEqual(ROLLING);
    expect(planOf({ own: flags })).toEqual(ROLLING);
    expect(planOf({ begun: ROLLING })).toEqual(ROLLING);
    expect(planOf({})).toBeUndefined();
    const all = { ...flags, step: '45d', purge: '1d', embargo: '12h', kind: 'anchored', choose: 'plateau' };
    expect(planOf({ flags: all })).toEqual({
      ...ROLLING,
      kind: 'anchored',
      choose: 'plateau',
      stepMs: 45 * DAY_MS,
      purgeMs: DAY_MS,
      embargoMs: DAY_MS / 2,
    });
  });

  test('may be said twice where both are the same', () => {
    expect(planOf({ own: { ...flags, trials: 7 }, flags: { ...flags, step: '30d' } })).toEqual({
      ...ROLLING,
      trials: 7,
    });
  });

  test('takes its trials from the options first', () => {
    for (const own of [undefined, { ...flags, trials: 7 }])
      expect(planOf({ ...(own === undefined ? { flags } : { own }), trials: 60 })).toEqual({
        ...ROLLING,
        trials: 60,
      });
  });

  test('is refused where the study says another one, and where half of it is missing', () => {
    expect(() => planOf({ own: { ...flags, purge: '1d' }, flags })).toThrow(
      /^expected the plan of study\.yaml \(kind rolling, train 180d, .*purge 1d.*\), found another one in the options \(.*purge 0s.*\): leave one of them out$/,
    );
    expect(() => planOf({ flags: { step: '30d', kind: 'anchored' } })).toThrow(
      /^expected --train and --test, such as --train 180d --test 30d, found --step, --kind alone$/,
    );
    expect(() => planOf({ flags: { ...flags, step: '3d' } })).toThrow(
      /step: expected a step of test or more/,
    );
  });
});
