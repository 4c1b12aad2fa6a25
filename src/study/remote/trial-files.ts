import type { CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { readPackedMarket, writePackedMarket } from '../../recording/packed-market.ts';
import type { RunData } from '../data/study-data.ts';
import type { StudySettings } from '../study-settings.ts';
import { readWrittenSignals, writeSignals } from '../data/study-signals.ts';
import { readColumns, writeColumns } from './columns-file.ts';

/** Data that trials see, as files. */
interface TrialFiles {
  /** One for each market in order, and behind them its finer candles. */
  readonly markets: readonly Buffer[];
  /** Null where the strategy is told nothing from outside. */
  readonly signals: Buffer | null;
}

export function writeTrialFiles(data: RunData): TrialFiles {
  return {
    markets:
      data.fidelity === 'candles'
        ? [...data.candles, ...data.detail].map(writeColumns)
        : data.markets.map(writePackedMarket),
    signals: data.signals.length === 0 ? null : writeSignals(data.signals),
  };
}

/** Reads what `writeTrialFiles` wrote. Throws `DATA_UNUSABLE` for anything else. */
export function readTrialFiles(
  { markets: files, signals: told }: TrialFiles,
  { fidelity, detail, to }: Pick<StudySettings, 'fidelity' | 'detail' | 'to'>,
): RunData {
  if (files.length === 0) throw new SarrafError('DATA_UNUSABLE', 'expected data of a study, found none');
  const signals = told === null ? [] : readWrittenSignals(told);
  if (fidelity === 'poll')
    return { fidelity, markets: files.map(readPackedMarket), toMs: to ?? null, signals };
  const [candles, finer] = [[], []] as [CandleColumns[], CandleColumns[]];
  for (const columns of files.map(readColumns))
    (columns.timeframe === detail ? finer : candles).push(columns);
  return { fidelity, candles, detail: finer, signals };
}
