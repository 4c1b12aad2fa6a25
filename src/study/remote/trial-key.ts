import { createHash } from 'node:crypto';
import { fillRulesOf } from '../../backtest/run-setup.ts';
import { baseName } from '../../daemon/strategy-settings.ts';
import type { StudySettings } from '../study-settings.ts';
import { canonicalJson } from '../question/canonical-json.ts';
import type { BenchTask } from '../trials/bench-task.ts';

/** Data that all trials of a study have in common, on whatever machine they are run. */
interface TrialSource {
  /** The version of sarraf. */
  readonly engine: string;
  /** SHA-256 of the strategy's code. */
  readonly code: string;
  /** SHA-256 of the candles that trials see, one for each market in order, and of their signals. */
  readonly data: readonly string[];
  /** Account, rules and range. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Settings that do not change what a trial with given params brings: where its data is, what is searched and
 * how. The end of the range and the hold-out are said by the data; where a market may stand still for a while
 * before the end, it is said beside.
 */
const NOT_OF_TRIALS: ReadonlySet<string> = new Set([
  'csv',
  'csvForm',
  'catalogue',
  'signals',
  'to',
  'holdout',
  'params',
  'space',
  'objectives',
  'constraints',
  'sampler',
  'budget',
  'validation',
]);

/**
 * Returns the part of a written study that a trial needs, with the strategy by its name. `endMs`: time at
 * which the market stops, for trials on recordings; null if the data gives it.
 */
export function writtenOfTrials(
  written: Readonly<Record<string, unknown>>,
  { strategy, endMs }: { readonly strategy: string; readonly endMs: number | null },
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(written).filter(([name]) => !NOT_OF_TRIALS.has(name));
  return {
    ...Object.fromEntries(kept),
    strategy: baseName(strategy),
    ...(endMs === null ? {} : { to: endMs }),
  };
}

/** The settings of a study that decide what its trials bring, as plain JSON. */
export function settingsOfTrials(settings: StudySettings, endMs: number | null): TrialSource['settings'] {
  const { strategy, fidelity } = settings;
  const { rules } = fillRulesOf(settings);
  const plain = JSON.parse(JSON.stringify({ ...settings, rules })) as TrialSource['settings'];
  return writtenOfTrials(plain, { strategy, endMs: fidelity === 'poll' ? endMs : null });
}

/** SHA-256 of a source: studies with the same one share the results of their trials. */
export function sourceKey(source: TrialSource): string {
  return sha256(canonicalJson(source));
}

/** SHA-256 of all that decides what a task brings. */
export function taskKey(source: string, task: BenchTask): string {
  return sha256(canonicalJson({ source, task }));
}

/** The id of a job: the same tasks are the same job. */
export function batchKey(taskKeys: readonly string[]): string {
  return sha256(taskKeys.join('\n'));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
