import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import type { SendResult } from './channel.ts';

/** Of a reply no more is read: what follows explains nothing. */
const LARGEST_REPLY_BYTES = 64 * 1_024;
const CONNECTS_WITHIN_MS = 10_000;

/** The longest wait that a service is granted. */
const LONGEST_WAIT_MS = 3_600_000;

export interface HttpReply {
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly text: string;
}

/** Connections to one service, through a proxy where one is named. */
export function openDispatcher(proxy: string | null): Dispatcher {
  return proxy === null
    ? new Agent({ connect: { timeout: CONNECTS_WITHIN_MS } })
    : new ProxyAgent({ uri: proxy, connect: { timeout: CONNECTS_WITHIN_MS } });
}

/**
 * Posts a body, and reads the beginning of the reply. Redirects are not followed: a secret would leave with
 * them.
 */
export async function httpPost(of: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}): Promise<HttpReply> {
  const { url, headers, body, dispatcher, signal } = of;
  const {
    statusCode,
    headers: replied,
    body: stream,
  } = await request(url, {
    method: 'POST',
    headers,
    body,
    dispatcher,
    signal,
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LARGEST_REPLY_BYTES) break;
  }
  const after = replied['retry-after'];
  return {
    status: statusCode,
    retryAfterMs: retryAfterMs(typeof after === 'string' ? after : null, Date.now()),
    text: Buffer.concat(chunks).toString('utf8', 0, LARGEST_REPLY_BYTES),
  };
}

/** The wait of a `Retry-After` (RFC 9110, 10.2.3): seconds or a date. Null where it says nothing usable. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const waitMs = /^\d{1,9}(?:\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(waitMs) ? boundedWaitMs(waitMs) : null;
}

/** A wait between a second and an hour. */
export function boundedWaitMs(waitMs: number): number {
  return Math.min(Math.max(1_000, Math.ceil(waitMs)), LONGEST_WAIT_MS);
}

const TOO_MANY = 429;
const TIMED_OUT = 408;

/** Returns the outcome of a message from an HTTP reply. */
export function resultOf({ status, retryAfterMs: afterMs, text }: HttpReply): SendResult {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const problem = `the service answered ${status}${text === '' ? '' : `: ${text.replaceAll(/\s+/g, ' ').trim()}`}`;
  return status === TOO_MANY || status === TIMED_OUT || status >= 500
    ? { kind: 'retry', afterMs, problem, answered: status }
    : { kind: 'refused', problem, answered: status };
}
