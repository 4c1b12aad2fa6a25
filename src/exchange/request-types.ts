import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';
import {
  anyCase,
  anyCaseOf,
  DAY_TEXT,
  integerPattern,
  isLonger,
  listPattern,
  matches,
  POSITIVE_TEXT,
  WHOLE_TEXT,
  type TextPattern,
} from './request-rules.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { MINUTE_MS } from '../domain/time-text.ts';

/** Credential that a call needs: a permission of a key, `token`, or `merchant` in the body. */
export type Access = 'none' | 'optional-token' | 'token' | 'READ' | 'TRADE' | 'WITHDRAW' | 'merchant';

/**
 * One endpoint, declared once. The client, the simulator's routes, the limits table, the OpenAPI page and the
 * docs are made from it.
 * `request` has the wire's own field names; parsing it gives the fields to send. `reply` reads the wire's
 * body, in any of its forms, into the normalised value for callers.
 */
export interface Endpoint<
  Name extends string = string,
  Request extends z.ZodObject = z.ZodObject,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Other methods that deployments accept, too. */
  readonly alsoMethods?: readonly ('GET' | 'POST')[];
  /** Path with `{name}` for path parameters, which are fields of `request` too. */
  readonly path: string;
  readonly access: Access;
  readonly budget: Budget;
  /** True if a repeated call changes nothing, so that a caller may retry it. */
  readonly idempotent: boolean;
  readonly sends: 'query' | 'json' | 'nothing';
  readonly timeoutMs: number;
  /** True if wrong fields can be answered with HTTP 200 and a failed body; else it is HTTP 400. */
  readonly failsInBody?: true;
  readonly request: Request;
  readonly reply: Reply;
  /** Example of a request for the command line. A secret is written as its place, `env:NAME`. */
  readonly example: z.input<Request>;
  /** Purpose of the endpoint in one sentence. */
  readonly summary: string;
  /** Heading in the interface specification. */
  readonly section: string;
  readonly deprecated?: true;
  readonly experimental?: true;
}

const NO_FIELDS = z.object({});

type Method = Endpoint['method'];

/** Declaration of an endpoint; a field that is left out has its usual value. */
interface Declaration<Name extends string, Request extends z.ZodObject, Reply extends z.ZodType> extends Omit<
  Endpoint<Name, Request, Reply>,
  'method' | 'alsoMethods' | 'path' | 'idempotent' | 'sends' | 'timeoutMs' | 'request' | 'example' | 'section'
> {
  /** Method and path; a second method is one that deployments accept, too. */
  readonly route: `${Method} /${string}` | `${Method}|POST /${string}`;
  /** Default: true for a GET. */
  readonly idempotent?: boolean;
  /** Default: nothing if there are no fields, else the query for a GET, and JSON otherwise. */
  readonly sends?: Endpoint['sends'];
  readonly timeoutMs?: number;
  readonly section?: string;
  readonly request?: Request;
  readonly example?: z.input<Request>;
}

/** Returns a function that declares endpoints of a section and keeps the types of their shapes. */
export function endpointsOf(section: string, usualTimeoutMs: number) {
  return function endpoint<
    Name extends string,
    Reply extends z.ZodType,
    Request extends z.ZodObject = typeof NO_FIELDS,
  >(declaration: Declaration<Name, Request, Reply>): Endpoint<Name, Request, Reply> {
    const { route, idempotent, sends, timeoutMs = usualTimeoutMs, example, ...rest } = declaration;
    const [methods = '', path = ''] = route.split(' ');
    const [method, also] = methods.split('|') as [Method, 'POST'?];
    const byMethod = method === 'GET' ? 'query' : 'json';
    return {
      ...rest,
      request: declaration.request ?? (NO_FIELDS as unknown as Request),
      example: example ?? ({} as z.input<Request>),
      method,
      ...(also === undefined ? {} : { alsoMethods: [also] }),
      path,
      idempotent: idempotent ?? method === 'GET',
      sends: sends ?? (declaration.request === undefined ? 'nothing' : byMethod),
      timeoutMs,
      section: declaration.section ?? section,
    };
  };
}

/** Limit that is assumed if the interface states none: 30 per minute. */
const ASSUMED_LIMIT = 30;

interface Limit {
  readonly per: Budget['per'];
  readonly limit: number;
  readonly minutes?: number;
  readonly hasReserve?: boolean;
}

/** Returns a limit of the interface's table ("Limits"), per minute by default, named after the path. */
export function budget(name: string, { per, limit, minutes = 1, hasReserve = false }: Limit): Budget {
  return { name, limit, windowMs: minutes * MINUTE_MS, per, assumed: false, hasReserve };
}

/** Returns a limit for an endpoint for which the interface states none. */
export function assumedBudget(name: string, per: Budget['per'], limit = ASSUMED_LIMIT): Budget {
  return { name, limit, windowMs: MINUTE_MS, per, assumed: true };
}

