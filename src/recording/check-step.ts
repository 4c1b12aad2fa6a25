import { columnScale } from '../domain/candle-columns.ts';
import { formatUnits, type Units } from '../domain/money.ts';

/** True if a number of a column is a whole number of steps. */
type OnStep = (cell: number) => boolean;

/** Returns the test for a known step, in units of 1e-10. */
export function onStep(step: Units, decimals: number): OnStep {
  const scale = columnScale(decimals);
  if (scale % step === 0n) return () => true;
  if (step % scale === 0n) {
    const cells = Number(step / scale);
    return (cell) => cell % cells === 0;
  }
  return (cell) => (BigInt(cell) * scale) % step === 0n;
}

/** Share of prices that define the step: the few with more decimals than these count as off the step. */
const NEARLY_ALL = 0.999;
const FEW_NUMBERS = 1_000;

/** Finds the step of prices by their decimals, and the few prices with more decimals. */
export class DecimalsCount {
  private readonly decimals: number;
  private readonly counts: number[];
  private readonly firstMs: (number | null)[];
  private total = 0;

  constructor(decimals: number) {
    this.decimals = decimals;
    this.counts = Array.from({ length: decimals + 1 }, () => 0);
    this.firstMs = Array.from({ length: decimals + 1 }, () => null);
  }

  add(cell: number, timeMs: number): void {
    let used = this.decimals;
    for (let rest = cell; used > 0 && rest % 10 === 0; rest /= 10) used -= 1;
    this.counts[used] = (this.counts[used] ?? 0) + 1;
    this.firstMs[used] ??= timeMs;
    this.total += 1;
  }

  /** Returns the prices with more decimals than nearly all; null if there are none, or too few prices. */
  outliers(): { readonly count: number; readonly firstMs: number; readonly step: string } | null {
    if (this.total < FEW_NUMBERS) return null;
    let within = 0;
    const usual = this.counts.findIndex((count) => {
      within += count;
      return within >= this.total * NEARLY_ALL;
    });
    const count = this.total - within;
    const firstMs = this.firstMs.slice(usual + 1).find((timeMs) => timeMs !== null) ?? null;
    if (count === 0 || firstMs === null) return null;
    return { count, firstMs, step: formatUnits(columnScale(usual)) };
  }
}
