import {
  AO,
  APO,
  BOP,
  CFO,
  CoppockCurve,
  DerivativeOscillator,
  DisparityIndex,
  DPO,
  ElderRay,
  KST,
  MOM,
  PMO,
  PPO,
  Qstick,
  RelativeVigorIndex,
  ROC,
  SwingIndex,
  TSI,
  WaddahAttarExplosion,
  WaveTrend,
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
  wilderMemory,
  chained,
  mapped,
  series,
  summed,
  textbookEma,
  SimpleAverage,
} from './series.ts';

/** Value of `macd`, in units of the price: `histogram` is the line less its signal. */
export interface MacdValue {
  readonly line: number;
  readonly signal: number;
  readonly histogram: number;
}

const fastBelowSlow = ({ fast, slow }: { readonly fast: number; readonly slow: number }): string | null =>
  fast < slow ? null : 'fast below slow';

/**
 * Appel's convergence and divergence of averages, in price: a `fast` less a `slow` exponential average, and
 * an average of that.
 */
export const macd = declareNamed(
  'macd',
  { fast: bars(12), slow: bars(26), signal: bars(9) },
  {
    refusal: fastBelowSlow,
    first: ({ slow, signal }) => slow + signal - 1,
    settled: ({ slow, signal }) => exponentialMemory(slow, signal),
    start: ({ fast, slow, signal }) => {
      const [short, long, trigger] = [textbookEma(fast), textbookEma(slow), textbookEma(signal)];
      return ofCloses(
        series((close): MacdValue | null => {
          const [above, below] = [short.update(close, false), long.update(close, false)];
          if (above === null || below === null) return null;
          const line = above - below;
          const level = trigger.update(line, false);
          return level === null ? null : { line, signal: level, histogram: line - level };
        }),
      );
    },
  },
);

/** Absolute price oscillator, in price: a `fast` less a `slow` exponential average of the closes. */
export const apo = declareNamed(
  'apo',
  { fast: bars(12), slow: bars(26) },
  {
    refusal: fastBelowSlow,
    first: ({ slow }) => slow,
    settled: ({ slow }) => exponentialMemory(slow),
    start: ({ fast, slow }) => ofCloses(new APO({ fastPeriod: fast, slowPeriod: slow })),
  },
);

/**
 * Percentage price oscillator: how far a `fast` exponential average of the closes is above a `slow` one, in
 * per cent.
 */
export const ppo = declareNamed(
  'ppo',
  { fast: bars(12), slow: bars(26) },
  {
    refusal: fastBelowSlow,
    first: ({ slow }) => slow,
    settled: ({ slow }) => exponentialMemory(slow),
    start: ({ fast, slow }) => ofCloses(new PPO({ fastPeriod: fast, slowPeriod: slow })),
  },
);

/** Williams' awesome oscillator, in price: a `fast` less a `slow` simple average of the bars' middles. */
export const awesome = declareNamed(
  'awesome',
  { fast: bars(5), slow: bars(34) },
  {
    refusal: fastBelowSlow,
    first: ({ slow }) => slow,
    start: ({ fast, slow }) => ofBars(new AO(fast, slow)),
  },
);

/** Williams' acceleration, in price: the awesome oscillator less its own simple average of `signal` bars. */
export const acceleration = declareNamed(
  'acceleration',
  { fast: bars(5), slow: bars(34), signal: bars(5) },
  {
    refusal: fastBelowSlow,
    first: ({ slow, signal }) => slow + signal - 1,
    // Made from its parts, since the library's own skips bars at which the oscillator is 0.
    start: ({ fast, slow, signal }) => {
      const [oscillator, average] = [new AO(fast, slow), new SimpleAverage(signal)];
      return ofBars(
        chained(
          oscillator,
          series((value) => {
            const mean = average.update(value);
            return mean === null ? null : value - mean;
          }),
        ),
      );
    },
  },
);

/** Livshin's balance of power, -1 to 1: close less open by high less low; 0 for a bar without range. */
export const bop = declarePlain('bop', { first: () => 1, start: () => ofBars(new BOP()) });

/**
 * Chande's forecast oscillator in per cent of the close: its distance from what the line through the `length`
 * closes before foretold.
 */
export const forecastOscillator = declareChanges('forecastOscillator', bars(14, 2), (length) =>
  ofCloses(new CFO(length)),
);

