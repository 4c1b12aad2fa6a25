import { rmSync } from 'node:fs';
import { closing } from '../../../../src/domain/closing.ts';
import { present } from '../../../../src/domain/errors.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import { judgeTrial, type Objective, type TrialMetrics } from '../../../../src/study/objectives.ts';
import { identityOf } from '../../../../src/study/study-identity.ts';
import {
  reportedStudy,
  type ReportedStudy,
  type ReportedWalk,
  validatedStudy,
} from '../../../../src/study/validated-study.ts';
import { type Point, readSpace } from '../../../../src/search/space-declaration.ts';
import { SpaceAxes } from '../../../../src/search/space-axes.ts';
import { paramsOfPoint } from '../../../../src/search/params-of-point.ts';
import type { StoredTrial } from '../../../../src/study/study-rows.ts';
import { StudyStore } from '../../../../src/study/study-store.ts';
import { finding } from '../../../../src/study/english-study.ts';
import { studyResult, trialCount } from '../../../../src/study/study-result.ts';
import type { WalkForwardResult, WindowRow } from '../../../../src/study/walk-forward-result.ts';

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2024, 0, 1);
const FIRST_DAY = FROM_MS / DAY_MS;

const SPACE = {
  fast: { kind: 'integer', min: 5, max: 60 },
  share: { kind: 'decimal', min: 0.1, max: 0.9, step: 0.1 },
  exit: { kind: 'choice', values: ['trail', 'stop', '<b>both</b>'] },
  trailBps: { kind: 'integer', min: 10, max: 1_000, scale: 'log', when: { exit: ['trail', '<b>both</b>'] } },
} as const;

export interface DemoStudyOptions {
  readonly trials?: number;
  readonly days?: number;
  readonly objectives?: readonly Objective[];
  readonly walk?: ReportedWalk | null;
  readonly holdout?: 'closed' | 'opened';
  /** True if all trials fail. */
  readonly fails?: boolean;
}

const SHARPE: Objective = { metric: 'sharpe', direction: 'maximize' };

/** Writes the file of a study as if it had been run; its outcomes have a peak around fast 30. */
export function keepDemoStudy(path: string, of: DemoStudyOptions = {}): void {
  const { trials = 200, days = 80, objectives = [SHARPE], holdout = 'closed', fails = false } = of;
  rmSync(path, { force: true });
  const written = {
    strategy: 'ma-cross',
    markets: ['BTCUSDT'],
    timeframe: '1h',
    balances: { usdt: 10_000 },
    fee: '0.1%',
    space: SPACE,
    objectives,
    constraints: [{ metric: 'trades', least: 10 }],
    budget: { trials },
    validation: { walkForward: { train: '60d', test: '30d' } },
  };
  const toMs = FROM_MS + 1.25 * days * DAY_MS;
  const data = {
    market: 'BTCUSDT',
    kind: 'candles' as const,
    timeframe: '1h',
    bars: 30 * days,
    firstMs: FROM_MS,
    lastMs: toMs - 3_600_000,
    sha256: 'a1'.repeat(32),
    months: ['b2'.repeat(32)],
  };
  using store = closing(StudyStore.open(path));
  store.begin({
    written,
    identity: identityOf({ question: { strategy: 'ma-cross' }, code: 'c3'.repeat(32), data: [data] }),
    range: { fromMs: FROM_MS, splitMs: FROM_MS + days * DAY_MS, toMs },
  });
  for (const trial of demoTrials({ trials, days, objectives, fails }))
    store.add(trial, { endedAtMs: 0, tookMs: 1 });
  if (holdout === 'opened') {
    store.openHoldout({ atMs: Date.UTC(2025, 5, 1), trial: 3, afterTrials: trials });
    store.storeHoldout({ kind: 'ran', metrics: { sharpe: -0.4, totalReturn: -0.031, trades: 17 } });
  }
}

/** Writes a study as `keepDemoStudy` does, and reads it as its report does. */
export function demoStudy(path: string, of: DemoStudyOptions = {}): ReportedStudy {
  keepDemoStudy(path, of);
  using store = closing(StudyStore.openToRead(path));
  const { trials = 200, walk = null } = of;
  const onData = () => ({ trials: trials + 40, studies: 2, opened: 0, inHoldout: 0 });
  const study = validatedStudy(store, studyResult(store, { name: 'demo', onData }), () => undefined);
  return reportedStudy(store, { study, walk, createdAtMs: Date.UTC(2025, 6, 1) });
}

const WINDOWS = 4;
const TRAIN_DAYS = 60;
const TEST_DAYS = 20;

