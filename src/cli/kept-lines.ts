import { agoText, clockText, lengthText } from './time-text.ts';

/** What one kept piece may take of a screen. */
const MOST_LINES = 20;
/** Items of a list that are shown. */
const MOST_ITEMS = 8;

/** Numbers above this are times, not lengths: it is in 2001. */
const FIRST_TIME_MS = 1e12;

/** One value by its name, which tells the unit: `seenAtMs` is a time, `waitMs` a length. */
function valueText(name: string, value: unknown, nowMs: number): string {
  if (typeof value === 'number' && name.endsWith('Ms')) {
    return value >= FIRST_TIME_MS ? `${clockText(value, nowMs)} (${agoText(value, nowMs)})` : lengthText(value);
  }
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object on one line: names and values one after another. */
const inlineText = (value: unknown, nowMs: number): string =>
  isObject(value)
    ? Object.entries(value)
        .map(([name, each]) => `${name} ${valueText(name, each, nowMs)}`)
        .join(', ')
    : valueText('', value, nowMs);

/** The leaves of a value with the way to them. Lists are cut after a few items. */
function leavesOf(options: { path: string; value: unknown; nowMs: number }): (readonly [path: string, text: string])[] {
  const { path, value, nowMs } = options;
  const below = (name: string, each: unknown): (readonly [string, string])[] =>
    leavesOf({ path: path === '' ? name : `${path}.${name}`, value: each, nowMs });
  if (isObject(value)) {
    const entries = Object.entries(value);
    return entries.length === 0 ? [[path, 'none']] : entries.flatMap(([name, each]) => below(name, each));
  }
  if (!Array.isArray(value)) return [[path, valueText(path, value, nowMs)]];
  if (value.length === 0) return [[path, 'none']];
  const items = value.slice(0, MOST_ITEMS).map((item) => inlineText(item, nowMs));
  const more = value.length > MOST_ITEMS ? [`and ${value.length - MOST_ITEMS} more`] : [];
  if (!value.some(isObject)) return [[path, [...items, ...more].join(', ')]];
  return [...items, ...more].map((item, index) => [index === 0 ? path : '', item]);
}

/** What the engine or the daemon keeps under one name, as lines of names and values, whatever it is. */
export function keptLines(value: unknown, nowMs: number): string[] {
  const leaves = leavesOf({ path: '', value, nowMs });
  const shown = leaves.slice(0, MOST_LINES);
  const width = Math.max(...shown.map(([path]) => path.length));
  return [
    ...shown.map(([path, text]) => `  ${path.padEnd(width)}  ${text}`.trimEnd()),
    ...(leaves.length > MOST_LINES ? [`  and ${leaves.length - MOST_LINES} more, which --json shows`] : []),
  ];
}
