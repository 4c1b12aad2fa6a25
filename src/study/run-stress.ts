import { botConfigOf } from '../backtest/run-setup.ts';
import { closingAsync } from '../domain/closing.ts';
import { present, dataUnusable, invalidOptions } from '../domain/errors.ts';
import { bestTrial, type StoredTrial } from './study-rows.ts';
import type { TrialMetrics } from './objectives.ts';
import type { PreparedStudy } from './prepare-study.ts';
import { canonicalJson } from './study-identity.ts';
import { withStudyFiles } from './study-place.ts';
import type { StudyStore } from './study-store.ts';
import { openRunner, resumeStudy, type SessionOptions } from './study-session.ts';
import type { StudyRunner } from './trial-runner.ts';
import {
  readReports,
  readStress,
  type StressBasis,
  AGAIN,
  costRuns,
  drawnRuns,
  type NamedRun,
  paidCosts,
  randomEntryPlan,
} from './stress/stress-runs.ts';
import type { RanReport, StressReport } from './stress/stress-task.ts';
import { type CandleColumns, firstBarFrom } from '../domain/candle-columns.ts';
import { createRandom } from '../domain/random.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { finding } from './english-study.ts';
import { blockLength } from '../statistics/stationary-bootstrap.ts';
import { unknown, known, type Estimate, lack } from '../statistics/estimate.ts';

/** Default number of draws. */
export const USUAL_DRAWS = 50;
export const MOST_DRAWS = 10_000;

interface StressOptions extends Omit<SessionOptions, 'onTrial'> {
  /** Number of redrawn histories, and of random entries; the number of an earlier run if that is greater. */
  readonly draws: number;
  /** Called when a run has ended, with the number of ended runs and of all. */
  readonly onRun: (done: number, all: number) => void;
}

/** End of a session: its reason, the trial whose params it ran, and the number of runs. */
export interface StressEnd {
  readonly end: 'complete' | 'stopped';
  readonly trial: number;
  readonly ranNow: number;
}

/**
 * Runs the best trial of a study under other conditions, on the range that the trials saw. Each run is stored
 * as it ends and is never repeated. Throws as `runSession` does, `INVALID_OPTIONS` if no trial has values,
 * and `DATA_UNUSABLE` if the repeated trial has other results.
 */
export async function runStress(study: PreparedStudy, options: StressOptions): Promise<StressEnd> {
  return withStudyFiles(options, async ({ store }) => {
    resumeStudy(store, study);
    const trial = bestTrial(store.outcomes(), study.settings.objectives);
    if (trial === null)
      throw invalidOptions(
        `expected a trial with values in ${store.path}, found none in ${store.count()}: "sarraf study resume --trials" runs more`,
      );
    return runWith(study, options, store, trial);
  });
}

async function runWith(
  study: PreparedStudy,
  options: StressOptions,
  store: StudyStore,
  trial: StoredTrial,
): Promise<StressEnd> {
  await using runner = closingAsync(await openRunner(study, options));
  const stored = new Map(readReports(store, trial.number));
  const session = { ...options, runner, store, trial: trial.number, stored, ranNow: 0 };
  const ended = (end: StressEnd['end']): StressEnd => ({ end, trial: trial.number, ranNow: session.ranNow });
  if (!(await runAll(session, [{ name: AGAIN, task: { what: 'again', params: trial.params } }])))
    return ended('stopped');
  const again = ranAgain(trial, present(stored.get(AGAIN), 'the trial again'));
  const draws = Math.max(options.draws, readStress(store, trial.number)?.basis.draws ?? 0);
  const basis = stressBasis(study, again, draws);
  const { id } = study.identity;
  const held = again.trades?.held ?? null;
  const runs = [
    ...costRuns(trial.params, basis.paid),
    ...drawnRuns(trial.params, { id, trial: trial.number, basis, held }),
  ];
  if (!(await runAll(session, runs))) return ended('stopped');
  store.stress.storeBasis(trial.number, basis);
  return ended('complete');
}

interface RunningSession extends Pick<StressOptions, 'signal' | 'onRun'> {
  readonly runner: StudyRunner;
  readonly store: StudyStore;
  readonly trial: number;
  readonly stored: Map<string, StressReport>;
  ranNow: number;
}

/**
 * Runs what is not stored yet, at most `runner.width` runs at once. Returns false if it was stopped before
 * all had ended; the runs in progress then end and are stored.
 */
async function runAll(session: RunningSession, runs: readonly NamedRun[]): Promise<boolean> {
  const { runner, store, trial, stored, signal, onRun } = session;
  const waiting = runs.filter(({ name }) => !stored.has(name));
  const inProgress = new Map<string, Promise<{ readonly name: string; readonly report: StressReport }>>();
  const isWhole = (): boolean => runs.every(({ name }) => stored.has(name));
  try {
    for (;;) {
      while (inProgress.size < runner.width && !signal.aborted) {
        const next = waiting.shift();
        if (next === undefined) break;
        const { name, task } = next;
        inProgress.set(
          name,
          runner.stress(task).then((report) => ({ name, report })),
        );
      }
      if (inProgress.size === 0) return isWhole();
      const { name, report } = await Promise.race(inProgress.values());
      inProgress.delete(name);
      store.stress.add({ trial, run: name, report });
      stored.set(name, report);
      session.ranNow += 1;
      onRun(runs.length - waiting.length - inProgress.size, runs.length);
    }
  } finally {
    // Closing the runner ends these runs, and nothing waits for them any more.
    for (const left of inProgress.values()) left.catch(() => undefined);
  }
}

