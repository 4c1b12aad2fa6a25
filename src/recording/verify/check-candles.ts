import { cellText } from '../../domain/candle-columns.ts';
import type { Units } from '../../domain/money.ts';
import { anchorText, type BarGrid, type BarValues } from '../../domain/candle.ts';
import type { Database } from '../duckdb.ts';
import type { FolderKey, TimeRange } from '../records.ts';
import type { Partition } from '../manifest.ts';
import { MoneyCells, CANDLE_SHAPE } from '../table-shape.ts';
import { volumeDecimalsOf } from '../read-candles.ts';
import { partitionChunks, timeText } from '../read-rows.ts';
import { DecimalsCount, onStep } from '../check-step.ts';
import { durationText } from '../../domain/time-text.ts';
import { retainNewest } from '../../domain/retain-newest.ts';

/** Kinds of verification issue. */
type FindingKind =
  /** A file that is missing, damaged, or that no manifest names. */
  | 'file'
  | 'order'
  | 'duplicate'
  | 'gap'
  /** Bars that are there once more, shifted by hours: parts of different time zones. */
  | 'zone-slip'
  /** Prices that can not be: not low <= open, close <= high, not positive, a book that crosses. */
  | 'shape'
  | 'negative'
  | 'off-step';

/** One thing that is wrong, or looks so. */
interface Finding {
  readonly kind: FindingKind;
  /** Null where it is not of a time. */
  readonly atMs: number | null;
  /** A sentence without its full stop. */
  readonly text: string;
}

/** Findings of one kind that are listed; beyond that they are only counted. */
const MOST_OF_A_KIND = 1_000;

/** Findings of one folder, by kind and in the order of time. */
export class Findings {
  readonly listed: Finding[] = [];
  private readonly counts = new Map<FindingKind, number>();

  add(kind: FindingKind, atMs: number | null, text: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (count <= MOST_OF_A_KIND) this.listed.push({ kind, atMs, text });
  }

  /** Counts of each kind, including findings that are not listed. */
  byKind(): Readonly<Partial<Record<FindingKind, number>>> {
    return Object.fromEntries(this.counts);
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** Rows of one chunk, as DuckDB has them. */
const CHUNK_ROWS = 2_048;

/** Options for checking the rows of a folder. */
interface CheckOptions {
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
    const found = this.repeats.add(bar);
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

/** Time zones lie no farther apart than this, by half hours. */
const MOST_SHIFT_MS = 14 * 3_600_000;
const SHIFT_STEP_MS = 1_800_000;

/** True if clocks of two time zones can differ by this length. */
function isShift(lengthMs: number): boolean {
  return lengthMs > 0 && lengthMs <= MOST_SHIFT_MS && lengthMs % SHIFT_STEP_MS === 0;
}

/**
 * A jump over a gap that is so much smaller than a bar usually moves is none: nothing happened in the gap.
 */
const QUIET_SHARE = 0.05;
/** Bars whose moves the usual one is taken of. */
const MEMORY = 100;
const FEW_MOVES = 20;

/**
 * Tells gaps over which the price goes on as if nothing were missing. Parts with clocks that are hours apart,
 * put one behind the other, leave just such a gap; an outage without a trade looks the same, so it is a
 * remark and no finding of its own.
 */
class QuietGaps {
  private readonly moves: number[] = [];
  private next = 0;

  /** Takes how far a bar moved that follows its neighbour without a gap. */
  bar(move: number): void {
    this.moves[this.next % MEMORY] = Math.abs(move);
    this.next += 1;
  }

  /** True if a gap of this many ms, with this jump of the price over it, can be a shift. */
  isQuiet({ missingMs, jump }: { readonly missingMs: number; readonly jump: number }): boolean {
    if (!isShift(missingMs) || this.moves.length < FEW_MOVES) return false;
    const usual = this.moves.reduce((sum, move) => sum + move, 0) / this.moves.length;
    return usual > 0 && Math.abs(jump) <= usual * QUIET_SHARE;
  }
}

/** A bar without its time, as whole numbers. */
interface BarShape extends BarValues<number> {
  readonly timeMs: number;
}

/** Bars that are the same as others hours before, one after another, before it is no chance. */
const FEWEST_REPEATS = 3;
/** Bars that are remembered: those of fourteen hours of minutes. */
const MOST_REMEMBERED = 900;

/**
 * Finds bars that are there a second time, whole hours later: what happens when a file of another time zone
 * is joined to those that are there. Bars are looked for by their volume, which is hardly ever the same
 * twice; those without are passed over.
 */
class RepeatedBars {
  private readonly byVolume = new Map<number, BarShape>();
  private run = 0;
  private shiftMs = 0;
  private startMs = 0;

  /** Takes a bar, and answers the shift and its beginning when a run of repeated ones becomes long enough. */
  add(bar: BarShape): { readonly fromMs: number; readonly shiftMs: number } | null {
    const twin = this.byVolume.get(bar.volume);
    const shiftMs = twin !== undefined && isSame(twin, bar) ? bar.timeMs - twin.timeMs : 0;
    this.remember(bar);
    if (!isShift(shiftMs)) {
      this.run = 0;
      return null;
    }
    if (this.run === 0 || shiftMs !== this.shiftMs) {
      this.run = 0;
      this.startMs = bar.timeMs;
    }
    this.shiftMs = shiftMs;
    this.run += 1;
    return this.run === FEWEST_REPEATS ? { fromMs: this.startMs, shiftMs } : null;
  }

  private remember(bar: BarShape): void {
    if (bar.volume === 0) return;
    this.byVolume.delete(bar.volume);
    this.byVolume.set(bar.volume, bar);
    retainNewest(this.byVolume, MOST_REMEMBERED);
  }
}

function isSame(left: BarShape, right: BarShape): boolean {
  return (
    left.open === right.open &&
    left.high === right.high &&
    left.low === right.low &&
    left.close === right.close
  );
}
