import {
  atr,
  change,
  deviation,
  each,
  ema,
  fitted,
  folded,
  highest,
  lagged,
  lowest,
  mean,
  median,
  rolling,
  rollingOf,
  sma,
  sum,
  trueRange,
  typical,
  wilder,
  earlyEma,
  type Columns,
  type Formula,
  type Line,
} from './lines.ts';

const around = (middle: Line, distance: Line): Readonly<Record<'lower' | 'middle' | 'upper', Line>> => ({
  lower: each([middle, distance], (value, off) => value - off),
  middle: each([middle, distance], (value) => value),
  upper: each([middle, distance], (value, off) => value + off),
});

const times = (line: Line, factor: number): Line => each([line], (value) => value * factor);

/** Money flow volume of Chaikin: the volume weighted by where the close lies in the bar. */
const moneyFlow = ({ high, low, close, volume }: Columns): Line =>
  each([high, low, close, volume], (top, bottom, last, coins) =>
    top === bottom ? 0 : ((2 * last - top - bottom) / (top - bottom)) * coins,
  );

const middleOfSorted = (values: readonly number[]): number => {
  const half = values.length / 2;
  return (values[Math.ceil(half) - 1]! + values[Math.floor(half)]!) / 2;
};

/** Sum of high, low and close: sums can be equal where their thirds differ by rounding. */
const threeOf = ({ high, low, close }: Columns, bar: number): number =>
  Number(high[bar]) + Number(low[bar]) + Number(close[bar]);

/** Volume force of Klinger, Stocks & Commodities 15:14 (1997). */
function volumeForce(columns: Columns): Line {
  const range = each([columns.high, columns.low], (top, bottom) => top - bottom);
  let [side, measured] = [0, 0];
  return columns.volume.map((coins, bar) => {
    if (bar === 0) return null;
    const next = Math.sign(threeOf(columns, bar) - threeOf(columns, bar - 1)) || side;
    measured = (next === side ? measured : Number(range[bar - 1])) + Number(range[bar]);
    side = next;
    const force = Math.abs(2 * (Number(range[bar]) / measured) - 1);
    return measured === 0 ? 0 : Number(coins) * force * (side < 0 ? -100 : 100);
  });
}

