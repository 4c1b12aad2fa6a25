import type { WireAdapter, WireReply, WireRequest } from './wire/wire-adapter.ts';
import type { FaultDecision, FaultPlan, AnswerFault } from './fault-plan.ts';

/**
 * Instructions to a shell for one request: the time to have it handled, and the time and kind of the reply.
 */
export interface FaultyExchange {
  /** Before it is handled; null: it never is. */
  readonly handledAfterMs: number | null;
  /** After it was (to be) handled. */
  readonly answeredAfterMs: number;
  readonly outcome: 'reply' | 'silence' | 'reset';
  /** Has it handled, if it is to be, and makes the reply; call it once, when it is due. */
  readonly handle: (timeMs: number) => WireReply | null;
}

/** The adapter with a plan of faults before it. The plan can be exchanged while running. */
export class FaultyAdapter {
  readonly adapter: WireAdapter;
  plan: FaultPlan;

  constructor(adapter: WireAdapter, plan: FaultPlan) {
    this.adapter = adapter;
    this.plan = plan;
  }

  /** True if requests can be passed on unchanged. */
  get isQuiet(): boolean {
    return this.plan.isQuiet;
  }

  /** Decides about a request that has just arrived. */
  receive(request: WireRequest): FaultyExchange {
    const decision = this.plan.decide(this.adapter.endpointOf(request));
    return {
      handledAfterMs: decision.handledAfterMs,
      answeredAfterMs: decision.answeredAfterMs,
      outcome: outcomeOf(decision),
      handle: (timeMs) => this.handle(request, { timeMs, decision }),
    };
  }

  private handle(
    request: WireRequest,
    at: { readonly timeMs: number; readonly decision: FaultDecision },
  ): WireReply | null {
    const { answer, handledAfterMs, distortion } = at.decision;
    const reply = handledAfterMs === null ? null : this.adapter.handle(request, at.timeMs, distortion);
    return answer === null ? reply : faultyReply(answer, reply);
  }
}

function outcomeOf({ answer }: FaultDecision): FaultyExchange['outcome'] {
  if (answer?.kind === 'none') return 'silence';
  return answer?.kind === 'reset' ? 'reset' : 'reply';
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireReply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** The bytes that a fault sends in place of `reply`. Not for faults that send nothing. */
function faultyReply(fault: AnswerFault, reply: WireReply | null): WireReply {
  switch (fault.kind) {
    case 'truncated':
      return reply === null ? json(200, {}) : { ...reply, body: reply.body.slice(0, reply.body.length >> 1) };
    case 'no-result':
      return json(200, { status: 'ok' });
    case 'bad-gateway':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n',
      };
    case 'forbidden':
      return json(403, { detail: 'Forbidden.' });
    case 'unauthorized':
      return json(401, { detail: 'Invalid token.' });
    case 'too-many-requests': {
      const { backOff, limit } = fault;
      const body = {
        status: 'failed',
        code: 'TooManyRequests',
        message: 'Too many requests',
        backOff,
        limit,
      };
      return json(429, body, { 'retry-after': String(backOff) });
    }
    case 'none':
    case 'reset':
    case 'server-error':
      return json(500, { status: 'failed', code: 'InternalError', message: 'Temporary server error' });
  }
}
