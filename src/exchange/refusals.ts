import type { ErrorTraits } from '../domain/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointName } from './endpoints.ts';

/** Meaning of an exchange's "no" for the caller, and the place where the code is documented. */
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
 * Every code that the interface and its deployments name ("Errors"). A code that occurs in several tables
 * stands once, under the first. `none` everywhere but where said otherwise: a failed response registers
 * nothing. It counts only from the calls that a code belongs to: `refusalTraits`.
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

/** True if a code is one of the interface's own tables, and not one of ours for replies without a code. */
export function isDocumentedRefusal(code: string): boolean {
  if (!Object.hasOwn(REFUSAL_TABLE, code)) return false;
  const { of }: RefusalTraits = REFUSAL_TABLE[code as KnownRefusalCode];
  return of !== 'any' && of !== 'client';
}

/** Codes that mean a rate limit, in whatever reply they come. */
export const LIMIT_CODES: ReadonlySet<string> = new Set(['TooManyRequests']);

type Family = RefusalTraits['of'];

/**
 * Codes that can refuse a call that changes something: the interface's table for that call, and those of
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
  // It leaves no outcome that would have to be checked.
  login: { families: ['orders', 'any'], also: [] },
};

/** Of an order that is to be placed: a code of the table that it can not be refused with. */
const NOT_OF_A_PLACEMENT: ReadonlySet<string> = new Set(['NullIdAndClientOrderId']);

function isOwnCode(code: string, endpoint: EndpointName): boolean {
  if (endpoint === 'addOrder' && NOT_OF_A_PLACEMENT.has(code)) return false;
  const { families, also } = CODES_OF[endpoint] ?? { families: [], also: [] };
  return also.includes(code) || families.includes(REFUSAL_TABLE[code as KnownRefusalCode].of);
}

/**
 * Returns what the caller may conclude from a refusal. Of a read: nothing changed. Of anything else, only the
 * interface's own code for that very call is evidence: a 400, a 404 or a `failed` body without one can come
 * from a proxy, after the exchange has accepted the request.
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

/**
 * The gateway's codes as negative numbers, which arrive as `"-1"`, `-1` or `"1-"`. Other codes stay as they
 * are.
 */
export function normaliseCode(code: string): string {
  const trailing = /^(\d+)-$/.exec(code);
  return trailing === null ? code : `-${trailing[1]}`;
}
