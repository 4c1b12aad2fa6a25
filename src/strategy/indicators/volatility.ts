import {
  AccelerationBands,
  ATR,
  BollingerBands,
  BollingerBandsWidth,
  CHOP,
  CVI,
  DonchianChannels,
  GAPO,
  IQR,
  KeltnerChannels,
  MAD,
  NATR,
  PercentB,
  RelativeVolatilityIndex,
  RogersSatchellVolatility,
  TR,
  TTMSqueeze,
  UlcerIndex,
} from 'trading-signals';
import type { CandleData } from '../data/data.ts';
import {
  type IndicatorSpec,
  bars,
  declareChanges,
  declareLength,
  declareNamed,
  declarePlain,
  declareWindow,
  declared,
  factor,
  ofBars,
  ofCloses,
  type Declaration,
} from './declare-indicator.ts';
import { exponentialMemory, wilderMemory, flatAs, series, SimpleAverage, WilderAverage } from './series.ts';

/** Value of an indicator with bands: prices below, in and above the middle. */
export interface Bands {
  readonly lower: number;
  readonly middle: number;
  readonly upper: number;
}

const deviations = factor(2, 0.01, 100);

const bollingerByName = declareNamed(
  'bollinger',
  { length: bars(20), deviations },
  {
    start: ({ length, deviations }) => {
      const average = new SimpleAverage(length);
      return ofCloses(
        series((close): Bands | null => {
          const middle = average.update(close);
          if (middle === null) return null;
          const width = average.deviation(middle) * deviations;
          return { lower: middle - width, middle, upper: middle + width };
        }),
      );
    },
  },
);

/**
 * Bollinger bands, prices: the simple average of the last `length` closes, and `deviations` standard
 * deviations on both sides of it.
 */
export const bollinger: Declaration<[of: CandleData, length?: number, deviations?: number], Bands> = declared(
  (of: CandleData, length = 20, deviations = 2): IndicatorSpec<Bands> =>
    bollingerByName(of, { length, deviations }),
  bollingerByName.entry,
);

/**
 * Standard deviation of the last `length` closes in price, as of a whole population (divided by `length`).
 */
export const stdev = declareLength('stdev', bars(20), {
  start: ({ length }) => {
    const average = new SimpleAverage(length);
    return ofCloses(
      series((close) => {
        const mean = average.update(close);
        return mean === null ? null : average.deviation(mean);
      }),
    );
  },
});

/**
 * Position of the close within the Bollinger bands: 0 at the lower, 1 at the upper, also beyond; 0.5 if they
 * meet.
 */
export const percentB = declareNamed(
  'percentB',
  { length: bars(20), deviations },
  {
    start: ({ length, deviations }) =>
      ofCloses(
        flatAs(
          0.5,
          length,
          new PercentB({ interval: length, deviationMultiplier: deviations }),
          (close) => close,
        ),
      ),
  },
);

/** The distance of the Bollinger bands by their middle, 0.1 is ten per cent. */
export const bandWidth = declareNamed(
  'bandWidth',
  { length: bars(20), deviations },
  {
    start: ({ length, deviations }) =>
      ofCloses(new BollingerBandsWidth(new BollingerBands(length, deviations))),
  },
);

/** True range of the bar, in price; the first bar's is its high less its low. */
export const trueRange = declarePlain('trueRange', {
  first: () => 1,
  settled: () => 2,
  start: () => ofBars(new TR()),
});

/**
 * Wilder's average true range, in price; it begins as the mean of the true ranges. The first bar's is its
 * high less its low.
 */
export const atr = declareLength('atr', bars(14), {
  settled: ({ length }) => wilderMemory(length),
  start: ({ length }) => ofBars(new ATR(length, WilderAverage)),
});

/** The average true range in per cent of the close. */
export const natr = declareLength('natr', bars(14), {
  settled: ({ length }) => wilderMemory(length),
  start: ({ length }) => ofBars(new NATR(length, WilderAverage)),
});

/**
 * Keltner channels, prices: the exponential average of the closes, and `factor` average true ranges of
 * `atrLength` bars around it.
 */
