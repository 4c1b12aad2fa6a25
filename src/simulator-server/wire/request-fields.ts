import { isObject, parseJson } from '../../domain/stored-json.ts';
import { DAY_MS } from '../../domain/time-text.ts';
import { fractionDigits, tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { UNIT_DECIMALS, unitsOf, divideDown, divideHalfEven } from '../../domain/money.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import { failedAnswer, type WireAnswer, type WireCall, type WireHandler, type WireInput } from './handler.ts';
import type { z } from 'zod';
import { invariant } from '../../domain/errors.ts';
import { ENDPOINTS, type EndpointName } from '../../exchange/endpoints.ts';
import { accept, refuse, type Refusal, type Result, type PlaceOrder } from '../../simulator/requests.ts';
import { withoutPrototype } from '../../exchange/reply-types.ts';
import type { Execution } from '../../domain/order.ts';

/** A number of a JSON body as it was written, if a float might change it: `0.1`, `1e20`. No text. */
class BareNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Returns a number of a JSON body as a float if it is a safe integer, such as `1.0`; else with its text. */
const bareNumber = (float: number, text: string): number | BareNumber =>
  Number.isSafeInteger(float) && tryDecimalText(text) === String(float) ? float : new BareNumber(text);

/** Reads a field as text; null if it is missing, empty, or neither text nor number. */
export function textInput(input: WireInput, name: string): string | null {
  const value = input[name];
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || value instanceof BareNumber ? String(value) : null;
}

/** Reads a decimal in units; null if it has more decimals than the books keep. */
export const tryUnits = (decimal: DecimalText): bigint | null =>
  fractionDigits(decimal) > UNIT_DECIMALS ? null : unitsOf(decimal);

/** Scales a decimal and a step by one power of ten, so that both are whole numbers. */
function scaled(text: DecimalText, step: bigint): { readonly value: bigint; readonly step: bigint } {
  const digits = fractionDigits(text);
  if (digits <= UNIT_DECIMALS) return { value: unitsOf(text), step };
  return { value: BigInt(text.replace('.', '')), step: step * 10n ** BigInt(digits - UNIT_DECIMALS) };
}

function decimalField(input: WireInput, name: string): DecimalText | null | undefined {
  const value = input[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (value instanceof BareNumber) return tryDecimalText(value.text);
  return typeof value === 'string' || typeof value === 'number' ? tryDecimalText(value) : null;
}

/**
 * Reads a price in steps, with digits beyond the step rounded half-even. Null if it is missing; NaN if it is
 * no decimal. Beyond 2^53 steps it is no safe integer, which the exchange refuses as a price.
 */
function priceStepsField(input: WireInput, name: string, priceStep: bigint): number | null {
  const text = decimalField(input, name);
  if (text === undefined) return null;
  if (text === null) return Number.NaN;
  const { value, step } = scaled(text, priceStep);
  return Number(divideHalfEven(value, step));
}

/** Reads an amount in steps; digits beyond the step are cut off. NaN if it is missing or no decimal. */
function amountStepsField(input: WireInput, name: string, amountStep: bigint): number {
  const text = decimalField(input, name);
  if (text === undefined || text === null) return Number.NaN;
  const { value, step } = scaled(text, amountStep);
  return Number(divideDown(value, step));
}

/** Reads the filters `from` and `to`: days as YYYY-MM-DD in UTC, included. 29 February may be 1 March. */
export function dayRange(days: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly fromMs: number;
  readonly beforeMs: number;
} {
  return {
    fromMs: days.from === undefined ? Number.NEGATIVE_INFINITY : dayStartMs(days.from),
    beforeMs: days.to === undefined ? Number.POSITIVE_INFINITY : dayStartMs(days.to) + DAY_MS,
  };
}

const dayStartMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** True if the exchange has a currency (lower case), in one of its markets or in its settings. */
export function isKnownCurrency(exchange: SimulatedExchange, currency: string): boolean {
  if (currency === 'rls' || currency === 'usdt' || exchange.services.hasCurrency(currency)) return true;
  const upper = currency.toUpperCase();
  return (
    exchange.markets.has(`${upper}IRT` as MarketSymbol) ||
    exchange.markets.has(`${upper}USDT` as MarketSymbol)
  );
}

type Fields<Name extends EndpointName> = z.output<(typeof ENDPOINTS)[Name]['request']>;

/** Reason that a request is not as the endpoint declares it. */
interface RequestRefusal extends Refusal {
  /** True if each field is valid by itself, but not all of them together. */
  readonly isRule: boolean;
}

/** Returns a number of a body with all its digits if the field accepts its float; else the float. */
function numberFor(field: z.ZodType | undefined, { text }: BareNumber): string | number {
  const float = Number(text);
  return field?.safeParse(float).success === true ? (tryDecimalText(text) ?? Number.NaN) : float;
}

/**
 * Reads the fields of path, query and body as the endpoint declares them. Unknown fields are ignored; an
 * empty or null field counts as omitted. Refused with `ParseError`, or, if every problem has a code of the
 * interface, with the first of these.
 */
export function readRequest<Name extends EndpointName>(
  name: Name,
  call: Pick<WireCall, 'input' | 'path'>,
): { readonly ok: true; readonly value: Fields<Name> } | RequestRefusal {
  const { request } = ENDPOINTS[name];
  const shape: Readonly<Record<string, z.ZodType>> = request.shape;
  // By hand and not by lists of entries: this is on the way of every request.
  const given: Record<string, unknown> = { __proto__: null };
  for (const field of Object.keys(call.input)) {
    const value = call.input[field];
    if (value === '' || value === null) continue;
    given[field] = value instanceof BareNumber ? numberFor(shape[field], value) : value;
  }
  for (const field of Object.keys(call.path)) given[field] = call.path[field];
  const read = request.safeParse(given);
  if (read.success) return accept(read.data as Fields<Name>);
  const issues = read.error.issues.map((issue) => ({
    code: codeOf(issue),
    isRule: issue.code === 'custom' && issue.params?.['isRule'] === true,
    message: `${issue.path.map(String).join('.')}: ${issue.message}`,
  }));
  const [first] = issues.filter(({ code }) => code === null).concat(issues);
  invariant(first !== undefined, 'expected an issue of a request that is not taken, was none');
  return { ...refuse(first.code ?? 'ParseError', first.message), isRule: first.isRule };
}

/** Makes a handler that reads a request as declared. A refusal, also by `answer`, becomes a failed reply. */
export const answering =
  <Name extends EndpointName>(
    name: Name,
    answer: (request: Fields<Name>, call: WireCall) => WireAnswer | Refusal,
  ): WireHandler =>
  (call) => {
    const request = readRequest(name, call);
    const answered = request.ok ? answer(request.value, call) : request;
    return 'ok' in answered ? failedAnswer(answered, call.forms) : answered;
  };

function codeOf(issue: z.core.$ZodIssue): string | null {
  const code: unknown = issue.code === 'custom' ? issue.params?.['exchangeCode'] : undefined;
  return typeof code === 'string' && code !== 'ParseError' ? code : null;
}

const NOTHING: WireInput = withoutPrototype([]);

interface SentBody {
  readonly body: string;
  readonly contentType: string;
  /** True if both kinds of forms are accepted besides JSON. */
  readonly acceptsForms: boolean;
}

/**
 * Reads the fields of query and body into one object; the body takes precedence, and of a repeated name the
 * last. The object has no prototype, so that every name is an ordinary field. Null if the body is neither a
 * JSON object nor, where forms are accepted, a form. The body of a GET is signed like any other, but has no
 * fields; nor has an empty body of any type.
 */
export function readInput(
  request: SentBody & { readonly method: string; readonly query: string },
): WireInput | null {
  const { query, body } = request;
  if (request.method === 'GET' || body.trim() === '')
    return query === '' ? NOTHING : withoutPrototype(new URLSearchParams(query));
  const fields = readBody(request);
  if (fields === null || query === '') return fields;
  return withoutPrototype([...new URLSearchParams(query), ...Object.entries(fields)]);
}

function readBody(sent: SentBody): WireInput | null {
  const type = sent.contentType.toLowerCase();
  if (type.startsWith('multipart/form-data')) {
    const fields = sent.acceptsForms ? readMultipart(sent.body, sent.contentType) : null;
    return fields === null ? null : withoutPrototype(fields);
  }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    if (!sent.acceptsForms) return null;
    // Some tools send JSON under the content type of a form by default.
    if (!sent.body.startsWith('{')) return withoutPrototype(new URLSearchParams(sent.body));
  }
  return readJson(sent.body);
}

function readJson(text: string): WireInput | null {
  let exact: unknown;
  try {
    exact = parseJson(text);
  } catch {
    return null;
  }
  if (!isObject(exact)) return null;
  // What a float may change has come as text, which only a second reading distinguishes from text that was
  // sent as such.
  const floats: unknown = Object.values(exact).some(isBareNumber) ? JSON.parse(text) : exact;
  if (floats === exact || !isObject(floats)) return withoutPrototype(Object.entries(exact));
  return withoutPrototype(
    Object.entries(exact).map(([name, value]) => {
      const float = floats[name];
      return [
        name,
        typeof value === 'string' && typeof float === 'number' ? bareNumber(float, value) : value,
      ];
    }),
  );
}

const isBareNumber = (value: unknown): boolean =>
  typeof value === 'string' && /^-?[0-9][0-9.eE+-]*$/.test(value);

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i;
const NAME = /^content-disposition:[^\r\n]*?;\s*name=(?:"([^"]*)"|([^\s;]+))/im;