export const volatilityFormulas: Readonly<Record<string, Formula>> = {
  // Bollinger, “Bollinger on Bollinger Bands” (2001).
  bollinger: ({ close }, { length, deviations }) =>
    around(sma(close, length), times(deviation(close, length), deviations)),
  stdev: ({ close }, { length }) => deviation(close, length),
  percentB: ({ close }, { length, deviations }) =>
    rolling(close, length, (values) => {
      const [middle, price] = [mean(values), values.at(-1)!];
      const off = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
      const isFlat = Math.max(...values) === Math.min(...values);
      return isFlat ? 0.5 : (price - (middle - deviations * off)) / (2 * deviations * off);
    }),
  bandWidth: ({ close }, { length, deviations }) =>
    each([sma(close, length), deviation(close, length)], (middle, off) => (2 * deviations * off) / middle),
  trueRange: (columns) => trueRange(columns),
  atr: (columns, { length }) => atr(columns, length),
  natr: (columns, { length }) =>
    each([atr(columns, length), columns.close], (range, price) => (100 * range) / price),
  // Keltner (1960), as Raschke has it.
  keltner: (columns, { length, atrLength, factor }) =>
    around(ema(columns.close, length), times(atr(columns, atrLength), factor)),
  // Donchian (1960).
  donchian: ({ high, low }, { length }) => {
    const [upper, lower] = [highest(high, length), lowest(low, length)];
    return { upper, lower, middle: each([upper, lower], (top, bottom) => (top + bottom) / 2) };
  },
  // Headley, “Big Trends in Trading” (2002).
  accelerationBands: ({ high, low, close }, { length, width }) => {
    const part = each([high, low], (top, bottom) => (width * (top - bottom)) / (top + bottom));
    return {
      upper: sma(
        each([high, part], (price, share) => price * (1 + share)),
        length,
      ),
      middle: sma(close, length),
      lower: sma(
        each([low, part], (price, share) => price * (1 - share)),
        length,
      ),
    };
  },
  // Carter, “Mastering the Trade” (2005), as LazyBear has it.
  squeeze: (columns, { length, deviations, factor }) => {
    const { high, low, close } = columns;
    const anchor = each(
      [highest(high, length), lowest(low, length), sma(close, length)],
      (top, bottom, average) => ((top + bottom) / 2 + average) / 2,
    );
    const momentum = rolling(
      each([close, anchor], (price, level) => price - level),
      length,
      (values) => fitted(values).at(length - 1),
    );
    const bands = around(sma(close, length), times(deviation(close, length), deviations));
    const channel = around(ema(close, length), times(atr(columns, length), factor));
    const isSqueezed = momentum.map((value, bar) =>
      value === null
        ? null
        : Number(bands.upper[bar]) < Number(channel.upper[bar]) &&
          Number(bands.lower[bar]) > Number(channel.lower[bar]),
    );
    return { momentum, isSqueezed };
  },
  // Dreiss, Futures (1993), of true highs and lows.
  choppiness: (columns, { length }) => {
    const { high, low, close } = columns;
    const top = each([high, lagged(close, 1)], Math.max);
    const bottom = each([low, lagged(close, 1)], Math.min);
    const range = each([highest(top, length), lowest(bottom, length)], (a, b) => a - b);
    return each(
      [
        rolling(
          each([top, bottom], (a, b) => a - b),
          length,
          sum,
        ),
        range,
      ],
      (way, all) => (all === 0 ? 100 : (100 * Math.log(way / all)) / Math.log(length)),
    );
  },
  chaikinVolatility: ({ high, low }, { length }) => {
    const range = ema(
      each([high, low], (top, bottom) => top - bottom),
      length,
    );
    return each([range, lagged(range, length)], (now, then) =>
      then === 0 ? 0 : (100 * (now - then)) / then,
    );
  },
  // Gopalakrishnan, Stocks & Commodities 19:1 (2001).
  gapo: ({ high, low }, { length }) =>
    each([highest(high, length), lowest(low, length)], (top, bottom) =>
      top === bottom ? 0 : Math.log2(top - bottom) / Math.log2(length),
    ),
  // Tukey's halves without the middle.
  iqr: ({ close }, { length }) =>
    rolling(close, length, (values) => {
      const sorted = [...values].sort((a, b) => a - b);
      const half = Math.floor(length / 2);
      return middleOfSorted(sorted.slice(length - half)) - middleOfSorted(sorted.slice(0, half));
    }),
  mad: ({ close }, { length }) =>
    rolling(close, length, (values) => mean(values.map((value) => Math.abs(value - mean(values))))),
  // Rogers and Satchell, Annals of Applied Probability 1:4 (1991).
  rogersSatchell: ({ open, high, low, close }, { length }) => {
    const variance = each(
      [open, high, low, close].map((line) => each([line], Math.log)),
      (o, h, l, c) => {
        return (h - c) * (h - o) + (l - c) * (l - o);
      },
    );
    return rolling(variance, length, (values) => Math.sqrt(mean(values)));
  },
  // Dorsey, Stocks & Commodities 11:6 (1993).
  relativeVolatility: ({ close }, { length, deviationLength }) => {
    const off = deviation(close, deviationLength);
    const steps = change(close);
    const up = wilder(
      each([off, steps], (value, step) => (step > 0 ? value : 0)),
      length,
    );
    const down = wilder(
      each([off, steps], (value, step) => (step < 0 ? value : 0)),
      length,
    );
    return each([up, down], (a, b) => (a + b === 0 ? 50 : (100 * a) / (a + b)));
  },
  // Martin and McCann, “The Investor's Guide to Fidelity Funds” (1989).
  ulcer: ({ close }, { length }) =>
    rolling(close, length, (values) =>
      Math.sqrt(
        mean(
          values.map((value, index) => (100 * (value / Math.max(...values.slice(0, index + 1)) - 1)) ** 2),
        ),
      ),
    ),
  // Granville (1963), of a window.
  obv: ({ close, volume }, { length }) =>
    rolling(
      each([change(close), volume], (step, coins) => Math.sign(step) * coins),
      length,
      sum,
    ),
  accumulation: (columns, { length }) => rolling(moneyFlow(columns), length, sum),
  priceVolumeTrend: ({ close, volume }, { length }) =>
    rolling(
      each([close, lagged(close, 1), volume], (now, then, coins) => (now / then - 1) * coins),
      length,
      sum,
    ),
  // Williams (1972), of a window.
  williamsAccumulation: ({ high, low, close }, { length }) =>
    rolling(
      each([high, low, close, lagged(close, 1)], (top, bottom, last, before) => {
        if (last > before) return last - Math.min(bottom, before);
        return last < before ? last - Math.max(top, before) : 0;
      }),
      length,
      sum,
    ),
  chaikinOscillator: (columns, { fast, slow }) => {
    const line = folded(moneyFlow(columns), (before, flow) => (before ?? 0) + flow);
    return each([ema(line, fast), ema(line, slow)], (short, long) => short - long);
  },
  cmf: (columns, { length }) =>
    rollingOf([moneyFlow(columns), columns.volume], length, (flow, coins) =>
      sum(coins) === 0 ? 0 : sum(flow) / sum(coins),
    ),
  // Quong and Soudack, Stocks & Commodities 7:3 (1989).
  mfi: (columns, { length }) => {
    const price = typical(columns);
    const flow = each(
      [price, columns.volume, change(price)],
      (level, coins, step) => level * coins * Math.sign(step),
    );
    return rolling(flow, length, (values) => {
      const all = sum(values.map(Math.abs));
      return all === 0 ? 50 : (100 * sum(values.map((value) => Math.max(value, 0)))) / all;
    });
  },
  // Arms, “Volume Cycles in the Stock Market” (1994).
  easeOfMovement: (columns, { length, scale }) => {
    const { high, low, volume } = columns;
    const ease = each([change(median(columns)), high, low, volume], (step, top, bottom, coins) =>
      coins === 0 ? 0 : (step * (top - bottom) * scale) / coins,
    );
    return sma(ease, length);
  },
  forceIndex: ({ close, volume }, { length }) =>
    ema(
      each([change(close), volume], (step, coins) => step * coins),
      length,
    ),
  klinger: (columns, { fast, slow }) => {
    const force = volumeForce(columns);
    return each([earlyEma(force, fast), earlyEma(force, slow)], (short, long) => short - long);
  },
  marketFacilitation: ({ high, low, volume }) =>
    each([high, low, volume], (top, bottom, coins) => (coins === 0 ? 0 : (top - bottom) / coins)),
  relativeVolume: ({ volume }, { length }) =>
    each([volume, lagged(sma(volume, length), 1)], (now, usual) => now / usual),
  volumeChange: ({ volume }, { length }) =>
    each([volume, lagged(volume, length)], (now, then) => (then === 0 ? 0 : (100 * (now - then)) / then)),
};
