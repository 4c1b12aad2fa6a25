import { countText } from '../domain/money.ts';
import {
  anchorText,
  gridAt,
  isSameGrid,
  UTC_MIDNIGHT,
  gridText,
  type BarGrid,
  type Candle,
  TIMEFRAMES,
  timeframeMs,
} from '../domain/candle.ts';
import { invalidFile } from '../domain/errors.ts';
import type { AppendOutcome } from './staging-table.ts';
import type { RecordedTrade } from './records.ts';
import { BackwardSteps, aligned, onceEach, planBars } from './import/detect-timeframe.ts';
import { missingColumns, kindOf, shortfall, placesOf, widthOf, type ColumnPlaces } from './column-places.ts';
import type { FileRow } from '../domain/csv.ts';
import type { RowFile } from './open-text.ts';
import type { ImportReport, ImportTableOptions } from './import-report.ts';
import { naming, rejectConflicts, unlessBad, TableReader } from './import/table-reader.ts';
import { firstRows, joined, openTable } from './import/open-table.ts';
import { WrittenForm } from './written-form.ts';
import { blocksOf } from './import/blocks-of.ts';
import { candleAt } from '../domain/candle-columns.ts';
import { NotPlain, type CandleBlock, type CandleBlocks } from './stage-blocks.ts';
import { BarBuilder, MOST_BUILT_BARS } from './resample.ts';
import { durationText, isoText } from '../domain/time-text.ts';

/**
 * Imports a CSV, Parquet or JSON file of candles or trades, all or nothing. Throws `INVALID_FILE` for another
 * file, for a missing column, and where the requested timeframe cannot be built.
 */
export async function importTable(options: ImportTableOptions): Promise<ImportReport> {
  const { path } = options;
  const file = await openTable(path);
  const first = await firstRows(file);
  const places = placesOf(options, file, first.rows);
  const kind = options.kind ?? kindOf(places);
  const missing = missingColumns(places, kind);
  if (missing !== null) throw shortfall(options, { kind, missing, file });
  const form = new WrittenForm({ path, places, rows: first.rows, form: options.form ?? {} });
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
    // If the file was read as columns, its other rows have not been read.
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
  const rows = reader.rows((each, row) => once(slips.checked(aligned(each.candle(row), plan), row.line)));
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
  if (partMs !== null && ends.leftOut > 0)
    notes.push(
      `bars at the ends that the file does not reach over whole were left out (${ends.leftOut}): ${partRemedy(partMs)}`,
    );
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
  if (isNothing && reader.rejects.count === 0)
    throw invalidFile(`expected ${kind} in ${path}, found ${countText(reader.count, 'row')} without any`);
  const result =
    isNothing || outcome === null ? 'bad-rows' : outcome.kind === 'conflict' ? 'conflict' : 'imported';
  return {
    file: path,
    market,
    result,
    rows: reader.count,
    parts: outcome === null ? [] : [{ kind, timeframe, outcome }],
    rejects: reader.rejects,
    firstBad:
      result === 'imported' ? null : (reader.rejects.rows.at(result === 'conflict' ? reader.bad : 0) ?? null),
    notes: [
      ...notes,
      ...(reader.rounded === 0
        ? []
        : [
            `${countText(reader.rounded, 'volume or amount was', 'volumes or amounts were')} rounded to ten decimals`,
          ]),
      ...(reader.roundedPrices === 0
        ? []
        : [`${countText(reader.roundedPrices, 'price was', 'prices were')} rounded`]),
    ],
  };
}

/** Resamples the bars of a file, from columns if it is plain. Throws as `resampledBars` does. */
async function* resampledFile(
  from: { readonly blocks: CandleBlocks | null; readonly rows: AsyncIterable<readonly Candle[]> },
  of: Parameters<typeof resampledBars>[1],
): AsyncGenerator<readonly Candle[]> {
  const { blocks, rows } = from;
  try {
    if (blocks !== null) {
      // Resampled bars come all at the end, so none has come if the file turns out not to be plain.
      yield* resampledBars(candlesOf(blocks.read()), of);
      return;
    }
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
  }
  yield* resampledBars(rows, of);
}

