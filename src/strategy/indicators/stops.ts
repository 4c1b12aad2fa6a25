import { ChandeKrollStop, ChandelierExit, SuperTrend, TradingSignal } from 'trading-signals';
import { bars, declareNamed, factor, ofBars } from './declare-indicator.ts';
import { UNBOUNDED_MEMORY, wilderMemory, mapped } from './series.ts';

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
    first: ({ length }) => length,
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
    first: ({ length }) => length,
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
