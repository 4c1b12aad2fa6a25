import { WSMA } from 'trading-signals';

/**
 * Wilder's smoothed average, the same to the last digit as the library's. That one goes on with the simple
 * average that it began with, and asks it for nothing.
 */
export class WilderAverage extends WSMA {
  private readonly weight: number;

  constructor(length: number) {
    super(length);
    this.weight = 1 / length;
  }

  override update(value: number, replace: boolean): number | null {
    const { result } = this;
    if (replace || result === undefined) return super.update(value, replace);
    return this.setResult((value - result) * this.weight + result, false);
  }
}
