import type { Budget } from '../domain/rate-limit.ts';
import { SarrafError } from '../domain/errors.ts';
import { otherMarketOf } from '../domain/market-symbol.ts';
import {
  MARKET_CALLS,
  type OtherVenueFacts,
  type VenueAnswer,
  type VenueCall,
  type VenueCallKind,
} from './port.ts';
import type { OtherVenues } from './other-venues.ts';
import { createRandom } from '../domain/random.ts';
import type { CompletionHandler } from '../budget/limiter.ts';
import type { VenueCaller, VenueEnd } from './venue-caller.ts';
import { venueRequest } from './venue-request.ts';
import { isAnonymous } from '../exchange/authenticator.ts';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import type { FollowedExchange } from './followed-exchange.ts';
import { tripKey, type Latency, type ReplayedLatency } from './fill-rules.ts';
import { madeOnce } from '../domain/retain-newest.ts';

export interface RecordedCallerOptions {
  readonly exchange: FollowedExchange;
  readonly time: Timeline;
  readonly latency: Latency;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Moves the markets to a time, which never goes back. */
  readonly advance: (timeMs: number) => void;
  /** Other venues, and the answer to a call for a book there; null for one of the exchange. Default: none. */
  readonly others?: { readonly facts: OtherVenues; readonly answer: (call: VenueCall) => VenueAnswer | null };
  /** Answers a call in place of the exchange; null passes it to the exchange. */
  readonly answerInstead?: ((call: VenueCall) => VenueAnswer | null) | undefined;
}

/** Facts of a call that are known before it is sent, equal for all of a kind. */
interface Route {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly budget: Budget;
}

/** Makes the engine's calls at the typed adapter, each with the latency of the rules; none is lost. */
export class RecordedCaller implements VenueCaller {
  private readonly options: RecordedCallerOptions;
  private readonly routes = new Map<VenueCallKind, Route>();
  private readonly draw: Draw;

  constructor(options: RecordedCallerOptions) {
    this.options = options;
    this.draw = drawerOf(options.latency);
  }

  endpointOf(call: VenueCall): EndpointName {
    return this.routeOf(call).name;
  }

  budgetOf(call: VenueCall): string {
    return this.factsOf(call)?.limit.name ?? this.routeOf(call).budget.name;
  }

  chargesOf(call: VenueCall): { readonly weight: number } {
    return { weight: this.factsOf(call)?.weight ?? 1 };
  }

  credentialOf(call: VenueCall): 'none' | 'with' {
    return isAnonymous(this.routeOf(call).endpoint.access) ? 'none' : 'with';
  }

  timeoutMsOf(call: VenueCall): number {
    return this.routeOf(call).endpoint.timeoutMs;
  }

  send(call: VenueCall, _signal: AbortSignal, { onEnd }: CompletionHandler<VenueEnd>): void {
    const { exchange, time, advance, answerInstead, others } = this.options;
    const { endpoint, budget, name } = this.routeOf(call);
    const { outMs, backMs } = this.draw(call);
    const sentMs = time.now();
    const { timeoutMs } = endpoint;
    time.at(sentMs + outMs, () => {
      const nowMs = time.now();
      advance(nowMs);
      const ofOther = others?.answer(call) ?? null;
      if (ofOther === null) exchange.admit(budget, nowMs);
      const answer = ofOther ?? answerInstead?.(call) ?? exchange.answer(call, nowMs);
      if (outMs + backMs < timeoutMs) time.at(nowMs + backMs, () => onEnd({ answer, error: null }));
      else time.at(sentMs + timeoutMs, () => onEnd(timedOut(name, endpoint)));
    });
  }

  /** Returns the facts of the other venue that answers a call; undefined for one of the exchange. */
  private factsOf(call: VenueCall): OtherVenueFacts | undefined {
    const other = call.kind === 'book' ? otherMarketOf(call.market) : null;
    return other === null ? undefined : this.options.others?.facts.get(other.venue);
  }

  private routeOf(call: VenueCall): Route {
    return madeOnce(this.routes, call.kind, () => {
      const name = venueRequest(call).endpoint;
      const endpoint: Endpoint = ENDPOINTS[name];
      const budget = this.options.budgets.get(endpoint.budget.name) ?? endpoint.budget;
      return { name, endpoint, budget };
    });
  }
}

/** Returns the end of a call that the exchange has executed, but whose reply came too late. */
function timedOut(name: EndpointName, { timeoutMs, idempotent }: Endpoint): VenueEnd {
  const error = new SarrafError('TIMED_OUT', `${name}: expected a reply within ${timeoutMs} ms`);
  const { code, message } = error;
  return { answer: { outcome: 'failed', code, message, effect: idempotent ? 'none' : error.outcome }, error };
}

const OF_ORDERS: ReadonlySet<VenueCallKind> = new Set(['place', 'place-oco', 'cancel', 'cancel-old']);

type Draw = (call: VenueCall) => { readonly outMs: number; readonly backMs: number };

function drawerOf(latency: Latency): Draw {
  if (latency.kind === 'constant') return () => latency;
  if (latency.kind === 'replayed') return replayerOf(latency);
  const { roundTripsMs, orderTripsMs = roundTripsMs, seed } = latency;
  const random = createRandom(seed);
  return ({ kind }) => {
    const tripsMs = OF_ORDERS.has(kind) ? orderTripsMs : roundTripsMs;
    return halves(tripsMs[Math.floor(random.next() * tripsMs.length)] ?? 0);
  };
}

function replayerOf({ tripsMs, further, split }: ReplayedLatency): Draw {
  const draw = drawerOf(further);
  const sent = new Map<string, number>();
  return (call) => {
    const key = tripKey(call);
    const index = sent.get(key) ?? 0;
    sent.set(key, index + 1);
    const drawn = tripsMs.get(key)?.[index];
    const trip = drawn === undefined ? draw(call) : halves(drawn);
    if (split === 'half') return trip;
    const roundTripMs = trip.outMs + trip.backMs;
    return MARKET_CALLS.has(call.kind)
      ? { outMs: roundTripMs, backMs: 0 }
      : { outMs: 0, backMs: roundTripMs };
  };
}

function halves(roundTripMs: number): ReturnType<Draw> {
  const outMs = Math.floor(roundTripMs / 2);
  return { outMs, backMs: roundTripMs - outMs };
}
