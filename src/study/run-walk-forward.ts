import { createHash } from 'node:crypto';
import { closingAsync } from '../domain/closing.ts';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import type { WalkForwardPlan } from './study-settings.ts';
import type { PreparedStudy } from './prepare-study.ts';
import { canonicalJson } from './study-identity.ts';
import {
  runStudy,
  type StudyEnd,
  openRunner,
  enterStudy,
  resumeStudy,
  type SessionOptions,
} from './study-session.ts';
import { withStudyFiles, type StudyFiles } from './study-place.ts';
import { type StoredTrial, bestTrial } from './study-rows.ts';
import type { StudyStore } from './study-store.ts';
import {
  writeAccount,
  begunPlan,
  isSamePlan,
  planText,
  walkQuestion,
  type WalkQuestion,
  walkWindows,
  type WalkWindow,
} from './walk-plan.ts';
import type { Objective } from './objectives.ts';
import type { Space, Point } from '../search/space-declaration.ts';
import { minuteText } from '../domain/time-text.ts';
import type { AccountTask, AccountLeg } from './trial-runner.ts';
import { SpaceAxes } from '../search/space-axes.ts';

interface WalkForwardOptions extends Omit<SessionOptions, 'onTrial'> {
  readonly onTrial: (window: WalkWindow, trial: StoredTrial, isNew: boolean) => void;
  /** Called when a window begins; with null when the account begins. */
  readonly onWindow: (window: WalkWindow | null) => void;
}

/** Returns the windows of a study. Throws `INVALID_OPTIONS` without a plan or for too short a range. */
export function windowsOf(study: PreparedStudy): {
  readonly plan: WalkForwardPlan;
  readonly windows: readonly WalkWindow[];
  /** Number of trials of each window. */
  readonly trials: number;
} {
  const { validation, budget } = study.settings;
  const { walkForward: plan } = validation;
  if (plan === undefined) {
    const example = 'validation: { walkForward: { train: 180d, test: 30d } }';
    throw invalidOptions(
      `expected a plan such as --train 180d --test 30d, or ${example} in the study, found none`,
    );
  }
  if (study.settings.fidelity === 'poll')
    throw invalidOptions(
      'expected fidelity: candles for a walk-forward, found poll: one account can not trade several params on recorded books yet',
    );
  return { plan, windows: windowsBy(plan, study), trials: plan.trials ?? budget.trials };
}

/** Returns the windows of a study by a given plan. Throws `INVALID_OPTIONS` for a range too short for it. */
export function windowsBy(
  plan: WalkQuestion,
  { settings, data }: Pick<PreparedStudy, 'settings' | 'data'>,
): readonly WalkWindow[] {
  const { fromMs, splitMs } = data.range;
  const range = { fromMs, toMs: splitMs };
  return walkWindows(plan, { range, timeframe: settings.timeframe, markets: data.times });
}

/** Returns the choice that each window trades, from the stored trials. */
export function choicesOf(
  { space, settings }: Pick<PreparedStudy, 'space' | 'settings'>,
  of: {
    readonly plan: WalkQuestion;
    readonly windows: readonly WalkWindow[];
    readonly outcomes: (window: number) => readonly StoredTrial[];
  },
): readonly WindowChoice[] {
  const { objectives } = settings;
  const { choose } = of.plan;
  return windowChoices(of.windows, ({ number }) =>
    chooseTrial(of.outcomes(number), { choose, space, objectives }),
  );
}

/**
 * Searches each train window as the study itself is searched, then runs one account through all test windows
 * with the chosen params. It continues where the study's file ends. Trials see their train window and what
 * lies before it; no window touches the hold-out. Throws as `runSession` does, and `INVALID_OPTIONS` for a
 * file that was begun with another plan.
 */
export async function runWalkForward(study: PreparedStudy, options: WalkForwardOptions): Promise<StudyEnd> {
  const { plan, windows, trials } = windowsOf(study);
  const question = walkQuestion(plan);
  return withStudyFiles(options, async (files) => {
    refuseOtherPlan(files.store, question);
    resumeStudy(files.store, study, { isBudgetFixed: true });
    if (files.store.walkForward.head() === null) files.store.walkForward.begin(question);
    return walk(study, options, { plan: question, windows, trials, ...files });
  });
}

