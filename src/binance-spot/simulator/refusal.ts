/** A request that is answered by a code of the interface. Thrown before anything has changed. */
export class SpotRefusal extends Error {
  readonly status: number;
  readonly code: number;
  /** Time after which the caller may ask again, in seconds; null if the reply does not say. */
  readonly retryAfterS: number | null;
  /** Second part of the body, as of a replacement that was half done. */
  readonly data: unknown;

  constructor(
    code: number,
    message: string,
    also: { readonly status?: number; readonly retryAfterS?: number; readonly data?: unknown } = {},
  ) {
    super(message);
    this.code = code;
    this.status = also.status ?? 400;
    this.retryAfterS = also.retryAfterS ?? null;
    this.data = also.data;
  }

  get body(): { readonly code: number; readonly msg: string; readonly data?: unknown } {
    const { code, message: msg, data } = this;
    return data === undefined ? { code, msg } : { code, msg, data };
  }
}

/** Refusals with a text of their own, named by what they say. */
export const refusals = {
  notFound: () => new SpotRefusal(-1099, 'Not found, authenticated, or authorized.', { status: 404 }),
  badKeyFormat: () => new SpotRefusal(-2014, 'API-key format invalid.', { status: 401 }),
  badKey: () => new SpotRefusal(-2015, 'Invalid API-key, IP, or permissions for action.', { status: 401 }),
  badSignature: () => new SpotRefusal(-1022, 'Signature for this request is not valid.'),
  illegal: (name: string, range: string) =>
    new SpotRefusal(-1100, `Illegal characters found in parameter '${name}'; legal range is '${range}'.`),
  tooMany: (expected: number, received: number) =>
    new SpotRefusal(-1101, `Too many parameters; expected '${expected}' and received '${received}'.`),
  duplicate: () => new SpotRefusal(-1101, 'Duplicate values for a parameter detected.'),
  listTooLong: (name: string, most: number) =>
    new SpotRefusal(-1101, `Too many values sent for parameter '${name}', maximum allowed up to ${most}.`),
  mandatory: (name: string) =>
    new SpotRefusal(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`),
  oneOf: (one: string, other: string) =>
    new SpotRefusal(-1102, `Param '${one}' or '${other}' must be sent, but both were empty/null!`),
  tooGreat: (name: string, most: number, code = -1102) =>
    new SpotRefusal(code, `'${name}' contains unexpected value. Cannot be greater than ${most}.`),
  unread: (read: number, sent: number) =>
    new SpotRefusal(
      -1104,
      `Not all sent parameters were read; read '${read}' parameter(s) but was sent '${sent}'.`,
    ),
  empty: (name: string) => new SpotRefusal(-1105, `SpotParameter '${name}' was empty.`),
  notRequired: (name: string) => new SpotRefusal(-1106, `SpotParameter '${name}' sent when not required.`),
  overflow: (name: string) => new SpotRefusal(-1108, `SpotParameter '${name}' overflowed.`),
  precision: (name: string) => new SpotRefusal(-1111, `SpotParameter '${name}' has too much precision.`),
  noDepth: () => new SpotRefusal(-1112, 'No orders on book for symbol.'),
  symbol: () => new SpotRefusal(-1121, 'Invalid symbol.'),
  moreThanDay: () => new SpotRefusal(-1127, 'More than 24 hours between startTime and endTime.'),
  combination: () => new SpotRefusal(-1128, 'Combination of optional parameters invalid.'),
  invalid: (name: string) => new SpotRefusal(-1130, `Data sent for parameter '${name}' is not valid.`),
  json: (name: string) => new SpotRefusal(-1135, `JSON sent for parameter '${name}' is not valid`),
  filter: (filterType: string, code = -1013) => new SpotRefusal(code, `Filter failure: ${filterType}`),
  order: (message: string, code = -2010) => new SpotRefusal(code, message),
  amend: (message: string) => new SpotRefusal(-2038, message),
  unsupported: () => new SpotRefusal(-1020, 'This operation is not supported.'),
  cancel: (message = 'Unknown order sent.') => new SpotRefusal(-2011, message),
  noSuchOrder: () => new SpotRefusal(-2013, 'Order does not exist.'),
  ids: () => new SpotRefusal(-2039, 'Client order ID is not correct for this order ID.'),
} as const;

export const BALANCE_MESSAGE = 'Account has insufficient balance for requested action.';
export const DUPLICATE_MESSAGE = 'Duplicate order sent.';
