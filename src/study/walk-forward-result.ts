import type { StudyResult } from './study-result.ts';
import { createHash } from 'node:crypto';
import { withoutYear } from '../backtest/finish-run.ts';
import { present, SarrafError, dataUnusable } from '../domain/errors.ts';
import { inDigits, type FactFigure } from '../language/fact.ts';
import type { TrialMetrics, RunRange } from './objectives.ts';
import type { PreparedStudy } from './prepare-study.ts';
import { canonicalJson } from './study-identity.ts';
import type { Params } from '../search/params-of-point.ts';
import type { StudyStore } from './study-store.ts';
import { finding, type StudyFinding } from './english-study.ts';
import type { TrialsOnData } from './study-place.ts';
import { choicesOf, windowsBy, type WindowChoice, distancesIn } from './run-walk-forward.ts';
import { readAccount, type StoredAccount, begunPlan, type WalkQuestion } from './walk-plan.ts';
import type { ParameterValue, Point, Space } from '../search/space-declaration.ts';
import type { DailyReturns } from '../backtest/statistics.ts';
import { DAY_MS } from '../domain/time-text.ts';

export interface WindowRow {
  readonly number: number;
  /** Range that the trials saw, without the purge. */
  readonly train: RunRange;
  readonly test: RunRange;
  /** Number of trials that ended in the train window, and of those that failed. */
  readonly trials: number;
  readonly failed: number;
  /** Number of the trial whose params were traded; null if those of the window before were kept. */
  readonly trial: number | null;
  readonly params: Params;
  /** True if the chosen trial breaks constraints. */
  readonly breaksConstraints: boolean;
  /** Metrics of the chosen trial in the train window; null if none was chosen. */
  readonly inSample: TrialMetrics | null;
  /** Metrics of the account in the test window. */
  readonly outOfSample: TrialMetrics;
  /** True if the account held a position at the start that the window before had opened. */
  readonly beganExposed: boolean;
  readonly efficiency: number | null;
}

export interface WalkForwardResult extends Pick<
  StudyResult,
  'study' | 'file' | 'objectives' | 'trialsOnData' | 'notes'
> {
  /** SHA-256 of the study, the plan, all trials and the account. */
  readonly hash: string;
  readonly plan: WalkQuestion;
  readonly trialsAWindow: number;
  readonly windows: readonly WindowRow[];
  /** Daily growth in all test windows over that in all train windows; null if nothing grew in sample. */
  readonly efficiency: number | null;
  readonly drift: readonly ParameterDrift[];
  readonly account: {
    readonly initialEquity: string;
    readonly finalEquity: string;
    readonly metrics: TrialMetrics;
    /** Equity of the account at the end of each UTC day. */
    readonly equity: readonly EquityDay[];
    readonly failures: readonly string[];
  };
}

