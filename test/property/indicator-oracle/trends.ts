import {
  atr,
  change,
  each,
  earlyEma,
  ema,
  fitted,
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
  type Columns,
  type Formula,
  type Line,
  type Params,
} from './lines.ts';

/**
 * Directional movement of Wilder (1978), except for what `adx` documents of the library: equal moves count on
 * both sides, and the first bar has none.
 */
function directions(
  columns: Columns,
  length: number,
): { readonly plus: Line; readonly minus: Line; readonly dx: Line } {
  const { high, low } = columns;
  const up = high.map((value, bar) => (bar === 0 ? 0 : Number(value) - Number(high[bar - 1])));
  const down = low.map((value, bar) => (bar === 0 ? 0 : Number(low[bar - 1]) - Number(value)));
  const range = atr(columns, length);
  const of = (one: Line, other: Line): Line =>
    each(
      [
        wilder(
          each([one, other], (a, b) => (a >= b && a > 0 ? a : 0)),
          length,
        ),
        range,
      ],
      (move, average) => (100 * move) / average,
    );
  const [plus, minus] = [of(up, down), of(down, up)];
  const dx = each([plus, minus], (a, b) => (a + b === 0 ? 0 : (100 * Math.abs(a - b)) / (a + b)));
  return { plus, minus, dx };
}

const adxOf = (columns: Columns, length: number): Line => wilder(directions(columns, length).dx, length);

const alligatorOf = (columns: Columns, p: Params): Readonly<Record<'jaw' | 'teeth' | 'lips', Line>> => ({
  jaw: lagged(wilder(median(columns), p.jaw), p.jawShift),
  teeth: lagged(wilder(median(columns), p.teeth), p.teethShift),
  lips: lagged(wilder(median(columns), p.lips), p.lipsShift),
});

const middleOf = ({ high, low }: Columns, length: number): Line =>
  each([highest(high, length), lowest(low, length)], (top, bottom) => (top + bottom) / 2);

function superTrendOf(
  columns: Columns,
  { length, factor }: Params,
): { line: Line; side: readonly (string | null)[] } {
  const range = atr(columns, length);
  const middle = median(columns);
  const close = columns.close.map(Number);
  let before: { upper: number; lower: number; isUp: boolean } | null = null;
  const rows = close.map((price, bar) => {
    const distance = range[bar] ?? null;
    if (distance === null) return null;
    let [upper, lower] = [Number(middle[bar]) + factor * distance, Number(middle[bar]) - factor * distance];
    let isUp = price > upper;
    if (before !== null) {
      const last = close[bar - 1]!;
      if (last <= before.upper) upper = Math.min(upper, before.upper);
      if (last >= before.lower) lower = Math.max(lower, before.lower);
      isUp = before.isUp ? price >= lower : price > upper;
    }
    before = { upper, lower, isUp };
    return { line: isUp ? lower : upper, side: isUp ? 'up' : 'down' };
  });
  return { line: rows.map((row) => row?.line ?? null), side: rows.map((row) => row?.side ?? null) };
}

