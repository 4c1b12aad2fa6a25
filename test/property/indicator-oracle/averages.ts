import {
  change,
  each,
  earlyEma,
  ema,
  folded,
  lagged,
  median,
  rolling,
  rollingOf,
  sma,
  sum,
  textbookEma,
  typical,
  wilder,
  wma,
  without,
  type Columns,
  type Formula,
  type Line,
} from './lines.ts';

const weighted = (prices: Line, volumes: Line, length: number): Line =>
  rollingOf([prices, volumes], length, (price, volume) =>
    sum(volume) === 0 ? null : sum(price.map((value, index) => value * volume[index]!)) / sum(volume),
  );

/** State of Ehlers' cycle code at a bar, “Rocket Science for Traders” (2001), figures 6 and 9. */
interface Cycle {
  readonly inPhase: number;
  readonly quadrature: number;
  readonly period: number;
}

/** Runs the code from the bar `from` on; it reads prices before that bar, but its own values there are 0. */
function cycles(price: Line, from: number): readonly Cycle[] {
  const past: Record<string, number[]> = {};
  const was = (name: string, bars: number): number => past[name]?.at(-bars) ?? 0;
  return price.map((_, bar) => {
    if (bar < from) return { inPhase: 0, quadrature: 0, period: 0 };
    const now: Record<string, number> = {};
    const at = (name: string, bars: number): number => (bars === 0 ? now[name]! : was(name, bars));
    const hilbert = (name: string): number =>
      (0.0962 * at(name, 0) + 0.5769 * at(name, 2) - 0.5769 * at(name, 4) - 0.0962 * at(name, 6)) *
      (0.075 * was('period', 1) + 0.54);
    const p = (bars: number): number => price[bar - bars] ?? 0;
    now.smooth = (4 * p(0) + 3 * p(1) + 2 * p(2) + p(3)) / 10;
    now.detrender = hilbert('smooth');
    now.q1 = hilbert('detrender');
    now.i1 = was('detrender', 3);
    now.i2 = 0.2 * (now.i1 - hilbert('q1')) + 0.8 * was('i2', 1);
    now.q2 = 0.2 * (now.q1 + hilbert('i1')) + 0.8 * was('q2', 1);
    now.re = 0.2 * (now.i2 * was('i2', 1) + now.q2 * was('q2', 1)) + 0.8 * was('re', 1);
    now.im = 0.2 * (now.i2 * was('q2', 1) - now.q2 * was('i2', 1)) + 0.8 * was('im', 1);
    const before = was('period', 1);
    const raw = now.im !== 0 && now.re !== 0 ? (2 * Math.PI) / Math.atan(now.im / now.re) : before;
    const bounded = Math.min(50, Math.max(6, Math.max(0.67 * before, Math.min(1.5 * before, raw))));
    now.period = 0.2 * bounded + 0.8 * before;
    for (const [name, value] of Object.entries(now)) (past[name] ??= []).push(value);
    return { inPhase: now.i1, quadrature: now.q1, period: now.period };
  });
}

function mamaOf(price: Line, fastLimit: number, slowLimit: number) {
  const found = cycles(price, 12);
  let [phase, mama, fama] = [0, 0, 0];
  const rows = found.map(({ inPhase, quadrature }, bar) => {
    if (bar < 12) return { mama, fama };
    const next = inPhase === 0 ? 0 : (Math.atan(quadrature / inPhase) * 180) / Math.PI;
    const alpha = Math.max(fastLimit / Math.max(1, phase - next), slowLimit);
    phase = next;
    mama = alpha * Number(price[bar]) + (1 - alpha) * mama;
    fama = 0.5 * alpha * mama + (1 - 0.5 * alpha) * fama;
    return { mama, fama };
  });
  return { mama: rows.map((row) => row.mama), fama: rows.map((row) => row.fama) };
}

function trendline(price: Line): Line {
  let smoothPeriod = 0;
  const averages = cycles(price, 37).map(({ period }, bar) => {
    if (bar < 37) return 0;
    smoothPeriod = 0.33 * period + 0.67 * smoothPeriod;
    const bars = Math.floor(smoothPeriod + 0.5);
    const window = price.slice(Math.max(0, bar - bars + 1), bar + 1).map(Number);
    return bars > 0 ? sum(window) / bars : 0;
  });
  const at = (index: number): number => averages[index] ?? 0;
  return averages.map((_, bar) => (4 * at(bar) + 3 * at(bar - 1) + 2 * at(bar - 2) + at(bar - 3)) / 10);
}