/**
 * Fields of requests. A caller may write a value in several forms (numbers as text or as numbers, flags as
 * words); it is sent in one. Messages begin with "expected", so that the encoder can add the field. Each type
 * is declared in one place: `page` is for the OpenAPI page, `read` for the check.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

interface Field<Output> {
  readonly page: JsonSchema;
  /** Text such as `a positive decimal`. */
  readonly expected: string;
  /** Returns null for a value that the field does not accept. */
  readonly read: (value: unknown) => Output | null;
  /** Returns the interface's own code for an unacceptable value; `ParseError` if it is left out. */
  readonly refusedWith?: (value: unknown) => string | undefined;
}

function field<Input, Output>({ page, expected, read, refusedWith }: Field<Output>) {
  // `any` accepts everything at once, and `custom` costs ten times as much: every order passes here.
  const anything: z.ZodType<Input, Input> = z.any().meta(page);
  return anything.transform((value, context): Output => {
    const output = read(value);
    if (output !== null) return output;
    const exchangeCode = value === undefined ? undefined : refusedWith?.(value);
    const message = `expected ${expected}`;
    context.addIssue({ code: 'custom', message, input: value, params: { exchangeCode } });
    return z.NEVER;
  });
}

const textPage = (text: TextPattern): JsonSchema => ({ type: 'string', ...text });

/** Declares a field that is text of a pattern. */
const patterned = (
  text: TextPattern,
  options: {
    readonly expected: string;
    readonly refusedWith?: string;
    readonly send?: (text: string) => string;
  },
) =>
  field<string, string>({
    page: textPage(text),
    expected: options.expected,
    read: (value) =>
      typeof value === 'string' && matches(text, value) ? (options.send?.(value) ?? value) : null,
    refusedWith: () => options.refusedWith,
  });

/** Largest number of fifteen digits: ids, Unix times and rial are far below, and a float holds it exactly. */
const LARGEST = 999_999_999_999_999;
/** Smallest float of a request: from here to the largest, no float needs more than 40 characters. */
const SMALLEST = 1e-18;

function readDecimal(value: unknown, text: TextPattern): DecimalText | null {
  if (typeof value === 'string') return matches(text, value) ? tryDecimalText(value) : null;
  return typeof value === 'number' && value >= SMALLEST && value <= LARGEST ? tryDecimalText(value) : null;
}

const DECIMAL_PAGE = {
  anyOf: [textPage(POSITIVE_TEXT), { type: 'number', minimum: SMALLEST, maximum: LARGEST }],
};

/** Codes for a decimal that is not above zero, and for an unreadable one; `ParseError` if left out. */
interface DecimalCodes {
  readonly zero?: string;
  readonly negative?: string;
  readonly unreadable?: string;
}

function decimalCode(value: unknown, codes: DecimalCodes): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? tryDecimalText(value) : null;
  if (text === '0') return codes.zero;
  return text?.startsWith('-') === true ? codes.negative : codes.unreadable;
}

/** Declares a decimal above zero, for every price and amount of a request. Sent as canonical text. */
export const positiveInput = (codes: DecimalCodes = {}) =>
  field<string | number, DecimalText>({
    page: DECIMAL_PAGE,
    expected: 'a positive decimal',
    read: (value) => readDecimal(value, POSITIVE_TEXT),
    refusedWith: (value) => decimalCode(value, codes),
  });

/** Declares a whole number of rial above zero. Sent as canonical text. */
export const wholeRial = () =>
  field<string | number, DecimalText>({
    page: { anyOf: [textPage(WHOLE_TEXT), { type: 'integer', minimum: 1, maximum: LARGEST }] },
    expected: 'a whole number of rial above zero',
    read: (value) =>
      typeof value === 'number' && !Number.isInteger(value) ? null : readDecimal(value, WHOLE_TEXT),
  });

/** Declares a positive number that is not money, such as a count of hours. */
export const positiveNumber = () =>
  field<string | number, number>({
    page: DECIMAL_PAGE,
    expected: 'a positive number',
    read: (value) => {
      const text = readDecimal(value, POSITIVE_TEXT);
      return text === null ? null : Number(text);
    },
  });

interface Range {
  /** Lower bound: 0 or a power of ten. */
  readonly least: number;
  readonly most?: number;
}

function integerRange({ least, most = LARGEST }: Range) {
  const text = integerPattern(least, most);
  return {
    page: [textPage(text), { type: 'integer', minimum: least, maximum: most }] as const,
    read: (value: unknown): number | null => {
      if (typeof value === 'string') return matches(text, value) ? Number(value) : null;
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
        ? value
        : null;
    },
  };
}

/** Declares a whole number from `least` to `most`, both included. Sent as a number. */
export function integer(range: Range) {
  const { page, read } = integerRange(range);
  const end = range.most === undefined ? '' : ` to ${range.most}`;
  return field<string | number, number>({
    page: { anyOf: page },
    expected: `an integer from ${range.least}${end}`,
    read,
  });
}

