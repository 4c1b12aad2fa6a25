import { setTimeout as pause } from 'node:timers/promises';
import { tlsFailure } from '../../domain/tls-failure.ts';
import type { Redactor } from '../../exchange/redactor.ts';
import type { Severity } from '../core/alert-facts.ts';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';

/** A button below a message: its label, and what a press of it says to the bot. */
export interface ChatButton {
  readonly label: string;
  readonly data: string;
}

/** A message as people read it, in plain text: each channel escapes it in its own way. */
export interface OutgoingMessage {
  /** The same each time that it is tried. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly lines: readonly string[];
  /** The message's id and time, for whoever finds it twice. */
  readonly footer: string;
  /** A PNG; null where there is none. */
  readonly picture: Buffer | null;
  /** For channels that can show some. */
  readonly buttons: readonly (readonly ChatButton[])[];
  readonly atMs: number;
}

/** Reason a message was not delivered. */
interface SendProblem {
  readonly problem: string;
  /** The status that the service answered with, of HTTP or SMTP; absent where no answer of its own came. */
  readonly answered?: number;
  /** The id that the chat has now, where the service says that it has another one. */
  readonly movedTo?: number;
}

/**
 * Outcome of a message. `retry`: it may be tried again, after `afterMs` if the service gave that. `refused`:
 * the service will not accept it as it is, for example because of a wrong token or an unknown chat.
 */
export type SendResult =
  | { readonly kind: 'delivered' }
  | (SendProblem & { readonly kind: 'retry'; readonly afterMs: number | null })
  | (SendProblem & { readonly kind: 'refused' });

/** Outcome of a message that was not delivered. */
export type SendFailure = Exclude<SendResult, { readonly kind: 'delivered' }>;

/** A way to people. */
export interface Channel {
  readonly name: string;
  /** Never throws, and answers in time. No problem has a secret in it. */
  send(message: OutgoingMessage): Promise<SendResult>;
  close(): Promise<void>;
}

/** The way to a service, which may throw and take its time. */
export interface ChannelTransport {
  deliver(message: OutgoingMessage, signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
}

/** Time a service has to answer. */
const ANSWERS_WITHIN_MS = 20_000;

/** Problems are kept and logged in so many characters. */
const LONGEST_PROBLEM = 300;

/** The text of all that an error says, with what caused it. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const ofTls = tlsFailure(error);
  if (ofTls !== null) return `expected TLS that can be trusted, found ${ofTls}`;
  const { cause, message } = error;
  const code = (error as NodeJS.ErrnoException).code;
  const own = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  const inner = (error as { readonly error?: unknown }).error ?? cause;
  return inner === undefined ? own : `${own}: ${problemOf(inner)}`;
}

/**
 * Makes a channel of a transport: whatever it throws is a problem that may be tried again, an answer that is
 * late is none, and secrets are taken out of every problem.
 */
export function createChannel(of: {
  readonly name: string;
  readonly transport: ChannelTransport;
  readonly redactor: Redactor;
  readonly withinMs?: number;
}): Channel {
  const { name, transport, redactor, withinMs = ANSWERS_WITHIN_MS } = of;
  const clean = (problem: string): string => redactor.redact(problem).slice(0, LONGEST_PROBLEM);
  return {
    name,
    async send(message) {
      const late = new AbortController();
      const over = new AbortController();
      const timeout = async (): Promise<SendResult> => {
        await pause(withinMs, undefined, { signal: over.signal });
        late.abort();
        return { kind: 'retry', afterMs: null, problem: `no answer within ${withinMs / 1_000} s` };
      };
      try {
        // What is late may still arrive: that is why a message says its id.
        const result = await Promise.race([transport.deliver(message, late.signal), timeout()]);
        return result.kind === 'delivered' ? result : { ...result, problem: clean(result.problem) };
      } catch (error) {
        return { kind: 'retry', afterMs: null, problem: clean(problemOf(error)) };
      } finally {
        over.abort();
      }
    },
    close: async () => transport.close(),
  };
}

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
