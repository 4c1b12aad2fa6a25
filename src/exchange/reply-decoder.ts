import { isObject, parseJson } from '../domain/stored-json.ts';
import { SarrafError, type ErrorCode, type ErrorTraits } from '../domain/errors.ts';
import type { Endpoint } from './request-types.ts';
import { ENDPOINTS, type EndpointName, type EndpointReply } from './endpoints.ts';
import { failureOf, type Failure, isDocumentedRefusal, LIMIT_CODES, refusalTraits } from './refusals.ts';
import { orderRecord, type ExchangeOrder } from './order.ts';
import type { HttpResponse } from './transport.ts';

/** A refusal of the exchange: an expected outcome, so it is returned and not thrown. */
export interface DecodedRefusal {
  readonly ok: false;
  /** A code of the interface or of `REFUSAL_TABLE`, or an undocumented one. */
  readonly code: string;
  readonly message: string;
  readonly httpStatus: number;
  readonly retry: ErrorTraits['retry'];
  readonly outcome: ErrorTraits['outcome'];
  /** The request's client order id, if the exchange repeats it. */
  readonly clientOrderId: string | null;
  /** With code `NotApplied`: the order's status after the attempt, and the order if it came. */
  readonly updatedStatus?: string | null;
  readonly order?: ExchangeOrder | null;
}

export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
  /** Rows that are left out of the value; absent if there are none. */
  readonly unread?: readonly UnreadReplyRow[];
}

/** A row of a list that cannot be read. */
export interface UnreadReplyRow {
  /** The list's name in the reply. */
  readonly list: string;
  /** Index of the row in the list, from 0, or its name. */
  readonly place: string;
  /** The row as it came. */
  readonly row: unknown;
  /** Expected and found values, with the field. */
  readonly why: string;
}

/** Lists whose rows can be read one by one, by their names in the reply. */
const LISTS: Readonly<Partial<Record<EndpointName, readonly string[]>>> = {
  ordersList: ['orders'],
  tradesList: ['trades'],
  walletTransactions: ['transactions'],
  wallets: ['wallets'],
  marketStats: ['stats'],
  options: ['amountPrecisions', 'pricePrecisions'],
};

export type EndpointResult<Name extends EndpointName> = Success<EndpointReply<Name>> | DecodedRefusal;

type Body = Readonly<Record<string, unknown>>;

const SHOWN_LENGTH = 200;

/** Throws an error for this reply. A read may be repeated afterwards, since it changes nothing. */
function unusable(
  endpoint: Endpoint,
  code: ErrorCode,
  options: { readonly response: HttpResponse; readonly why: string },
): never {
  const { status, body } = options.response;
  throw new SarrafError(code, `${endpoint.name}: ${options.why} (HTTP ${status})`, {
    details: {
      endpoint: endpoint.name,
      httpStatus: status,
      // A log-in's reply holds a token, even when it is cut off.
      body: endpoint.name === 'login' ? 'hidden' : body.slice(0, SHOWN_LENGTH),
    },
    ...(endpoint.idempotent ? ({ retry: 'safe', outcome: 'none' } as const) : {}),
  });
}

function parseBody(text: string): { readonly body: unknown } | null {
  try {
    return { body: parseJson(text) };
  } catch {
    return null;
  }
}

function throwRateLimited(
  endpoint: Endpoint,
  response: HttpResponse,
  {
    failure,
    outcome,
    isOwn,
  }: { readonly failure: Failure; readonly outcome: ErrorTraits['outcome']; readonly isOwn: boolean },
): never {
  const wait = failure.backOffMs === null ? '' : `, to wait ${failure.backOffMs} ms`;
  throw new SarrafError(
    'RATE_LIMITED',
    `${endpoint.name}: over a rate limit${wait} (HTTP ${response.status}): ${failure.message}`,
    {
      details: {
        endpoint: endpoint.name,
        budget: endpoint.budget.name,
        httpStatus: response.status,
        backOffMs: failure.backOffMs,
        limit: failure.limit,
        isOwn,
      },
      outcome,
    },
  );
}

function refusal(endpoint: Endpoint, response: HttpResponse, failure: Failure): DecodedRefusal {
  if (LIMIT_CODES.has(failure.code))
    throwRateLimited(endpoint, response, { failure, outcome: 'none', isOwn: true });
  const { code, message, clientOrderId } = failure;
  const traits = refusalTraits(code, { endpoint });
  return { ok: false, code, message, httpStatus: response.status, ...traits, clientOrderId };
}

