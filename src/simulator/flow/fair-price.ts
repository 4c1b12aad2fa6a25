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
interface Reversion {
  /** The share of the value that is left. */
  readonly kept: number;
  /** Standard deviation of what is new. */
  readonly deviation: number;
}

function reversionOf(
  of: { readonly deviation: number; readonly memoryS: number },
  seconds: number,
): Reversion {
  const kept = Math.exp(-seconds / of.memoryS);
  return { kept, deviation: of.deviation * Math.sqrt(1 - kept * kept) };
}

/** All that depends on the length of a step alone. */
const paceOf = (seconds: number) => ({
  seconds,
  quick: reversionOf(QUICK, seconds),
  slow: reversionOf(SLOW, seconds),
  trend: reversionOf(TREND, seconds),
  rootYears: Math.sqrt(seconds / YEAR_S),
});

/**
 * Fair value of a currency, unknown to anybody in the market: a random walk in the logarithm whose volatility
 * comes in clusters (two log-normal factors, of minutes and of hours) with a drift that lasts for tens of
 * minutes.
 *
 * Unreal about it: no jumps, no hours of the day, no news, no other market; the trends are stronger than
 * those of real markets, so that something can be seen within minutes; nothing pulls the price back over
 * weeks.
 */
export class FairPrice {
  /** In the quote currency. A float: it decides where orders are put, and is never booked. */
  price: number;
  private timeMs: number;
  private quick: number;
  private slow: number;
  private trend = 0;
  /** Of the last step: a history is made of thousands that are as long. */
  private pace = paceOf(0);
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
    if (seconds !== this.pace.seconds) this.pace = paceOf(seconds);
    const { quick, slow, trend, rootYears } = this.pace;
    this.quick = this.quick * quick.kept + quick.deviation * chance.normal();
    this.slow = this.slow * slow.kept + slow.deviation * chance.normal();
    const drift = this.trend * TREND.memoryS * (1 - trend.kept);
    this.trend = this.trend * trend.kept + trend.deviation * chance.normal();
    const deviation = BASE_VOLATILITY * this.agitation * rootYears;
    this.price *= Math.exp(drift + deviation * chance.normal());
  }
}
