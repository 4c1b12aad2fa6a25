import { NotPlain, type CandleBlock, type CandleBlocks } from '../candle-blocks.ts';
import { widthOf, type ColumnPlaces } from './column-places.ts';
import type { BarPlan } from './detect-timeframe.ts';
import type { ImportTableOptions } from './import-table-options.ts';
import { isCsv } from './open-table.ts';
import type { FileRow, RowFile } from './open-text.ts';
import { plainBars, type PlainCsv } from './plain-bars.ts';
import type { BarStarts } from './plain-scanner.ts';
import type { TableReader } from './table-reader.ts';

/** A guess of how many times shorter a packed file is, and how many more rows there may be than it seems. */
const USUAL_PACKING = 4;
const SPARE = 1.2;

/** The fast way to the bars of a file; null where their prices are to be others, or it is no CSV. */
export function blocksOf(
  options: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly first: {
      readonly file: RowFile;
      readonly places: ColumnPlaces;
      readonly rows: readonly FileRow[];
    };
    readonly plan: BarPlan;
  },
): CandleBlocks | null {
  const { path, priceFactor = 1, form = {}, onProgress } = options;
  const { reader, plan } = of;
  const { file, places, rows } = of.first;
  if (!isCsv(file) || priceFactor !== 1) return null;
  const { totalBytes } = file.progress();
  const csv: PlainCsv = {
    path,
    separator: file.separator,
    hasHeader: file.header !== null,
    firstRow: rows[0]?.fields ?? [],
    width: widthOf(file, rows),
    places,
    starts: startsOf(plan),
    onRead: (readBytes) => onProgress?.(reader.count, { readBytes, totalBytes }),
  };
  const bytesOfRow = csv.firstRow.join(csv.separator).length + 1;
  const unpackedBytes = path.endsWith('.gz') ? totalBytes * USUAL_PACKING : totalBytes;
  return {
    expectedRows: (unpackedBytes / bytesOfRow) * SPARE,
    read: () => counted(csv, { reader, mostDecimals: form.roundPrices ?? null }),
  };
}

/**
 * Returns the possible starts of bars; bars to be resampled are distinguished by multiples of their length.
 */
function startsOf({ grid, partMs }: BarPlan): BarStarts {
  if (partMs !== null) return { stepMs: partMs, isStart: (timeMs) => timeMs % partMs === 0 };
  return { stepMs: grid.isEven ? grid.lengthMs : Number.NaN, isStart: (timeMs) => grid.isStart(timeMs) };
}

/** Counts the rows. Prices that are to be rounded are not taken. */
async function* counted(
  csv: PlainCsv,
  { reader, mostDecimals }: { readonly reader: TableReader; readonly mostDecimals: number | null },
): AsyncGenerator<CandleBlock> {
  for await (const block of plainBars(csv)) {
    if (mostDecimals !== null && block.priceDecimals > mostDecimals)
      throw new NotPlain(`expected prices of at most ${mostDecimals} decimals`);
    reader.count += block.length;
    yield block;
  }
}