/** Yields the bars of blocks. Throws `NotPlain` if times neither rise nor fall: a bar might come twice. */
async function* candlesOf(blocks: AsyncIterable<CandleBlock>): AsyncGenerator<readonly Candle[]> {
  let beforeMs = Number.NaN;
  let direction = 0;
  for await (const block of blocks) {
    for (const timeMs of block.openTimeMs) {
      const step = Math.sign(timeMs - beforeMs);
      beforeMs = timeMs;
      if (Number.isNaN(step)) continue;
      if (direction === 0) direction = step;
      if (step === 0 || step !== direction) throw new NotPlain('expected each bar once, in order');
    }
    yield Array.from({ length: block.length }, (_, index) => candleAt(block, index));
  }
}

/** Resamples finer bars, and yields those that the file covers. Throws `INVALID_FILE` for none. */
async function* resampledBars(
  parts: AsyncIterable<readonly Candle[]>,
  of: {
    readonly path: string;
    readonly grid: BarGrid;
    readonly partMs: number;
    /** Receives the number of bars that were left out. */
    readonly ends: { leftOut: number };
  },
): AsyncGenerator<readonly Candle[]> {
  const { path, grid, partMs, ends } = of;
  const builder = new BarBuilder(grid);
  const span = new RowSpan(partMs);
  for await (const part of parts) {
    for (const candle of part) {
      const { openTimeMs } = candle;
      if (grid.startOf(openTimeMs) !== grid.startOf(openTimeMs + partMs - 1))
        throw invalidFile(
          `expected bars in ${of.path} that lie whole inside one of ${gridText(of.grid)}, found the one of ${isoText(openTimeMs)}, which is ${durationText(of.partMs)} long: import finer bars, or name another beginning with --anchor`,
        );
      builder.add(candle);
      span.add(candle.openTimeMs);
    }
    if (builder.count > MOST_BUILT_BARS)
      throw invalidFile(`expected at most ${MOST_BUILT_BARS} bars, found more: import a coarser timeframe`);
  }
  const built = builder.candles();
  // A bar whose rest may be in another file is not complete yet.
  const whole = built.filter(({ openTimeMs }) => span.reachesOver(openTimeMs, grid.endOf(openTimeMs)));
  if (built.length > 0 && whole.length === 0)
    throw invalidFile(
      `expected bars in ${path} that fill at least one of ${durationText(grid.lengthMs)}, found fewer: ${partRemedy(partMs)}`,
    );
  ends.leftOut = built.length - whole.length;
  yield whole;
}

/** Returns advice for bars that the file does not cover completely. `partMs`: length of its own bars. */
function partRemedy(partMs: number): string {
  return TIMEFRAMES.some((timeframe) => timeframeMs(timeframe) === partMs)
    ? 'import the finer ones, and resample them once the rest is there'
    : 'put the file together with those before and after it, and import them as one';
}

/** Number of gaps from which their length counts as usual; one or two outages do not. */
const USUAL_FROM = 3;

/**
 * Time span of the rows of a file, and the usual longest gap in it. A thin market has seconds or minutes
 * without a row, so a file that was cut at midnight need not begin with a row at midnight.
 */
class RowSpan {
  firstMs = Number.POSITIVE_INFINITY;
  endMs = Number.NEGATIVE_INFINITY;
  private readonly rowMs: number;
  private beforeMs = Number.NaN;
  /** Longest gaps in ms, the longest first. */
  private readonly gapsMs: number[] = [];

  /** `rowMs`: time that each row covers. */
  constructor(rowMs: number) {
    this.rowMs = rowMs;
  }

  /** Adds the time of a row, in the order of the file. */
  add(timeMs: number): void {
    const { rowMs, beforeMs, gapsMs } = this;
    this.firstMs = Math.min(this.firstMs, timeMs);
    this.endMs = Math.max(this.endMs, timeMs + rowMs);
    this.beforeMs = timeMs;
    const gapMs = Math.abs(timeMs - beforeMs) - rowMs;
    if (!(gapMs > (gapsMs[USUAL_FROM - 1] ?? 0))) return;
    gapsMs.push(gapMs);
    gapsMs.sort((left, right) => right - left);
    gapsMs.length = Math.min(gapsMs.length, USUAL_FROM);
  }

  /** True if the file seems to cover a range: at its ends no more is missing than the usual gap. */
  reachesOver(fromMs: number, toMs: number): boolean {
    const usualMs = this.gapsMs[USUAL_FROM - 1] ?? 0;
    return fromMs >= this.firstMs - usualMs && toMs <= this.endMs + usualMs;
  }
}
