import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { redactedReply, type Redactor } from './redactor.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';
import { tlsFailure } from '../domain/tls-failure.ts';

interface UndiciTransportOptions {
  /** Scheme, host and port of the exchange, without a path. */
  readonly baseUrl: string;
  /** Maximum number of open sockets; default: as many as calls in flight, so that none waits for another. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  /** Largest reply in bytes; a larger one ends its request with `REPLY_TOO_LARGE`. */
  readonly maxReplyBytes?: number;
  /** Maximum number of calls in flight or waiting for a socket; one more is refused with `TOO_MANY_CALLS`. */
  readonly maxPending?: number;
  /** Removes credentials from replies; if left out, replies stay unchanged. */
  readonly redactor?: Redactor;
  /** Time that commits of this process have blocked its loop so far, in ms; default 0. */
  readonly commitMs?: () => number;
}

/**
 * Loads the pool of undici when needed: the built-in exchange has no sockets. The pool needs 20 of undici's
 * 109 files; all of them take a fifth of a start.
 */
const loadPool = (): typeof Pool =>
  createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof Pool;

/** Time after which an idle socket is closed, before servers do, which would leave outcomes unknown. */
const IDLE_SOCKET_MS = 4000;

/** Maximum number of calls at once by default: far more than a limiter allows, for a runaway caller. */
const MOST_PENDING = 256;

function originOf(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw invalidOptions(`expected an address such as "https://host" for baseUrl, was "${baseUrl}"`);
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.pathname !== '/' || url.search !== '')
    throw invalidOptions(`expected http or https and no path for baseUrl, was "${baseUrl}"`);
  return url.origin;
}

function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** Error of a request that was too late; a limiter sees that in its details, and asks for another slot. */
function stoodStill(target: string): SarrafError {
  return new SarrafError(
    'TIMED_OUT',
    `${target}: the process stood still before it was written (nothing was sent)`,
    {
      outcome: 'none',
      retry: 'safe',
      details: { stoodStill: true },
    },
  );
}

/**
 * HTTP over pooled keep-alive sockets with one request on each at a time, and no retries. An admitted request
 * that waits for its connection is not sent if the process stood still meanwhile.
 */
export class UndiciTransport implements Transport {
  private readonly pool: Pool;
  private readonly origin: string;
  private readonly maxPending: number;
  private readonly redactor: Redactor | null;
  private readonly commitMs: () => number;
  private pending = 0;
  private closed = false;

  constructor(options: UndiciTransportOptions) {
    this.origin = originOf(options.baseUrl);
    this.maxPending = options.maxPending ?? MOST_PENDING;
    this.redactor = options.redactor ?? null;
    this.commitMs = options.commitMs ?? (() => 0);
    this.pool = new (loadPool())(this.origin, {
      connections: options.connections ?? this.maxPending,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_SOCKET_MS,
      connect: { timeout: options.connectTimeoutMs ?? 5000 },
      // One deadline for the whole call, set below, replaces undici's two.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: options.maxReplyBytes ?? 32 * 1024 * 1024,
    });
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const target = `${request.method} ${this.origin}${request.path.split('?')[0]}`;
    if (this.closed) throw new SarrafError('CLOSED', `${target}: the client is closed`);
    if (this.pending >= this.maxPending)
      throw new SarrafError(
        'TOO_MANY_CALLS',
        `${target}: expected at most ${this.maxPending} calls at a time`,
      );
    this.pending += 1;
    try {
      const response = await this.dispatch(request, target);
      return this.redactor === null ? response : redactedReply(this.redactor, request, response);
    } finally {
      this.pending -= 1;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.pool.destroy();
  }

  private dispatch(request: HttpRequest, target: string): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | null = null;
      let status = 0;
      let headers: Record<string, string> = {};
      const chunks: Buffer[] = [];
      let over = false;
      const { admittedForMs = Number.POSITIVE_INFINITY } = request;
      const standstill = new Standstill({ longestMs: admittedForMs, commitMs: this.commitMs });

      const finish = (act: () => void): void => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        standstill.end();
        request.signal?.removeEventListener('abort', onAbort);
        act();
      };
      const fail = (cause: unknown): void =>
        finish(() => reject(transportFailure(cause, { target, begun: controller !== null })));
      const giveUp = (code: 'TIMED_OUT' | 'ABORTED', message: string): void => {
        const begun = controller !== null;
        const traits = begun
          ? {}
          : ({ outcome: 'none', ...(code === 'TIMED_OUT' ? { retry: 'safe' } : {}) } as const);
        const error = new SarrafError(
          code,
          `${target}: ${message}${begun ? '' : ' (nothing was sent)'}`,
          traits,
        );
        fail(error);
        controller?.abort(error);
      };
      const onAbort = (): void => giveUp('ABORTED', 'the caller gave up');
      const timer = setTimeout(
        () => giveUp('TIMED_OUT', `expected a reply within ${request.timeoutMs} ms`),
        request.timeoutMs,
      );
      if (request.signal?.aborted === true) {
        onAbort();
        return;
      }
      request.signal?.addEventListener('abort', onAbort, { once: true });