/**
 * Reads the fields of a `multipart/form-data` body in order; null if it is none. Files are fields whose value
 * is their text. A body may have no field at all. Source: RFC 7578.
 */
export function readMultipart(
  body: string,
  contentType: string,
): readonly (readonly [string, string])[] | null {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) return null;
  // Each delimiter begins a line, so that a value which merely contains it is not cut.
  const [preamble, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`);
  const end = parts.pop();
  if (preamble === undefined || end === undefined || !end.startsWith('--')) return null;
  const fields: (readonly [string, string])[] = [];
  for (const part of parts) {
    const gap = part.indexOf('\r\n\r\n');
    const name = NAME.exec(part.slice(0, Math.max(0, gap)).trimStart());
    if (gap === -1 || name === null) return null;
    fields.push([name[1] ?? name[2] ?? '', part.slice(gap + 4)]);
  }
  return fields;
}

const EXECUTIONS: ReadonlySet<string> = new Set<Execution>(['limit', 'market', 'stop_limit', 'stop_market']);
const CLIENT_ORDER_ID = /^[A-Za-z0-9-]{1,32}$/;
const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [undefined, false],
  [null, false],
  ['', false],
  [true, true],
  [false, false],
  ['yes', true],
  ['true', true],
  ['1', true],
  [1, true],
  ['no', false],
  ['false', false],
  ['0', false],
  [0, false],
]);

function wordField(input: WireInput, name: string, whenAbsent: string): string | null {
  const value = input[name];
  if (value === undefined || value === null || value === '') return whenAbsent;
  return typeof value === 'string' ? value.toLowerCase() : null;
}

const unreadable = (field: string, expected: string): Refusal =>
  refuse('ParseError', `${field}: expected ${expected}`);

/**
 * Reads an order request, without a schema because every microsecond counts. Missing or unreadable prices are
 * left to the exchange, which answers `InvalidOrderPrice`. Refused: `ParseError`, `InvalidMarketPair`,
 * `SmallOrder` for an amount below one step, `OverValueOrder` for one that no number holds. Source:
 * interface, `POST /market/orders/add`.
 */
export function readPlaceOrder(input: WireInput, exchange: SimulatedExchange): Result<PlaceOrder> {
  const side = wordField(input, 'type', '');
  if (side !== 'buy' && side !== 'sell') return unreadable('type', 'buy or sell');
  const execution = wordField(input, 'execution', 'limit');
  if (execution === null || !EXECUTIONS.has(execution))
    return unreadable('execution', 'limit, market, stop_limit or stop_market');
  const mode = wordField(input, 'mode', 'default');
  if (mode !== 'default' && mode !== 'oco') return unreadable('mode', 'default or oco');
  if (mode === 'oco' && execution !== 'limit') return unreadable('execution', 'limit with mode oco');
  const sentPro = input['pro'];
  const pro = FLAGS.get(typeof sentPro === 'string' ? sentPro.toLowerCase() : sentPro);
  if (pro === undefined) return unreadable('pro', 'a boolean');
  const sentId = input['clientOrderId'] ?? null;
  const clientOrderId = sentId === '' ? null : sentId;
  if (clientOrderId !== null && (typeof clientOrderId !== 'string' || !CLIENT_ORDER_ID.test(clientOrderId)))
    return unreadable('clientOrderId', 'at most 32 letters, digits and hyphens');
  const base = wordField(input, 'srcCurrency', '');
  const quote = wordField(input, 'dstCurrency', '');
  if (base === '' || quote === '' || base === null || quote === null)
    return unreadable('srcCurrency', 'two currency symbols, srcCurrency and dstCurrency');
  const market = quote === 'rls' || quote === 'usdt' ? exchange.marketOf(base, quote) : undefined;
  if (market === undefined) return refuse('InvalidMarketPair', `No market of ${base} and ${quote}`);
  const { symbol, priceStep, amountStep } = market.rules;
  const amount = amountStepsField(input, 'amount', amountStep);
  if (Number.isNaN(amount) || amount < 0) return unreadable('amount', 'a positive decimal');
  // An amount below one step is rounded down to nothing, which is worth less than any minimum.
  if (amount === 0) return refuse('SmallOrder', 'The amount is less than one step of its market');
  if (!Number.isSafeInteger(amount)) return refuse('OverValueOrder', 'The amount is larger than any balance');
  return accept({
    market: symbol,
    side,
    execution: execution as Execution,
    mode,
    amount,
    price: priceStepsField(input, 'price', priceStep),
    stopPrice: priceStepsField(input, 'stopPrice', priceStep),
    stopLimitPrice: priceStepsField(input, 'stopLimitPrice', priceStep),
    clientOrderId,
    pro,
  });
}
