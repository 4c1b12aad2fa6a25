import { cellText } from '../../domain/candle-columns.ts';
import type { Units } from '../../domain/money.ts';
import { anchorText, type BarGrid } from '../../domain/bar-grid.ts';
import type { Database } from '../duckdb.ts';
import type { FolderKey } from '../folder-key.ts';
import type { Partition } from '../manifest.ts';
import { MoneyCells } from '../money-cells.ts';
import { volumeDecimalsOf } from '../read-candles.ts';
import { partitionChunks, timeText } from '../read-partitions.ts';
import type { TimeRange } from '../records.ts';
import { CANDLE_SHAPE } from '../table-shapes.ts';
import { DecimalsCount, onStep } from './check-step.ts';
import type { Findings } from './findings.ts';
import { QuietGaps, RepeatedBars, type BarShape } from './zone-slip.ts';
import { durationText } from '../../domain/time-text.ts';

/** Rows of one chunk, as DuckDB has them. */
const CHUNK_ROWS = 2_048;

/** Options for checking the rows of a folder. */
export interface CheckOptions {
  readonly root: string;
  readonly key: FolderKey;
  readonly partitions: readonly Partition[];
  /** Starts and ends of candles; null for other kinds. */
  readonly grid: BarGrid | null;
  readonly range: TimeRange;
  /** Null: found by the decimals that nearly all prices have. */
  readonly priceStep: Units | null;
  readonly findings: Findings;
}

/** Looks at every bar, in the order of the files, and answers how many there were. */
export async function checkCandles(database: Database, options: CheckOptions): Promise<number> {
  const { key, partitions, grid } = options;
  if (key.kind !== 'candles' || grid === null) return 0;
  let rows = 0;
  const decimals = Math.max(0, ...partitions.map(({ priceDecimals }) => priceDecimals));
  const volumeDecimals = await volumeDecimalsOf(database, options);
  const check = new CandleCheck({ ...options, grid, decimals });
  const columns = Array.from({ length: 5 }, () => new Float64Array(CHUNK_ROWS));
  const select = 'time_ms::DOUBLE, open, high, low, close, volume';
  for await (const chunk of partitionChunks(database, { ...options, shape: CANDLE_SHAPE, select })) {
    const times = chunk.getColumnVector(0);
    const count = chunk.rowCount;
    rows += count;
    for (const [index, column] of columns.entries()) {
      const cells = new MoneyCells(chunk.getColumnVector(index + 1));
      const isVolume = index === 4;
      cells.copyInto(column, {
        at: 0,
        count,
        decimals: isVolume ? volumeDecimals : decimals,
        rounds: isVolume,
      });
    }
    for (let row = 0; row < count; row += 1) {
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = columns.map((column) => column[row] ?? 0);
      check.bar({ timeMs: times.getItem(row) as number, open, high, low, close, volume });
    }
  }
  check.finish();
  return rows;
}

class CandleCheck {
  private readonly findings: Findings;
  private readonly grid: BarGrid;
  private readonly decimals: number;
  private readonly isOnStep: ((cell: number) => boolean) | null;
  private readonly counted: DecimalsCount;
  private readonly quiet = new QuietGaps();
  private readonly repeats = new RepeatedBars();
  private before: BarShape | null = null;

  constructor(options: {
    readonly findings: Findings;
    readonly grid: BarGrid;
    readonly decimals: number;
    readonly priceStep: Units | null;
  }) {
    this.findings = options.findings;
    this.grid = options.grid;
    this.decimals = options.decimals;
    this.isOnStep = options.priceStep === null ? null : onStep(options.priceStep, options.decimals);
    this.counted = new DecimalsCount(options.decimals);
  }

  bar(bar: BarShape): void {
    const { timeMs } = bar;
    if (!this.grid.isStart(timeMs)) {
      const { timeframe, anchor } = this.grid;
      const where = `no beginning of a bar of ${timeframe} at ${anchorText(anchor)}`;
      this.findings.add('order', timeMs, `${timeText(timeMs)} is ${where}`);
    }
    this.place(bar);
    this.repeat(bar);
    this.shape(bar);
    this.steps(bar);
    if (this.before === null || timeMs > this.before.timeMs) this.before = bar;
  }

  finish(): void {
    const found = this.isOnStep === null ? this.counted.outliers() : null;
    if (found === null) return;
    const { count, firstMs, step } = found;
    this.findings.add(
      'off-step',
      firstMs,
      `${count} prices are off the step of ${step} that nearly all have, first at ${timeText(firstMs)}`,
    );
  }

  /** Against the bar before it. */
  private place(bar: BarShape): void {
    const { before } = this;
    if (before === null) return;
    const stepMs = bar.timeMs - before.timeMs;
    if (stepMs === 0) this.findings.add('duplicate', bar.timeMs, `${timeText(bar.timeMs)} is there twice`);
    else if (stepMs < 0) {
      this.findings.add(
        'order',
        bar.timeMs,
        `${timeText(bar.timeMs)} comes after ${timeText(before.timeMs)}`,
      );
    } else if (this.grid.endOf(before.timeMs) === bar.timeMs) this.quiet.bar(bar.close - bar.open);
    else this.gap(before, bar);
  }

  private gap(before: BarShape, bar: BarShape): void {
    const fromMs = this.grid.endOf(before.timeMs);
    const missingMs = bar.timeMs - fromMs;
    const count = this.grid.count(fromMs, bar.timeMs);
    const bars = count === 1 ? '1 bar is' : `${count} bars are`;
    const remark = this.quiet.isQuiet({ missingMs, jump: bar.open - before.close })
      ? `; the price goes on as if none were: an outage without trades, or times ${durationText(missingMs)} late from here on by another time zone`
      : '';
    this.findings.add(
      'gap',
      fromMs,
      `${bars} missing from ${timeText(fromMs)} to ${timeText(bar.timeMs)}${remark}`,
    );
  }

  private repeat(bar: BarShape): void {
    const found = this.repeats.take(bar);
    if (found === null) return;
    const { fromMs, shiftMs } = found;
    const [now, then] = [timeText(fromMs), timeText(fromMs - shiftMs)];
    this.findings.add(
      'zone-slip',
      fromMs,
      `bars from ${now} on are those from ${then} on once more, ${durationText(shiftMs)} later: a part of another time zone`,
    );
  }

  private shape({ timeMs, open, high, low, close, volume }: BarShape): void {
    const text = (cell: number): string => cellText(cell, this.decimals);
    if (low > Math.min(open, close) || high < Math.max(open, close)) {
      const found = `open ${text(open)}, high ${text(high)}, low ${text(low)}, close ${text(close)}`;
      this.findings.add('shape', timeMs, `${timeText(timeMs)} is not low <= open, close <= high: ${found}`);
    }
    if (Math.min(open, high, low, close) <= 0) {
      this.findings.add('negative', timeMs, `${timeText(timeMs)} has a price that is not positive`);
    }
    if (volume < 0) this.findings.add('negative', timeMs, `${timeText(timeMs)} has a negative volume`);
  }

  private steps({ timeMs, open, high, low, close }: BarShape): void {
    const { isOnStep, decimals } = this;
    for (const price of [open, high, low, close]) {
      if (isOnStep === null) this.counted.add(price, timeMs);
      else if (!isOnStep(price)) {
        this.findings.add(
          'off-step',
          timeMs,
          `${timeText(timeMs)} has the price ${cellText(price, decimals)}, off the step`,
        );
        return;
      }
    }
  }
}
