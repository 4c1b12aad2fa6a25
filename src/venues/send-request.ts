import type { Limiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import type { VenueAnswer, VenueCall } from './port.ts';
import type { RequestClass } from '../domain/request-class.ts';
import { ENDPOINTS } from '../exchange/endpoints/index.ts';
import type { VenueCaller, VenueEnd } from './venue-caller.ts';

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
        way.end = await caller.send(call, signal);
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
