import { SarrafError, type ErrorCode, type ErrorTraits } from '../domain/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS, type EndpointName, type EndpointReply } from './endpoints/index.ts';
import { failureOf, type Failure } from './failure.ts';
import { parseJson } from './json.ts';
import { orderRecord, type ExchangeOrder } from './records/order.ts';
import { isDocumentedRefusal, LIMIT_CODES, refusalTraits } from './refusals.ts';
import type { HttpResponse } from './transport.ts';

/** A refusal of the exchange: expected, so returned and not thrown. */
export interface DecodedRefusal {
  readonly ok: false;
  /** One of the interface's codes, or of `REFUSAL_TABLE`, or an undocumented one. */
  readonly code: string;
  readonly message: string;
  readonly httpStatus: number;
  readonly retry: ErrorTraits['retry'];
  readonly outcome: ErrorTraits['outcome'];
  /** Echo of the request's, where the exchange sends it. */
  readonly clientOrderId: string | null;
  /** With code `NotApplied`: the order's status after the attempt, and the order where it came. */
  readonly updatedStatus?: string | null;
  readonly order?: ExchangeOrder | null;
}

export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

export type EndpointResult<Name extends EndpointName> = Success<EndpointReply<Name>> | DecodedRefusal;

type Body = Readonly<Record<string, unknown>>;

const SHOWN_LENGTH = 200;

/**
 * Throws for this reply. A read changes nothing, so after an unclear answer it may simply be repeated.
 */
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

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/**
 * Whether a body is the beginning of an object in JSON, and said to be JSON. Only for a body that can not be
 * read.
 */
function isCutOff({ headers, body }: HttpResponse): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '') && body.trimStart().startsWith('{');
}

/**
 * 401, 403 and 429: replies from before the request was handled. Returns where the reply is none of them.
 */
function throwIfBarred(endpoint: Endpoint, response: HttpResponse, body: unknown): void {
  const { status } = response;
  if (status !== 401 && status !== 403 && status !== 429) return;
  const failure = failureOf(isObject(body) ? body : {}, response);
  const details = { endpoint: endpoint.name, httpStatus: status };
  // The exchange refuses in JSON or without a body. A web page comes from a proxy, which may have passed the
  // request on.
  const isOwn = isObject(body) || response.body.trim() === '';
  const outcome = endpoint.idempotent || isOwn ? 'none' : 'unknown';
  if (status === 401) {
    throw new SarrafError(
      'UNAUTHORIZED',
      `${endpoint.name}: the credentials were refused: ${failure.message}`,
      {
        details,
        outcome,
      },
    );
  }
  if (status === 403 && failure.isPermission) {
    throw new SarrafError('FORBIDDEN', `${endpoint.name}: not permitted: ${failure.message}`, { details });
  }
  // A documented refusal is one whatever status it comes with.
  if (status === 403 && failure.backOffMs === null && isDocumentedRefusal(failure.code)) return;
  // A 403 that does not say which it is: taken as a limit, since going on after one locks out for hours. One
  // in JSON that was cut off on its way is still the exchange's word about the wait, though not about the
  // request.
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

/** The text of a reply that says ok, but lacks the requested value. */
function beside(body: Body): readonly string[] {
  return ['code', 'error', 'message'].flatMap((field) => {
    const value = body[field];
    return typeof value === 'string'
      ? [`the reply has ${field} ${JSON.stringify(value.slice(0, SHOWN_LENGTH))}`]
      : [];
  });
}

/** A cancel that did not apply is marked by `updatedStatus`, and has no code. */
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
 * What a reply means. Refusals are returned. Whatever a reply holds, it is the error of this request alone.
 * @throws SarrafError for everything that is neither the value nor a clear refusal: limits, credentials, 5xx,
 * bodies that can not be read.
 */
export function decodeReply<Name extends EndpointName>(
  name: Name,
  response: HttpResponse,
): EndpointResult<Name> {
  try {
    return decode(name, response);
  } catch (error) {
    if (error instanceof SarrafError) throw error;
    // Such as a value that is nested deeper than the stack.
    const why = `expected a reply that can be read, was one that fails with ${error instanceof Error ? error.name : typeof error}`;
    return unusable(ENDPOINTS[name], 'UNEXPECTED_REPLY', { response, why });
  }
}

function decode<Name extends EndpointName>(name: Name, response: HttpResponse): EndpointResult<Name> {
  const endpoint: Endpoint = ENDPOINTS[name];
  const { status } = response;
  if (status >= 500) unusable(endpoint, 'SERVER_ERROR', { response, why: 'the server failed' });
  const parsed = parseBody(response.body);
  throwIfBarred(endpoint, response, parsed?.body);
  const body = requireObject(endpoint, response, parsed);
  const failed = body['status'] === 'failed' || (name === 'history' && body['s'] === 'error');
  if (failed && name === 'updateOrderStatus' && 'updatedStatus' in body && !('code' in body)) {
    return notApplied(body, response);
  }
  // 408 comes from proxies and says nothing about the outcome of the request.
  if (failed || (status >= 400 && status !== 408))
    return refusal(endpoint, response, failureOf(body, response));
  if (status < 200 || status >= 300) {
    unusable(endpoint, 'UNEXPECTED_REPLY', { response, why: 'expected HTTP 200' });
  }
  const reply = endpoint.reply.safeParse(body);
  if (!reply.success) {
    const issues = reply.error.issues.map((issue) => `${[name, ...issue.path].join('.')}: ${issue.message}`);
    unusable(endpoint, 'UNEXPECTED_REPLY', {
      response,
      why: [...issues.slice(0, 5), ...beside(body)].join('; '),
    });
  }
  return { ok: true, value: reply.data as EndpointReply<Name> };
}