/** Reads an ended walk-forward. Throws `DATA_UNUSABLE` if it has not ended or is damaged. */
export function walkForwardResult(
  study: PreparedStudy,
  of: {
    readonly store: StudyStore;
    readonly name: string;
    readonly onData: (months: readonly string[], holdout: RunRange) => TrialsOnData;
  },
): WalkForwardResult {
  const { store, name } = of;
  const { walkForward } = store;
  const account = accountOf(store);
  // The plan with which it was begun: the study's file may have another one now.
  const plan = present(begunPlan(store), 'the plan of an account');
  const windows = windowsBy(plan, study);
  const outcomes = new Map(windows.map(({ number }) => [number, walkForward.outcomes(number)]));
  const choices = choicesOf(study, { plan, windows, outcomes: (number) => outcomes.get(number) ?? [] });
  const rows = choices.map((choice, index): WindowRow => {
    const trials = outcomes.get(choice.window.number) ?? [];
    return rowOf(
      choice,
      account.stretches[index],
      trials.length,
      trials.filter(({ failure }) => failure !== null).length,
    );
  });
  const { identity, settings, space } = study;
  const { splitMs, toMs } = study.data.range;
  const months = identity.data.flatMap((set) => set.months);
  const trialsOnData = of.onData(months, { fromMs: splitMs, toMs });
  const { initialEquity, finalEquity, metrics, daily, failures } = account;
  return {
    study: name,
    file: store.path,
    hash: hashOf(study, { plan, store, account }),
    plan,
    objectives: settings.objectives,
    trialsAWindow: Math.max(...rows.map(({ trials }) => trials)),
    windows: rows,
    efficiency: wholeEfficiency(rows),
    drift: parameterDrift(
      space,
      choices.map(({ trial }) => trial.point),
    ),
    account: {
      initialEquity,
      finalEquity,
      metrics: withoutYear(metrics, {
        fromMs: Math.min(...rows.map(({ test }) => test.fromMs)),
        toMs: Math.max(...rows.map(({ test }) => test.toMs)),
      }),
      equity: equityByDay(Number(initialEquity), daily),
      failures,
    },
    trialsOnData,
    notes: notesOf(rows, study, trialsOnData, failures),
  };
}

function accountOf({ walkForward, path }: StudyStore): StoredAccount {
  const stored = walkForward.head()?.account ?? null;
  if (stored === null)
    throw dataUnusable(
      `expected a walk-forward that has ended in ${path}, found one under way: run it again, it goes on`,
    );
  try {
    return readAccount(stored);
  } catch (error) {
    throw dataUnusable(
      `expected the account of a walk-forward in ${path}, found one that can not be read: restore a copy, or run the study under another name`,
      { cause: error },
    );
  }
}

function rowOf(
  { window, trial, isUnchanged }: WindowChoice,
  range: StoredAccount['stretches'][number] | undefined,
  trials: number,
  failed: number,
): WindowRow {
  if (range === undefined)
    throw new SarrafError('INVARIANT', `expected figures of window ${window.number}, found none`);
  const inSample = isUnchanged || trial.metrics === null ? null : withoutYear(trial.metrics, window.train);
  return {
    ...window,
    trials,
    failed,
    trial: isUnchanged ? null : trial.number,
    params: trial.params,
    breaksConstraints: trial.outcome.kind === 'complete' && trial.outcome.violation > 0,
    inSample,
    outOfSample: withoutYear(range.metrics, window.test),
    beganExposed: range.beganExposed,
    efficiency: efficiencyOf(dailyGrowth(inSample, window.train), dailyGrowth(range.metrics, window.test)),
  };
}

/** Returns the hash of a walk-forward. Failure messages are left out, since they contain paths. */
function hashOf(
  { identity }: PreparedStudy,
  of: { readonly plan: WalkQuestion; readonly store: StudyStore; readonly account: StoredAccount },
): string {
  const hash = createHash('sha256').update(`${identity.id}\n${canonicalJson(of.plan)}`);
  for (const row of of.store.walkForward.rows()) {
    const { window, number, params, outcome, failure, metrics, first_day: firstDay, returns } = row;
    hash.update(`\n${JSON.stringify([window, number, params, failure ?? outcome, metrics, firstDay])}`);
    if (returns !== null) hash.update(returns);
  }
  const { failures: _failures, ...account } = of.account;
  return hash.update(`\n${canonicalJson(account)}`).digest('hex');
}

function notesOf(
  rows: readonly WindowRow[],
  study: PreparedStudy,
  trialsOnData: TrialsOnData,
  failures: readonly string[],
): readonly StudyFinding[] {
  const { range } = study.data;
  const trials = rows.reduce((sum, row) => sum + row.trials, 0);
  const { trials: onData, studies } = trialsOnData;
  const broken = rows.filter(({ breaksConstraints }) => breaksConstraints);
  const ofStudy = rows.filter(({ trial }) => trial === null);
  return [
    finding('walk.trials', {
      trials: finding('count.trials', { count: trials }),
      windows: rows.length,
      onData: finding('count.trials', { count: onData }),
      studies: finding('count.studies', { count: studies }),
    }),
    range.splitMs < range.toMs ? finding('walk.holdout') : finding('walk.noHoldout'),
    ...(ofStudy.length === 0 ? [] : [finding('walk.kept', numbersOf(ofStudy))]),
    ...(broken.length === 0 ? [] : [finding('walk.broken', numbersOf(broken))]),
    ...failures.map((reason) => finding('walk.stopped', { reason })),
  ];
}

