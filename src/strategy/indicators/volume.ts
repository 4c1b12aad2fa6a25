import {
  AD,
  ADOSC,
  CMF,
  EMV,
  ForceIndex,
  KVO,
  MarketFacilitationIndex,
  MFI,
  OBV,
  PVO,
  PVT,
  RVOL,
  VROC,
  WAD,
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
} from './declare-indicator.ts';
import { exponentialMemory, reading, stepsOf, summed, type Ohlcv } from './series.ts';

const volumeOf = ({ volume }: Ohlcv): number => volume;

/**
 * Granville's on-balance volume of the last `length` changes, in coins: volumes of bars that closed higher
 * less those that closed lower.
 */
export const obv = declareLength('obv', bars(20), {
  first: ({ length }) => length + 1,
  start: ({ length }) =>
    ofBars(
      summed(
        length,
        stepsOf(() => new OBV(2)),
      ),
    ),
});

/**
 * Chaikin's accumulation of the last `length` bars, in coins: each volume times where the close is within its
 * bar, -1 low to 1 high.
 */
export const accumulation = declareWindow('accumulation', bars(20), (length) =>
  ofBars(summed(length, { update: (bar) => new AD().update(bar, false) })),
);

/**
 * Price volume trend of the last `length` changes, in coins: each volume times the change of the close, 0.01
 * for one per cent.
 */
export const priceVolumeTrend = declareLength('priceVolumeTrend', bars(20), {
  first: ({ length }) => length + 1,
  start: ({ length }) =>
    ofBars(
      summed(
        length,
        stepsOf(() => new PVT()),
      ),
    ),
});

/**
 * Williams' accumulation of the last `length` changes, in price: rises from the true low less falls from the
 * true high.
 */
export const williamsAccumulation = declareLength('williamsAccumulation', bars(20), {
  first: ({ length }) => length + 1,
  start: ({ length }) =>
    ofBars(
      summed(
        length,
        stepsOf(() => new WAD()),
      ),
    ),
});

/** Chaikin's oscillator, in coins: a `fast` less a `slow` exponential average of the accumulation line. */
export const chaikinOscillator = declareNamed(
  'chaikinOscillator',
  { fast: bars(3), slow: bars(10) },
  {
    refusal: ({ fast, slow }) => (fast < slow ? null : 'fast below slow'),
    first: ({ slow }) => slow,
    settled: ({ slow }) => exponentialMemory(slow),
    start: ({ fast, slow }) => ofBars(new ADOSC({ fastPeriod: fast, slowPeriod: slow })),
  },
);

/**
 * Chaikin's money flow, -1 to 1: the accumulation of the last `length` bars by their volume; 0 where nothing
 * was traded.
 */
export const cmf = declareWindow('cmf', bars(20), (length) => ofBars(new CMF(length)));

/**
 * Money flow index of Quong and Soudack, 0 to 100: the part of the turnover at rising typical prices; 50
 * without turnover.
 */
export const mfi = declareChanges('mfi', bars(14), (length) => ofBars(new MFI(length)));

/**
 * Arms' ease of movement, the mean of `length`: movement of the middle × range × `scale` / volume; 0 for a
 * bar without trades.
 */
export const easeOfMovement = declareNamed(
  'easeOfMovement',
  { length: bars(14), scale: factor(100_000_000, 1, 1e15) },
  {
    first: ({ length }) => length + 1,
    start: ({ length, scale }) => ofBars(new EMV(length, scale)),
  },
);

/** Elder's force index, in price × coins: the exponential average of the close's change times the volume. */
export const forceIndex = declareLength('forceIndex', bars(13), {
  first: ({ length }) => length + 1,
  settled: ({ length }) => exponentialMemory(length) + 1,
  start: ({ length }) => ofBars(new ForceIndex(length)),
});

/**
 * Klinger's oscillator, in coins × 100: a `fast` less a `slow` exponential average of the volume force. Its
 * signal is not in it.
 */
export const klinger = declareNamed(
  'klinger',
  { fast: bars(34), slow: bars(55) },
  {
    refusal: ({ fast, slow }) => (fast < slow ? null : 'fast below slow'),
    first: ({ slow }) => slow + 1,
    settled: ({ slow }) => exponentialMemory(slow) + 20,
    start: ({ fast, slow }) => ofBars(new KVO(fast, slow)),
  },
);

/**
 * Williams' market facilitation, in price a coin: high less low by the volume; 0 for a bar without trades.
 */
export const marketFacilitation = declarePlain('marketFacilitation', {
  first: () => 1,
  start: () => ofBars(new MarketFacilitationIndex()),
});

/**
 * Percentage volume oscillator: how far a `fast` exponential average of the volume is above a `slow` one, in
 * per cent.
 */
export const pvo = declareNamed(
  'pvo',
  { fast: bars(12), slow: bars(26) },
  {
    refusal: ({ fast, slow }) => (fast < slow ? null : 'fast below slow'),
    first: ({ slow }) => slow,
    settled: ({ slow }) => exponentialMemory(slow),
    start: ({ fast, slow }) => ofBars(reading(new PVO({ fastPeriod: fast, slowPeriod: slow }), volumeOf)),
  },
);

/**
 * Relative volume: this bar's by the mean of the `length` before it, 1 is as usual; null where nothing was
 * traded in those.
 */
export const relativeVolume = declareChanges('relativeVolume', bars(20), (length) =>
  ofBars(reading(new RVOL(length), volumeOf)),
);

/** Change of the volume to that of `length` bars ago, in per cent; 0 where that was 0. */
export const volumeChange = declareChanges('volumeChange', bars(14), (length) =>
  ofBars(reading(new VROC(length), volumeOf)),
);
