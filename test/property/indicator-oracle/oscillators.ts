import { cmo } from './averages.ts';
import {
  change,
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
  rsi,
  sma,
  sum,
  trueRange,
  typical,
  wma,
  type Columns,
  type Formula,
  type Line,
} from './lines.ts';

const positive = (line: Line): Line => each([line], (value) => Math.max(value, 0));
const total = (line: Line, length: number): Line => rolling(line, length, sum);

/** Position of the last value within the range of a window, 0 to 100; `flat` if the range is 0. */
const position = (line: Line, length: number, flat: number): Line =>
  rolling(line, length, (values) => {
    const [top, bottom] = [Math.max(...values), Math.min(...values)];
    return top === bottom ? flat : (100 * (values.at(-1)! - bottom)) / (top - bottom);
  });

const barPosition = ({ high, low, close }: Columns, length: number, flat: number): Line =>
  each([highest(high, length), lowest(low, length), close], (top, bottom, last) =>
    top === bottom ? flat : (100 * (last - bottom)) / (top - bottom),
  );

const withSignal = (raw: Line, slowing: number, signal: number): Readonly<Record<'k' | 'd' | 'j', Line>> => {
  const k = sma(raw, slowing);
  const d = sma(k, signal);
  return { k: each([k, d], (value) => value), d, j: each([k, d], (one, two) => 3 * one - 2 * two) };
};

const change100 = (line: Line, bars: number): Line =>
  each([line, lagged(line, bars)], (now, then) => (100 * (now - then)) / then);

const share = (part: Line, whole: Line, flat: number): Line =>
  each([part, whole], (one, all) => (all === 0 ? flat : (100 * one) / all));

/** Ehlers' symmetric weights of four bars. */
const symmetric = (line: Line): Line => rolling(line, 4, ([a, b, c, d]) => (a! + 2 * b! + 2 * c! + d!) / 6);

/** Swing index of Wilder (1978), from two bars. */
function swing({ open, high, low, close }: Columns, limitMove: number): Line {
  const lines = [open, high, low, close, lagged(open, 1), lagged(close, 1)];
  return each(lines, (o, h, l, c, openBefore, closeBefore) => {
    const [up, down, range] = [Math.abs(h - closeBefore), Math.abs(l - closeBefore), h - l];
    const body = Math.abs(closeBefore - openBefore) / 4;
    const largest = Math.max(up, down, range);
    const r = largest === up ? up - down / 2 + body : largest === down ? down - up / 2 + body : range + body;
    const move = c - closeBefore + (c - o) / 2 + (closeBefore - openBefore) / 4;
    return r === 0 ? 0 : ((50 * move) / r) * (Math.max(up, down) / limitMove);
  });
}

const half = (line: Line): Line => folded(line, (before, value) => value * 0.5 + (before ?? value) * 0.5);

