import { foreignText } from '../report-words.ts';
import type { FigureKind, ReportParameter } from '../study-data.ts';
import { figureText, percentTick, shortNumber } from './study-page.ts';

export interface PictureAxis {
  readonly title: string;
  /** Part of the axis below a value: 0 to 1. */
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

const TICKS = 6;

/** The axis of a param, over its whole range. */
export function rangeAxis({ name, isChoice, cells, isLog, min, max }: ReportParameter): PictureAxis {
  const title = foreignText(name);
  if (!isChoice) return scaleOf({ title, low: min, high: max, isLog, text: shortNumber });
  return {
    title,
    place: (value) => (value + 0.5) / cells.length,
    ticks: cells.map((text, at) => ({ at, text: foreignText(text) })),
  };
}

/** The axis of a figure, over what its values are. */
export function figureAxis(
  { title, kind }: { readonly title: string; readonly kind: FigureKind },
  values: Iterable<number | null | undefined>,
): PictureAxis {
  let { low, high } = extentOf(values);
  if (low > high) [low, high] = [0, 1];
  const margin = (high - low) * 0.04 || Math.abs(high) * 0.1 || 1;
  return scaleOf({
    title,
    low: low - margin,
    high: high + margin,
    isLog: false,
    text: (value) => (kind === 'fraction' ? percentTick(100 * value) : figureText(value, kind)),
  });
}

/** The lowest and the highest of some values; of none the lowest is above the highest. */
export function extentOf(values: Iterable<number | null | undefined>): {
  readonly low: number;
  readonly high: number;
} {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}

function scaleOf(of: {
  readonly title: string;
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
  readonly text: (value: number) => string;
}): PictureAxis {
  const { title, low, high, isLog, text } = of;
  const onLine = (value: number): number => (isLog ? Math.log(value) : value);
  const [from, to] = [onLine(low), onLine(high)];
  return {
    title,
    place: (value) => (to === from ? 0.5 : (onLine(value) - from) / (to - from)),
    ticks: (isLog ? logTicks(low, high) : evenTicks(low, high)).map((at) => ({ at, text: text(at) })),
  };
}

/** Round numbers within a range, about six. */
function evenTicks(low: number, high: number): readonly number[] {
  const raw = (high - low) / TICKS;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toFixed(decimals)));
}

/** Powers of ten, and where these are few twice and five times as much. */
function logTicks(low: number, high: number): readonly number[] {
  const powers = Math.log10(high / low);
  const factors = powers > 4 ? [1] : powers > 1.5 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1)
    for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(3)));
  return ticks.filter((at) => at >= low && at <= high);
}
