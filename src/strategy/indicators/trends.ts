import {
  ADX,
  ADXR,
  Alligator,
  Aroon,
  ChandeKrollStop,
  ChandelierExit,
  DX,
  GatorOscillator,
  IchimokuCloud,
  LinearRegression,
  MassIndex,
  SuperTrend,
  TradingSignal,
  VHF,
  VortexIndicator,
} from 'trading-signals';
import {
  bars,
  declareChanges,
  declareLength,
  declareNamed,
  declareWindow,
  ofBars,
  ofCloses,
  factor,
} from './declare-indicator.ts';
import {
  exponentialMemory,
  wilderMemory,
  mapped,
  series,
  WilderAverage,
  UNBOUNDED_MEMORY,
} from './series.ts';

/**
 * Wilder's average directional index `adx` with the indicators of direction `plus` and `minus`, all 0 to 100.
 * As the library computes it: the first bar counts as one without movement, and a bar that goes as far down
 * as up counts on both sides.
 */
export const adx = declareLength('adx', bars(14, 2), {
  first: ({ length }) => 2 * length - 1,
  settled: ({ length }) => 2 * wilderMemory(length),
  start: ({ length }) => {
    const index = new ADX(length, WilderAverage);
    return ofBars(
      series((bar) => {
        const value = index.update(bar, false);
        return value === null
          ? null
          : { adx: value, plus: 100 * Number(index.pdi), minus: 100 * Number(index.mdi) };
      }),
    );
  },
});

/** Wilder's directional index, 0 to 100, as `adx` has it before it is smoothed. */
export const dx = declareLength('dx', bars(14, 2), {
  settled: ({ length }) => wilderMemory(length),
  start: ({ length }) => ofBars(new DX(length, WilderAverage)),
});

/**
 * Wilder's rating of directional movement, 0 to 100: the mean of the `adx` of now and of `length` - 1 bars
 * ago.
 */
export const adxr = declareLength('adxr', bars(14, 2), {
  first: ({ length }) => 3 * length - 2,
  settled: ({ length }) => 2 * wilderMemory(length) + length,
  start: ({ length }) => ofBars(new ADXR(length, WilderAverage)),
});

/**
 * Chande's Aroon, 0 to 100: how new the highest high (`up`) and lowest low (`down`) of `length` + 1 bars are;
 * 100 is this bar.
 */
export const aroon = declareChanges('aroon', bars(25), (length) =>
  ofBars(mapped(new Aroon(length), ({ aroonUp, aroonDown }) => ({ up: aroonUp, down: aroonDown }))),
);

const alligatorLengths = {
  jaw: bars(13),
  jawShift: bars(8, 0),
  teeth: bars(8),
  teethShift: bars(5, 0),
  lips: bars(5),
  lipsShift: bars(3, 0),
};

type AlligatorLengths = Readonly<Record<keyof typeof alligatorLengths, number>>;

const alligatorConfig = (lengths: AlligatorLengths): ConstructorParameters<typeof Alligator>[0] => ({
  jawInterval: lengths.jaw,
  jawShift: lengths.jawShift,
  teethInterval: lengths.teeth,
  teethShift: lengths.teethShift,
  lipsInterval: lengths.lips,
  lipsShift: lengths.lipsShift,
});

const firstOfAlligator = ({ jaw, jawShift, teeth, teethShift, lips, lipsShift }: AlligatorLengths): number =>
  Math.max(jaw + jawShift, teeth + teethShift, lips + lipsShift);

const settledAlligator = ({ jaw, jawShift, teeth, teethShift, lips, lipsShift }: AlligatorLengths): number =>
  Math.max(wilderMemory(jaw) + jawShift, wilderMemory(teeth) + teethShift, wilderMemory(lips) + lipsShift);

/**
 * Williams' alligator, prices: smoothed averages of the bars' middles, each as it was so many bars ago as its
 * shift says.
 */
export const alligator = declareNamed('alligator', alligatorLengths, {
  first: firstOfAlligator,
  settled: settledAlligator,
  start: (lengths) => ofBars(new Alligator(alligatorConfig(lengths))),
});

