import { SarrafError, invalidOptions } from '../domain/errors.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import { FaultPlan, FaultyAdapter, type FaultyExchange } from './fault-plan.ts';
import type { WireAdapter, WireReply, WireRequest } from './wire/wire-adapter.ts';
import type { World } from './simulation.ts';

interface InProcessVenueOptions {
  readonly adapter: WireAdapter | FaultyAdapter;
  /** Returns the caller's time in ms, which may be virtual. The exchange's is this plus the plan's skew. */
  readonly now: () => number;
  /** Waits on the caller's clock. Needed only if there are faults or a latency. */
  readonly sleep?: (durationMs: number) => Promise<void>;
  /** World that each request advances; by default the exchange itself. */
  readonly world?: World;
  /** Delay of every reply in ms; 0 by default. */
  readonly latencyMs?: number;
  /** Source address of the requests. */
  readonly ip?: string;
}

/** A request in progress; its caller may no longer wait for the answer. */
interface Pending {
  readonly target: string;
  readonly request: HttpRequest;
  readonly exchange: FaultyExchange;
}

/**
 * Transport to a simulated exchange in the same process: the same bytes as over HTTP, without sockets. Delays
 * of faults are waited for on the caller's clock, so 100 seconds pass at once in virtual time.
 */
export class InProcessVenue implements Transport {
  readonly faulty: FaultyAdapter;
  private readonly now: () => number;
  private readonly sleep: (durationMs: number) => Promise<void>;
  private readonly world: World;
  private readonly latencyMs: number;
  private readonly ip: string;
  private lastMs = Number.NEGATIVE_INFINITY;
  /** Second for which `date` was last made. */
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

  /** The exchange's time in ms. It never goes back, whatever the caller's clock and the plan do. */
  get timeMs(): number {
    this.lastMs = Math.max(this.lastMs, this.now() + this.faulty.plan.clockSkewMs);
    return this.lastMs;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const target = `${request.method} ${request.path.split('?', 1)[0]}`;
    if (this.isClosed) throw new SarrafError('CLOSED', `${target}: the client is closed`);
    if (request.signal?.aborted === true)
      throw new SarrafError('ABORTED', `${target}: the caller gave up (nothing was sent)`, {
        outcome: 'none',
      });
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
    if (exchange.outcome === 'reset' || reply === null)
      throw new SarrafError('CONNECTION_LOST', `${target}: the connection ended before the reply (reset)`);
    return reply;
  }

  /** Handles a request now or later, even if its sender no longer waits. */
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

  /** Adds the header with the reply's time, which every server sends (RFC 9110, 6.6.1). */
  private dated(reply: WireReply, timeMs: number): WireReply {
    const second = Math.floor(timeMs / 1_000);
    if (second !== this.second) this.date = new Date(timeMs).toUTCString();
    this.second = second;
    return { ...reply, headers: { ...reply.headers, date: this.date } };
  }
}

/** Returns headers with lower-case names, as a server gets them: HTTP ignores their case. */
function lowerCaseNames(headers: HttpRequest['headers']): Readonly<Record<string, string>> {
  const lower: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) lower[name.toLowerCase()] = value;
  }
  return lower;
}

async function noSleep(): Promise<void> {
  throw invalidOptions('expected a sleep for the in-process venue, as a fault makes it wait');
}

/** Ends the wait if the caller aborts. The request has arrived, so its outcome is unknown. */
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
