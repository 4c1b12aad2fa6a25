import { isTooShortFor, withoutYear } from '../backtest/finish-run.ts';
import type { DataSet, SignalSet } from './data-set.ts';
import {
  type RunRange,
  type Constraint,
  type TrialMetrics,
  type Objective,
  type FailureKind,
  failedReport,
} from './objectives.ts';
import type { StudyRange } from './data/study-data.ts';
import { readWrittenStudy, type StudySettings } from './study-settings.ts';
import { bestTrial, bestTrials, type StoredTrial, type TrialRow } from './study-rows.ts';
import { dataUnusable } from '../domain/errors.ts';
import type { SamplerKind } from '../search/trial-record.ts';
import type { Params } from '../search/params-of-point.ts';
import type { OpenedHoldout, StudyHead, StudyStore } from './study-store.ts';
import type { TrialsOnData } from './study-place.ts';
import { finding, type StudyFinding } from './english-study.ts';
import { createHash } from 'node:crypto';
import type { StudyIdentity } from './study-identity.ts';
import { inDigits } from '../language/fact.ts';
import { accountFigures } from './walk-plan.ts';
import { z } from 'zod';

/** Trial as results show it. */
export interface ShownTrial {
  readonly number: number;
  readonly kind: 'complete' | 'failed';
  readonly params: Params;
  /** Values of the objectives, in their order; empty if the trial failed. */
  readonly values: readonly number[];
  /** Sum of broken constraints, 0 if all hold; null if the trial failed. */
  readonly violation: number | null;
  readonly failure: FailureKind | null;
  readonly reason: string | null;
  /** Metrics, without annualised ones if the trials saw less than 30 days. */
  readonly metrics: TrialMetrics | null;
}

export interface StudyResult {
  readonly study: string;
  readonly file: string;
  /** SHA-256 of the settings, the data, the code and all trials. */
  readonly hash: string;
  readonly strategy: string;
  /** Markets that it trades, or that a universe chooses from. */
  readonly markets: readonly string[];
  readonly fidelity: StudySettings['fidelity'];
  readonly timeframe: string;
  readonly range: StudyRange;
  readonly data: readonly Omit<DataSet, 'months'>[];
  /** Signals for the strategy, including those of the hold-out; null if there are none. */
  readonly signals: SignalSet | null;
  readonly sampler: { readonly kind: SamplerKind; readonly seed: number; readonly generation: number };
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
  readonly wanted: number;
  readonly counts: {
    readonly done: number;
    readonly complete: number;
    /** Number of complete trials that break a constraint. */
    readonly infeasible: number;
    readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
  };
  /** Best trial; null if no trial has values. */
  readonly best: ShownTrial | null;
  /** Pareto front: numbers of the trials that no other is better than, with several objectives. */
  readonly front: readonly number[];
  readonly holdout: OpenedHoldout | null;
  readonly trialsOnData: TrialsOnData;
  /** Notes that a reader of the numbers must know. */
  readonly notes: readonly StudyFinding[];
  readonly trials: readonly ShownTrial[];
}

/** Returns the description of a study. Throws `DATA_UNUSABLE` if the file holds none. */
export function headOf(store: StudyStore): StudyHead {
  const head = store.head();
  if (head !== null) return head;
  const advice = 'run it again with "sarraf study run"';
  throw dataUnusable(`expected a study at ${store.path}, found an empty file: ${advice}`);
}