function refuseOtherPlan(store: StudyStore, plan: WalkQuestion): void {
  const begun = begunPlan(store);
  if (begun === null || isSamePlan(begun, plan)) return;
  throw invalidOptions(
    `expected the walk-forward that ${store.path} was begun with (${planText(begun)}), found another one (${planText(plan)}): run it under another name with --name`,
  );
}

async function walk(
  study: PreparedStudy,
  options: WalkForwardOptions,
  of: StudyFiles & {
    readonly plan: WalkQuestion;
    readonly windows: readonly WalkWindow[];
    readonly trials: number;
  },
): Promise<StudyEnd> {
  const { plan, windows, trials, register } = of;
  const { walkForward } = of.store;
  // A walk-forward counts as a separate study: another plan for the same study has other trials.
  const id = createHash('sha256')
    .update(`${study.identity.id}\n${canonicalJson({ walkForward: plan })}`)
    .digest('hex');
  const search = enterStudy(study, options, register, id);
  let counted = walkForward.count();
  register.count(id, counted);
  await using runner = closingAsync(await openRunner(study, options));
  for (const window of windows) {
    options.onWindow(window);
    const { number, train } = window;
    const end = await runStudy({
      ...search,
      trials,
      runner: {
        // The number of workers may change.
        get width() {
          return runner.width;
        },
        run: async (params) => runner.run(params, train),
        close: async () => runner.close(),
      },
      store: {
        outcomes: () => walkForward.outcomes(number),
        add(trial) {
          // Counted before it is stored, so that no trial that ran is missing from the register.
          counted += 1;
          register.count(id, counted);
          walkForward.add(number, trial);
        },
      },
      onTrial: (trial, isNew) => options.onTrial(window, trial, isNew),
    });
    if (end === 'stopped') return 'stopped';
  }
  if (walkForward.head()?.account === null) {
    options.onWindow(null);
    const outcomes = (number: number): readonly StoredTrial[] => walkForward.outcomes(number);
    const report = await runner.account(accountTaskOf(choicesOf(study, { plan, windows, outcomes })));
    walkForward.persistAccount(writeAccount(report));
  }
  return 'complete';
}

/** Longest distance of a neighbour, as a share of the longest distance of the space. */
const NEAR = 0.1;
/** Minimum size of a neighbourhood: a trial and its nearest four, however far away they are. */
const LEAST_NEIGHBOURS = 5;

/**
 * Returns the trial of a train window whose params are traded; null if no trial has values.
 *
 * - `best`: the best one.
 * - `plateau`: the one whose neighbourhood, itself included, has the best mean rank. Neighbours are all
 *   trials within a tenth of the longest distance of the space, and at least the nearest four. Trials are
 *   ranked by how far they break constraints, then by the first objective; a failed one has the last rank. If
 *   means are equal, the better trial is chosen, then the earlier one.
 */
export function chooseTrial(
  trials: readonly StoredTrial[],
  of: {
    readonly choose: WalkForwardPlan['choose'];
    readonly space: Space;
    readonly objectives: readonly Objective[];
  },
): StoredTrial | null {
  const { choose, space, objectives } = of;
  return choose === 'best' ? bestTrial(trials, objectives) : plateauCentre(trials, space, objectives);
}

function plateauCentre(
  trials: readonly StoredTrial[],
  space: Space,
  objectives: readonly Objective[],
): StoredTrial | null {
  const ranks = ranksOf(trials, objectives);
  const distances = distancesIn(
    space,
    trials.map(({ point }) => point),
  );
  let best: { readonly trial: StoredTrial; readonly mean: number; readonly rank: number } | null = null;
  for (const [index, trial] of trials.entries()) {
    if (trial.outcome.kind === 'failed') continue;
    const near = trials
      .map((_, other) => ({ distance: distances(index, other), rank: ranks[other] ?? 0 }))
      .toSorted((left, right) => left.distance - right.distance)
      .filter(({ distance }, place) => distance <= NEAR || place < LEAST_NEIGHBOURS);
    const mean = near.reduce((sum, { rank }) => sum + rank, 0) / near.length;
    const rank = ranks[index] ?? 0;
    if (best === null || mean < best.mean || (mean === best.mean && rank < best.rank))
      best = { trial, mean, rank };
  }
  return best?.trial ?? null;
}

