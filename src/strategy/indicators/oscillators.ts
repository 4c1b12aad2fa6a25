import {
  CCI,
  CG,
  CMO,
  ConnorsRSI,
  DeMarker,
  FisherTransform,
  IBS,
  IMI,
  LaguerreRSI,
  PremierStochastic,
  PSL,
  RCI,
  RMI,
  RSI,
  SMI,
  STC,
  StochasticOscillator,
  UltimateOscillator,
  WilliamsR,
} from 'trading-signals';
import {
  bars,
  declareChanges,
  declareLength,
  declareNamed,
  declarePlain,
  declareWindow,
  factor,
  ofBars,
  ofCloses,
} from './declare-indicator.ts';
import {
  exponentialMemory,
  shareMemory,
  wilderMemory,
  chained,
  flatAs,
  mapped,
  series,
  typicalOf,
  WilderAverage,
} from './series.ts';

/** Wilder's relative strength index of the closes, 0 to 100; 100 where there was no loss. */
export const rsi = declareLength('rsi', bars(14, 2), {
  first: ({ length }) => length + 1,
  settled: ({ length }) => wilderMemory(length) + 1,
  start: ({ length }) => ofCloses(new RSI(length, WilderAverage)),
});

/** Value of a stochastic oscillator: `k` and `d` are 0 to 100, `j` is 3 k - 2 d. */
export interface StochasticValue {
  readonly k: number;
  readonly d: number;
  readonly j: number;
}

const stochasticOf = (lengths: {
  readonly length: number;
  readonly slowing: number;
  readonly signal: number;
}) =>
  mapped(
    new StochasticOscillator({
      kPeriod: lengths.length,
      kSlowingPeriod: lengths.slowing,
      dPeriod: lengths.signal,
    }),
    ({ stochK, stochD, stochJ }): StochasticValue => ({ k: stochK, d: stochD, j: stochJ }),
  );

/**
 * Lane's stochastic oscillator: where the close is within the range of `length` bars. `k` is the mean of
 * `slowing` of that, `d` the mean of `signal` of `k`, both 0 to 100; `j` is 3 k - 2 d. 0 where the range is
 * none.
 */
export const stochastic = declareNamed(
  'stochastic',
  { length: bars(14), slowing: bars(3), signal: bars(3) },
  {
    first: ({ length, slowing, signal }) => length + slowing + signal - 2,
    start: (lengths) => ofBars(stochasticOf(lengths)),
  },
);

/**
 * Stochastic oscillator of the relative strength index by Chande and Kroll, 0 to 100, as `stochastic` has it
 * of prices.
 */
export const stochasticRsi = declareNamed(
  'stochasticRsi',
  { rsi: bars(14, 2), length: bars(14), slowing: bars(3), signal: bars(3) },
  {
    first: ({ rsi: strength, length, slowing, signal }) => strength + length + slowing + signal - 2,
    settled: ({ rsi: strength, length, slowing, signal }) =>
      wilderMemory(strength) + length + slowing + signal,
    start: ({ rsi: strength, ...lengths }) =>
      ofCloses(
        chained(
          mapped(new RSI(strength, WilderAverage), (value) => ({ high: value, low: value, close: value })),
          stochasticOf(lengths),
        ),
      ),
  },
);

/** Williams' %R, -100 (at the lowest low of `length` bars) to 0 (at the highest high). */
export const williamsR = declareWindow('williamsR', bars(14), (length) => ofBars(new WilliamsR(length)));

/**
 * Lambert's commodity channel index, mostly -100 to 100: the typical price's distance from its mean, by 0.015
 * mean deviations; null where those are none.
 */
export const cci = declareWindow('cci', bars(20, 2), (length) =>
  ofBars(flatAs(null, length, new CCI(length), typicalOf)),
);

/** Chande's momentum oscillator of `length` changes, -100 (falls only) to 100 (rises only). */
export const cmo = declareChanges('cmo', bars(14), (length) => ofCloses(new CMO(length)));

/**
 * Williams' ultimate oscillator, 0 to 100: buying pressure by true range of three lengths, weighted 4, 2 and
 * 1; 50 where nothing moved.
 */
export const ultimate = declareNamed(
  'ultimate',
  { short: bars(7), medium: bars(14), long: bars(28) },
  {
    refusal: ({ short, medium, long }) =>
      short < medium && medium < long ? null : 'short below medium below long',
    first: ({ long }) => long + 1,
    start: ({ short, medium, long }) =>
      ofBars(new UltimateOscillator({ shortPeriod: short, mediumPeriod: medium, longPeriod: long })),
  },
);

/**
 * The RSI of Connors, 0 to 100: the mean of an RSI, an RSI of the streak of rises or falls, and the rank of
 * the last change in per cent.
 */
export const connorsRsi = declareNamed(
  'connorsRsi',
  { rsi: bars(3, 2), streak: bars(2, 2), rank: bars(100) },
  {
    first: ({ rsi: strength, streak, rank }) => Math.max(strength + 1, streak + 2, rank + 2),
    settled: ({ rsi: strength, streak, rank }) =>
      Math.max(wilderMemory(strength) + 1, wilderMemory(streak) + 10, rank + 2),
    start: ({ rsi: strength, streak, rank }) =>
      ofCloses(
        new ConnorsRSI({ rsiInterval: strength, streakRsiInterval: streak, percentRankInterval: rank }),
      ),
  },
);