/** Reads the results of a study. Throws `DATA_UNUSABLE` for a damaged file. */
export function studyResult(
  store: StudyStore,
  of: {
    readonly name: string;
    readonly onData: (months: readonly string[], holdout: RunRange) => TrialsOnData;
  },
): StudyResult {
  const head = headOf(store);
  const { settings } = readWrittenStudy(head.written);
  const { identity, range } = head;
  const trials = [...store.outcomes()];
  const best = bestTrial(trials, settings.objectives);
  const months = identity.data.flatMap((set) => set.months);
  const found = of.onData(months, { fromMs: range.splitMs, toMs: range.toMs });
  // The register of this folder lacks a study whose file was copied from elsewhere.
  const trialsOnData = {
    ...found,
    trials: Math.max(found.trials, trials.length),
    studies: Math.max(found.studies, 1),
  };
  const holdout = store.holdout();
  const hasHoldout = range.splitMs < range.toMs;
  const seen = { fromMs: range.fromMs, toMs: range.splitMs };
  return {
    study: of.name,
    file: store.path,
    hash: studyHash(identity, store.rows()),
    strategy: settings.strategy,
    markets:
      settings.universe === undefined
        ? settings.markets
        : [...new Set(identity.data.map(({ market }) => market))],
    fidelity: settings.fidelity,
    timeframe: settings.timeframe,
    range,
    data: identity.data.map(({ months: _months, ...set }) => set),
    signals: identity.signals,
    sampler: { ...settings.sampler },
    objectives: settings.objectives,
    constraints: settings.constraints,
    wanted: settings.budget.trials,
    counts: countsOf(trials),
    best: best === null ? null : shownTrial(best, seen),
    front:
      settings.objectives.length === 1
        ? []
        : bestTrials(trials, settings.objectives).map(({ number }) => number),
    holdout,
    trialsOnData,
    notes: [
      ...notesOf(trials, best, holdout, hasHoldout, trialsOnData),
      ...shortNotes(settings.objectives, seen),
      ...testedNotes(store, range),
    ],
    trials: trials.map((trial) => shownTrial(trial, seen)),
  };
}

function shownTrial({ number, params, outcome, failure, ...trial }: StoredTrial, seen: RunRange): ShownTrial {
  const metrics = trial.metrics === null ? null : withoutYear(trial.metrics, seen);
  return outcome.kind === 'complete'
    ? { number, kind: 'complete', params, ...pick(outcome), failure: null, reason: null, metrics }
    : {
        number,
        kind: 'failed',
        params,
        values: [],
        violation: null,
        failure,
        reason: outcome.reason,
        metrics,
      };
}

const pick = ({ values, violation }: { readonly values: readonly number[]; readonly violation: number }) => ({
  values,
  violation,
});

function countsOf(trials: readonly StoredTrial[]): StudyResult['counts'] {
  const failed: Partial<Record<FailureKind, number>> = {};
  let [complete, infeasible] = [0, 0];
  for (const { outcome, failure } of trials) {
    if (failure !== null) failed[failure] = (failed[failure] ?? 0) + 1;
    if (outcome.kind !== 'complete') continue;
    complete += 1;
    if (outcome.violation > 0) infeasible += 1;
  }
  return { done: trials.length, complete, infeasible, failed };
}

/** Returns a note if trials are compared by an annualised metric that is not shown. */
function shortNotes(objectives: readonly Objective[], seen: RunRange): readonly StudyFinding[] {
  const hidden = objectives.filter(({ metric }) => isTooShortFor(metric, seen));
  if (hidden.length === 0) return [];
  const length = { lengthMs: seen.toMs - seen.fromMs };
  return [finding('note.short', { length, metrics: hidden.map(({ metric }) => ({ metric })) })];
}

function notesOf(
  trials: readonly StoredTrial[],
  best: StoredTrial | null,
  holdout: OpenedHoldout | null,
  hasHoldout: boolean,
  trialsOnData: TrialsOnData,
): readonly StudyFinding[] {
  const notes: StudyFinding[] = [
    finding('note.trials', {
      trials: trialCount(trialsOnData.trials),
      studies: finding('count.studies', { count: trialsOnData.studies }),
    }),
  ];
  if (!hasHoldout) notes.push(finding('note.noHoldout'));
  else if (holdout !== null) notes.push(openedNote(holdout, trials.length));
  else if (trialsOnData.inHoldout === 0) notes.push(finding('note.closed'));
  else notes.push(finding('note.closedHere'));
  if (trialsOnData.inHoldout > 0) notes.push(seenNote(trialsOnData));
  const others = trialsOnData.opened - (holdout === null ? 0 : 1);
  if (others > 0)
    notes.push(finding('note.otherHoldouts', { studies: finding('count.otherStudies', { count: others }) }));
  if (best !== null && best.outcome.kind === 'complete' && best.outcome.violation > 0)
    notes.push(finding('note.broken'));
  return notes;
}