/** Returns the repeated run. Throws if its metrics differ: then later runs could not be compared with it. */
function ranAgain({ number, metrics }: StoredTrial, again: StressReport): RanReport {
  const found = again.kind === 'ran' ? differenceOf(metrics ?? {}, again.metrics) : again.reason;
  if (found === null && again.kind === 'ran') return again;
  throw dataUnusable(
    `expected trial ${number} to do the same again, found ${found}: a strategy may use neither chance nor the clock`,
  );
}

/** Describes the first metric that differs; null if all are equal. */
function differenceOf(before: TrialMetrics, now: TrialMetrics): string | null {
  if (canonicalJson(before) === canonicalJson(now)) return null;
  const name = [...new Set([...Object.keys(before), ...Object.keys(now)])].find(
    (figure) => before[figure] !== now[figure],
  );
  return name === undefined ? null : `${name} ${now[name] ?? 'none'} in place of ${before[name] ?? 'none'}`;
}

/** Returns the common inputs of a trial's runs, and the reasons some cannot be run. */
function stressBasis(study: PreparedStudy, again: RanReport, draws: number): StressBasis {
  const { data, setup, settings } = study;
  const { fees } = botConfigOf(setup.overrides).paper;
  const { markets, universe } = settings;
  const quotes = new Set([
    ...markets.map((market) => parseMarket(market).quote),
    ...(universe === undefined ? [] : [universe.quote]),
  ]);
  const { trials } = data;
  return {
    draws,
    ...(trials.fidelity === 'candles' ? drawnOf(trials.candles, { settings, again }) : NOT_DRAWN),
    paid: paidCosts({ fees, fill: setup }, [...quotes]),
  };
}

const NOT_DRAWN = {
  meanBlock: { missing: finding('lack.candles') },
  positions: { missing: finding('lack.places') },
};

type DrawnBasis = Pick<StressBasis, 'meanBlock' | 'positions'>;

function drawnOf(
  bars: readonly CandleColumns[],
  { settings, again }: Pick<PreparedStudy, 'settings'> & { readonly again: RanReport },
): DrawnBasis {
  const fromMs = settings.from ?? null;
  return {
    meanBlock: settings.detail === undefined ? blockOf(bars, fromMs) : { missing: finding('lack.detail') },
    positions: positionsOf(bars, again, fromMs),
  };
}

function blockOf(bars: readonly CandleColumns[], fromMs: number | null): StressBasis['meanBlock'] {
  const block = blockOfBars(bars, fromMs);
  return block.kind === 'known' ? block.value : { missing: block.lack };
}

function positionsOf(
  bars: readonly CandleColumns[],
  again: RanReport,
  fromMs: number | null,
): StressBasis['positions'] {
  const { held } = present(again.trades, 'the trades of the trial');
  if (held === null) return { missing: finding('lack.oneCurrency') };
  // Either every draw has a plan or none has.
  const plan = randomEntryPlan(held, { bars, fromMs, random: createRandom(1) });
  return plan.kind === 'unknown'
    ? { missing: plan.lack }
    : held.reduce((sum, { positions }) => sum + positions.length, 0);
}

/**
 * Estimates the mean length, in bars, of the blocks in which bars are redrawn: the longest that the returns
 * from close to close, or their sizes, need in any market. Sizes depend on each other for longer than returns
 * do, since calm and stormy times cluster, and stops and entries depend on them. Unknown below 21 bars, and
 * if no price moves.
 */
export function blockOfBars(markets: readonly CandleColumns[], fromMs: number | null): Estimate<number> {
  let longest: Estimate<number> = unknown('no-variance', lack('lack.onePrice'));
  for (const columns of markets) {
    const returns = returnsOf(columns, fromMs);
    for (const values of [returns, returns.map(Math.abs)]) {
      const found = blockLength(values);
      if (found.kind === 'unknown') {
        if (longest.kind === 'unknown' && found.reason !== 'no-variance') longest = found;
      } else if (longest.kind === 'unknown' || found.value.stationary > longest.value)
        longest = known(found.value.stationary);
    }
  }
  return longest;
}

/** Returns `ln(close / close before)` of the bars from a time on. */
function returnsOf({ close, length, ...columns }: CandleColumns, fromMs: number | null): Float64Array {
  const first = Math.max(1, fromMs === null ? 0 : firstBarFrom({ ...columns, close, length }, fromMs));
  return Float64Array.from({ length: Math.max(0, length - first) }, (_, index) =>
    Math.log((close[first + index] ?? 1) / (close[first + index - 1] ?? 1)),
  );
}