export const oscillatorFormulas: Readonly<Record<string, Formula>> = {
  rsi: ({ close }, { length }) => rsi(close, length),
  // Lane (1984).
  stochastic: (columns, { length, slowing, signal }) =>
    withSignal(barPosition(columns, length, 0), slowing, signal),
  // Chande and Kroll, “The New Technical Trader” (1994).
  stochasticRsi: ({ close }, p) => withSignal(position(rsi(close, p.rsi), p.length, 0), p.slowing, p.signal),
  williamsR: (columns, { length }) => each([barPosition(columns, length, 0)], (value) => value - 100),
  // Lambert, Commodities (1980).
  cci: (columns, { length }) =>
    rolling(typical(columns), length, (values) => {
      if (Math.max(...values) === Math.min(...values)) return null;
      const middle = mean(values);
      return (values.at(-1)! - middle) / (0.015 * mean(values.map((value) => Math.abs(value - middle))));
    }),
  cmo: ({ close }, { length }) => cmo(close, length),
  // Williams, Stocks & Commodities 3:4 (1985).
  ultimate: (columns, p) => {
    const { low, close } = columns;
    const pressure = each(
      [close, low, lagged(close, 1)],
      (last, bottom, before) => last - Math.min(bottom, before),
    );
    const ranges = each([trueRange(columns), pressure], (range) => range);
    const part = (length: number): Line =>
      each([total(pressure, length), total(ranges, length)], (a, b) => a / b);
    return each([part(p.short), part(p.medium), part(p.long), total(ranges, p.short)], (a, b, c, moved) =>
      moved === 0 ? 50 : (100 * (4 * a + 2 * b + c)) / 7,
    );
  },
  // Connors and Alvarez, “An Introduction to ConnorsRSI” (2012).
  connorsRsi: ({ close }, p) => {
    const steps = change(close);
    const streak = folded(steps, (before, step) => {
      const sign = Math.sign(step);
      return sign === 0 ? 0 : sign === Math.sign(before ?? 0) ? (before ?? 0) + sign : sign;
    });
    const rank = rolling(
      change100(close, 1),
      p.rank + 1,
      (values) => (100 * values.slice(0, -1).filter((value) => value < values.at(-1)!).length) / p.rank,
    );
    return each([rsi(close, p.rsi), rsi(streak, p.streak), rank], (a, b, c) => (a + b + c) / 3);
  },
  // DeMark, “The New Science of Technical Analysis” (1994).
  demarker: ({ high, low }, { length }) => {
    const up = total(positive(change(high)), length);
    const down = total(positive(each([change(low)], (value) => -value)), length);
    return each([up, down], (a, b) => (a + b === 0 ? 0.5 : a / (a + b)));
  },
  ibs: ({ high, low, close }) =>
    each([high, low, close], (top, bottom, last) =>
      top === bottom ? 0.5 : (last - bottom) / (top - bottom),
    ),
  // Chande and Kroll (1994).
  imi: ({ open, close }, { length }) => {
    const body = each([close, open], (last, first) => last - first);
    return share(total(positive(body), length), total(each([body], Math.abs), length), 50);
  },
  // Altman, Stocks & Commodities 11:2 (1993).
  rmi: ({ close }, { length, momentum }) => rsi(close, length, momentum),
  // Ehlers, “Cybernetic Analysis for Stocks and Futures” (2004).
  laguerreRsi: ({ close }, { gamma }) => {
    let stages = [0, 0, 0, 0];
    return close.map((price, bar) => {
      const [a, b, c, d] = stages as [number, number, number, number];
      const l0 = (1 - gamma) * Number(price) + gamma * a;
      const l1 = -gamma * l0 + a + gamma * b;
      const l2 = -gamma * l1 + b + gamma * c;
      stages = [l0, l1, l2, -gamma * l2 + c + gamma * d];
      const steps = stages.slice(1).map((stage, index) => stages[index]! - stage);
      const way = sum(steps.map(Math.abs));
      return bar < 3 ? null : way === 0 ? 0 : sum(steps.map((step) => Math.max(step, 0))) / way;
    });
  },
  // Ehlers, Stocks & Commodities 20:11 (2002); a range of none counts as 0.001.
  fisher: (columns, { length }) => {
    let [value, result] = [0, 0];
    return each(
      [
        rolling(median(columns), length, (values) => {
          const [top, bottom] = [Math.max(...values), Math.min(...values)];
          return (values.at(-1)! - bottom) / (top === bottom ? 0.001 : top - bottom);
        }),
      ],
      (place) => {
        value = 0.66 * (place - 0.5) + 0.67 * value;
        if (Math.abs(value) > 0.99) value = 0.999 * Math.sign(value);
        result = Math.atanh(value) + 0.5 * result;
        return result;
      },
    );
  },
  // Leibfarth, Stocks & Commodities 26:8 (2008).
  premierStochastic: (columns, { length, smoothing }) =>
    each(
      [
        ema(
          ema(
            each([barPosition(columns, length, 50)], (value) => 0.1 * (value - 50)),
            smoothing,
          ),
          smoothing,
        ),
      ],
      (value) => Math.tanh(value / 2),
    ),
  psychologicalLine: ({ close }, { length }) =>
    rolling(change(close), length, (steps) => (100 * steps.filter((step) => step > 0).length) / length),
  // Spearman's rank correlation in the form for few ties.
  rci: ({ close }, { length }) =>
    rolling(close, length, (values) => {
      const sorted = [...values].sort((a, b) => a - b);
      const rankOf = (value: number): number => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1;
      const distances = sum(values.map((value, index) => (rankOf(value) - (index + 1)) ** 2));
      return 100 * (1 - (6 * distances) / (length * (length ** 2 - 1)));
    }),
  // Blau, Stocks & Commodities 11:1 (1993).
  smi: ({ high, low, close }, p) => {
    const [top, bottom] = [highest(high, p.length), lowest(low, p.length)];
    const twice = (line: Line): Line => ema(ema(line, p.smoothing), p.secondSmoothing);
    const distance = twice(each([close, top, bottom], (last, a, b) => last - (a + b) / 2));
    const range = twice(each([top, bottom], (a, b) => a - b));
    return each([distance, range], (a, b) => (b === 0 ? 0 : (200 * a) / b));
  },
  // Schaff (1999): both smoothings have the factor 0.5.
  stc: ({ close }, p) => {
    const gap = each([ema(close, p.fast), ema(close, p.slow)], (short, long) => short - long);
    return half(position(half(position(gap, p.cycle, 50)), p.cycle, 50));
  },
  // Ehlers, Stocks & Commodities 20:5 (2002): his is less by `length` + 1, as the declaration says.
  centreOfGravity: ({ close }, { length }) =>
    rolling(close, length, (values) => {
      const his = -sum([...values].reverse().map((value, count) => (1 + count) * value)) / sum(values);
      return his + length + 1;
    }),
  // Livshin, Stocks & Commodities 19:8 (2001), without smoothing.
  bop: ({ open, high, low, close }) =>
    each([open, high, low, close], (o, h, l, c) => (h === l ? 0 : (c - o) / (h - l))),
  // Chande and Kroll (1994): the line through the closes before this one.
  forecastOscillator: ({ close }, { length }) =>
    rolling(
      close,
      length + 1,
      (values) => (100 * (values.at(-1)! - fitted(values.slice(0, -1)).at(length))) / values.at(-1)!,
    ),
  // Coppock, Barron's (1962).
  coppock: ({ close }, p) =>
    wma(
      each([change100(close, p.long), change100(close, p.short)], (a, b) => a + b),
      p.average,
    ),
  // Brown, “Technical Analysis for the Trading Professional” (1999).
  derivativeOscillator: ({ close }, p) => {
    const line = ema(ema(rsi(close, p.rsi), p.smoothing), p.secondSmoothing);
    return each([line, sma(line, p.signal)], (value, average) => value - average);
  },
  // Pring, Stocks & Commodities 10:9 (1992).
  kst: ({ close }, p) =>
    each(
      [
        sma(change100(close, p.roc1), p.sma1),
        sma(change100(close, p.roc2), p.sma2),
        sma(change100(close, p.roc3), p.sma3),
        sma(change100(close, p.roc4), p.sma4),
      ],
      (a, b, c, d) => a + 2 * b + 3 * c + 4 * d,
    ),
  qstick: ({ open, close }, { length }) =>
    sma(
      each([close, open], (last, first) => last - first),
      length,
    ),
  // Ehlers, Stocks & Commodities 20:1 (2002).
  relativeVigor: ({ open, high, low, close }, { length }) => {
    const body = symmetric(each([close, open], (last, first) => last - first));
    const range = symmetric(each([high, low], (top, bottom) => top - bottom));
    const line = rollingOf([body, range], length, (a, b) => (sum(b) === 0 ? 0 : sum(a) / sum(b)));
    const signal = symmetric(line);
    return { line: each([line, signal], (value) => value), signal };
  },
  swingIndex: (columns, { limitMove }) => swing(columns, limitMove),
  accumulatedSwing: (columns, { length, limitMove }) => total(swing(columns, limitMove), length),
  // Blau, Stocks & Commodities 9:11 (1991).
  tsi: ({ close }, { long, short }) => {
    const twice = (line: Line): Line => ema(ema(line, long), short);
    const steps = change(close);
    return share(twice(steps), twice(each([steps], Math.abs)), 0);
  },
};