/** Returns the note that trials of other studies ran on the hold-out before it was opened. */
export const seenNote = ({ inHoldout }: TrialsOnData): StudyFinding =>
  finding('note.seen', { trials: trialCount(inHoldout) });

export const trialCount = (count: number): StudyFinding => finding('count.trials', { count });

function openedNote({ openedAtMs, afterTrials }: OpenedHoldout, done: number): StudyFinding {
  const time = { atMs: openedAtMs };
  return done > afterTrials
    ? finding('note.openedSince', { time, trials: trialCount(done - afterTrials) })
    : finding('note.opened', { time });
}

/**
 * Returns the SHA-256 of the settings, the data, the code, the engine and all trials in order: their params,
 * outcomes, metrics and daily returns. Times and failure messages, which contain paths, are left out: a study
 * has one hash on every machine.
 */
export function studyHash({ id }: StudyIdentity, rows: Iterable<TrialRow>): string {
  const hash = createHash('sha256').update(id);
  for (const { number, params, outcome, failure, metrics, first_day: firstDay, returns } of rows) {
    const result = failure === null ? outcome : failure;
    hash.update(`\n${JSON.stringify([number, params, result, metrics, firstDay])}`);
    if (returns !== null) hash.update(returns);
  }
  return hash.digest('hex');
}

/** Returns one sentence for each test of the study on data that its choice had not seen. */
export function testedNotes(store: StudyStore, range: StudyRange): readonly StudyFinding[] {
  const walked = accountFigures(store.walkForward.head()?.account);
  return [
    ...(walked === null ? [] : [finding('note.walked', { earned: earnedBy(walked) })]),
    ...holdoutNotes(store.holdout(), range),
  ];
}

function holdoutNotes(opened: ReturnType<StudyStore['holdout']>, range: StudyRange): readonly StudyFinding[] {
  const report = opened === null ? null : readHoldoutReport(opened.report, range);
  if (opened === null || report === null) return [];
  const trial = inDigits(opened.trial);
  return report.kind === 'failed'
    ? [finding('note.holdoutFailed', { trial, reason: report.reason })]
    : [finding('note.heldOut', { trial, earned: earnedBy(report.metrics) })];
}

function earnedBy(metrics: TrialMetrics): StudyFinding {
  const { totalReturn = null, buyAndHoldReturn = null } = metrics;
  const earned = { share: totalReturn };
  return buyAndHoldReturn === null
    ? finding('earned.alone', { earned })
    : finding('earned.held', { earned, held: { share: buyAndHoldReturn } });
}

/** Sorts trials: those within all constraints first, then by the first objective; of several, the front. */
export function rankedTrials({
  trials,
  front,
  objectives,
}: Pick<StudyResult, 'trials' | 'front' | 'objectives'>): readonly ShownTrial[] {
  const [first] = objectives;
  const loss = ({ values }: ShownTrial): number => {
    const value = values[0] ?? Infinity;
    return first?.direction === 'maximize' ? -value : value;
  };
  return trials
    .filter(({ kind, number }) => kind === 'complete' && (front.length === 0 || front.includes(number)))
    .toSorted(
      (left, right) =>
        (left.violation ?? 0) - (right.violation ?? 0) ||
        loss(left) - loss(right) ||
        left.number - right.number,
    );
}

const REPORT = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ran'), metrics: z.record(z.string(), z.number().nullable()) }),
  failedReport,
]);

/** Report of the hold-out, without its daily returns. */
export type HoldoutReport = z.output<typeof REPORT>;

/** Reads the stored report of the hold-out; null if its run has not ended. Throws `DATA_UNUSABLE`. */
export function readHoldoutReport(
  stored: unknown,
  { splitMs, toMs }: Pick<StudyRange, 'splitMs' | 'toMs'>,
): HoldoutReport | null {
  if (stored === null) return null;
  const read = REPORT.safeParse(stored);
  if (read.success) {
    const report = read.data;
    if (report.kind === 'failed') return report;
    return { ...report, metrics: withoutYear(report.metrics, { fromMs: splitMs, toMs }) };
  }
  throw dataUnusable(
    'expected figures of the hold-out in the study, found what can not be read: restore a copy',
    { cause: read.error },
  );
}
