import {
  ALMA,
  DEMA,
  FRAMA,
  HMA,
  HTTrendline,
  KAMA,
  MAMA,
  McGinleyDynamic,
  SMA15,
  SuperSmoother,
  T3,
  TEMA,
  TRIMA,
  VIDYA,
  VWMA,
  WMA,
  ZLEMA,
} from 'trading-signals';
import {
  bars,
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
  UNBOUNDED_MEMORY,
  wilderMemory,
  mapped,
  medianOf,
  reading,
  series,
  textbookEma,
  typicalOf,
  SimpleAverage,
  WilderAverage,
} from './series.ts';

/** Simple moving average of the last `length` closes, a price. */
export const sma = declareWindow('sma', bars(20), (length) => ofCloses(new SimpleAverage(length)));

/**
 * Exponential moving average of the closes with the weight 2 / (`length` + 1), a price. It begins with the
 * simple average.
 */
export const ema = declareLength('ema', bars(20), {
  settled: ({ length }) => exponentialMemory(length),
  start: ({ length }) => ofCloses(textbookEma(length)),
});

/**
 * Weighted moving average of the last `length` closes, a price: the newest counts `length` times, the oldest
 * once.
 */
export const wma = declareWindow('wma', bars(20), (length) => ofCloses(new WMA(length)));

/**
 * Wilder's smoothed average of the closes with the weight 1 / `length`, a price. It begins with the simple
 * average.
 */
export const wsma = declareLength('wsma', bars(14), {
  settled: ({ length }) => wilderMemory(length),
  start: ({ length }) => ofCloses(new WilderAverage(length)),
});

/** Mulloy's double exponential average of the closes, a price: twice the average less the average of it. */
export const dema = declareLength('dema', bars(20), {
  first: ({ length }) => 2 * length - 1,
  settled: ({ length }) => exponentialMemory(length, length),
  start: ({ length }) => ofCloses(new DEMA(length)),
});

/**
 * Mulloy's triple exponential average of the closes, a price: 3 averages less 3 of averages plus the third.
 */
export const tema = declareLength('tema', bars(20), {
  first: ({ length }) => 3 * length - 2,
  settled: ({ length }) => exponentialMemory(length, length, length),
  start: ({ length }) => ofCloses(new TEMA(length)),
});

/**
 * Tillson's T3 of the closes, a price: six exponential averages; `volumeFactor` 0 leaves three of them, 1 is
 * a triple DEMA.
 */
export const t3 = declareNamed(
  't3',
  { length: bars(5), volumeFactor: factor(0.7, 0, 1) },
  {
    first: ({ length }) => 6 * length - 5,
    settled: ({ length }) => exponentialMemory(length, length, length, length, length, length),
    start: ({ length, volumeFactor }) => ofCloses(new T3(length, volumeFactor)),
  },
);

/** Hull's moving average of the closes, a price: `length` / 2 and the root of `length` are rounded down. */
export const hma = declareLength('hma', bars(16, 2), {
  first: ({ length }) => length + Math.floor(Math.sqrt(length)) - 1,
  start: ({ length }) => ofCloses(new HMA(length)),
});

/** Triangular moving average of the last `length` closes, a price: the middle counts most. */
export const trima = declareWindow('trima', bars(20), (length) => ofCloses(new TRIMA(length)));

/**
 * Ehlers' zero lag average, a price: exponential, of each close plus its difference to the one ⌊(`length` -
 * 1) / 2⌋ bars ago.
 */
export const zlema = declareLength('zlema', bars(20), {
  settled: ({ length }) => exponentialMemory(length) + length,
  start: ({ length }) => ofCloses(new ZLEMA(length)),
});

/**
 * Arnaud Legoux's average of the closes, a price: weights as of a bell at `offset` (0 oldest, 1 newest) of
 * the width `length` / `sigma`.
 */