/**
 * DeMark's DeMarker, 0 to 1: the part of higher highs among those and lower lows of `length` changes; 0.5
 * without either.
 */
export const demarker = declareChanges('demarker', bars(14), (length) =>
  ofBars(new DeMarker({ interval: length })),
);

/** Internal bar strength, 0 (closed at the low) to 1 (at the high); 0.5 for a bar without range. */
export const ibs = declarePlain('ibs', { first: () => 1, start: () => ofBars(new IBS()) });

/**
 * Chande's intraday momentum, 0 to 100: the part of rises within bars among all of `length` bars; 50 without
 * either.
 */
export const imi = declareWindow('imi', bars(14), (length) => ofBars(new IMI(length)));

/**
 * Altman's relative momentum, 0 to 100: an RSI of changes over `momentum` bars; 100 where there was no loss.
 */
export const rmi = declareNamed(
  'rmi',
  { length: bars(14), momentum: bars(5) },
  {
    first: ({ length, momentum }) => length + momentum,
    settled: ({ length, momentum }) => wilderMemory(length) + momentum,
    start: ({ length, momentum }) => ofCloses(new RMI({ interval: length, momentum })),
  },
);

/**
 * Ehlers' RSI on a Laguerre filter, 0 to 1. `gamma` is how slow; 0 where nothing moved. The filter begins at
 * 0, hence the warm-up.
 */
export const laguerreRsi = declareNamed(
  'laguerreRsi',
  { gamma: factor(0.5, 0, 0.9) },
  {
    first: () => 4,
    settled: ({ gamma }) => 10 + 5 * shareMemory(gamma),
    start: ({ gamma }) => ofCloses(new LaguerreRSI({ gamma })),
  },
);

/**
 * Ehlers' Fisher transform of where the bar's middle is within the range of `length` middles; without unit,
 * mostly -3 to 3.
 */
export const fisher = declareLength('fisher', bars(10, 2), {
  settled: ({ length }) => length + 2 * shareMemory(0.67),
  start: ({ length }) => ofBars(new FisherTransform(length)),
});

/**
 * Lee Leibfarth's premier stochastic, -1 to 1: a stochastic of `length` bars, twice averaged over
 * `smoothing`.
 */
export const premierStochastic = declareNamed(
  'premierStochastic',
  { length: bars(8), smoothing: bars(5) },
  {
    first: ({ length, smoothing }) => length + 2 * (smoothing - 1),
    settled: ({ length, smoothing }) => length + exponentialMemory(smoothing, smoothing),
    start: ({ length, smoothing }) =>
      ofBars(new PremierStochastic({ stochInterval: length, smoothInterval: smoothing })),
  },
);

/** Part of rises among the last `length` changes of the close, in per cent: the psychological line. */
export const psychologicalLine = declareChanges('psychologicalLine', bars(12), (length) =>
  ofCloses(new PSL({ interval: length })),
);

/** Rank correlation of the last `length` closes with time, -100 to 100; equal closes share a rank. */
export const rci = declareWindow('rci', bars(9, 2), (length) => ofCloses(new RCI(length)));

/**
 * Blau's stochastic momentum, -100 to 100: the close's distance from the middle of the range of `length`
 * bars, by half the range, both twice averaged.
 */
export const smi = declareNamed(
  'smi',
  { length: bars(10), smoothing: bars(3), secondSmoothing: bars(3) },
  {
    first: ({ length, smoothing, secondSmoothing }) => length + smoothing + secondSmoothing - 2,
    settled: ({ length, smoothing, secondSmoothing }) =>
      length + exponentialMemory(smoothing, secondSmoothing),
    start: ({ length, smoothing, secondSmoothing }) =>
      ofBars(new SMI({ interval: length, smooth1: smoothing, smooth2: secondSmoothing })),
  },
);

/**
 * Schaff's trend cycle, 0 to 100: a stochastic of `cycle` bars, twice, of the difference of two averages; 50
 * for a range of none.
 */
export const stc = declareNamed(
  'stc',
  { cycle: bars(10, 2), fast: bars(23), slow: bars(50) },
  {
    refusal: ({ fast, slow }) => (fast < slow ? null : 'fast below slow'),
    first: ({ cycle, slow }) => slow + 2 * (cycle - 1),
    settled: ({ cycle, slow }) => exponentialMemory(slow, 3, 3) + 2 * cycle,
    start: ({ cycle, fast, slow }) =>
      ofCloses(new STC({ cycleInterval: cycle, fastInterval: fast, slowInterval: slow })),
  },
);

/**
 * Ehlers' centre of gravity of `length` closes, 1 to `length`, counted from the oldest. As the library has
 * it: Ehlers counts from the newest and turns the sign, which is this less `length` + 1.
 */
export const centreOfGravity = declareLength('centreOfGravity', bars(10), {
  start: ({ length }) => {
    const gravity = new CG(length, length);
    return ofCloses(series((close) => gravity.update(close, false)));
  },
});