/** Coppock's curve in per cent: a weighted average of the sum of two rates of change. */
export const coppock = declareNamed(
  'coppock',
  { short: bars(11), long: bars(14), average: bars(10) },
  {
    first: ({ short, long, average }) => Math.max(short, long) + average,
    start: ({ short, long, average }) =>
      ofCloses(new CoppockCurve({ shortRocInterval: short, longRocInterval: long, wmaInterval: average })),
  },
);

/** Disparity index: the close's distance from its simple average of `length`, in per cent of that. */
export const disparity = declareWindow('disparity', bars(14), (length) =>
  ofCloses(new DisparityIndex(length)),
);

/** Brown's derivative oscillator, points of RSI: an RSI averaged twice, less the simple average of that. */
export const derivativeOscillator = declareNamed(
  'derivativeOscillator',
  { rsi: bars(14, 2), smoothing: bars(5), secondSmoothing: bars(3), signal: bars(9) },
  {
    first: ({ rsi, smoothing, secondSmoothing, signal }) => rsi + smoothing + secondSmoothing + signal - 2,
    settled: ({ rsi, smoothing, secondSmoothing, signal }) =>
      wilderMemory(rsi) + exponentialMemory(smoothing, secondSmoothing) + signal,
    start: ({ rsi, smoothing, secondSmoothing, signal }) =>
      ofCloses(
        new DerivativeOscillator({
          rsiInterval: rsi,
          ema1Interval: smoothing,
          ema2Interval: secondSmoothing,
          smaInterval: signal,
        }),
      ),
  },
);

/**
 * Detrended price, in price: the close of ⌊`length` / 2⌋ + 1 bars ago less the simple average of `length` as
 * of now.
 */
export const dpo = declareLength('dpo', bars(20), {
  first: ({ length }) => Math.max(length, Math.floor(length / 2) + 2),
  start: ({ length }) => ofCloses(new DPO(length)),
});

/**
 * Elder's rays, in price: the high (`bull`) and the low (`bear`) less the exponential average of `length`
 * closes.
 */
export const elderRay = declareLength('elderRay', bars(13), {
  settled: ({ length }) => exponentialMemory(length),
  start: ({ length }) =>
    ofBars(
      mapped(new ElderRay(length), ({ bullPower, bearPower }) => ({ bull: bullPower, bear: bearPower })),
    ),
});

/**
 * Pring's "know sure thing" in per cent: four averaged rates of change, weighted 1 to 4. Its signal is not in
 * it.
 */
export const kst = declareNamed(
  'kst',
  {
    roc1: bars(10),
    roc2: bars(15),
    roc3: bars(20),
    roc4: bars(30),
    sma1: bars(10),
    sma2: bars(10),
    sma3: bars(10),
    sma4: bars(15),
  },
  {
    first: ({ roc1, roc2, roc3, roc4, sma1, sma2, sma3, sma4 }) =>
      Math.max(roc1 + sma1, roc2 + sma2, roc3 + sma3, roc4 + sma4),
    start: (lengths) => ofCloses(new KST(lengths)),
  },
);

/** Momentum, in price: the close less that of `length` bars ago. */
export const momentum = declareChanges('momentum', bars(10), (length) => ofCloses(new MOM(length)));

/** Rate of change: the close's change to that of `length` bars ago, 0.01 is one per cent. */
export const roc = declareChanges('roc', bars(10), (length) => ofCloses(new ROC(length)));

/**
 * DecisionPoint's price momentum, tenths of a per cent: the change of the close, averaged twice with the
 * weights 2 / n; and its `signal`.
 */
export const pmo = declareNamed(
  'pmo',
  { smoothing: bars(35), secondSmoothing: bars(20), signal: bars(10) },
  {
    first: ({ smoothing, secondSmoothing }) => smoothing + secondSmoothing,
    settled: ({ smoothing, secondSmoothing, signal }) =>
      exponentialMemory(smoothing, secondSmoothing, signal),
    start: ({ smoothing, secondSmoothing, signal }) =>
      ofCloses(
        mapped(
          new PMO({ smoothing1: smoothing, smoothing2: secondSmoothing, signalInterval: signal }),
          (value) => ({
            line: value.pmo,
            signal: value.signal,
          }),
        ),
      ),
  },
);

/** Chande's qstick, in price: the mean of close less open of `length` bars. */
export const qstick = declareWindow('qstick', bars(8), (length) => ofBars(new Qstick(length)));

