import { setTimeout as pause } from 'node:timers/promises';
import { tlsFailure } from '../../domain/tls-failure.ts';
import type { Redactor } from '../../exchange/redactor.ts';
import type { Severity } from '../core/alert-facts.ts';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';

/** A button below a message: its label, and the text that a press sends to the bot. */
export interface ChatButton {
  readonly label: string;
  readonly data: string;
}

/** A message in plain text: each channel escapes it for its service. */
export interface OutgoingMessage {
  /** Id of the message, the same in each attempt. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly lines: readonly string[];
  /** Id and time of the message, so that a reader can recognise a duplicate. */
  readonly footer: string;
  /** PNG picture; null if there is none. */
  readonly picture: Buffer | null;
  /** Rows of buttons, for channels that can show them. */
  readonly buttons: readonly (readonly ChatButton[])[];
  readonly atMs: number;
}

/** Reason a message was not delivered. */
interface SendProblem {
  readonly problem: string;
  /** Status of the service's answer, of HTTP or SMTP; absent if it did not answer itself. */
  readonly answered?: number;
  /** New id of the chat, if the service says that it has one. */
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

/** A channel that delivers messages to people. */
export interface Channel {
  readonly name: string;
  /** Sends a message. Never throws, and answers in time. No problem contains a secret. */
  send(message: OutgoingMessage): Promise<SendResult>;
  close(): Promise<void>;
}

/** Connection to a service, which may throw and may be slow. */
export interface ChannelTransport {
  deliver(message: OutgoingMessage, signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
}

/** Longest time for a service to answer, in ms. */
const ANSWERS_WITHIN_MS = 20_000;

/** Maximum number of characters of a problem that are stored and logged. */
const LONGEST_PROBLEM = 300;

/** Returns the full text of an error, with its causes. */
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
 * Makes a channel of a transport: any error is a problem that may be tried again, a late answer counts as
 * none, and secrets are removed from every problem.
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
        // A late message may still arrive: that is why each message shows its id.
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

/** Maximum number of bytes of a reply that are read: the rest explains nothing. */
const LARGEST_REPLY_BYTES = 64 * 1_024;
const CONNECTS_WITHIN_MS = 10_000;

/** Longest wait that a service may ask for, in ms. */
const LONGEST_WAIT_MS = 3_600_000;

export interface HttpReply {
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly text: string;
}

/** Opens connections to one service, through a proxy if one is given. */
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

/** Returns the wait of a `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in ms; null if unusable. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const waitMs = /^\d{1,9}(?:\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(waitMs) ? boundedWaitMs(waitMs) : null;
}

/** Returns a wait of at least a second and at most an hour, in ms. */
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
