/**
 * A column of values, null where there is no value yet. The formulas that indicators are compared with work
 * on whole columns of candles, follow the publications, and import nothing of the code.
 */
export type Line = readonly (number | null)[];

/** Result of a formula: one column, or several by name. Texts and booleans must be equal. */
export type Answer = Line | Readonly<Record<string, readonly (number | string | boolean | null)[]>>;

export interface Columns {
  readonly open: Line;
  readonly high: Line;
  readonly low: Line;
  readonly close: Line;
  readonly volume: Line;
}

/** Parameters by name; the test passes those that the indicator declares. */
export type Params = Readonly<Record<ParamName, number>>;
type ParamName =
  | 'length'
  | 'fast'
  | 'slow'
  | 'signal'
  | 'factor'
  | 'deviations'
  | 'smoothing'
  | 'secondSmoothing'
  | 'slowing'
  | 'rsi'
  | 'atrLength'
  | 'stopLength'
  | 'deviationLength'
  | 'volumeFactor'
  | 'offset'
  | 'sigma'
  | 'fastLimit'
  | 'slowLimit'
  | 'jaw'
  | 'jawShift'
  | 'teeth'
  | 'teethShift'
  | 'lips'
  | 'lipsShift'
  | 'conversion'
  | 'base'
  | 'spanB'
  | 'width'
  | 'scale'
  | 'short'
  | 'medium'
  | 'long'
  | 'streak'
  | 'rank'
  | 'momentum'
  | 'gamma'
  | 'cycle'
  | 'average'
  | 'channel'
  | 'limitMove'
  | 'sensitivity'
  | 'roc1'
  | 'roc2'
  | 'roc3'
  | 'roc4'
  | 'sma1'
  | 'sma2'
  | 'sma3'
  | 'sma4';

export type Formula = (columns: Columns, params: Params) => Answer;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** Applies a formula to the values of several columns at each bar, where all have one. */
export function each(lines: readonly Line[], formula: (...values: number[]) => number | null): Line {
  return (lines[0] ?? []).map((_, index) => {
    const values = lines.map((line) => line[index] ?? null);
    return values.every((value) => value !== null) ? formula(...values) : null;
  });
}

/** Applies a formula to the last `length` values at each bar, oldest first. */
export function rolling(
  line: Line,
  length: number,
  formula: (values: readonly number[]) => number | null,
): Line {
  return line.map((_, index) => {
    const values = line.slice(Math.max(0, index - length + 1), index + 1);
    const isFull = values.length === length && values.every((value) => value !== null);
    return isFull ? formula(values.map(Number)) : null;
  });
}

/** Applies a formula to the last `length` values of several columns. */
export function rollingOf(
  lines: readonly Line[],
  length: number,
  formula: (...columns: (readonly number[])[]) => number | null,
): Line {
  return (lines[0] ?? []).map((_, index) => {
    const parts = lines.map((line) => line.slice(Math.max(0, index - length + 1), index + 1));
    const isFull = parts.every((part) => part.length === length && part.every((value) => value !== null));
    return isFull ? formula(...parts.map((part) => part.map(Number))) : null;
  });
}

/** The column shifted by `bars`: its value that many bars ago. */
export const lagged = (line: Line, bars: number): Line => line.map((_, index) => line[index - bars] ?? null);

export const change = (line: Line, bars = 1): Line =>
  each([line, lagged(line, bars)], (now, then) => now - then);

/** Folds a column: `next` gets the result before, null at the first value. */
export function folded(line: Line, next: (before: number | null, value: number) => number): Line {
  let before: number | null = null;
  return line.map((value) => (value === null ? null : (before = next(before, value))));
}

/** Hides the first `count` values. */
export function without(line: Line, count: number): Line {
  let seen = 0;
  return line.map((value) => (value === null || (seen += 1) <= count ? null : value));
}

export const sma = (line: Line, length: number): Line => rolling(line, length, mean);

export const wma = (line: Line, length: number): Line =>
  rolling(
    line,
    length,
    (values) => sum(values.map((value, index) => value * (index + 1))) / ((length * (length + 1)) / 2),
  );

/** Exponential smoothing: a new value has the share `weight`; begins with the first value. */
const smoothed = (line: Line, weight: number): Line =>
  folded(line, (before, value) => value * weight + (before ?? value) * (1 - weight));

/** EMA that begins with the first value, and is shown from the first bar. */
export const earlyEma = (line: Line, length: number): Line => smoothed(line, 2 / (length + 1));

/** EMA that begins with the first value, and is shown once it has `length` values. */
export const ema = (line: Line, length: number): Line => without(earlyEma(line, length), length - 1);

function seeded(line: Line, length: number, weight: number): Line {
  const seed = sma(line, length);
  const from = seed.findIndex((value) => value !== null);
  return folded(
    line.map((value, index) =>
      from < 0 || index < from ? null : index === from ? (seed[index] ?? null) : value,
    ),
    (before, value) => (before === null ? value : before + (value - before) * weight),
  );
}

/** EMA that begins with the simple average of the first `length` values. */
export const textbookEma = (line: Line, length: number): Line => seeded(line, length, 2 / (length + 1));

/** Wilder's smoothing (1978): the weight 1 / n; begins with the simple average. */
export const wilder = (line: Line, length: number): Line => seeded(line, length, 1 / length);

export const highest = (line: Line, length: number): Line =>
  rolling(line, length, (values) => Math.max(...values));
export const lowest = (line: Line, length: number): Line =>
  rolling(line, length, (values) => Math.min(...values));

export const deviation = (line: Line, length: number): Line =>
  rolling(line, length, (values) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2))));

export const median = ({ high, low }: Columns): Line =>
  each([high, low], (top, bottom) => (top + bottom) / 2);

export const typical = ({ high, low, close }: Columns): Line =>
  each([high, low, close], (top, bottom, last) => (top + bottom + last) / 3);

/** True range of Wilder (1978); at the first bar it is high less low. */
export const trueRange = ({ high, low, close }: Columns): Line =>
  close.map((_, index) => {
    const [top, bottom, before] = [Number(high[index]), Number(low[index]), close[index - 1]];
    return before === undefined
      ? top - bottom
      : Math.max(top, before ?? top) - Math.min(bottom, before ?? top);
  });

export const atr = (columns: Columns, length: number): Line => wilder(trueRange(columns), length);

/** Line of least squares, by deviations from the means; `at(0)` is at the oldest value. */
export function fitted(values: readonly number[]): { readonly slope: number; at(x: number): number } {
  const middle = (values.length - 1) / 2;
  const level = mean(values);
  const slope =
    sum(values.map((value, x) => (x - middle) * (value - level))) /
    sum(values.map((_, x) => (x - middle) ** 2));
  return { slope, at: (x) => level + slope * (x - middle) };
}

/** RSI of Wilder (1978), by average gains and losses. */
export function rsi(line: Line, length: number, over = 1): Line {
  const changes = change(line, over);
  const gains = wilder(
    each([changes], (value) => Math.max(value, 0)),
    length,
  );
  const losses = wilder(
    each([changes], (value) => Math.max(-value, 0)),
    length,
  );
  return each([gains, losses], (gain, loss) => (loss === 0 ? 100 : 100 - 100 / (1 + gain / loss)));
}