export const trendFormulas: Readonly<Record<string, Formula>> = {
  adx: (columns, { length }) => {
    const adx = adxOf(columns, length);
    const { plus, minus } = directions(columns, length);
    return { adx, plus: each([plus, adx], (value) => value), minus: each([minus, adx], (value) => value) };
  },
  dx: (columns, { length }) => directions(columns, length).dx,
  adxr: (columns, { length }) => {
    const adx = adxOf(columns, length);
    return each([adx, lagged(adx, length - 1)], (now, then) => (now + then) / 2);
  },
  // Chande (1995); of several equal extremes the newest counts.
  aroon: ({ high, low }, { length }) => ({
    up: rolling(high, length + 1, (values) => (100 * values.lastIndexOf(Math.max(...values))) / length),
    down: rolling(low, length + 1, (values) => (100 * values.lastIndexOf(Math.min(...values))) / length),
  }),
  // Williams, “Trading Chaos” (1995).
  alligator: (columns, params) => {
    const { jaw, teeth, lips } = alligatorOf(columns, params);
    const shown = (line: Line): Line => each([line, jaw, teeth, lips], (value) => value);
    return { jaw: shown(jaw), teeth: shown(teeth), lips: shown(lips) };
  },
  gator: (columns, params) => {
    const { jaw, teeth, lips } = alligatorOf(columns, params);
    return {
      upper: each([jaw, teeth, lips], (a, b) => Math.abs(a - b)),
      lower: each([jaw, teeth, lips], (_, b, c) => -Math.abs(b - c)),
    };
  },
  // Hosoda (1969), not shifted.
  ichimoku: (columns, { conversion, base, spanB }) => {
    const [fast, slow, wide] = [
      middleOf(columns, conversion),
      middleOf(columns, base),
      middleOf(columns, spanB),
    ];
    const all = [fast, slow, wide];
    return {
      conversion: each(all, (a) => a),
      base: each(all, (_, b) => b),
      spanA: each(all, (a, b) => (a + b) / 2),
      spanB: each(all, (_, __, c) => c),
    };
  },
  linearRegression: ({ close }, { length }) => ({
    slope: rolling(close, length, (values) => fitted(values).slope),
    intercept: rolling(close, length, (values) => fitted(values).at(0)),
    prediction: rolling(close, length, (values) => fitted(values).at(length)),
  }),
  // Dorsey, Stocks & Commodities 10:6 (1992).
  massIndex: ({ high, low }, { length }) => {
    const single = ema(change2(high, low), 9);
    return rolling(
      each([single, ema(single, 9)], (one, two) => (two === 0 ? 1 : one / two)),
      length,
      sum,
    );
  },
  // White, Futures 20:8 (1991).
  vhf: ({ close }, { length }) =>
    each(
      [
        highest(close, length),
        lowest(close, length),
        rolling(change(close), length, (steps) => sum(steps.map(Math.abs))),
      ],
      (top, bottom, way) => (way === 0 ? 0 : (top - bottom) / way),
    ),
  // Botes and Siepman, Stocks & Commodities 28:1 (2010).
  vortex: (columns, { length }) => {
    const { high, low } = columns;
    const by = (one: Line, other: Line): Line =>
      rollingOf(
        [each([one, lagged(other, 1)], (now, then) => Math.abs(now - then)), trueRange(columns)],
        length,
        (moves, ranges) => (sum(ranges) === 0 ? 0 : sum(moves) / sum(ranges)),
      );
    return { plus: by(high, low), minus: by(low, high) };
  },
  // Seban; as charts have it.
  superTrend: (columns, params) => superTrendOf(columns, params),
  // LeBeau (1999).
  chandelierExit: (columns, { length, factor }) => ({
    long: each([highest(columns.high, length), atr(columns, length)], (top, range) => top - factor * range),
    short: each(
      [lowest(columns.low, length), atr(columns, length)],
      (bottom, range) => bottom + factor * range,
    ),
  }),
  // Chande and Kroll, “The New Technical Trader” (1994), as charts have it.
  chandeKrollStop: (columns, { length, factor, stopLength }) => {
    const high = each(
      [highest(columns.high, length), atr(columns, length)],
      (top, range) => top - factor * range,
    );
    const low = each(
      [lowest(columns.low, length), atr(columns, length)],
      (bottom, range) => bottom + factor * range,
    );
    return { short: highest(high, stopLength), long: lowest(low, stopLength) };
  },
  // Williams, “New Trading Dimensions” (1998).
  awesome: (columns, { fast, slow }) => awesomeOf(columns, fast, slow),
  acceleration: (columns, { fast, slow, signal }) => {
    const line = awesomeOf(columns, fast, slow);
    return each([line, sma(line, signal)], (value, average) => value - average);
  },
  // LazyBear's script, of which there is no paper.
  waveTrend: (columns, { channel, average, signal }) => {
    const price = typical(columns);
    const middle = earlyEma(price, channel);
    const distance = earlyEma(
      each([price, middle], (a, b) => Math.abs(a - b)),
      channel,
    );
    const index = each([price, middle, distance], (a, b, d) => (d === 0 ? 0 : (a - b) / (0.015 * d)));
    const line = earlyEma(index, average);
    return { line, signal: sma(line, signal) };
  },
  // LazyBear's script of Waddah Attar's, of which there is no paper.
  waddahAttar: (columns, p) => {
    const { close } = columns;
    const gap = each([ema(close, p.fast), ema(close, p.slow)], (short, long) => short - long);
    const trend = each([change(gap)], (value) => value * p.sensitivity);
    const explosion = rolling(
      close,
      p.length,
      (values) => 2 * p.deviations * Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2))),
    );
    return { trend, explosion, deadZone: each([atr(columns, p.atrLength)], (range) => range * p.factor) };
  },
};

const awesomeOf = (columns: Columns, fast: number, slow: number): Line =>
  each([sma(median(columns), fast), sma(median(columns), slow)], (short, long) => short - long);

const change2 = (high: Line, low: Line): Line => each([high, low], (top, bottom) => top - bottom);
