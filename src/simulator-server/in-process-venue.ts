import { SarrafError } from '../domain/errors.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import { FaultPlan, FaultyAdapter, type FaultyExchange } from './fault-plan.ts';
import type { WireAdapter, WireReply, WireRequest } from './wire/wire-adapter.ts';
import type { World } from './simulation.ts';

interface InProcessVenueOptions {
  readonly adapter: WireAdapter | FaultyAdapter;
  /**
   * The caller's time in milliseconds; need not be the system clock's. The exchange's own is this plus the
   * plan's skew.
   */
  readonly now: () => number;
  /** Waits on the caller's clock. Needed only where faults or a latency make something wait. */
  readonly sleep?: (durationMs: number) => Promise<void>;
  /** Moved on before each request; the exchange itself without it. */
  readonly world?: World;
  /** Delay of every reply. 0 by default. */
  readonly latencyMs?: number;
  /** Apparent source address of requests. */
  readonly ip?: string;
}

/** A request whose answer may have no reader. */
interface Pending {
  readonly target: string;
  readonly request: HttpRequest;
  readonly exchange: FaultyExchange;
}

/**
 * The way to a simulated exchange in the same process: the same bytes as over HTTP, without sockets. What a
 * fault delays is waited for on the caller's own clock, so that 100 seconds pass at once where time is
 * virtual.
 */
export class InProcessVenue implements Transport {
  readonly faulty: FaultyAdapter;
  private readonly now: () => number;
  private readonly sleep: (durationMs: number) => Promise<void>;
  private readonly world: World;
  private readonly latencyMs: number;
  private readonly ip: string;
  private lastMs = Number.NEGATIVE_INFINITY;
  /** The second that was named last, and its text. */
  private second = Number.NaN;
  private date = '';
  private isClosed = false;

  constructor(options: InProcessVenueOptions) {
    const { adapter } = options;
    this.faulty = adapter instanceof FaultyAdapter ? adapter : new FaultyAdapter(adapter, new FaultPlan());
    this.now = options.now;
    this.sleep = options.sleep ?? noSleep;
    this.world = options.world ?? this.faulty.adapter.exchange;
    this.latencyMs = options.latencyMs ?? 0;
    this.ip = options.ip ?? '127.0.0.1';
  }

  /** The exchange's time: never going back, whatever the caller's clock and the plan do. */
  get timeMs(): number {
    this.lastMs = Math.max(this.lastMs, this.now() + this.faulty.plan.clockSkewMs);
    return this.lastMs;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const target = `${request.method} ${request.path.split('?', 1)[0]}`;
    if (this.isClosed) throw new SarrafError('CLOSED', `${target}: the client is closed`);
    if (request.signal?.aborted === true) {
      throw new SarrafError('ABORTED', `${target}: the caller gave up (nothing was sent)`, {
        outcome: 'none',
      });
    }
    const wire: WireRequest = {
      method: request.method,
      path: request.path,
      headers: lowerCaseNames(request.headers),
      body: request.body ?? '',
      ip: this.ip,
    };
    if (this.faulty.isQuiet && this.latencyMs === 0)
      return this.handle((timeMs) => this.faulty.adapter.handle(wire, timeMs));
    return withAbort(this.deliver({ target, request, exchange: this.faulty.receive(wire) }), {
      target,
      request,
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  private async deliver({ target, request, exchange }: Pending): Promise<HttpResponse> {
    const handledAfterMs = exchange.handledAfterMs ?? 0;
    const handled = this.handleAfter(exchange, handledAfterMs);
    const answeredAfterMs = handledAfterMs + exchange.answeredAfterMs + this.latencyMs;
    if (exchange.outcome === 'silence' || answeredAfterMs >= request.timeoutMs) {
      await this.sleep(request.timeoutMs);
      throw new SarrafError('TIMED_OUT', `${target}: expected a reply within ${request.timeoutMs} ms`);
    }
    const reply = await handled;
    const restMs = exchange.answeredAfterMs + this.latencyMs;
    if (restMs > 0) await this.sleep(restMs);
    if (exchange.outcome === 'reset' || reply === null) {
      throw new SarrafError('CONNECTION_LOST', `${target}: the connection ended before the reply (reset)`);
    }
    return reply;
  }

  /** Has a request handled now or later, whether or not its sender still waits. */
  private async handleAfter(exchange: FaultyExchange, durationMs: number): Promise<WireReply | null> {
    if (durationMs > 0) await this.sleep(durationMs);
    return this.handle(exchange.handle);
  }

  private handle<Reply extends WireReply | null>(work: (timeMs: number) => Reply): Reply | WireReply {
    const { timeMs } = this;
    this.world.advance(timeMs);
    const reply = work(timeMs);
    return reply === null ? reply : this.dated(reply, timeMs);
  }

  /** With the time at which it was written, which every server names (RFC 9110, 6.6.1). */
  private dated(reply: WireReply, timeMs: number): WireReply {
    const second = Math.floor(timeMs / 1_000);
    if (second !== this.second) this.date = new Date(timeMs).toUTCString();
    this.second = second;
    return { ...reply, headers: { ...reply.headers, date: this.date } };
  }
}

/** Header names as a server gets them: HTTP ignores their case. */
function lowerCaseNames(headers: HttpRequest['headers']): Readonly<Record<string, string>> {
  const lower: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) lower[name.toLowerCase()] = value;
  }
  return lower;
}

async function noSleep(): Promise<void> {
  throw new SarrafError(
    'INVALID_OPTIONS',
    'expected a sleep for the in-process venue, as a fault makes it wait',
  );
}

/** Ends the wait when the caller gives up. The request has arrived, so its outcome is unknown. */
async function withAbort(
  reply: Promise<HttpResponse>,
  { target, request }: { readonly target: string; readonly request: HttpRequest },
): Promise<HttpResponse> {
  const { signal } = request;
  if (signal === undefined) return reply;
  const given = Promise.withResolvers<never>();
  const giveUp = (): void => given.reject(new SarrafError('ABORTED', `${target}: the caller gave up`));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([reply, given.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
    // The reply may still fail when its sender waits no longer.
    reply.catch(() => undefined);
  }
}