/**
 * Ehlers' relative vigor, -1 to 1: smoothed close less open by smoothed high less low of `length` bars
 * (`line`), and its `signal`.
 */
export const relativeVigor = declareLength('relativeVigor', bars(10), {
  first: ({ length }) => length + 6,
  start: ({ length }) =>
    ofBars(mapped(new RelativeVigorIndex(length), ({ rvgi, signal }) => ({ line: rvgi, signal }))),
});

const limitMove = factor(300, 1e-9, 1e15);

/**
 * Wilder's swing index of a bar, mostly -100 to 100. `limitMove` is the largest change of a day that is
 * allowed, in price.
 */
export const swingIndex = declareNamed(
  'swingIndex',
  { limitMove },
  { first: () => 2, start: ({ limitMove: limit }) => ofBars(new SwingIndex(limit)) },
);

/** Wilder's swing indices of the last `length` changes, summed. */
export const accumulatedSwing = declareNamed(
  'accumulatedSwing',
  { length: bars(20), limitMove },
  {
    first: ({ length }) => length + 1,
    start: ({ length, limitMove: limit }) => ofBars(summed(length, new SwingIndex(limit))),
  },
);

/**
 * Hutson's TRIX in per cent: the change in a bar of a triple exponential average, each begun with the simple
 * one.
 */
export const trix = declareLength('trix', bars(15), {
  first: ({ length }) => 3 * length - 1,
  settled: ({ length }) => exponentialMemory(length, length, length) + 1,
  // Made from its parts, since the library's own divides by the newer value.
  start: ({ length }) => {
    const average = chained(textbookEma(length), chained(textbookEma(length), textbookEma(length)));
    return ofCloses(mapped(chained(average, new ROC(1)), (change) => 100 * change));
  },
});

/**
 * Blau's true strength, -100 to 100: changes of the close by their sizes, both averaged over `long` and then
 * `short`; 0 where nothing moved.
 */
export const tsi = declareNamed(
  'tsi',
  { long: bars(25), short: bars(13) },
  {
    first: ({ long, short }) => long + short,
    settled: ({ long, short }) => exponentialMemory(long, short) + 1,
    start: ({ long, short }) => ofCloses(new TSI({ longPeriod: long, shortPeriod: short })),
  },
);

/**
 * Waddah Attar's explosion, in price: `trend` is the change of a difference of averages times `sensitivity`,
 * `explosion` the distance of the Bollinger bands, `deadZone` `factor` average true ranges of `atrLength`
 * bars.
 */
export const waddahAttar = declareNamed(
  'waddahAttar',
  {
    fast: bars(20),
    slow: bars(40),
    length: bars(20),
    deviations: factor(2, 0.01, 100),
    atrLength: bars(100),
    factor: factor(3.7, 0.01, 100),
    sensitivity: factor(150, 0.01, 1e6),
  },
  {
    refusal: fastBelowSlow,
    first: ({ slow, length, atrLength }) => Math.max(slow + 1, length, atrLength),
    settled: ({ slow, length, atrLength }) =>
      Math.max(exponentialMemory(slow) + 1, length, wilderMemory(atrLength)),
    start: ({ fast, slow, length, deviations, atrLength, factor: deadZoneMultiplier, sensitivity }) =>
      ofBars(
        new WaddahAttarExplosion({
          shortInterval: fast,
          longInterval: slow,
          bandsInterval: length,
          bandsMultiplier: deviations,
          atrInterval: atrLength,
          deadZoneMultiplier,
          sensitivity,
        }),
      ),
  },
);

/**
 * LazyBear's wave trend, mostly -100 to 100: the typical price in its channel, averaged (`line`), and the
 * mean of `signal` of that.
 */
export const waveTrend = declareNamed(
  'waveTrend',
  { channel: bars(10), average: bars(21), signal: bars(4) },
  {
    first: ({ channel, average, signal }) => Math.max(channel, average, signal),
    settled: ({ channel, average, signal }) => exponentialMemory(channel, channel, average) + signal,
    start: ({ channel, average, signal }) =>
      ofBars(
        mapped(
          new WaveTrend({ channelInterval: channel, averageInterval: average, smoothingInterval: signal }),
          ({ wt1, wt2 }) => ({ line: wt1, signal: wt2 }),
        ),
      ),
  },
);