/** Returns true if an unreadable body begins like JSON and is declared as JSON, so that it was cut off. */
const isCutOff = ({ headers, body }: HttpResponse): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '') && body.trimStart().startsWith('{');

/** Throws for 401, 403 and 429, which come before the request was handled; returns for other statuses. */
function throwIfBarred(endpoint: Endpoint, response: HttpResponse, body: unknown): void {
  const { status } = response;
  if (status !== 401 && status !== 403 && status !== 429) return;
  const failure = failureOf(isObject(body) ? body : {}, response);
  const details = { endpoint: endpoint.name, httpStatus: status };
  // The exchange refuses in JSON or without a body. A web page comes from a proxy, which may have passed the
  // request on.
  const isOwn = isObject(body) || response.body.trim() === '';
  const outcome = endpoint.idempotent || isOwn ? 'none' : 'unknown';
  if (status === 401)
    throw new SarrafError(
      'UNAUTHORIZED',
      `${endpoint.name}: the credentials were refused: ${failure.message}`,
      {
        details,
        outcome,
      },
    );
  if (status === 403 && failure.isPermission)
    throw new SarrafError('FORBIDDEN', `${endpoint.name}: not permitted: ${failure.message}`, { details });
  // A documented refusal counts as one with any status.
  if (status === 403 && failure.backOffMs === null && isDocumentedRefusal(failure.code)) return;
  // A 403 that is not clearly a permission counts as a limit, since going on after a limit locks out for
  // hours. One in JSON that was cut off on its way still proves the exchange's limit, but not the outcome of
  // the request.
  throwRateLimited(endpoint, response, { failure, outcome, isOwn: isObject(body) || isCutOff(response) });
}

function requireObject(
  endpoint: Endpoint,
  response: HttpResponse,
  parsed: { readonly body: unknown } | null,
): Body {
  const text = response.body.trim();
  if (text === '') unusable(endpoint, 'EMPTY_REPLY', { response, why: 'expected a body, was none' });
  if (parsed === null) {
    if (text.startsWith('<'))
      unusable(endpoint, 'HTML_REPLY', { response, why: 'expected JSON, was a web page' });
    if (text.startsWith('{'))
      unusable(endpoint, 'TRUNCATED_REPLY', { response, why: 'expected whole JSON, was cut off' });
    unusable(endpoint, 'UNEXPECTED_REPLY', { response, why: 'expected JSON, was other text' });
  }
  if (isObject(parsed.body)) return parsed.body;
  return unusable(endpoint, 'UNEXPECTED_REPLY', {
    response,
    why: 'expected a JSON object, was something else',
  });
}

/** Returns the texts of a reply that has a good status, but lacks the requested value. */
function beside(body: Body): readonly string[] {
  return ['code', 'error', 'message'].flatMap((field) => {
    const value = body[field];
    return typeof value === 'string'
      ? [`the reply has ${field} ${JSON.stringify(value.slice(0, SHOWN_LENGTH))}`]
      : [];
  });
}

/** Returns the refusal of a cancel that had no effect: it is marked by `updatedStatus`, and has no code. */
function notApplied(body: Body, response: HttpResponse): DecodedRefusal {
  const order = orderRecord.safeParse(body['order']);
  const updatedStatus = typeof body['updatedStatus'] === 'string' ? body['updatedStatus'] : null;
  return {
    ok: false,
    code: 'NotApplied',
    message: `the order was not open: ${updatedStatus ?? 'its status is missing'}`,
    httpStatus: response.status,
    retry: 'never',
    outcome: 'none',
    clientOrderId: order.success ? order.data.clientOrderId : null,
    updatedStatus,
    order: order.success ? order.data : null,
  };
}

/**
 * Decodes a reply. Refusals are returned. A fault of a reply is the error of its request alone.
 * @throws SarrafError for a reply that is neither the value nor a clear refusal: limits, credentials, 5xx,
 * bodies that cannot be read.
 */
