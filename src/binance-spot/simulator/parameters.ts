import { refusals, SpotRefusal } from './refusal.ts';
import { parseJson } from '../../domain/stored-json.ts';

/** One parameter of an endpoint: how its text is read, and whether it must be there. */
export interface SpotParameter<Value, IsRequired extends boolean = boolean> {
  readonly read: (text: string, name: string) => Value;
  readonly isRequired: IsRequired;
}

/** Parameters of an endpoint by name. */
export type Parameters = Readonly<Record<string, SpotParameter<unknown>>>;

/** Values of parameters: an optional one that was not sent is undefined. */
export type ValuesOf<Declared extends Parameters> = {
  readonly [Name in keyof Declared]: Declared[Name] extends SpotParameter<infer Value, infer IsRequired>
    ? IsRequired extends true
      ? Value
      : Value | undefined
    : never;
};

const declared =
  <Value>(read: (text: string, name: string) => Value): (() => SpotParameter<Value, true>) =>
  () => ({ read, isRequired: true });

export const optionalParameter = <Value>({ read }: SpotParameter<Value>): SpotParameter<Value, false> => ({
  read,
  isRequired: false,
});

function matched(pattern: RegExp, text: string, name: string, shown = pattern.source): string {
  if (!pattern.test(text)) throw refusals.illegal(name, shown);
  return text;
}

/** One of some words; others are refused with a code of their own. */
export const oneOfWords = <const Words extends readonly string[]>(
  words: Words,
  refuse: (name: string) => SpotRefusal = refusals.invalid,
): SpotParameter<Words[number], true> => ({
  isRequired: true,
  read(text, name) {
    const found = words.find((each) => each === text);
    if (found === undefined) throw refuse(name);
    return found;
  },
});

const MOST_LONG = 2n ** 63n - 1n;

/** Non-negative integer of at most 2^53, the largest id that this exchange makes. */
export const long = declared((text, name): number => {
  const value = BigInt(matched(/^[0-9]{1,20}$/, text, name));
  if (value > MOST_LONG) throw refusals.overflow(name);
  return Number(value);
});

/** Number of rows: from 1; more than `most` is `most`. */
export const limitParameter = (most: number): SpotParameter<number, false> =>
  optionalParameter({
    isRequired: true,
    read(text, name) {
      const value = long().read(text, name);
      if (value === 0) throw refusals.invalid(name);
      return Math.min(value, most);
    },
  });

/** From this number on a time is in microseconds: in milliseconds it would be the year 5138. */
const LEAST_MICROSECONDS = 100_000_000_000_000;
/** Earliest time that requests may name: 2017-01-01. */
export const FIRST_TIME_MS = 1_483_228_800_000;

/** Milliseconds or microseconds, as milliseconds with a fraction. */
export const instant = declared((text, name): number => {
  const value = long().read(text, name);
  return value >= LEAST_MICROSECONDS ? value / 1_000 : value;
});

/** Plain decimal, as its text: what it means depends on the market. */
export const plainDecimal = declared((text, name): string =>
  matched(/^([0-9]{1,20})(\.[0-9]{1,20})?$/, text, name),
);

export const clientId = declared((text, name): string => matched(/^[a-zA-Z0-9-_]{1,36}$/, text, name));

export const symbolText = declared((text, name): string =>
  matched(/^[\p{L}\p{N}_.-]{1,20}$/u, text, name, '^[A-Z0-9-_.]{1,20}$'),
);

export const trueOrFalse = declared(
  (text, name): boolean => oneOfWords(['true', 'false']).read(text, name) === 'true',
);

/** Time in milliseconds with at most three decimals. */
export const recvWindowText = declared((text, name): number =>
  Number(matched(/^[0-9]{1,20}(\.[0-9]{1,3})?$/, text, name)),
);

const MOST_SYMBOLS = 100;