/**
 * Williams' gator, distances of prices: `upper` between jaw and teeth, 0 or more; `lower` between teeth and
 * lips, 0 or less.
 */
export const gator = declareNamed('gator', alligatorLengths, {
  first: firstOfAlligator,
  settled: settledAlligator,
  start: (lengths) => ofBars(new GatorOscillator(alligatorConfig(lengths))),
});

/**
 * Ichimoku's lines as of now, prices. Charts draw `spanA` and `spanB` 26 bars later; here they are not
 * shifted.
 */
export const ichimoku = declareNamed(
  'ichimoku',
  { conversion: bars(9), base: bars(26), spanB: bars(52) },
  {
    first: ({ conversion, base, spanB }) => Math.max(conversion, base, spanB),
    start: ({ conversion, base, spanB }) =>
      ofBars(new IchimokuCloud({ conversionInterval: conversion, baseInterval: base, spanBInterval: spanB })),
  },
);

/**
 * Least squares line through the last `length` closes: `slope` in price a bar, `intercept` at the oldest,
 * `prediction` for the next bar.
 */
export const linearRegression = declareWindow('linearRegression', bars(14, 2), (length) =>
  ofCloses(new LinearRegression(length)),
);

/**
 * Dorsey's mass index, near `length`: the sum of how the range's average of 9 stands to its own average of 9.
 */
export const massIndex = declareLength('massIndex', bars(25), {
  first: ({ length }) => 16 + length,
  settled: ({ length }) => length + exponentialMemory(9, 9),
  start: ({ length }) => ofBars(new MassIndex(length)),
});

/**
 * White's vertical horizontal filter, 0 to 1: the range of the last `length` closes by the way that they
 * went, the step to the oldest included.
 */
export const vhf = declareChanges('vhf', bars(28), (length) => ofCloses(new VHF(length)));

/**
 * The vortex of Botes and Siepman, about 1: movement up (`plus`) and down (`minus`) by the true range, over
 * `length` bars.
 */
export const vortex = declareChanges('vortex', bars(14), (length) => ofBars(new VortexIndicator(length)));

/** Direction of a trend. */
export type TrendSide = 'up' | 'down';

/**
 * Seban's SuperTrend: `line` is a price, `factor` average true ranges from the bars' middle, that only comes
 * nearer until a close is beyond it; `side` is where the trend goes. Begun as `down` unless the close is
 * above the upper band.
 */
export const superTrend = declareNamed(
  'superTrend',
  { length: bars(10), factor: factor(3, 0.1, 100) },
  {
    settled: () => UNBOUNDED_MEMORY,
    start: ({ length, factor: multiplier }) =>
      ofBars(
        mapped(new SuperTrend({ interval: length, multiplier }), ({ supertrend, trend }) => {
          const side: TrendSide = trend === TradingSignal.BULLISH ? 'up' : 'down';
          return { line: supertrend, side };
        }),
      ),
  },
);

/**
 * LeBeau's chandelier exit, prices: `factor` average true ranges below the highest high (`long`) and above
 * the lowest low (`short`).
 */
export const chandelierExit = declareNamed(
  'chandelierExit',
  { length: bars(22), factor: factor(3, 0.1, 100) },
  {
    settled: ({ length }) => wilderMemory(length),
    start: ({ length, factor: multiplier }) => ofBars(new ChandelierExit({ interval: length, multiplier })),
  },
);

/**
 * The stops of Chande and Kroll, prices: `long` is the lowest of the last `stopLength` of lowest low plus
 * `factor` average true ranges; `short` the highest of highest high less as much.
 */
export const chandeKrollStop = declareNamed(
  'chandeKrollStop',
  { length: bars(10), factor: factor(1, 0.1, 100), stopLength: bars(9) },
  {
    first: ({ length, stopLength }) => length + stopLength - 1,
    settled: ({ length, stopLength }) => wilderMemory(length) + stopLength,
    start: ({ length, factor: multiplier, stopLength }) =>
      ofBars(
        mapped(
          new ChandeKrollStop({ interval: length, multiplier, stopInterval: stopLength }),
          ({ longStop, shortStop }) => ({ long: longStop, short: shortStop }),
        ),
      ),
  },
);
