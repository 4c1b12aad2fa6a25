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
export class QuietGaps {
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
export interface BarShape {
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
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
export class RepeatedBars {
  private readonly byVolume = new Map<number, BarShape>();
  private run = 0;
  private shiftMs = 0;
  private startMs = 0;

  /** Takes a bar, and answers the shift and its beginning when a run of repeated ones becomes long enough. */
  take(bar: BarShape): { readonly fromMs: number; readonly shiftMs: number } | null {
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
    if (this.byVolume.size <= MOST_REMEMBERED) return;
    const [oldest] = this.byVolume.keys();
    if (oldest !== undefined) this.byVolume.delete(oldest);
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
