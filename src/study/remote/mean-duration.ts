/** Weight of a new duration: the last 20 make up most of the mean. */
const WEIGHT = 0.1;

/** A mean of durations that follows the last ones. */
export class MeanDuration {
  private mean: number | null = null;

  /** In ms; null before the first. */
  get ms(): number | null {
    return this.mean;
  }

  add(ms: number): void {
    this.mean = this.mean === null ? ms : this.mean + (ms - this.mean) * WEIGHT;
  }
}
