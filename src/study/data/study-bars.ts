import { barsBetween, firstBarFrom, type CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { minuteText } from '../../domain/time-text.ts';
import { timeframeMs } from '../../domain/timeframe.ts';
import { dataSetOf, type DataSet } from './data-set.ts';

/** Fewer bars tell nothing of a strategy. */
const LEAST_TRIAL_BARS = 100;
const LEAST_HOLDOUT_BARS = 20;

/** The stretches of a study. Times in ms since 1970; an end is not in its stretch. */
export interface StudyRange {
  readonly fromMs: number;
  /** Where trials end, and the hold-out begins. */
  readonly splitMs: number;
  /** The end of the hold-out; that of the trials where there is none. */
  readonly toMs: number;
}

/** Bars of a study, cut into what trials may see and all. */
export interface StudyBars {
  readonly range: StudyRange;
  /** The bars that trials see: no later one is behind the arrays. */
  readonly trials: readonly CandleColumns[];
  /** With the hold-out. */
  readonly all: readonly CandleColumns[];
  readonly dataSets: readonly DataSet[];
}

/**
 * Cuts the last part of a range off. `fromMs` is null where the range begins with the first bar. Throws
 * `INVALID_OPTIONS` where too few bars are left on either side.
 */
export function cutBars(
  all: readonly CandleColumns[],
  of: { readonly fromMs: number | null; readonly holdout: number | null },
): StudyBars {
  const lengthMs = Math.min(...all.map(({ timeframe }) => timeframeMs(timeframe)));
  const firstMs = Math.min(...all.map((columns) => columns.openTimeMs[0] ?? Infinity));
  const lastMs = Math.max(...all.map((columns) => columns.openTimeMs[columns.length - 1] ?? -Infinity));
  const fromMs = of.fromMs ?? firstMs;
  const toMs = lastMs + lengthMs;
  const wantedMs = toMs - (toMs - fromMs) * (of.holdout ?? 0);
  const splitMs = of.holdout === null ? toMs : Math.round(wantedMs / lengthMs) * lengthMs;
  const range = { fromMs, splitMs, toMs };
  refuseShort(all, { fromMs, toMs: splitMs, least: LEAST_TRIAL_BARS, what: 'the trials' });
  if (of.holdout !== null)
    refuseShort(all, { fromMs: splitMs, toMs, least: LEAST_HOLDOUT_BARS, what: 'the hold-out' });
  const trials = all.map((columns) => barsBetween(columns, 0, firstBarFrom(columns, splitMs)));
  return { range, trials, all, dataSets: all.map(dataSetOf) };
}

function refuseShort(
  all: readonly CandleColumns[],
  of: { readonly fromMs: number; readonly toMs: number; readonly least: number; readonly what: string },
): void {
  const { fromMs, toMs, least, what } = of;
  for (const columns of all) {
    const bars = firstBarFrom(columns, toMs) - firstBarFrom(columns, fromMs);
    if (bars >= least) continue;
    const stretch = `${minuteText(fromMs)} to ${minuteText(toMs)}`;
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected at least ${least} candles of ${columns.market} for ${what}, found ${bars} from ${stretch}: give a longer range`,
    );
  }
}