      try {
        this.pool.dispatch(
          { method: request.method, path: request.path, headers: request.headers, body: request.body },
          {
            onRequestStart(started) {
              // The admission may have expired while the request waited for its connection.
              if (standstill.poll() && controller === null) fail(stoodStill(target));
              standstill.end();
              // A request that was given up while it waited for a socket, or that would be written a second
              // time, must not leave.
              if (over || controller !== null) started.abort(new Error('not to be sent'));
              else controller = started;
            },
            onResponseStart(_controller, statusCode, received) {
              status = statusCode;
              headers = flatHeaders(received);
            },
            onResponseData(_controller, chunk) {
              chunks.push(chunk);
            },
            onResponseEnd() {
              finish(() => resolve({ status, headers, body: Buffer.concat(chunks).toString('utf8') }));
            },
            onResponseError(_controller, error) {
              fail(error);
            },
          },
        );
      } catch (error) {
        fail(error);
      }
    });
  }
}

/** Interval in ms at which the process checks that it runs. */
const BEAT_MS = 50;

/** Longest own commit that is no pause: in a longer one the process may have been stopped. */
const MOST_COMMIT_MS = 5_000;

/**
 * Detects that this process has paused since this was made: it was stopped or blocked for longer than
 * `longestMs`, or the machine slept. Own commits, whose total time `commitMs` returns, are no pause. It must
 * be ended.
 */
class Standstill {
  private readonly longestMs: number;
  private readonly commitMs: () => number;
  private lastTurnMs = performance.now();
  private lastWallMs = Date.now();
  private lastCommitMs: number;
  private hasStood = false;
  private readonly timer = setInterval(() => this.poll(), BEAT_MS);

  constructor({ longestMs, commitMs }: { readonly longestMs: number; readonly commitMs: () => number }) {
    this.longestMs = longestMs;
    this.commitMs = commitMs;
    this.lastCommitMs = commitMs();
  }

  /** Returns true if the process has paused so far. */
  poll(): boolean {
    const nowMs = performance.now();
    const wallMs = Date.now();
    const commitMs = this.commitMs();
    // While a machine sleeps only the wall clock goes on. If that was set, a request asks for a slot again.
    const pauseMs = Math.max(nowMs - this.lastTurnMs, wallMs - this.lastWallMs);
    const committedMs = Math.min(commitMs - this.lastCommitMs, MOST_COMMIT_MS);
    if (pauseMs - committedMs > this.longestMs) this.hasStood = true;
    this.lastTurnMs = nowMs;
    this.lastWallMs = wallMs;
    this.lastCommitMs = commitMs;
    return this.hasStood;
  }

  end(): void {
    clearInterval(this.timer);
  }
}

interface SystemError {
  readonly code?: string;
  readonly syscall?: string;
  readonly errors?: readonly unknown[];
  /** Bytes that a broken connection has received, if that is known. */
  readonly socket?: { readonly bytesRead?: number };
}

const NAME_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME']);

/** Returns true if an error belongs to connecting, so that no byte of a request was written. */
function isConnecting({ code, syscall, errors }: SystemError): boolean {
  if (syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return (
    errors !== undefined && errors.length > 0 && errors.every((inner) => isConnecting(inner as SystemError))
  );
}

/** Describes the known cause in words. */
function reasonOf(cause: unknown, { code = '', socket }: SystemError): string {
  const reason = tlsFailure(cause) ?? (cause instanceof Error && cause.message !== '' ? cause.message : code);
  // A TLS server that gets plain HTTP closes the connection, or answers with an alert, which is no HTTP.
  return code.startsWith('HPE_') || socket?.bytesRead === 0
    ? `${reason}; where a server speaks TLS, its address begins with https://`
    : reason;
}

/** Returns the error of a request without an answer: unsent before it began, then of unknown outcome. */
function transportFailure(
  cause: unknown,
  where: { readonly target: string; readonly begun: boolean },
): SarrafError {
  if (cause instanceof SarrafError) return cause;
  const error = (cause ?? {}) as SystemError;
  const code = error.code ?? '';
  const reason = reasonOf(cause, error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new SarrafError('REPLY_TOO_LARGE', `${where.target}: the reply is larger than allowed`, { cause });
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED')
    return new SarrafError('CLOSED', `${where.target}: the client is closed`, {
      cause,
      outcome: where.begun ? 'unknown' : 'none',
    });
  if (!where.begun || isConnecting(error)) {
    if (NAME_CODES.has(code))
      return new SarrafError(
        'HOST_NOT_FOUND',
        `${where.target}: the host name could not be resolved (${code})`,
        {
          cause,
        },
      );
    if (code === 'ECONNREFUSED')
      return new SarrafError('CONNECTION_REFUSED', `${where.target}: the connection was refused`, { cause });
    return new SarrafError('CONNECTION_FAILED', `${where.target}: no connection (${reason})`, { cause });
  }
  return new SarrafError(
    'CONNECTION_LOST',
    `${where.target}: the connection ended before the reply (${reason})`,
    {
      cause,
    },
  );
}