const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

const FLAG_TEXT = anyCaseOf([...FLAG_WORDS.keys()]);

/** Declares a boolean, also written `yes`, `no`, `true`, `false`, `1` or `0`. Sent as a boolean. */
export const flag = () =>
  field<boolean | string | number, boolean>({
    page: { anyOf: [{ type: 'boolean' }, textPage(FLAG_TEXT), { enum: [0, 1] }] },
    expected: 'a boolean',
    read: (value) => {
      if (typeof value === 'boolean') return value;
      if (typeof value !== 'string' && typeof value !== 'number') return null;
      return FLAG_WORDS.get(String(value).toLowerCase()) ?? null;
    },
  });

/** Declares one of a few words, accepted in any case and sent as it is written here. */
export const word = <const Word extends string>(words: readonly Word[]) =>
  field<Word, Word>({
    page: { anyOf: [{ enum: words }, textPage(anyCaseOf(words))] },
    expected: words.map((one) => JSON.stringify(one)).join(' or '),
    read: (value) =>
      typeof value === 'string'
        ? (words.find((one) => one.toLowerCase() === value.toLowerCase()) ?? null)
        : null,
  });

const CURRENCY = '[A-Za-z0-9_]{1,20}';
const lowerCase = (text: string): string => text.toLowerCase();
const listText = (text: string): string => text.replaceAll(' ', '').toLowerCase();

/** Declares a currency symbol, sent in lower case. */
export const currency = (refusedWith?: string) =>
  patterned(
    { pattern: `^${CURRENCY}$` },
    {
      expected: 'a currency symbol such as "btc"',
      send: lowerCase,
      ...(refusedWith === undefined ? {} : { refusedWith }),
    },
  );

/** Declares one or more currency symbols, separated by commas. */
export const currencyList = () =>
  patterned(listPattern(CURRENCY), { expected: 'currency symbols such as "btc,eth"', send: listText });

/** Declares one or more of a few words, separated by commas. */
export const wordsOf = (words: readonly string[]) =>
  patterned(listPattern(`(?:${words.map(anyCase).join('|')})`), {
    expected: `${words.join(', ')} or more of them separated by commas`,
    send: listText,
  });

/** Declares a market symbol of public paths, sent in upper case. */
export const symbolInput = () =>
  patterned(
    { pattern: '^[A-Za-z0-9_]{2,40}$' },
    { expected: 'a market symbol such as "BTCIRT"', send: (text) => text.toUpperCase() },
  );

/** Declares a client order id: at most 32 letters, digits and hyphens. */
export const clientOrderId = () =>
  patterned({ pattern: '^[A-Za-z0-9-]{1,32}$' }, { expected: 'at most 32 letters, digits and hyphens' });

/** Declares a day in the form of the lists' time filters. */
export const day = () => patterned(DAY_TEXT, { expected: 'a day as YYYY-MM-DD' });

/** Declares text of a form that has no name in the interface, such as an address. */
export const textLike = (pattern: string, expected: string) => patterned({ pattern }, { expected });

/** Declares text that must not be empty, with a bound on its length in characters. */
export const text = (most = 255) =>
  z
    .string({ error: 'expected text' })
    .min(1, 'expected text')
    .refine((value) => !isLonger(value, most), `expected at most ${most} characters`)
    .meta({ maxLength: most });

/** Declares secret text: no message, dry run or log shows it. */
export const secretText = (most?: number) => text(most).meta({ format: 'password' });

/** Returns true if a field was declared as `secretText`. */
export const isSecretText = (field: z.ZodType): boolean => field.meta()?.['format'] === 'password';

/** Declares text that is often a number, such as an account number: also accepted as one. Sent as text. */
export const textOrInteger = (most = 255) => {
  const { page, read } = integerRange({ least: 0 });
  return field<string | number, string>({
    page: { anyOf: [{ type: 'string', minLength: 1, maxLength: most }, page[1]] },
    expected: `text of at most ${most} characters`,
    read: (value) => {
      if (typeof value === 'string') return value === '' || isLonger(value, most) ? null : value;
      return read(value)?.toString() ?? null;
    },
  });
};

/** Declares the id of a wallet, sent as text. */
export const walletId = () => {
  const { page, read } = integerRange({ least: 1 });
  return field<string | number, string>({
    page: { anyOf: page },
    expected: "a wallet's id",
    read: (value) => read(value)?.toString() ?? null,
  });
};

const ALL = anyCaseOf(['all']);

/** Declares the id of a wallet, or `all`; sent as text. */
export const walletIdOrAll = () => {
  const { page, read } = integerRange({ least: 1 });
  return field<string | number, string>({
    page: { anyOf: [...page, textPage(ALL)] },
    expected: "a wallet's id, or all",
    read: (value) =>
      typeof value === 'string' && matches(ALL, value) ? 'all' : (read(value)?.toString() ?? null),
  });
};
