import { MINUTE_MS } from '../../domain/durations.ts';
import type { Market } from '../../domain/market.ts';
import type { StepBar } from './candle-path.ts';
import { typicalAmount } from './typical-size.ts';

/**
 * Levels that the usual range of a bar covers; the gap between levels stays between these shares of the
 * price.
 */
const LEVELS_A_RANGE = 8;
const LEAST_GAP_SHARE = 0.00015;
const MOST_GAP_SHARE = 0.005;
/**
 * The gap is left alone until the wanted one is this many times as large or small: a change moves every
 * level.
 */
const GAP_TOLERANCE = 2;
/**
 * Amount of a level near the touch: this share of the volume of a minute, but not less than this share of an
 * ordinary level.
 */
const MINUTE_SHARE = 0.25;
const LEAST_SHARE = 0.25;
/** A level holds this many of the usual trade. */
const TRADES_A_LEVEL = 10;
/** Rate at which older bars and trades are forgotten. */
const MEMORY = 0.9;
/** Half of the distance of the quotes behind which the traded price is: at most this share of the price. */
const SPREAD_SHARE = 0.0001;

/** Width and depth of the ladder of a replay, from the recording so far: never from later rows. */
export class ReplayShape {
  private range = 0;
  private level = 0;
  private gapSteps = 0;

  onBar(bar: StepBar): void {
    this.range = blend(this.range, bar.high - bar.low);
    this.level = blend(this.level, (bar.volume * MINUTE_MS * MINUTE_SHARE) / bar.lengthMs);
  }

  onTrade(amount: number): void {
    this.level = blend(this.level, amount * TRADES_A_LEVEL);
  }

  /** Distance of the levels in price steps. */
  gapAt(price: number): number {
    const least = price * LEAST_GAP_SHARE;
    const wanted = Math.max(
      1,
      Math.min(Math.max(this.range / LEVELS_A_RANGE, least), price * MOST_GAP_SHARE),
    );
    if (wanted > this.gapSteps * GAP_TOLERANCE || wanted * GAP_TOLERANCE < this.gapSteps) {
      this.gapSteps = Math.max(1, Math.round(wanted));
    }
    return this.gapSteps;
  }

  /** Distance between the two best quotes in price steps. */
  spreadAt(price: number): number {
    return Math.max(1, Math.round(price * SPREAD_SHARE));
  }

  amountAt(rules: Market, price: number): number {
    return Math.max(this.level, LEAST_SHARE * typicalAmount(rules, price));
  }

  /** Forgets all figures in steps that are no longer the market's. */
  forget(): void {
    this.range = 0;
    this.level = 0;
    this.gapSteps = 0;
  }
}

function blend(before: number, value: number): number {
  return before === 0 ? value : before * MEMORY + value * (1 - MEMORY);
}