export const alma = declareNamed(
  'alma',
  { length: bars(9), offset: factor(0.85, 0, 1), sigma: factor(6, 0.1, 100) },
  { start: ({ length, offset, sigma }) => ofCloses(new ALMA(length, offset, sigma)) },
);

/**
 * Kaufman's adaptive average of the closes, a price: as fast as an EMA of 2 in a trend, as slow as one of 30
 * without.
 */
export const kama = declareLength('kama', bars(10, 2), {
  settled: () => UNBOUNDED_MEMORY,
  start: ({ length }) => ofCloses(new KAMA(length)),
});

/**
 * Ehlers' fractal adaptive average, a price. As the library computes it: ranges are of closes, not of highs
 * and lows. `length` is even.
 */
export const frama = declareLength('frama', bars(16, 2), {
  refusal: ({ length }) => (length % 2 === 0 ? null : 'an even length'),
  settled: () => UNBOUNDED_MEMORY,
  start: ({ length }) => ofCloses(new FRAMA(length)),
});

/**
 * Chande's variable index dynamic average of the closes, a price: exponential, its weight times |CMO| / 100.
 */
export const vidya = declareLength('vidya', bars(14), {
  first: ({ length }) => length + 1,
  settled: () => UNBOUNDED_MEMORY,
  start: ({ length }) => ofCloses(new VIDYA(length)),
});

/**
 * McGinley's dynamic of the closes, a price: it follows by the part 1 / (0.6 `length` (close / value)⁴) of
 * the distance.
 */
export const mcginley = declareLength('mcginley', bars(14, 2), {
  settled: ({ length }) => wilderMemory(length),
  start: ({ length }) => ofCloses(new McGinleyDynamic(length)),
});

/** Ehlers' super smoother of the closes, a price: two poles with the critical period `length`. */
export const superSmoother = declareLength('superSmoother', bars(10, 2), {
  settled: ({ length }) => 3 * length,
  start: ({ length }) => ofCloses(new SuperSmoother(length)),
});

/** Spencer's 15-point average of the closes, a price: smooth, and 7 bars behind. */
export const spencer = declarePlain('spencer', {
  first: () => 15,
  start: () => ofCloses(new SMA15(15)),
});

/**
 * Average of the last `length` closes weighted with their volumes, a price; null where nothing was traded in
 * all of them.
 */
export const vwma = declareWindow('vwma', bars(20), (length) => ofBars(new VWMA(length)));

/**
 * Volume weighted average price of the last `length` bars: typical prices (high + low + close) / 3 weighted
 * with volumes. Rolling, since one that sums up from a day's beginning has no fixed window; null where
 * nothing was traded.
 */
export const vwap = declareLength('vwap', bars(20), {
  start: ({ length }) => {
    const average = new VWMA(length);
    return ofBars(series((bar) => average.update({ ...bar, close: typicalOf(bar) }, false)));
  },
});

/**
 * Ehlers' MESA adaptive average and the one that follows it, of the bars' middles, prices. The library begins
 * both at 0: they are far too low at first, and right once warmed up.
 */
export const mama = declareNamed(
  'mama',
  { fastLimit: factor(0.5, 0.01, 1), slowLimit: factor(0.05, 0.01, 1) },
  {
    refusal: ({ fastLimit, slowLimit }) =>
      slowLimit <= fastLimit ? null : 'a slowLimit up to its fastLimit',
    first: () => 33,
    settled: ({ slowLimit }) => 33 + shareMemory(1 - slowLimit) + shareMemory(1 - slowLimit / 2),
    start: (limits) =>
      ofBars(
        reading(
          mapped(new MAMA(limits), ({ mama, fama }) => ({ mama, fama })),
          medianOf,
        ),
      ),
  },
);

/** Ehlers' instantaneous trendline by the Hilbert transform, of the bars' middles, a price. */
export const hilbertTrendline = declarePlain('hilbertTrendline', {
  first: () => 64,
  settled: () => 200,
  start: () => ofBars(reading(new HTTrendline(), medianOf)),
});
