import type { CredentialUse } from '../budget/credential-stop.ts';
import type { Limiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import type { RequestClass } from '../domain/request-class.ts';
import type { VenueAnswer, VenueCall } from './port.ts';
import { isAnonymous } from '../exchange/authenticator.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { Endpoint } from '../exchange/endpoint.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints/index.ts';
import type { DecodedRefusal } from '../exchange/reply-decoder.ts';
import { ENDPOINT_OF, venueOrder, venueRequest } from './venue-request.ts';

/**
 * How a call ended: for the engine, and for the lockouts the error that stands behind the answer, if one
 * does.
 */
export interface VenueEnd {
  readonly answer: VenueAnswer;
  readonly error: SarrafError | null;
}

/** Makes the engine's calls with a client, and says what a limiter needs to know about each. */
export interface VenueCaller {
  endpointOf(call: VenueCall): EndpointName;
  /** The name of the budget that the call is counted in. */
  budgetOf(call: VenueCall): string;
  credentialOf(call: VenueCall): CredentialUse;
  /** From the send to the reply. */
  timeoutMsOf(call: VenueCall): number;
  /** Why a call may not leave, such as another account than the mirror's; null where it may. */
  readonly barredBy?: (call: VenueCall) => Promise<SarrafError | null>;
  /** Never throws for what the exchange or the way to it does; a mistake in the program is thrown. */
  send(call: VenueCall, signal: AbortSignal): Promise<VenueEnd>;
}

/** @see VenueCaller */
export function createVenueCaller(client: ExchangeClient): VenueCaller {
  // The client may ask another endpoint than the one that a call names, such as another version of the order
  // book.
  const endpointOf = (call: VenueCall): EndpointName => client.endpointOf(ENDPOINT_OF[call.kind]);
  const declared = (call: VenueCall): Endpoint => ENDPOINTS[endpointOf(call)];
  return {
    endpointOf,
    budgetOf: (call) => declared(call).budget.name,
    credentialOf: (call) => (isAnonymous(declared(call).access) ? 'none' : 'with'),
    timeoutMsOf: (call) => declared(call).timeoutMs,
    send: async (call, signal) => send(client, call, signal),
  };
}

async function send(client: ExchangeClient, call: VenueCall, signal: AbortSignal): Promise<VenueEnd> {
  const { idempotent }: Endpoint = ENDPOINTS[ENDPOINT_OF[call.kind]];
  try {
    const reply = await venueRequest(call).send(client, signal);
    if (!reply.ok) return { answer: refused(reply, idempotent), error: null };
    // A call whose value is null by its kind, such as `cancel-old`, lacks nothing.
    if (reply.value === null && call.kind === 'place-oco') throw halfAPair();
    return { answer: { outcome: 'value', value: reply.value }, error: null };
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    const { code, message, outcome } = error;
    return { answer: { outcome: 'failed', code, message, effect: idempotent ? 'none' : outcome }, error };
  }
}

function refused(refusal: DecodedRefusal, isRead: boolean): VenueAnswer {
  const { code, message, outcome, updatedStatus, order } = refusal;
  return {
    outcome: 'refused',
    code,
    message,
    effect: isRead ? 'none' : outcome,
    status: updatedStatus ?? null,
    order: order === undefined || order === null ? null : venueOrder(order),
  };
}

function halfAPair(): SarrafError {
  return new SarrafError(
    'UNEXPECTED_REPLY',
    'addOrder: expected both orders of an OCO in its reply, was one',
  );
}

export interface SendRequestOptions {
  readonly limiter: Limiter;
  readonly caller: VenueCaller;
  /** Whether a new credential can be had by logging in. */
  readonly canLogIn: boolean;
  /** The engine's clock, and the limiter's. */
  readonly engineMs: () => number;
  readonly limiterMs: () => number;
}

/** A call that waits for its slot. */
export interface WaitingCall {
  readonly call: VenueCall;
  readonly requestClass: RequestClass;
  /** What it asks, so that a newer one of its kind replaces it while it waits; null where each counts. */
  readonly dedupe: string | null;
  /** Not sent after it, by the clock of `engineMs`. */
  readonly expiresAtMs: number;
}

/** How a call ended. */
export interface RequestEnd {
  readonly sentAtMs: number | null;
  readonly answer: VenueAnswer;
}

/**
 * Has a call wait for its slot, sends it once, and says what became of it. Throws only for a mistake in the
 * program.
 */
export async function sendRequest(request: WaitingCall, options: SendRequestOptions): Promise<RequestEnd> {
  const { limiter, caller, engineMs, limiterMs } = options;
  const { call, requestClass, dedupe, expiresAtMs } = request;
  const way: { sentAtMs: number | null; end: VenueEnd | null } = { sentAtMs: null, end: null };
  try {
    const reply = await limiter.run({
      budget: caller.budgetOf(call),
      requestClass,
      kind: dedupe,
      credential: caller.credentialOf(call),
      canLogIn: options.canLogIn,
      expiresAtMs: expiresAtMs - engineMs() + limiterMs(),
      timeoutMs: caller.timeoutMsOf(call) + LIMITER_PATIENCE_MS,
      send: async (signal) => {
        way.sentAtMs = engineMs();
        const barredBy = (await caller.barredBy?.(call)) ?? null;
        way.end = barredBy === null ? await caller.send(call, signal) : heldBack(barredBy);
        // The lockouts read the error.
        if (way.end.error !== null) throw way.end.error;
        return way.end.answer;
      },
    });
    if (reply.sent) return { sentAtMs: way.sentAtMs, answer: reply.value };
    const { reason, retryInMs } = reply;
    // Where the process stood still it may have been about to be sent before.
    return { sentAtMs: null, answer: { outcome: 'unsent', reason, retryInMs } };
  } catch (error) {
    // Such as another account than the one whose data is here.
    if (!(error instanceof SarrafError) || error.details['endsRun'] === true) throw error;
    return { sentAtMs: way.sentAtMs, answer: way.end?.answer ?? gaveUp(request, caller, error) };
  }
}

/** The client gives up first: its own time-out says more. */
const LIMITER_PATIENCE_MS = 2_000;

/** The limiter gave up before the client did. */
function gaveUp({ call }: WaitingCall, caller: VenueCaller, error: SarrafError): VenueAnswer {
  const { idempotent } = ENDPOINTS[caller.endpointOf(call)];
  const { code, message, outcome } = error;
  return { outcome: 'failed', code, message, effect: idempotent ? 'none' : outcome };
}

/** What is held back was never sent. */
function heldBack(error: SarrafError): VenueEnd {
  const { code, message } = error;
  return { answer: { outcome: 'failed', code, message, effect: 'none' }, error };
}
