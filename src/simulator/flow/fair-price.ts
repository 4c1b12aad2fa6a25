import type { Chance } from './chance.ts';

/** Yearly volatility before clusters and trends, which bring it to about one (100 %). */
const BASE_VOLATILITY = 0.6;
const YEAR_S = 365 * 86_400;
/**
 * Standard deviation and memory of the logarithm of volatility: a quick part (bursts) and a slow one (moods
 * of the day).
 */
const QUICK = { deviation: 0.45, memoryS: 180 };
const SLOW = { deviation: 0.35, memoryS: 3 * 3_600 };
/** A drift that comes and goes: in log price a second. */
const TREND = { deviation: 2e-6, memoryS: 1_500 };

/** One step of a process that returns to zero: exact for a step of any length. */
function revert(
  value: number,
  of: { readonly deviation: number; readonly memoryS: number },
  step: { readonly seconds: number; readonly normal: number },
): number {
  const kept = Math.exp(-step.seconds / of.memoryS);
  return value * kept + of.deviation * Math.sqrt(1 - kept * kept) * step.normal;
}

/**
 * What a currency is worth, unknown to anybody in the market: a random walk in the logarithm whose volatility
 * comes in clusters (two log-normal factors, of minutes and of hours) with a drift that lasts for tens of
 * minutes.
 *
 * What is unreal about it: no jumps, no hours of the day, no news, no other market; the trends are stronger
 * than those of real markets, so that something can be seen within minutes; nothing pulls the price back over
 * weeks.
 */
export class FairPrice {
  /** In the quote currency. A float: it decides where orders are put, and is never booked. */
  price: number;
  private timeMs: number;
  private quick: number;
  private slow: number;
  private trend = 0;
  private readonly chance: Chance;

  constructor(options: { readonly chance: Chance; readonly price: number; readonly timeMs: number }) {
    this.chance = options.chance;
    this.price = options.price;
    this.timeMs = options.timeMs;
    this.quick = QUICK.deviation * this.chance.normal();
    this.slow = SLOW.deviation * this.chance.normal();
  }

  /** Volatility as a multiple of its usual height. */
  get agitation(): number {
    return Math.exp(this.quick + this.slow);
  }

  /** 1 while the price drifts up, -1 while it drifts down. */
  get direction(): 1 | -1 {
    return this.trend >= 0 ? 1 : -1;
  }

  moveTo(timeMs: number): void {
    const seconds = (timeMs - this.timeMs) / 1_000;
    if (seconds <= 0) return;
    this.timeMs = timeMs;
    const { chance } = this;
    this.quick = revert(this.quick, QUICK, { seconds, normal: chance.normal() });
    this.slow = revert(this.slow, SLOW, { seconds, normal: chance.normal() });
    const drift = this.trend * TREND.memoryS * (1 - Math.exp(-seconds / TREND.memoryS));
    this.trend = revert(this.trend, TREND, { seconds, normal: chance.normal() });
    const deviation = BASE_VOLATILITY * this.agitation * Math.sqrt(seconds / YEAR_S);
    this.price *= Math.exp(drift + deviation * chance.normal());
  }
}