export const keltner = declareNamed(
  'keltner',
  { length: bars(20), atrLength: bars(10), factor: factor(2, 0.01, 100) },
  {
    first: ({ length, atrLength }) => Math.max(length, atrLength),
    settled: ({ length, atrLength }) => Math.max(exponentialMemory(length), wilderMemory(atrLength)),
    start: ({ length, atrLength, factor: multiplier }) =>
      ofBars<Bands>(new KeltnerChannels({ emaInterval: length, atrInterval: atrLength, multiplier })),
  },
);

/**
 * Donchian channel, prices: the highest high, the lowest low and the middle of both, of the last `length`
 * bars, this one included.
 */
export const donchian = declareWindow('donchian', bars(20), (length) =>
  ofBars<Bands>(new DonchianChannels(length)),
);

/**
 * Headley's acceleration bands, prices: averages of highs and lows, moved apart by `width` times range /
 * (high + low).
 */
export const accelerationBands = declareNamed(
  'accelerationBands',
  { length: bars(20), width: factor(4, 0.01, 100) },
  { start: ({ length, width }) => ofBars<Bands>(new AccelerationBands(length, width)) },
);

/**
 * Carter's squeeze: `isSqueezed` while the Bollinger bands are within the Keltner channel; `momentum` in
 * price. Both of `length` bars.
 */
export const squeeze = declareNamed(
  'squeeze',
  { length: bars(20, 2), deviations, factor: factor(1.5, 0.01, 100) },
  {
    first: ({ length }) => 2 * length - 1,
    settled: ({ length }) => wilderMemory(length),
    start: ({ length, deviations, factor: kcMultiplier }) =>
      ofBars(
        new TTMSqueeze({ bbInterval: length, kcInterval: length, bbMultiplier: deviations, kcMultiplier }),
      ),
  },
);

/**
 * Dreiss' choppiness, 0 to 100: high without a direction, low in a trend. Of true highs and lows; 100 where
 * nothing moved.
 */
export const choppiness = declareChanges('choppiness', bars(14, 2), (length) => ofBars(new CHOP(length)));

/**
 * Chaikin's volatility in per cent: how the exponential average of high less low has changed in `length`
 * bars.
 */
export const chaikinVolatility = declareLength('chaikinVolatility', bars(10), {
  first: ({ length }) => 2 * length,
  settled: ({ length }) => exponentialMemory(length) + length,
  start: ({ length }) => ofBars(new CVI(length)),
});

/**
 * Gopalakrishnan's range index: log of the price range of `length` bars by log of `length`. No unit, but not
 * free of the price's.
 */
export const gapo = declareWindow('gapo', bars(14, 2), (length) => ofBars(new GAPO(length)));

/**
 * Interquartile range of the last `length` closes, in price: the medians of their upper and lower half, the
 * middle left out.
 */
export const iqr = declareWindow('iqr', bars(20, 4), (length) => ofCloses(new IQR(length)));

/** Mean absolute deviation of the last `length` closes from their mean, in price. */
export const mad = declareWindow('mad', bars(20), (length) => ofCloses(new MAD(length)));

/**
 * Volatility of Rogers and Satchell a bar, as a share of the price: 0.01 is one per cent. From open, high,
 * low and close.
 */
export const rogersSatchell = declareWindow('rogersSatchell', bars(14), (length) =>
  ofBars(new RogersSatchellVolatility(length)),
);

/**
 * Dorsey's relative volatility, 0 to 100: the part of deviations of `deviationLength` closes that came with
 * rises, smoothed as Wilder does.
 */
export const relativeVolatility = declareNamed(
  'relativeVolatility',
  { length: bars(14), deviationLength: bars(10, 2) },
  {
    first: ({ length, deviationLength }) => deviationLength + length - 1,
    settled: ({ length, deviationLength }) => wilderMemory(length) + deviationLength,
    start: ({ length, deviationLength }) =>
      ofCloses(new RelativeVolatilityIndex({ interval: length, stddevInterval: deviationLength })),
  },
);

/**
 * Martin's ulcer index in per cent: the root mean square of how far closes were below the highest one before
 * them within `length`.
 */
export const ulcer = declareWindow('ulcer', bars(14), (length) => ofCloses(new UlcerIndex(length)));