/** Makes a walk-forward of one parameter over four windows. */
export function demoWalk(): WalkForwardResult {
  const windows = Array.from({ length: WINDOWS }, (_, index): WindowRow => {
    const fromMs = FROM_MS + index * TEST_DAYS * DAY_MS;
    const endMs = fromMs + TRAIN_DAYS * DAY_MS;
    return {
      number: index + 1,
      train: { fromMs, toMs: endMs },
      test: { fromMs: endMs, toMs: endMs + TEST_DAYS * DAY_MS },
      trials: 50,
      failed: 1,
      trial: 7 + index,
      params: { fast: 20 + 3 * index },
      breaksConstraints: false,
      inSample: { sharpe: 2 + index / 2, totalReturn: 0.1, maxDrawdown: 0.05, trades: 30 },
      outOfSample: { sharpe: 1.5 - index, totalReturn: 0.03 - index / 50, maxDrawdown: 0.04, trades: 9 },
      beganExposed: index === 2,
      efficiency: 0.9 - index,
    };
  });
  const firstDay = FIRST_DAY + TRAIN_DAYS;
  const equity = Array.from({ length: WINDOWS * TEST_DAYS }, (_, index) => ({
    day: firstDay + index,
    equity: 10_000 + 400 * Math.sin(index / 9) + 3 * index,
  }));
  const plan = {
    kind: 'rolling',
    choose: 'best',
    trainMs: TRAIN_DAYS * DAY_MS,
    testMs: TEST_DAYS * DAY_MS,
    stepMs: TEST_DAYS * DAY_MS,
    purgeMs: 0,
    embargoMs: 0,
  } as const;
  return {
    study: 'demo',
    file: 'demo.sqlite',
    hash: 'd4'.repeat(32),
    plan,
    objectives: [SHARPE],
    trialsAWindow: 50,
    windows,
    efficiency: 0.31,
    drift: [{ parameter: 'fast', values: [20, 23, 26, 29], changes: 3, meanChange: 0.05 }],
    account: {
      initialEquity: '10000',
      finalEquity: '10240.5',
      metrics: { sharpe: 0.4, totalReturn: 0.024, maxDrawdown: 0.07, trades: 33 },
      equity,
      failures: [],
    },
    trialsOnData: { trials: 240, studies: 2, opened: 0, inHoldout: 0 },
    notes: [
      finding('walk.trials', {
        trials: trialCount(200),
        windows: 4,
        onData: trialCount(240),
        studies: finding('count.studies', { count: 2 }),
      }),
    ],
  };
}

/** Repeats the trials of a study until there are `count`. */
export function manyTimes(reported: ReportedStudy, count: number): ReportedStudy {
  const { study, points } = reported;
  const places = Array.from({ length: count }, (_, number) => number % study.trials.length);
  const trials = places.map((place, number) => ({ ...present(study.trials[place], 'a trial'), number }));
  return {
    ...reported,
    study: { ...study, trials, counts: { ...study.counts, done: count } },
    points: places.map((place) => present(points[place], 'a point')),
  };
}

function* demoTrials(of: {
  readonly trials: number;
  readonly days: number;
  readonly objectives: readonly Objective[];
  readonly fails: boolean;
}): Generator<StoredTrial> {
  const { trials, days, objectives, fails } = of;
  const space = readSpace(SPACE);
  const random = createRandom(11);
  const axes = new SpaceAxes(space);
  for (let number = 0; number < trials; number += 1) {
    const point = axes.pointAt(
      Float64Array.from(axes.axes, (axis) =>
        axis.kind === 'choice'
          ? Math.floor(random.next() * 3)
          : axis.low + random.next() * (axis.high - axis.low),
      ),
    );
    const skill = skillOf(point);
    const returns = Float64Array.from(
      { length: days },
      () => 0.001 * skill + 0.02 * (random.next() + random.next() - 1),
    );
    const hasFailed = fails || random.next() < 0.04;
    const metrics = metricsOf(returns, skill);
    const params = paramsOfPoint(space, point, { mode: 'plain' });
    const reason = number % 2 === 0 ? 'expected fast below slow, found 60' : 'expected calm, found a storm';
    yield hasFailed
      ? {
          number,
          point,
          params,
          outcome: { kind: 'failed', reason },
          failure: number % 2 === 0 ? 'refused' : 'stopped',
          metrics: null,
          daily: null,
        }
      : {
          number,
          point,
          params,
          outcome: judgeTrial(metrics, { objectives, constraints: [{ metric: 'trades', least: 10 }] }),
          failure: null,
          metrics,
          daily: { firstDay: FIRST_DAY, returns },
        };
  }
}

const skillOf = ({ fast, share, exit }: Point): number =>
  3 - ((Number(fast) - 30) / 12) ** 2 + Number(share) + (exit === 'stop' ? -1 : 0);

function metricsOf(returns: Float64Array, skill: number): TrialMetrics {
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1);
  let [equity, highest, drawdown] = [1, 1, 0];
  for (const value of returns) {
    equity *= 1 + value;
    highest = Math.max(highest, equity);
    drawdown = Math.max(drawdown, 1 - equity / highest);
  }
  return {
    sharpe: (mean / Math.sqrt(variance)) * Math.sqrt(365),
    totalReturn: equity - 1,
    maxDrawdown: drawdown,
    trades: Math.max(0, Math.round(30 + 10 * skill)),
    buyAndHoldReturn: 0.12,
    profitFactor: null,
    finalEquity: 10_000 * equity,
  };
}
