import type { EquityValuer } from '../venues/equity-valuer.ts';
import type { EquityCurve } from './backtest-run.ts';

type EquityOfNow = Pick<EquityValuer, 'number' | 'isExposed'>;

/**
 * The equity after each moment at which bars close, in columns with room for more: how many moments there
 * are is not known before, since bars of several markets may close at one.
 */
export class EquityRecorder {
  private readonly valuer: EquityOfNow;
  private timeMs: Float64Array;
  private equity: Float64Array;
  private isExposed: Uint8Array;
  private length = 0;

  /** `moments`: how many there will probably be. */
  constructor(moments: number, valuer: EquityOfNow) {
    this.valuer = valuer;
    this.timeMs = new Float64Array(moments);
    this.equity = new Float64Array(moments);
    this.isExposed = new Uint8Array(moments);
  }

  get curve(): EquityCurve {
    const { length, timeMs, equity, isExposed } = this;
    return { length, timeMs, equity, isExposed };
  }

  /** Adds the current value of the account, at the close of a bar. */
  add(closeMs: number): void {
    const { length, valuer } = this;
    if (length === this.timeMs.length) this.grow();
    this.timeMs[length] = closeMs;
    this.equity[length] = valuer.number();
    if (valuer.isExposed()) this.isExposed[length] = 1;
    this.length = length + 1;
  }

  private grow(): void {
    const room = 2 * this.length + 1;
    const [timeMs, equity, isExposed] = [
      new Float64Array(room),
      new Float64Array(room),
      new Uint8Array(room),
    ];
    timeMs.set(this.timeMs);
    equity.set(this.equity);
    isExposed.set(this.isExposed);
    this.timeMs = timeMs;
    this.equity = equity;
    this.isExposed = isExposed;
  }
}
