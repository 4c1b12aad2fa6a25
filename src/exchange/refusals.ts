import { isObject } from '../domain/stored-json.ts';
import type { ErrorTraits } from '../domain/errors.ts';
import type { Endpoint } from './request-types.ts';
import type { EndpointName } from './endpoints.ts';
import type { HttpResponse } from './transport.ts';

/** Meaning of a refusal code for the caller, and the calls it belongs to. */
interface RefusalTraits extends ErrorTraits {
  readonly of: 'orders' | 'transfer' | 'gateway' | 'withdrawal' | 'any' | 'client';
}

const final = { retry: 'never', outcome: 'none' } as const;
const later = { retry: 'safe', outcome: 'none' } as const;
const orders = { ...final, of: 'orders' } as const;
const transfer = { ...final, of: 'transfer' } as const;
const gateway = { ...final, of: 'gateway' } as const;
const withdrawal = { ...final, of: 'withdrawal' } as const;

/**
 * All codes that the interface and its deployments document ("Errors"). A code in several tables is listed
 * once, under the first. The outcome is `none` unless stated: a failed response registers nothing. That is
 * valid only for the calls of the code: `refusalTraits`.
 */
export const REFUSAL_TABLE = {
  InvalidOrderPrice: { ...orders, meaning: 'A required price is missing or invalid.' },
  BadPrice: {
    ...orders,
    meaning: "The price is too far from the market's, or better than the stop price of a stop order.",
  },
  PriceConditionFailed: {
    ...orders,
    meaning:
      'The prices of the order do not fit its kind and the price of the market, such as a stop on the wrong side.',
  },
  OverValueOrder: { ...orders, meaning: 'The order is worth more than the usable balance.' },
  SmallOrder: { ...orders, meaning: "The order is worth less than the market's minimum value." },
  DuplicateOrder: {
    ...orders,
    meaning: 'An identical order came within the last ten seconds; this one was not registered.',
  },
  InvalidMarketPair: { ...orders, meaning: 'No such market.' },
  MarketClosed: { ...later, of: 'orders', meaning: 'The market is closed for now.' },
  TradingUnavailable: { ...orders, meaning: 'The user may not trade.' },
  FeatureUnavailable: { ...orders, meaning: 'The user may not use this feature.' },
  DuplicateClientOrderId: { ...orders, meaning: 'Another open order of the user has this clientOrderId.' },
  NullIdAndClientOrderId: { ...orders, meaning: 'Neither an order id nor a clientOrderId was sent.' },
  UnexpectedMarketPrice: {
    ...later,
    of: 'orders',
    meaning: 'The exchange has no usable market price at the moment.',
  },
  TradeLimitation: { ...orders, meaning: 'A limit on what the user may trade is reached.' },

  ParseError: { ...transfer, meaning: 'A field is missing or can not be read.' },
  InvalidAmount: { ...transfer, meaning: 'The amount is not valid.' },
  SameDestination: { ...transfer, meaning: 'Source and destination are the same wallet.' },
  WalletNotFound: { ...transfer, meaning: 'There is no such wallet.' },
  InsufficientBalance: { ...transfer, meaning: 'The amount is more than the free balance.' },

  '-1': { ...gateway, meaning: 'The merchant key is missing.' },
  '-2': { ...gateway, meaning: 'No merchant has this key.' },
  '-3': { ...gateway, meaning: 'The merchant is restricted.' },
  '-4': { ...gateway, meaning: 'The merchant key is malformed.' },
  '-5': { ...gateway, meaning: 'The amount is missing.' },
  '-6': { ...gateway, meaning: 'The amount is not an integer.' },
  '-7': { ...gateway, meaning: 'The amount is below 10000 rial.' },
  '-8': { ...gateway, meaning: 'The callback address is missing.' },
  '-9': { ...gateway, meaning: 'The callback address does not belong to the merchant.' },
  '-10': { ...gateway, meaning: 'The callback address is malformed.' },
  '-11': { ...gateway, meaning: 'The description is too long.' },
  '-21': { ...gateway, meaning: 'The token is wrong.' },
  '-22': { ...gateway, meaning: 'The token is unknown.' },
  '-23': { ...gateway, meaning: 'The token is missing.' },
  '-31': { ...gateway, meaning: 'The payment is not valid.' },
  '-32': { ...gateway, outcome: 'applied', meaning: 'The payment was verified before.' },
  '-41': { ...gateway, meaning: 'The gateway does not accept the currency.' },

  BankAccountNotFound: { ...withdrawal, meaning: 'The user has no such bank account.' },
  WithdrawUnavailable: { ...later, of: 'withdrawal', meaning: 'Withdrawals are not possible at the moment.' },
  WithdrawAmountLimitation: { ...withdrawal, meaning: 'The amount is beyond what the user may withdraw.' },
  AmountTooLow: { ...withdrawal, meaning: 'The amount is below the least withdrawal.' },
  AmountTooHigh: { ...withdrawal, meaning: 'The amount is above the largest withdrawal.' },
  WithdrawLimitReached: { ...withdrawal, meaning: 'The limit on withdrawals is used up.' },
  WithdrawRequestNotFound: { ...withdrawal, meaning: 'There is no such withdrawal.' },
  CancellationFailed: { ...withdrawal, meaning: 'The withdrawal could not be canceled.' },
  NotCancellable: { ...withdrawal, meaning: 'The withdrawal can no longer be canceled.' },

  NotFound: { ...final, of: 'any', meaning: 'There is no such object.' },
  BadRequest: {
    ...final,
    of: 'any',
    meaning: 'HTTP 400 without a code: parameters are invalid or insufficient.',
  },
  LoginFailed: { ...final, of: 'any', meaning: 'The user name, password or one-time password is wrong.' },
  HistoryError: {
    ...final,
    of: 'any',
    meaning: 'The candle history was refused, such as for an unknown resolution.',
  },
  Failed: { ...final, of: 'any', meaning: 'A failed response without any code.' },

  NotApplied: {
    ...final,
    of: 'client',
    meaning: 'The cancel did not apply: the order was not open. Its state comes with the refusal.',
  },
  HashMismatch: {
    retry: 'never',
    outcome: 'unknown',
    of: 'client',
    meaning:
      'The hash of a payment is not the one that the merchant secret gives: the answer is not from the exchange.',
  },
} as const satisfies Record<string, RefusalTraits>;

