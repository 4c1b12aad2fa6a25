import type { CredentialUse } from '../budget/credential-stop.ts';
import { SarrafError } from '../domain/errors.ts';
import type { VenueAnswer, VenueCall } from './port.ts';
import { isAnonymous } from '../exchange/authenticator.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { Endpoint } from '../exchange/endpoint.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints/index.ts';
import type { DecodedRefusal } from '../exchange/reply-decoder.ts';
import { venueRequest } from './venue-request.ts';

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
  /** Never throws for what the exchange or the way to it does; a mistake in the program is thrown. */
  send(call: VenueCall, signal: AbortSignal): Promise<VenueEnd>;
}

/** @see VenueCaller */
export function createVenueCaller(client: ExchangeClient): VenueCaller {
  // The client may ask another endpoint than the one that a call names, such as another version of the order
  // book.
  const endpointOf = (call: VenueCall): EndpointName => client.endpointOf(venueRequest(call).endpoint);
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
  const request = venueRequest(call);
  const { idempotent }: Endpoint = ENDPOINTS[request.endpoint];
  try {
    const reply = await request.send(client, signal);
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
    order: order ?? null,
  };
}

function halfAPair(): SarrafError {
  return new SarrafError(
    'UNEXPECTED_REPLY',
    'addOrder: expected both orders of an OCO in its reply, was one',
  );
}
