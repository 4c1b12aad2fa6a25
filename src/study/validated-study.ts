import { present, SarrafError, dataUnusable } from '../domain/errors.ts';
import { closing } from '../domain/closing.ts';
import { readWrittenStudy } from './study-settings.ts';
import { readSpace, type Point, type Space } from '../search/space-declaration.ts';
import { readStress } from './stress/stress-runs.ts';
import { stressFindings } from './stress-findings.ts';
import { StudyStore } from './study-store.ts';
import type { StudyResult } from './study-result.ts';
import type { DailyReturns } from '../backtest/statistics.ts';
import { TRIAL_LUCK, trialLuck, type TrialLuck } from './validation/luck-statistics.ts';
import { validateStudy, type StudyValidation, type ValidatedTrials } from './study-validation.ts';
import { isProcessLockHeld } from '../daemon/process-locks.ts';
import { VERSION } from '../exchange/version.ts';
import { claimStudy, type StudyFolder } from './study-place.ts';
import { runCurrency } from '../backtest/run-currency.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import type { StudyIdentity } from './study-identity.ts';
import type { WalkForwardResult } from './walk-forward-result.ts';

/** Results of a study and its luck statistics; `validation` is null if no trial has values. */
export interface ValidatedStudy extends StudyResult {
  readonly validation: StudyValidation | null;
}

/**
 * Judges a study by its trials. Stored statistics of these trials are used; otherwise they are computed,
 * which takes seconds, and given to `onMade`. Throws `DATA_UNUSABLE` for a damaged file.
 */
export function validatedStudy(
  store: StudyStore,
  result: StudyResult,
  onMade: (made: MadeLuck) => void,
): ValidatedStudy {
  const { best, objectives, trialsOnData, holdout, range } = result;
  if (best === null) return { ...result, validation: null };
  const { written, identity } = present(store.head(), 'the head of a study with trials');
  const dailyOf = (number: number): DailyReturns => {
    const daily = store.trial(number)?.daily ?? null;
    if (daily !== null) return daily;
    throw dataUnusable(
      `expected daily returns of trial ${number} at ${store.path}, found none: restore a copy, or run the study under another name`,
    );
  };
  const seen = { fromMs: range.fromMs, toMs: range.splitMs };
  const stress = readStress(store, best.number);
  const objective = present(objectives[0], 'an objective');
  const trials = placedTrials(store);
  const make = (): TrialLuck => {
    const ran = trials.flatMap((trial) => (trial.ran ? [trial.number] : []));
    return trialLuck({ id: identity.id, ran, best: best.number, dailyOf });
  };
  const validation = validateStudy({
    space: readSpace(readWrittenStudy(written).written['space']),
    objectives,
    trials,
    best: { number: best.number, metrics: present(best.metrics, 'the figures of the best trial') },
    ofData: trialsOnData.trials,
    holdout: range.splitMs >= range.toMs ? 'none' : holdout === null ? 'closed' : 'opened',
    seen,
    isWalked: (store.walkForward.head()?.account ?? null) !== null,
    stress: stress === null ? null : stressFindings(stress, { id: identity.id, objective, seen }),
    luck: luckOf(store, result, make, onMade),
  });
  return { ...result, validation };
}

/** Returns the data that is needed of all trials at once, without their many metrics. */
function placedTrials(store: StudyStore): ValidatedTrials['trials'] {
  const placed: ValidatedTrials['trials'][number][] = [];
  for (const { number, point, outcome, metrics } of store.outcomes())
    placed.push({ number, point, outcome, ran: metrics !== null });
  return placed;
}

/** Computed statistics, and the basis that identifies their trials and the version of the code. */
export interface MadeLuck {
  readonly basis: string;
  readonly luck: TrialLuck;
}

/**
 * Returns the statistics of a study: the stored ones if they are of these trials and this version of the
 * code; else `make` computes them, and `onMade` gets them to store.
 */
function luckOf(
  { statistics }: StudyStore,
  result: StudyResult,
  make: () => TrialLuck,
  onMade: (made: MadeLuck) => void,
): TrialLuck {
  const { hash, best } = result;
  const basis = `statistics ${STATISTICS_VERSION} of sarraf ${VERSION}, trial ${best?.number} of ${hash}`;
  const stored = readTrialLuck(statistics.figures(basis));
  if (stored !== null) return stored;
  const luck = make();
  onMade({ basis, luck });
  return luck;
}

/**
 * Stores statistics in the file of their study, unless it is running: then it soon has other trials. Returns
 * null, or why they could not be stored. They are shown all the same, and computed again the next time.
 */
export function storeLuck(
  { folder, name }: { readonly folder: StudyFolder; readonly name: string },
  { basis, luck }: MadeLuck,
): string | null {
  const path = folder.pathOf(name);
  try {
    if (isProcessLockHeld(`${path}.lock`)) return null;
    using _lock = claimStudy(path);
    using store = closing(StudyStore.open(path));
    store.statistics.store(basis, luck);
    return null;
  } catch (error) {
    if (error instanceof SarrafError) return error.message;
    throw error;
  }
}

/** Version of the statistics. Raise it with any change of figures; a test checks those of this one. */
export const STATISTICS_VERSION = 1;

/** Reads stored statistics; null if they are unreadable, so that they are computed again. */
export const readTrialLuck = (stored: unknown): TrialLuck | null => TRIAL_LUCK.safeParse(stored).data ?? null;

/** Ended walk-forward, or the reason it cannot be shown. */
export type ReportedWalk =
  | { readonly kind: 'known'; readonly result: WalkForwardResult }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface ReportedStudy {
  readonly study: ValidatedStudy;
  readonly identity: StudyIdentity;
  /** Study as it was written, with its space. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly space: Space;
  /** Point of each trial in the space, in the order of `study.trials`. */
  readonly points: readonly Point[];
  /** Walk-forward; null if none was run to its end. */
  readonly walk: ReportedWalk | null;
  readonly createdAtMs: number;
  readonly quote: Currency;
}

/** Reads what a report shows besides the results of a study. */
export function reportedStudy(
  store: StudyStore,
  of: Pick<ReportedStudy, 'study' | 'walk' | 'createdAtMs'>,
): ReportedStudy {
  const { written, identity } = present(store.head(), 'the head of a study with figures');
  const plain: ReportedStudy['written'] = { ...Object(written) };
  const wanted = MARKET_NAMES.quotes.find(({ currency }) => currency === plain['currency']);
  return {
    ...of,
    identity,
    written: plain,
    quote: runCurrency(of.study.markets.map(parseMarket), wanted?.currency ?? null),
    space: readSpace(plain['space']),
    points: [...store.outcomes()].map(({ point }) => point),
  };
}