/** Chande momentum oscillator (1994): by sums of rises and falls. */
export const cmo = (line: Line, length: number): Line =>
  rolling(change(line), length, (steps) => {
    const way = sum(steps.map(Math.abs));
    return way === 0 ? 0 : (100 * sum(steps)) / way;
  });

const tripleOf = ({ close }: Columns, length: number): readonly Line[] => {
  const first = ema(close, length);
  const second = ema(first, length);
  return [first, second, ema(second, length)];
};

const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** DecisionPoint's smoothing: an average with the weight 2 / n. */
const custom = (line: Line, length: number): Line =>
  without(
    folded(line, (before, value) => (before === null ? value : before + (value - before) * (2 / length))),
    length - 1,
  );

export const averageFormulas: Readonly<Record<string, Formula>> = {
  sma: ({ close }, { length }) => sma(close, length),
  ema: ({ close }, { length }) => textbookEma(close, length),
  wma: ({ close }, { length }) => wma(close, length),
  // Wilder, “New Concepts in Technical Trading Systems” (1978).
  wsma: ({ close }, { length }) => wilder(close, length),
  // Mulloy, Stocks & Commodities 12:1 and 12:2 (1994).
  dema: ({ close }, { length }) => {
    const once = earlyEma(close, length);
    return each([once, earlyEma(once, length)], (one, two) => 2 * one - two);
  },
  tema: (columns, { length }) =>
    each(tripleOf(columns, length), (one, two, three) => 3 * one - 3 * two + three),
  // Tillson, Stocks & Commodities 16:1 (1998).
  t3: (columns, { length, volumeFactor: v }) => {
    const third = tripleOf(columns, length)[2]!;
    const fourth = ema(third, length);
    const fifth = ema(fourth, length);
    return each(
      [third, fourth, fifth, ema(fifth, length)],
      (e3, e4, e5, e6) =>
        (1 + v) ** 3 * e3 - 3 * v * (1 + v) ** 2 * e4 + 3 * v ** 2 * (1 + v) * e5 - v ** 3 * e6,
    );
  },
  // Hull (2005).
  hma: ({ close }, { length }) =>
    wma(
      each([wma(close, Math.floor(length / 2)), wma(close, length)], (half, full) => 2 * half - full),
      Math.floor(Math.sqrt(length)),
    ),
  // A simple average of a simple average, each of half the length.
  trima: ({ close }, { length }) => sma(sma(close, Math.ceil(length / 2)), Math.floor(length / 2) + 1),
  // Ehlers and Way, “Zero Lag (well, almost)” (2010); starts as the library does, with the close of the bar
  // `lag`.
  zlema: ({ close }, { length }) => {
    const lag = Math.floor((length - 1) / 2);
    const source = close.map((value, bar) => {
      if (bar + 1 < lag) return null;
      return bar + 1 === lag ? value : 2 * Number(value) - Number(close[bar - lag]);
    });
    return earlyEma(source, length);
  },
  // Legoux and Kouzis-Loukas (2009).
  alma: ({ close }, { length, offset, sigma }) =>
    rolling(close, length, (values) => {
      const weights = values.map((_, index) =>
        Math.exp(-((index - offset * (length - 1)) ** 2) / (2 * (length / sigma) ** 2)),
      );
      return sum(values.map((value, index) => value * weights[index]!)) / sum(weights);
    }),
  // Kaufman, “Trading Systems and Methods” (1995).
  kama: ({ close }, { length }) => {
    const ratio = rolling(change(close), length, (steps) => {
      const way = sum(steps.map(Math.abs));
      return way === 0 ? 1 : Math.abs(sum(steps)) / way;
    });
    let value: number | null = null;
    return close.map((price, bar) => {
      if (bar < length - 1) return null;
      const weight = ((ratio[bar] ?? 0) * (2 / 3 - 2 / 31) + 2 / 31) ** 2;
      value = value === null ? Number(price) : value + weight * (Number(price) - value);
      return value;
    });
  },
  // Ehlers, “FRAMA” (2005), of closes.
  frama: ({ close }, { length }) => {
    const dimension = rolling(close, length, (values) => {
      const [older, newer] = [values.slice(0, length / 2), values.slice(length / 2)];
      const halves = (spread(older) + spread(newer)) / (length / 2);
      if (spread(older) === 0 || spread(newer) === 0) return 1;
      return Math.log(halves / (spread(values) / length)) / Math.LN2;
    });
    let value: number | null = null;
    return close.map((price, bar) => {
      const found = dimension[bar] ?? null;
      if (found === null) return null;
      const alpha = Math.min(1, Math.max(0.01, Math.exp(-4.6 * (found - 1))));
      value = value === null ? Number(price) : alpha * Number(price) + (1 - alpha) * value;
      return value;
    });
  },
  // Chande, Stocks & Commodities 10:3 (1992), with the CMO.
  vidya: ({ close }, { length }) => {
    const strength = cmo(close, length);
    let value = Number(close[0]);
    return close.map((price, bar) => {
      const found = strength[bar] ?? null;
      if (found === null) return null;
      const alpha = (2 / (length + 1)) * Math.abs(found / 100);
      value = alpha * Number(price) + (1 - alpha) * value;
      return value;
    });
  },
  // McGinley, Journal of Technical Analysis (1997), with the constant 0.6.
  mcginley: ({ close }, { length }) =>
    folded(close, (before, price) =>
      before === null ? price : before + (price - before) / (0.6 * length * (price / before) ** 4),
    ),
  // Ehlers, “Cycle Analytics for Traders” (2013).
  superSmoother: ({ close }, { length }) => {
    const a = Math.exp((-Math.SQRT2 * Math.PI) / length);
    const b = 2 * a * Math.cos((Math.SQRT2 * Math.PI) / length);
    const filter: number[] = [];
    for (const [bar, price] of close.map(Number).entries()) {
      const now = (price + Number(close[bar - 1])) / 2;
      filter.push(bar < 2 ? price : (1 - b + a * a) * now + b * filter[bar - 1]! - a * a * filter[bar - 2]!);
    }
    return filter;
  },
  // Kendall and Stuart: Spencer's 15 points are sums of 4, 4 and 5 of a fivefold weight.
  spencer: ({ close }) => {
    const inner = rolling(close, 5, ([a, b, c, d, e]) => (-3 * a! + 3 * b! + 4 * c! + 3 * d! - 3 * e!) / 4);
    return sma(sma(sma(inner, 5), 4), 4);
  },
  vwma: ({ close, volume }, { length }) => weighted(close, volume, length),
  vwap: (columns, { length }) => weighted(typical(columns), columns.volume, length),
  mama: (columns, { fastLimit, slowLimit }) => mamaOf(median(columns), fastLimit, slowLimit),
  hilbertTrendline: (columns) => trendline(median(columns)),
  momentum: ({ close }, { length }) => change(close, length),
  roc: ({ close }, { length }) => each([close, lagged(close, length)], (now, then) => now / then - 1),
  // Appel (1979).
  macd: ({ close }, { fast, slow, signal }) => {
    const line = each([textbookEma(close, fast), textbookEma(close, slow)], (short, long) => short - long);
    const trigger = textbookEma(line, signal);
    return {
      line: each([line, trigger], (value) => value),
      signal: trigger,
      histogram: each([line, trigger], (value, level) => value - level),
    };
  },
  // Hutson, Stocks & Commodities 1:5 (1983).
  trix: ({ close }, { length }) => {
    const triple = textbookEma(textbookEma(textbookEma(close, length), length), length);
    return each([triple, lagged(triple, 1)], (now, then) => (100 * (now - then)) / then);
  },
  apo: ({ close }, { fast, slow }) =>
    each([ema(close, fast), ema(close, slow)], (short, long) => short - long),
  ppo: ({ close }, { fast, slow }) =>
    each([ema(close, fast), ema(close, slow)], (short, long) => (100 * (short - long)) / long),
  pvo: ({ volume }, { fast, slow }) =>
    each([ema(volume, fast), ema(volume, slow)], (short, long) =>
      long === 0 ? 0 : (100 * (short - long)) / long,
    ),
  disparity: ({ close }, { length }) =>
    each([close, sma(close, length)], (price, average) => (100 * (price - average)) / average),
  dpo: ({ close }, { length }) =>
    each(
      [lagged(close, Math.floor(length / 2) + 1), sma(close, length)],
      (price, average) => price - average,
    ),
  // Elder, “Trading for a Living” (1993).
  elderRay: ({ high, low, close }, { length }) => ({
    bull: each([high, ema(close, length)], (price, average) => price - average),
    bear: each([low, ema(close, length)], (price, average) => price - average),
  }),
  pmo: ({ close }, { smoothing, secondSmoothing, signal }) => {
    const steps = each([close, lagged(close, 1)], (now, then) => 100 * (now / then - 1));
    const line = custom(
      each([custom(steps, smoothing)], (value) => 10 * value),
      secondSmoothing,
    );
    return { line, signal: earlyEma(line, signal) };
  },
};
