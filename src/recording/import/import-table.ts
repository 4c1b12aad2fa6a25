import { anchorText, gridAt, isSameGrid, UTC_MIDNIGHT } from '../../domain/bar-grid.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { AppendOutcome } from '../append-outcome.ts';
import type { RecordedTrade } from '../records.ts';
import { BackwardSteps, aligned, onceEach } from './bar-checks.ts';
import { missingColumns, kindOf, lacking, placesOf, widthOf, type ColumnPlaces } from './column-places.ts';
import { planBars } from './detect-timeframe.ts';
import type { FileRow, RowFile } from './open-text.ts';
import type { ImportReport } from './import-report.ts';
import type { ImportTableOptions } from './import-table-options.ts';
import { naming, rejectConflicts, unlessBad, TableReader } from './table-reader.ts';
import { firstRows, joined, openTable } from './open-table.ts';
import { resampledFile } from './resampled-file.ts';
import { wayToWhole } from './resampled-bars.ts';
import { WrittenForm } from './written-form.ts';
import { blocksOf } from './blocks-of.ts';

/**
 * Imports a CSV or Parquet file of candles or trades: all of it, or nothing. Throws `INVALID_FILE` where it
 * is none, lacks a column, or can not give what is asked.
 */
export async function importTable(options: ImportTableOptions): Promise<ImportReport> {
  const { path } = options;
  const file = await openTable(path);
  const first = await firstRows(file);
  const places = placesOf(options, file, first.rows);
  const kind = options.kind ?? kindOf(places);
  const missing = missingColumns(places, kind);
  if (missing !== null) throw lacking(options, { kind, missing, file });
  const form = new WrittenForm({ path, places, rows: first.rows, wish: options.form ?? {} });
  const reader = new TableReader(options, {
    places,
    form,
    width: widthOf(file, first.rows),
    parts: joined(first),
    progress: () => file.progress(),
  });
  if (kind === 'trades') return importTrades(options, reader);
  try {
    return await importCandles(options, reader, { file, places, form, rows: first.rows });
  } finally {
    // Where the file was read as columns, nobody has read the rest of its rows.
    await first.rest.return?.();
  }
}

async function importCandles(
  options: ImportTableOptions,
  reader: TableReader,
  first: {
    readonly file: RowFile;
    readonly places: ColumnPlaces;
    readonly form: WrittenForm;
    readonly rows: readonly FileRow[];
  },
): Promise<ImportReport> {
  const plan = planBars({
    path: options.path,
    timesMs: reader.timesOf(first.rows, options.path),
    wanted: options.timeframe,
    mayResample: options.mayResample,
    anchor: options.anchor ?? null,
  });
  const { partMs, timeframe, grid } = plan;
  const isResampled = partMs !== null;
  const ends = { leftOut: 0 };
  const slips = new BackwardSteps();
  const once = onceEach(plan);
  const rows = reader.rows((each, row) => once(slips.look(aligned(each.candle(row), plan), row.line)));
  const { path, catalogue, market, source } = options;
  const blocks = first.form.isPlain ? blocksOf(options, { reader, first, plan }) : null;
  const outcome = await naming(options, reader, () =>
    catalogue.appendCandles({
      market,
      source,
      timeframe,
      anchors: { [timeframe]: grid.anchor },
      blocks: isResampled ? null : blocks,
      candles: partMs === null ? rows : resampledFile({ blocks, rows }, { path, grid, partMs, ends }),
    }),
  );
  if (outcome?.kind === 'conflict' && !isResampled) await rejectConflicts(outcome, options, reader);
  const notes = slips.notes();
  if (!isSameGrid(grid, gridAt(timeframe, UTC_MIDNIGHT)))
    notes.push(`bars of ${timeframe} begin at ${anchorText(grid.anchor)}`);
  if (isResampled) notes.push(`finer bars were put together to bars of ${timeframe}`);
  if (partMs !== null && ends.leftOut > 0) {
    notes.push(
      `bars at the ends that the file does not reach over whole were left out (${ends.leftOut}): ${wayToWhole(partMs)}`,
    );
  }
  return report(options, { reader, outcome, kind: 'candles', timeframe, notes });
}

async function importTrades(options: ImportTableOptions, reader: TableReader): Promise<ImportReport> {
  const { catalogue, market, source } = options;
  const trades = reader.rows<RecordedTrade>((each, row) => each.trade(row));
  const append = catalogue.appendTrades?.bind(catalogue);
  if (append === undefined) throw new RangeError('expected candles, since nothing takes in trades');
  const outcome = await unlessBad(() => append({ market, source, trades }));
  return report(options, { reader, outcome, kind: 'trades', timeframe: null, notes: [] });
}

function report(
  { path, market }: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly outcome: AppendOutcome | null;
    readonly kind: 'candles' | 'trades';
    readonly timeframe: string | null;
    readonly notes: readonly string[];
  },
): ImportReport {
  const { reader, outcome, kind, timeframe, notes } = of;
  const isNothing = outcome?.kind === 'added' && outcome.added + outcome.known === 0;
  if (isNothing && reader.rejects.count === 0) {
    throw new SarrafError(
      'INVALID_FILE',
      `expected ${kind} in ${path}, found ${reader.count} rows that give none`,
    );
  }
  const result = isNothing
    ? 'bad-rows'
    : outcome === null
      ? 'bad-rows'
      : outcome.kind === 'conflict'
        ? 'conflict'
        : 'imported';
  return {
    file: path,
    market,
    result,
    rows: reader.count,
    parts: outcome === null ? [] : [{ kind, timeframe, outcome }],
    rejects: reader.rejects,
    firstBad:
      result === 'imported' ? null : (reader.rejects.kept.at(result === 'conflict' ? reader.bad : 0) ?? null),
    notes: [
      ...notes,
      ...(reader.rounded === 0 ? [] : [`${reader.rounded} volumes or amounts were rounded to ten decimals`]),
      ...(reader.roundedPrices === 0 ? [] : [`${reader.roundedPrices} prices were rounded`]),
    ],
  };
}
