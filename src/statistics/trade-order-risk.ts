import type { RandomSource } from '../domain/random.ts';
import {
  checkSample,
  checkCount,
  InvalidSample,
  known,
  unknown,
  type Estimate,
  lack,
  quantilesOf,
  type Quantiles,
} from './estimate.ts';
import { inDigits } from '../language/fact.ts';

export interface TradeOrderOptions {
  readonly random: RandomSource;
  /** Number of runs, 1 to 1,000,000; default 1,000. */
  readonly runs?: number;
  /**
   * Kind of draw. `reorder`: the same trades in another order, for the drawdown. `resample`: as many trades,
   * each drawn from all, so that some appear twice and the end differs too.
   */
  readonly draw?: 'reorder' | 'resample';
}

export interface TradeOrderRisk {
  /** Percentiles of the largest loss from a peak, 0 to 1. */
  readonly drawdown: Quantiles;
  /** Percentiles of the final equity, if the initial one is 1. */
  readonly finalEquity: Quantiles;
  /** Drawdown of the trades in their original order. */
  readonly observedDrawdown: number;
  readonly observedFinalEquity: number;
  /** Share of runs whose drawdown is at least as deep as the observed one, 0 to 1. */
  readonly asDeep: number;
  /** Share of runs that end below their start, 0 to 1. */
  readonly lossShare: number;
  readonly runs: number;
}

/** Minimum number of trades: the order of fewer says little. */
const LEAST_TRADES = 10;

/**
 * Simulates other orders of trades (Monte Carlo): which drawdown and end were possible with other luck.
 * `changes` has the change of equity by each trade: 0.02 is 2 % more. They are compounded; after a change of
 * -1 or less nothing is left. Trades count as independent, so that losses that come in series are
 * underestimated. Unknown below ten trades. Throws `InvalidSample` at a number that is not finite, at changes
 * that turn 1 into more than 1e100, and at options out of range. Pardo, "The Evaluation and Optimization of
 * Trading Strategies" (2008), 11; the shuffle is Durstenfeld's, Communications of the ACM 7 (1964).
 */
export function tradeOrderRisk(changes: Float64Array, options: TradeOrderOptions): Estimate<TradeOrderRisk> {
  const { random, runs = 1_000, draw = 'reorder' } = options;
  checkSample(changes, 'changes');
  checkCount(runs, 'runs', { least: 1, most: 1_000_000 });
  if (changes.length < LEAST_TRADES)
    return unknown(
      'too-few-observations',
      lack('lack.trades', { least: inDigits(LEAST_TRADES), found: inDigits(changes.length) }),
    );
  const observed = compounded(changes);
  const drawdowns = new Float64Array(runs);
  const ends = new Float64Array(runs);
  const drawn = changes.slice();
  let [asDeep, lost] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    if (draw === 'reorder') shuffle(drawn, random);
    else resample(changes, drawn, random);
    const { drawdown, end } = compounded(drawn);
    drawdowns[run] = drawdown;
    ends[run] = end;
    if (drawdown >= observed.drawdown) asDeep += 1;
    if (end < 1) lost += 1;
  }
  return known({
    drawdown: quantilesOf(drawdowns),
    finalEquity: quantilesOf(ends),
    observedDrawdown: observed.drawdown,
    observedFinalEquity: observed.end,
    asDeep: asDeep / runs,
    lossShare: lost / runs,
    runs,
  });
}

/** Largest plausible equity: beyond it, changes were probably given in percent, or in money. */
const MOST_EQUITY = 1e100;

function compounded(changes: Float64Array): { readonly drawdown: number; readonly end: number } {
  let [equity, peak, drawdown] = [1, 1, 0];
  for (let index = 0; index < changes.length && equity > 0; index += 1) {
    equity = Math.max(0, equity * (1 + (changes[index] ?? 0)));
    if (equity > MOST_EQUITY)
      throw new InvalidSample(
        lack('lack.compounded', { most: inDigits(MOST_EQUITY), found: inDigits(equity) }),
      );
    peak = Math.max(peak, equity);
    drawdown = Math.max(drawdown, (peak - equity) / peak);
  }
  return { drawdown, end: equity };
}

function shuffle(values: Float64Array, random: RandomSource): void {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const place = Math.floor(random.next() * (last + 1));
    const value = values[last] ?? 0;
    values[last] = values[place] ?? 0;
    values[place] = value;
  }
}

function resample(from: Float64Array, into: Float64Array, random: RandomSource): void {
  for (let index = 0; index < into.length; index += 1)
    into[index] = from[Math.floor(random.next() * from.length)] ?? 0;
}

export interface RandomEntryOptions {
  /** Number of bars of the range. */
  readonly bars: number;
  /** Number of bars for which each trade was held, at least 1 each. */
  readonly heldBars: readonly number[];
  readonly random: RandomSource;
}

/** Position from the open of one bar to the open of a later one, which may be the end of the range. */
export interface PlannedPosition {
  readonly entryBar: number;
  /** Index of the bar of the exit, above `entryBar`, at most the number of bars. */
  readonly exitBar: number;
}

/** Maximum number of bars in a range. */
const MOST_BARS = 100_000_000;

/**
 * Plans trades at random places, as many as a strategy had, with the same holding times and so the same
 * exposure: a control that shows whether the strategy's entries are better than just being in the market. The
 * holding times are shuffled, and the bars without a position are split at random before, between and after
 * them, each split equally likely. Positions do not overlap; one may follow another at once. Unknown without
 * a trade, and if more bars are held than there are. Throws `InvalidSample` at counts that are not whole or
 * out of range. The draw is that of k places without replacement (Knuth, "The Art of Computer Programming" 2,
 * 3.4.2, algorithm S); random entries as a control: Aronson, "Evidence-Based Technical Analysis" (2006), 5.
 */
export function randomEntries(options: RandomEntryOptions): Estimate<PlannedPosition[]> {
  const { bars, heldBars, random } = options;
  checkCount(bars, 'bars', { least: 1, most: MOST_BARS });
  for (const [index, held] of heldBars.entries())
    checkCount(held, `heldBars[${index}]`, { least: 1, most: MOST_BARS });
  if (heldBars.length === 0) return unknown('no-trades', lack('lack.noTrade'));
  const exposed = heldBars.reduce((sum, held) => sum + held, 0);
  if (exposed > bars)
    return unknown('no-room', lack('lack.heldBars', { most: inDigits(bars), found: inDigits(exposed) }));
  return known(planOf(shuffled(heldBars, random), bars - exposed, random));
}

/** Places idle bars and trades one by one, each with a probability in proportion to what is left of both. */
function planOf(heldBars: readonly number[], idleBars: number, random: RandomSource): PlannedPosition[] {
  const plan: PlannedPosition[] = [];
  let bar = 0;
  let idle = idleBars;
  for (const [index, held] of heldBars.entries()) {
    const trades = heldBars.length - index;
    while (idle > 0 && random.next() * (idle + trades) >= trades) {
      idle -= 1;
      bar += 1;
    }
    plan.push({ entryBar: bar, exitBar: bar + held });
    bar += held;
  }
  return plan;
}

function shuffled(values: readonly number[], random: RandomSource): number[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ value }) => value);
}