/** Returns the rank of each trial, 0 for the best; equal trials have equal ranks. */
function ranksOf(trials: readonly StoredTrial[], [first]: readonly Objective[]): readonly number[] {
  const sign = first?.direction === 'maximize' ? -1 : 1;
  const losses = trials.map(({ outcome }) =>
    outcome.kind === 'failed'
      ? ([Infinity, Infinity] as const)
      : ([outcome.violation, sign * (outcome.values[0] ?? Infinity)] as const),
  );
  return losses.map(
    ([violation, loss]) =>
      losses.filter((other) => other[0] < violation || (other[0] === violation && other[1] < loss)).length,
  );
}

/** Trial that a window trades. */
export interface WindowChoice {
  readonly window: WalkWindow;
  /** Trial whose params are traded. */
  readonly trial: StoredTrial;
  /** True if no trial of the window has values, so that it trades the choice of the window before. */
  readonly isUnchanged: boolean;
}

/**
 * Returns a choice for each window. If no trial of a window has values, the account keeps the params that it
 * has. Throws `INVALID_OPTIONS` if this is so in the first window.
 */
function windowChoices(
  windows: readonly WalkWindow[],
  chosen: (window: WalkWindow) => StoredTrial | null,
): readonly WindowChoice[] {
  const choices: WindowChoice[] = [];
  for (const window of windows) {
    const trial = chosen(window);
    const before = choices.at(-1)?.trial ?? null;
    if (trial !== null) choices.push({ window, trial, isUnchanged: false });
    else if (before !== null) choices.push({ window, trial: before, isUnchanged: true });
    else {
      const { fromMs, toMs } = window.train;
      throw invalidOptions(
        `expected a trial with values in the train window 1, found none from ${minuteText(fromMs)} to ${minuteText(toMs)}: give longer windows or more trials`,
      );
    }
  }
  return choices;
}

/** Returns the task of the one account that trades all choices in turn. */
function accountTaskOf(choices: readonly WindowChoice[]): AccountTask {
  const [first, ...rest] = choices.map(({ window, trial }): AccountLeg => ({
    fromMs: window.test.fromMs,
    params: trial.params,
  }));
  const toMs = choices.at(-1)?.window.test.toMs;
  if (first === undefined || toMs === undefined)
    throw new SarrafError('INVARIANT', 'expected a window, found none');
  return { legs: [first, ...rest], toMs, stretches: choices.map(({ window }) => window.test) };
}

/**
 * Returns a function that measures the distance of two points by their places: 0 to 1, the root of the mean
 * square over the parameters. For a number it is the difference as a share of its range (of its logarithms on
 * a log scale); for a choice 0 or 1. A parameter that only one of the points has counts as 1.
 */
export function distancesIn(space: Space, points: readonly Point[]): (left: number, right: number) => number {
  const axes = new SpaceAxes(space);
  const shares = points.map((point) =>
    axes.coordinatesOf(point).map((coordinate, index) => {
      const axis = axes.axis(index);
      return axis.kind === 'choice' ? coordinate : (coordinate - axis.low) / (axis.high - axis.low || 1);
    }),
  );
  const apart = (index: number, left: number, right: number): number => {
    if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) === Number.isNaN(right) ? 0 : 1;
    if (axes.axis(index).kind === 'choice') return left === right ? 0 : 1;
    return Math.abs(left - right);
  };
  return (left, right) => {
    let sum = 0;
    for (let index = 0; index < axes.size; index += 1)
      sum += apart(index, shares[left]?.[index] ?? Number.NaN, shares[right]?.[index] ?? Number.NaN) ** 2;
    return Math.sqrt(sum / Math.max(1, axes.size));
  };
}