/** List of symbols as JSON. */
export const symbolList = (most = Number.POSITIVE_INFINITY): SpotParameter<readonly string[], true> => ({
  isRequired: true,
  read(text, name) {
    const list = jsonList(text);
    if (list === null) throw refusals.json(name);
    if (list.length === 0) throw refusals.invalid(name);
    if (list.length > most) throw refusals.listTooLong(name, most);
    if (new Set(list).size !== list.length)
      throw new SpotRefusal(-1151, 'Symbol is present multiple times in the list.');
    return list.map((each) => symbolText().read(each, name));
  },
});

export const shortSymbolList = (): SpotParameter<readonly string[], true> => symbolList(MOST_SYMBOLS);

/** Reads a JSON list of texts; null if it is none. */
export function jsonList(text: string): readonly string[] | null {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return null;
  }
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null;
}

/** Offset of a time zone from UTC in minutes: `8`, `-1:00`, `05:45`; from -12:00 to +14:00. */
export const timeZone = declared((text, name): number => {
  const found = /^([+-]?)(\d{1,2})(?::(\d{2}))?$/.exec(text);
  const [, sign = '', hours = '', minutes = '0'] = found ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  const offset = sign === '-' ? -size : size;
  if (found === null || Number(minutes) > 59 || offset < -720 || offset > 840) throw refusals.invalid(name);
  return offset;
});

/** Longest query and body that are read, and most parameters in them. */
const MOST_PARAMETERS = 200;

/** Returns the decoded text of a percent-encoded name or value; null if it is malformed. */
function decoded(text: string): string | null {
  try {
    // What was sent arrives as one character a byte; a byte that was not encoded is encoded here.
    return decodeURIComponent(
      text
        .replaceAll('+', ' ')
        .replaceAll(/[\u0080-\u00FF]/g, (byte) => `%${byte.codePointAt(0)?.toString(16) ?? ''}`),
    );
  } catch {
    return null;
  }
}

/** Parameters as they were sent. */
export interface SentParameters {
  readonly values: ReadonlyMap<string, string>;
  /** Refusal that the texts call for on their own; null if they can be read. */
  readonly refusal: SpotRefusal | null;
}

/** Reads the query and the form body: of a name in both, the query's value holds. */
export function readSent(query: string, body: string): SentParameters {
  const values = new Map<string, string>();
  let refusal: SpotRefusal | null = null;
  let count = 0;
  for (const part of [query, body]) {
    const seen = new Set<string>();
    for (const pair of part.split('&', MOST_PARAMETERS + 1)) {
      if (pair === '') continue;
      count += 1;
      const at = pair.indexOf('=');
      const name = decoded(at === -1 ? pair : pair.slice(0, at));
      const value = decoded(at === -1 ? '' : pair.slice(at + 1));
      if (name === null || value === null) {
        refusal ??= refusals.illegal(name ?? pair.slice(0, 40), 'percent-encoded UTF-8');
        continue;
      }
      if (seen.has(name)) refusal ??= refusals.duplicate();
      seen.add(name);
      if (!values.has(name)) values.set(name, value);
    }
  }
  if (count > MOST_PARAMETERS) refusal = refusals.tooMany(MOST_PARAMETERS, count);
  return { values, refusal };
}

/** Reads the declared parameters. Refuses one that is missing, unreadable, or not declared. */
export function readValues<Declared extends Parameters>(
  declaredParameters: Declared,
  { values, refusal }: SentParameters,
): ValuesOf<Declared> {
  if (refusal !== null) throw refusal;
  const found: Record<string, unknown> = {};
  let read = 0;
  for (const [name, parameter] of Object.entries(declaredParameters)) {
    const text = values.get(name);
    if (text === undefined) {
      if (parameter.isRequired) throw refusals.mandatory(name);
      continue;
    }
    read += 1;
    if (text === '') throw refusals.empty(name);
    found[name] = parameter.read(text, name);
  }
  if (read < values.size) throw refusals.unread(read, values.size);
  return found as ValuesOf<Declared>;
}

/** Returns what is signed: a query or body as sent, without the signature. */
export const withoutSignature = (text: string): string =>
  text
    .split('&')
    .filter((pair) => !pair.startsWith('signature='))
    .join('&');