export function decodeReply<Name extends EndpointName>(
  name: Name,
  response: HttpResponse,
  context: { readonly eachRow?: boolean } = {},
): EndpointResult<Name> {
  try {
    return decode(name, response, context.eachRow === true);
  } catch (error) {
    if (error instanceof SarrafError) throw error;
    // For example a value that is nested deeper than the stack allows.
    const why = `expected a reply that can be read, was one that fails with ${error instanceof Error ? error.name : typeof error}`;
    return unusable(ENDPOINTS[name], 'UNEXPECTED_REPLY', { response, why });
  }
}

function decode<Name extends EndpointName>(
  name: Name,
  response: HttpResponse,
  eachRow: boolean,
): EndpointResult<Name> {
  const endpoint: Endpoint = ENDPOINTS[name];
  const { status } = response;
  if (status >= 500) unusable(endpoint, 'SERVER_ERROR', { response, why: 'the server failed' });
  const parsed = parseBody(response.body);
  throwIfBarred(endpoint, response, parsed?.body);
  const body = requireObject(endpoint, response, parsed);
  const failed = body['status'] === 'failed' || (name === 'history' && body['s'] === 'error');
  if (failed && name === 'updateOrderStatus' && 'updatedStatus' in body && !('code' in body))
    return notApplied(body, response);
  // 408 comes from proxies and proves nothing about the outcome of the request.
  if (failed || (status >= 400 && status !== 408))
    return refusal(endpoint, response, failureOf(body, response));
  if (status < 200 || status >= 300)
    unusable(endpoint, 'UNEXPECTED_REPLY', { response, why: 'expected HTTP 200' });
  const reply = endpoint.reply.safeParse(body);
  if (!reply.success) {
    const rest = eachRow ? withoutUnread(name, body, reply.error.issues) : null;
    const again = rest === null ? null : endpoint.reply.safeParse(rest.body);
    if (rest !== null && again?.success === true)
      return { ok: true, value: again.data as EndpointReply<Name>, unread: rest.unread };
    const issues = reply.error.issues.map((issue) => `${[name, ...issue.path].join('.')}: ${issue.message}`);
    unusable(endpoint, 'UNEXPECTED_REPLY', {
      response,
      why: [...issues.slice(0, 5), ...beside(body)].join('; '),
    });
  }
  return { ok: true, value: reply.data as EndpointReply<Name> };
}

/** Returns a reply without its unreadable rows; null if more is wrong, or if no row is left. */
function withoutUnread(
  name: EndpointName,
  body: Body,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): { readonly body: Body; readonly unread: readonly UnreadReplyRow[] } | null {
  const found = new Map<string, UnreadReplyRow>();
  for (const { path, message } of issues) {
    const [list = '', place, ...field] = (path[0] === 'service' ? path.slice(1) : path).map(String);
    if (place === undefined || LISTS[name]?.includes(list) !== true) return null;
    if (found.has(`${list} ${place}`)) continue;
    const row = (listIn(body, list) as Readonly<Record<string, unknown>> | undefined)?.[place];
    found.set(`${list} ${place}`, { list, place, row, why: [...field, message].join(': ') });
  }
  const unread = [...found.values()];
  const rest = withLists(body, (list, rows) => {
    const places = new Set(unread.flatMap((row) => (row.list === list ? [row.place] : [])));
    if (places.size === 0) return rows;
    if (Array.isArray(rows)) return rows.filter((_, index) => !places.has(String(index)));
    return Object.fromEntries(Object.entries(rows as Body).filter(([key]) => !places.has(key)));
  });
  const isEmpty = unread.some(({ list }) => Object.keys(listIn(rest, list) ?? {}).length === 0);
  return isEmpty ? null : { body: rest, unread };
}

/** Finds a list in a body; the options have theirs under the service's own name: flat, or in an object. */
function listIn(body: Body, list: string): unknown {
  let found: unknown;
  withLists(body, (name, rows) => {
    if (name === list) found = rows;
    return rows;
  });
  return found;
}

function withLists(body: Body, change: (list: string, rows: unknown) => unknown): Body {
  const changed = ([key, value]: readonly [string, unknown]): [string, unknown] => {
    const list = key.slice(key.lastIndexOf('.') + 1);
    return [key, typeof value === 'object' && value !== null ? change(list, value) : value];
  };
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const entry = changed([key, value]);
      const isNested = isObject(value) && Object.keys(value).some((name) => name.endsWith('Precisions'));
      return isNested ? [key, Object.fromEntries(Object.entries(value).map(changed))] : entry;
    }),
  );
}
