import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import { parseMarket } from './market-names.ts';

/**
 * Fields of replies, in every form that deployments use. JSON numbers that a float would change arrive here
 * as text (see `parseJson`), so nothing is rounded.
 */

const wireNumber = z.union([z.string(), z.number()]);
const wireNumberOrNull = z.union([z.string(), z.number(), z.null()]).optional();

/** Reads a decimal; null if the text is none. `4_000.0` occurs in the options. */
export function readDecimal(value: string | number): DecimalText | null {
  if (typeof value === 'string' && value.includes('_')) return tryDecimalText(value.replaceAll('_', ''));
  return tryDecimalText(value);
}

type Read<Value> = (value: string | number) => Value | null;

const fieldOf = <Value>(expected: string, read: Read<Value>) =>
  wireNumber.transform((value, context): Value => {
    const found = read(value);
    if (found !== null) return found;
    context.addIssue({ code: 'custom', message: `expected ${expected}`, input: value });
    return z.NEVER;
  });

/** Null if the field is missing, null or empty; any other unreadable text is an error. */
const fieldOrNull = <Value>(expected: string, read: Read<Value>) =>
  wireNumberOrNull.transform((value, context): Value | null => {
    if (value === undefined || value === null || value === '') return null;
    const found = read(value);
    if (found === null) context.addIssue({ code: 'custom', message: `expected ${expected}`, input: value });
    return found;
  });

export const decimalField = fieldOf('a decimal', readDecimal);
export const decimalOrNull = fieldOrNull('a decimal', readDecimal);

function readInteger(value: string | number): number | null {
  const number = typeof value === 'number' ? value : /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

export const integerField = fieldOf('a safe integer', readInteger);
export const integerOrNull = fieldOrNull('a safe integer', readInteger);

export const textField = wireNumber.transform(String);

export const textOrNull = wireNumberOrNull.transform((value): string | null =>
  value === undefined || value === null ? null : String(value),
);

export const flagOrNull = z
  .union([z.boolean(), z.string(), z.number(), z.null()])
  .optional()
  .transform((value): boolean | null => {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'boolean') return value;
    return !['false', 'no', '0'].includes(String(value).toLowerCase());
  });

/** Largest Unix time in seconds; a larger one is in milliseconds: in seconds it is after the year 5000. */
const LARGEST_SECONDS = 100_000_000_000;
const WITH_ZONE = /(?:[zZ]|[+-]\d{2}:?\d{2})$/;

/**
 * Reads a time in ms from ISO 8601, or from Unix time in seconds or milliseconds, which its size shows. Null
 * if it is neither. A text without an offset is UTC, never this machine's own zone.
 */
function readTimeMs(value: string | number): number | null {
  const number = typeof value === 'number' ? value : /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : null;
  if (number !== null) {
    const timeMs = Math.round(number > LARGEST_SECONDS ? number : number * 1000);
    return Number.isSafeInteger(timeMs) ? timeMs : null;
  }
  const iso = String(value);
  const timeMs = Date.parse(!iso.includes(':') || WITH_ZONE.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(timeMs) ? null : timeMs;
}

/** Null if the field is missing or holds no time: one bad date must not lose the rest of a reply. */
export const timeMsOrNull = wireNumberOrNull
  .catch(null)
  .transform((value): number | null =>
    value === undefined || value === null || value === '' ? null : readTimeMs(value),
  );

/**
 * Returns an object of entries whose names the exchange chooses. It has no prototype, so that no name in a
 * reply, such as `constructor`, can collide with one of JavaScript's own.
 */
export function withoutPrototype<Value>(
  entries: Iterable<readonly [string, Value]>,
): Readonly<Record<string, Value>> {
  const record = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) record[name] = value;
  return record;
}

/** An object whose names the exchange chooses; see `withoutPrototype`. */
export function recordOf<Item extends z.ZodType>(item: Item) {
  return z.record(z.string(), item).transform((entries) => withoutPrototype(Object.entries(entries)));
}

/** Markets by names that were read before. Bounded: beyond the bound a name is read again each time. */
const knownMarkets = new Map<string, MarketName | null>();
const KNOWN_MARKETS_LIMIT = 5000;

/** Returns the market of any spelling; null if it is unknown. */
export function readMarket(spelling: string): MarketName | null {
  const known = knownMarkets.get(spelling);
  if (known !== undefined) return known;
  let market: MarketName | null;
  try {
    market = parseMarket(spelling);
  } catch {
    market = null;
  }
  if (knownMarkets.size < KNOWN_MARKETS_LIMIT) knownMarkets.set(spelling, market);
  return market;
}

/** The market of a record; null if it is missing or its quote currency is unknown. */
export const marketOrNull = z
  .string()
  .nullish()
  .transform((value): MarketName | null =>
    value === undefined || value === null ? null : readMarket(value),
  );

export const side = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['buy', 'sell']));

/** One page of a list. `hasNext` is null if the reply does not tell. */
export interface ReplyPage<Item> {
  readonly items: readonly Item[];
  readonly hasNext: boolean | null;
}

/** Depth below which JSON that is passed on unread is cut off. */
const DEEPEST = 32;

function bare(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return null;
  if (Array.isArray(value)) return value.map((item) => bare(item, depth + 1));
  return withoutPrototype(Object.entries(value).map(([name, item]) => [name, bare(item, depth + 1)]));
}

/** JSON of any form, passed on as the exchange sent it; its objects have no prototype. */
export const anyValue = z.unknown().transform((value) => bare(value, 0));

/** Declares a reply that holds one page of records under `field`. */
export function pageOf<Item extends z.ZodType>(field: string, item: Item) {
  return z
    .object({ [field]: z.array(item), hasNext: flagOrNull })
    .transform((wire): ReplyPage<z.output<Item>> => {
      const { hasNext, [field]: items } = wire as { readonly hasNext: boolean | null } & Record<
        string,
        unknown
      >;
      return { items: items as readonly z.output<Item>[], hasNext };
    });
}
