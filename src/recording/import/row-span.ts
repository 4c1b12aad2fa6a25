/** So many gaps of a length make it usual: an outage or two do not. */
const USUAL_FROM = 3;

/**
 * From when to when the rows of a file reach, and how long nothing is between them. A thin market has seconds or minutes without a row, so a file that was
 * cut at midnight need not begin with the first of them.
 */
export class RowSpan {
  firstMs = Number.POSITIVE_INFINITY;
  endMs = Number.NEGATIVE_INFINITY;
  private readonly rowMs: number;
  private beforeMs = Number.NaN;
  /** The longest ones, the longest first. */
  private readonly gapsMs: number[] = [];

  /** `rowMs`: what each row reaches over. */
  constructor(rowMs: number) {
    this.rowMs = rowMs;
  }

  /** Takes in the time of a row, in the order of the file. */
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

  /** Whether the file reaches over a stretch whole, as far as it shows: at an end only as much is missing as usually is amid it. */
  reachesOver(fromMs: number, toMs: number): boolean {
    const usualMs = this.gapsMs[USUAL_FROM - 1] ?? 0;
    return fromMs >= this.firstMs - usualMs && toMs <= this.endMs + usualMs;
  }
}
