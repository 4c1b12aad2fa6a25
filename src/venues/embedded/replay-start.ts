import { SarrafError } from '../../domain/errors.ts';
import { TIMEFRAMES, timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import type { ReplayFile } from './replay-file.ts';

/** Rows of a replay that serve as the past, so that strategies have candles to begin with: this many candles, or this share of trades. */
const WARM_UP_CANDLES = 200;
const WARM_UP_SHARE = 0.2;

/** Where a replay begins: the rows before serve as the past. Throws `INVALID_FILE` for one without rows. */
export function replayStart(file: ReplayFile): { readonly warmUpRows: number; readonly startMs: number } {
  const { rows } = file;
  const wanted = file.kind === 'candles' ? WARM_UP_CANDLES : Math.floor(rows.length * WARM_UP_SHARE);
  const warmUpRows = Math.min(wanted, Math.floor(rows.length / 2));
  const first = rows[warmUpRows];
  if (first === undefined) throw new SarrafError('INVALID_FILE', `expected at least one row in ${file.path}, was none`);
  return { warmUpRows, startMs: first.kind === 'candle' ? first.openTimeMs : first.timeMs };
}

/** The candle length that a recording suggests: the longest of the exchange that is not longer than its own, a minute for trades. */
export function replayTimeframe(file: ReplayFile): Timeframe {
  if (file.kind !== 'candles') return '1m';
  return TIMEFRAMES.findLast((timeframe) => timeframeMs(timeframe) <= file.lengthMs) ?? '1m';
}
