import { SarrafError } from '../../domain/errors.ts';
import { readPackedMarket, writePackedMarket } from '../../recording/packed/packed-file.ts';
import type { RunData } from '../data/study-data.ts';
import type { StudySettings } from '../file/study-settings.ts';
import { readColumns, writeColumns } from './columns-file.ts';

/** What trials see as files, one for each market in order. */
export function writeTrialFiles(data: RunData): readonly Buffer[] {
  return data.fidelity === 'candles' ? data.candles.map(writeColumns) : data.markets.map(writePackedMarket);
}

/** Reads what `writeTrialFiles` wrote. Throws `DATA_UNUSABLE` for anything else. */
export function readTrialFiles(
  files: readonly Buffer[],
  { fidelity, to }: Pick<StudySettings, 'fidelity' | 'to'>,
): RunData {
  if (files.length === 0) throw new SarrafError('DATA_UNUSABLE', 'expected data of a study, found none');
  return fidelity === 'candles'
    ? { fidelity, candles: files.map(readColumns) }
    : { fidelity, markets: files.map(readPackedMarket), toMs: to ?? null };
}