type KnownRefusalCode = keyof typeof REFUSAL_TABLE;

/** Returns true if a code is in the interface's own tables, and not ours for replies without a code. */
export function isDocumentedRefusal(code: string): boolean {
  if (!Object.hasOwn(REFUSAL_TABLE, code)) return false;
  const { of }: RefusalTraits = REFUSAL_TABLE[code as KnownRefusalCode];
  return of !== 'any' && of !== 'client';
}

/** Codes that mean a rate limit, in whatever reply they come. */
export const LIMIT_CODES: ReadonlySet<string> = new Set(['TooManyRequests']);

type Family = RefusalTraits['of'];

/**
 * Codes that can refuse a call that changes something: the interface's table for that call, and codes of
 * another table or of deployments that are documented for it too.
 */
const CODES_OF: Readonly<
  Partial<Record<EndpointName, { readonly families: readonly Family[]; readonly also: readonly string[] }>>
> = {
  addOrder: { families: ['orders'], also: ['ParseError'] },
  updateOrderStatus: {
    families: [],
    also: ['NullIdAndClientOrderId', 'NotFound', 'ParseError', 'FeatureUnavailable'],
  },
  cancelOldOrders: { families: [], also: ['ParseError'] },
  transfer: { families: ['transfer'], also: ['FeatureUnavailable'] },
  createWithdrawal: {
    families: ['withdrawal'],
    also: ['FeatureUnavailable', 'ParseError', 'InsufficientBalance'],
  },
  cancelWithdrawal: { families: ['withdrawal'], also: ['NotFound'] },
  gatewaySend: { families: ['gateway'], also: [] },
  gatewayVerify: { families: ['gateway'], also: [] },
  generateAddress: {
    families: [],
    also: ['ParseError', 'NotFound', 'WalletNotFound', 'FeatureUnavailable', 'InvalidNetwork'],
  },
  addCard: { families: [], also: ['ParseError'] },
  addAccount: { families: [], also: ['ParseError'] },
  addFavoriteMarkets: { families: [], also: ['ParseError', 'InvalidMarketPair', 'NotFound'] },
  removeFavoriteMarkets: { families: [], also: ['ParseError', 'InvalidMarketPair', 'NotFound'] },
  // A read has no outcome that would have to be checked.
  login: { families: ['orders', 'any'], also: [] },
};

/** Codes of the orders table that cannot refuse a placement. */
const NOT_OF_A_PLACEMENT: ReadonlySet<string> = new Set(['NullIdAndClientOrderId']);

function isOwnCode(code: string, endpoint: EndpointName): boolean {
  if (endpoint === 'addOrder' && NOT_OF_A_PLACEMENT.has(code)) return false;
  const { families, also } = CODES_OF[endpoint] ?? { families: [], also: [] };
  return also.includes(code) || families.includes(REFUSAL_TABLE[code as KnownRefusalCode].of);
}

/**
 * Returns what a refusal proves. For a read: nothing changed. For any other call, only the interface's own
 * code for that very call proves it: a 400, a 404 or a `failed` body without one can come from a proxy, after
 * the exchange has accepted the request.
 */
