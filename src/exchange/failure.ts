import { normaliseCode } from './refusals.ts';
import type { HttpResponse } from './transport.ts';

/** Content of a failed response, in whichever of its fields. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly clientOrderId: string | null;
  /** Time to back off; null if the reply does not state it. */
  readonly backOffMs: number | null;
  /**
   * The limit that was exceeded, as it came: NaN for what is no number; null where the reply does not say.
   */
  readonly limit: number | null;
  /** True if it clearly speaks of a permission and not of a limit. */
  readonly isPermission: boolean;
}

const CODE = /^[A-Za-z0-9_-]{1,64}$/;
const SPEAKS_OF_LIMIT = /limit|too ?many|throttl|backoff|back off|\brate\b|wait|block/i;
const SPEAKS_OF_PERMISSION = /permission|not allowed|not permitted|scope|access denied/i;
const MESSAGE_LENGTH = 300;

type Body = Readonly<Record<string, unknown>>;

/** Texts of a list of messages that are read; the rest says nothing new. */
const MOST_TEXTS = 20;

/**
 * A text, a number, or a list of them. Anything else is not made into text: an object can hold anything, and
 * be nested as deep as it likes.
 */
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

/** Any number: the caller has to check its range. */
function numberOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN;
}

/**
 * `Retry-After` in milliseconds. As a date it is read against the server's own `Date`, so that our clock does
 * not matter.
 */
function retryAfterMs(headers: HttpResponse['headers']): number | null {
  const header = headers['retry-after'];
  if (header === undefined) return null;
  const seconds = positive(header);
  if (seconds !== null) return seconds * 1000;
  const untilMs = Date.parse(header) - Date.parse(headers['date'] ?? '');
  return Number.isFinite(untilMs) && untilMs > 0 ? untilMs : null;
}

/** Reads a failed response; both waits are obeyed by taking the longer. */
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
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
  } catch {
    return {};
  }
}
