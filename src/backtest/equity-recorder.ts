import type { EquityValuer } from '../venues/bars/equity-valuer.ts';
import type { EquityCurve } from './backtest-run.ts';

/** The equity after each bar of a run, as columns that are as long as the run may become. */
export class EquityRecorder {
  private readonly valuer: EquityValuer;
  private readonly timeMs: Float64Array;
  private readonly equity: Float64Array;
  private readonly isExposed: Uint8Array;
  private length = 0;

  /** `bars`: the most points there will be. */
  constructor(bars: number, valuer: EquityValuer) {
    this.valuer = valuer;
    this.timeMs = new Float64Array(bars);
    this.equity = new Float64Array(bars);
    this.isExposed = new Uint8Array(bars);
  }

  get curve(): EquityCurve {
    const { length, timeMs, equity, isExposed } = this;
    return { length, timeMs, equity, isExposed };
  }

  /** What the account is worth now, at the close of a bar. */
  add(closeMs: number): void {
    const { length, valuer } = this;
    this.timeMs[length] = closeMs;
    this.equity[length] = valuer.number();
    if (valuer.isExposed()) this.isExposed[length] = 1;
    this.length = length + 1;
  }
}