export function refusalTraits(
  code: string,
  { endpoint }: { readonly endpoint: Endpoint },
): Pick<ErrorTraits, 'retry' | 'outcome'> {
  const isKnown = Object.hasOwn(REFUSAL_TABLE, code);
  const { retry, outcome }: RefusalTraits = isKnown
    ? REFUSAL_TABLE[code as KnownRefusalCode]
    : { ...final, of: 'any', meaning: '' };
  if (endpoint.idempotent || (isKnown && isOwnCode(code, endpoint.name as EndpointName)))
    return { retry, outcome };
  return { retry: 'never', outcome: 'unknown' };
}

/** Converts the gateway's codes to negative numbers: they arrive as `"-1"`, `-1` or `"1-"`. Others stay. */
export function normaliseCode(code: string): string {
  const trailing = /^(\d+)-$/.exec(code);
  return trailing === null ? code : `-${trailing[1]}`;
}

/** Content of a failed response, whichever fields it uses. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly clientOrderId: string | null;
  /** Time to back off; null if the reply does not state it. */
  readonly backOffMs: number | null;
  /** The limit that was exceeded, as it came: NaN if it is not a number; null if the reply has none. */
  readonly limit: number | null;
  /** True if the reply clearly concerns a permission and not a limit. */
  readonly isPermission: boolean;
}

const CODE = /^[A-Za-z0-9_-]{1,64}$/;
const SPEAKS_OF_LIMIT = /limit|too ?many|throttl|backoff|back off|\brate\b|wait|block/i;
const SPEAKS_OF_PERMISSION = /permission|not allowed|not permitted|scope|access denied/i;
const MESSAGE_LENGTH = 300;

type Body = Readonly<Record<string, unknown>>;

/** Maximum number of texts that are read from a list of messages; the rest adds nothing. */
const MOST_TEXTS = 20;

/** Returns the text of a text, a number, or a list of them; nothing else, which can be of any depth. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return null;
  const texts = value
    .slice(0, MOST_TEXTS)
    .filter((part) => typeof part === 'string' || typeof part === 'number');
  return texts.length === 0 ? null : texts.join(' ');
}

function codeOf(body: Body, status: number): string {
  for (const field of ['code', 'error']) {
    const text = textOf(body[field]);
    if (text !== null && CODE.test(text)) return normaliseCode(text);
  }
  if ('non_field_errors' in body) return 'LoginFailed';
  if (body['s'] === 'error') return 'HistoryError';
  if (status === 400) return 'BadRequest';
  if (status === 404) return 'NotFound';
  return 'Failed';
}

function messageOf(body: Body): string {
  for (const field of ['message', 'detail', 'errmsg', 'non_field_errors', 'error', 'code']) {
    const text = textOf(body[field]);
    if (text !== null && text !== '') return text.slice(0, MESSAGE_LENGTH);
  }
  return 'no message';
}

function positive(value: unknown): number | null {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number > 0 ? number : null;
}

/** Returns any number; the caller has to check its range. */
function numberOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN;
}

/** Returns `Retry-After` in milliseconds. A date in it is compared with the server's own `Date`. */
function retryAfterMs(headers: HttpResponse['headers']): number | null {
  const header = headers['retry-after'];
  if (header === undefined) return null;
  const seconds = positive(header);
  if (seconds !== null) return seconds * 1000;
  const untilMs = Date.parse(header) - Date.parse(headers['date'] ?? '');
  return Number.isFinite(untilMs) && untilMs > 0 ? untilMs : null;
}

/** Reads a failed response. If it asks for two waits, the longer one counts. */
export function failureOf(body: Body, response: HttpResponse): Failure {
  const seconds = positive(body['backOff']);
  const waits = [seconds === null ? null : seconds * 1000, retryAfterMs(response.headers)].filter(
    (wait) => wait !== null,
  );
  const words = response.body.slice(0, 2000);
  return {
    code: codeOf(body, response.status),
    message: messageOf(body),
    clientOrderId: textOf(body['clientOrderId']),
    backOffMs: waits.length === 0 ? null : Math.ceil(Math.max(...waits)),
    limit: numberOf(body['limit']),
    isPermission: waits.length === 0 && SPEAKS_OF_PERMISSION.test(words) && !SPEAKS_OF_LIMIT.test(words),
  };
}

/** Returns the wait that a response asks for, in its body or its headers; null if it asks for none. */
export function backOffOf(response: HttpResponse): number | null {
  if (response.status < 400) return null;
  return failureOf(bodyOf(response), response).backOffMs;
}

function bodyOf({ body }: HttpResponse): Body {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
