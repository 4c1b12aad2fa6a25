import { countText, type Units } from '../../domain/money.ts';
import { cellText } from '../../domain/candle-columns.ts';
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
  /** File that is missing, damaged, or not named by a manifest. */
  | 'file'
  | 'order'
  | 'duplicate'
  | 'gap'
  /** Bars that are repeated with a shift of hours: parts of different time zones. */
  | 'zone-slip'
  /** Impossible prices: low <= open, close <= high does not hold, or a book is crossed. */
  | 'shape'
  | 'negative'
  | 'off-step';

/** Something that is wrong, or looks wrong. */
interface Finding {
  readonly kind: FindingKind;
  /** Time of the finding in ms; null if it has none. */
  readonly atMs: number | null;
  /** Sentence without its full stop. */
  readonly text: string;
}

/** Maximum number of findings of one kind that are listed; further ones are only counted. */
const MOST_OF_A_KIND = 1_000;

/** Findings of one folder. */
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

/** Rows of one chunk of DuckDB. */
const CHUNK_ROWS = 2_048;

/** Options for checking the rows of a folder. */
interface CheckOptions {
  readonly root: string;
  readonly key: FolderKey;
  readonly partitions: readonly Partition[];
  /** Grid of the candles; null for other kinds. */
  readonly grid: BarGrid | null;
  readonly range: TimeRange;
  /** Price step; null: found from the decimals that nearly all prices have. */
  readonly priceStep: Units | null;
  readonly findings: Findings;
}

/** Checks every bar in the order of the files, and returns their number. */
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
      `${countText(count, 'price is', 'prices are')} off the step of ${step} that nearly all have, first at ${timeText(firstMs)}`,
    );
  }

  /** Checks the time of a bar against the bar before it. */
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
    const bars = countText(count, 'bar is', 'bars are');
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
    if (Math.min(open, high, low, close) <= 0)
      this.findings.add('negative', timeMs, `${timeText(timeMs)} has a price that is not positive`);
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

/** Greatest difference between two time zones, and the step between differences, in ms. */
const MOST_SHIFT_MS = 14 * 3_600_000;
const SHIFT_STEP_MS = 1_800_000;

/** True if clocks of two time zones can differ by this length. */
const isShift = (lengthMs: number): boolean =>
  lengthMs > 0 && lengthMs <= MOST_SHIFT_MS && lengthMs % SHIFT_STEP_MS === 0;

/** Share of a bar's usual move below which a price jump over a gap is none: nothing happened in the gap. */
const QUIET_SHARE = 0.05;
/** Number of last moves of bars from which the usual move is computed. */
const MEMORY = 100;
const FEW_MOVES = 20;

/**
 * Finds gaps over which the price goes on as if nothing were missing. Two parts of a file whose clocks differ
 * by hours leave such a gap where they meet; an outage without a trade looks the same, so it is only a
 * remark.
 */
class QuietGaps {
  private readonly moves: number[] = [];
  private next = 0;

  /** Adds the move of a bar that follows its neighbour without a gap. */
  bar(move: number): void {
    this.moves[this.next % MEMORY] = Math.abs(move);
    this.next += 1;
  }

  /** True if a gap of `missingMs`, with this jump of the price, can be a shift between time zones. */
  isQuiet({ missingMs, jump }: { readonly missingMs: number; readonly jump: number }): boolean {
    if (!isShift(missingMs) || this.moves.length < FEW_MOVES) return false;
    const usual = this.moves.reduce((sum, move) => sum + move, 0) / this.moves.length;
    return usual > 0 && Math.abs(jump) <= usual * QUIET_SHARE;
  }
}

/** Time and values of a bar, as whole numbers. */
interface BarShape extends BarValues<number> {
  readonly timeMs: number;
}

/** Fewest repeated bars in a row that are not taken for chance. */
const FEWEST_REPEATS = 3;
/** Number of bars that are remembered: more than fourteen hours of minutes. */
const MOST_REMEMBERED = 900;

/**
 * Finds bars that are repeated with a time shift, as when a file of another time zone is joined to existing
 * bars. Repeated bars are found by their volume, which is hardly ever the same twice; bars without volume are
 * skipped.
 */
class RepeatedBars {
  private readonly byVolume = new Map<number, BarShape>();
  private run = 0;
  private shiftMs = 0;
  private startMs = 0;

  /** Adds a bar. Returns the shift and its start once enough bars in a row are repeated; else null. */
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