const numbersOf = (rows: readonly WindowRow[]): { readonly count: number; readonly windows: FactFigure } => ({
  count: rows.length,
  windows: rows.map(({ number }) => inDigits(number)),
});

/** Changes of a parameter from window to window. */
interface ParameterDrift {
  readonly parameter: string;
  /** Value traded in each window; null if the parameter did not exist. */
  readonly values: readonly (ParameterValue | null)[];
  /** Number of borders between windows at which it changed. */
  readonly changes: number;
  /** Mean change at a border as a share of the range; for a choice each change is 1. Null with one window. */
  readonly meanChange: number | null;
}

/** Returns how each parameter changes between the traded points, window after window. */
export function parameterDrift(space: Space, points: readonly Point[]): readonly ParameterDrift[] {
  return space.parameters.map((parameter) => {
    const values = points.map((point) => point[parameter.name] ?? null);
    // Without its conditions: a missing value shows that it does not exist.
    const own = { parameters: [{ ...parameter, when: [] }] };
    const distance = distancesIn(
      own,
      values.map((value): Point => (value === null ? {} : { [parameter.name]: value })),
    );
    const steps = values.slice(1).map((_, index) => distance(index, index + 1));
    return {
      parameter: parameter.name,
      values,
      changes: steps.filter((step) => step > 0).length,
      meanChange: steps.length === 0 ? null : steps.reduce((sum, step) => sum + step, 0) / steps.length,
    };
  });
}

/** Equity of an account at the end of a UTC day. */
export interface EquityDay {
  /** Day, in days since 1970-01-01 UTC. */
  readonly day: number;
  readonly equity: number;
}

/** Returns the equity of each day from the initial equity and daily returns, for charts only. */
function equityByDay(
  initialEquity: number,
  { firstDay, returns }: Pick<DailyReturns, 'firstDay'> & { readonly returns: Iterable<number> },
): readonly EquityDay[] {
  let equity = initialEquity;
  return [...returns].map((value, index) => {
    equity *= 1 + value;
    return { day: firstDay + index, equity };
  });
}

/** Returns the daily growth `ln(1 + total return) / days`. Null without a return or anything left. */
export function dailyGrowth(metrics: TrialMetrics | null, { fromMs, toMs }: RunRange): number | null {
  const total = metrics?.['totalReturn'] ?? null;
  return total === null || total <= -1 ? null : (Math.log1p(total) * DAY_MS) / (toMs - fromMs);
}

/** Returns growth out of sample over growth in sample; null if nothing grew in sample. */
const efficiencyOf = (inSample: number | null, outOfSample: number | null): number | null =>
  inSample === null || outOfSample === null || inSample <= 0 ? null : outOfSample / inSample;

/** Returns the efficiency over all windows that have both growths, from their means. */
function wholeEfficiency(
  rows: readonly {
    readonly train: RunRange;
    readonly test: RunRange;
    readonly inSample: TrialMetrics | null;
    readonly outOfSample: TrialMetrics;
  }[],
): number | null {
  let [inside, outside] = [0, 0];
  for (const { train, test, inSample, outOfSample } of rows) {
    const [before, after] = [dailyGrowth(inSample, train), dailyGrowth(outOfSample, test)];
    if (before === null || after === null) continue;
    inside += before;
    outside += after;
  }
  return efficiencyOf(inside, outside);
}
