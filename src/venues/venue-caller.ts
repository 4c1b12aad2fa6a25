import { MOST_CANCEL_DELAY_MS } from '../budget/admission.ts';
import type { CredentialUse } from '../budget/lockouts.ts';
import type { LimitedReply, CompletionHandler, Limiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import type { RequestClass } from '../domain/rate-limit.ts';
import type { StoredReply, VenueAnswer, VenueCall, VenueCallKind } from './port.ts';
import { isAnonymous } from '../exchange/authenticator.ts';
import { dateHeaderMs, type HttpResponse } from '../exchange/transport.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { CallOptions } from '../exchange/client-options.ts';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import type { DecodedRefusal } from '../exchange/reply-decoder.ts';
import { venueOrder } from './read-records.ts';
import { ENDPOINT_OF, venueRequest } from './venue-request.ts';

/** End of a call: the answer for the engine, and for the lockouts the error behind it, if any. */
export interface VenueEnd {
  readonly answer: VenueAnswer;
  readonly error: SarrafError | null;
  /** Reply to a call about one order; left out if no bytes came. */
  readonly reply?: StoredReply;
}

/** Calls about one order: what the exchange said of it is kept for people. */
const STORED_REPLIES: ReadonlySet<VenueCallKind> = new Set(['place', 'place-oco', 'cancel', 'order']);

/** Characters of a body that are kept; the reply to an order has some hundreds. */
const MOST_BODY = 4_096;

/** Makes the engine's calls with a client, and says what a limiter needs to know about each. */
export interface VenueCaller {
  endpointOf(call: VenueCall): EndpointName;
  /** The name of the budget that the call is counted in. */
  budgetOf(call: VenueCall): string;
  credentialOf(call: VenueCall): CredentialUse;
  /** From the send to the reply. */
  timeoutMsOf(call: VenueCall): number;
  /**
   * Returns the reason a call must not be sent, such as another account than the mirror's; null if it may.
   */
  readonly barredBy?: (call: VenueCall) => Promise<SarrafError | null>;
  /** Sends a call. Failures of the exchange or of the network are no errors; a mistake in the program is. */
  send(call: VenueCall, signal: AbortSignal, handler: CompletionHandler<VenueEnd>): void;
}

/** @see VenueCaller */
export function createVenueCaller(client: ExchangeClient): VenueCaller {
  // The client may ask another endpoint than the one that a call names, such as another version of the order
  // book.
  // What it says may change while a call waits, which goes where its budget was taken.
  const chosen = new WeakMap<VenueCall, EndpointName>();
  const endpointOf = (call: VenueCall): EndpointName => {
    if (call.kind !== 'book' && call.kind !== 'books') return ENDPOINT_OF[call.kind];
    let endpoint = chosen.get(call);
    if (endpoint === undefined) {
      endpoint = client.endpointOf(ENDPOINT_OF[call.kind], call.kind === 'book' ? call.market : null);
      chosen.set(call, endpoint);
    }
    return endpoint;
  };
  const declared = (call: VenueCall): Endpoint => ENDPOINTS[endpointOf(call)];
  return {
    endpointOf,
    budgetOf: (call) => declared(call).budget.name,
    credentialOf: (call) => (isAnonymous(declared(call).access) ? 'none' : 'with'),
    timeoutMsOf: (call) => declared(call).timeoutMs,
    send: (call, signal, { onEnd, onError }) =>
      void send(client, call, { ...optionsOf(call, signal), endpoint: endpointOf(call) }).then(
        onEnd,
        onError,
      ),
  };
}

/** A cancel may leave late. */
function optionsOf({ kind }: VenueCall, signal: AbortSignal): CallOptions {
  const isCancel = kind === 'cancel' || kind === 'cancel-old';
  return isCancel ? { signal, admittedForMs: MOST_CANCEL_DELAY_MS } : { signal };
}

async function send(client: ExchangeClient, call: VenueCall, options: CallOptions): Promise<VenueEnd> {
  const isStored = STORED_REPLIES.has(call.kind);
  if (!isStored && call.kind !== 'candles') return endOf(client, call, options);
  let raw: HttpResponse | null = null;
  const end = await endOf(client, call, { ...options, onReply: (reply) => void (raw = reply) });
  if (raw === null) return end;
  return isStored ? { ...end, reply: rawReply(ENDPOINT_OF[call.kind], raw) } : dated(end, raw);
}

/** The same with the time at which the reply says that it was written. */
function dated(end: VenueEnd, reply: HttpResponse): VenueEnd {
  const saidAtMs = dateHeaderMs(reply);
  if (saidAtMs === null || end.answer.outcome !== 'value') return end;
  return { ...end, answer: { ...end.answer, saidAtMs } };
}

function rawReply(endpoint: EndpointName, { status, body }: HttpResponse): StoredReply {
  return { endpoint, httpStatus: status, body: body.slice(0, MOST_BODY), bodyLength: body.length };
}

async function endOf(client: ExchangeClient, call: VenueCall, options: CallOptions): Promise<VenueEnd> {
  const { idempotent }: Endpoint = ENDPOINTS[ENDPOINT_OF[call.kind]];
  try {
    const reply = await venueRequest(call).send(client, options);
    if (!reply.ok) return { answer: refused(reply, idempotent), error: null };
    // A call whose value is null by its kind, such as `cancel-old`, lacks nothing.
    if (reply.value === null && call.kind === 'place-oco') throw halfAPair();
    const { value, unread } = reply;
    return { answer: { outcome: 'value', value, ...(unread === undefined ? {} : { unread }) }, error: null };
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
  /** True if a login can give a new credential. */
  readonly canLogIn: boolean;
  /** The engine's clock, and the limiter's. */
  readonly engineMs: () => number;
  readonly limiterMs: () => number;
}

/** A call that waits for its slot. */
interface WaitingCall {
  readonly call: VenueCall;
  readonly requestClass: RequestClass;
  /** Key of its request: a newer call with the same key replaces it while it waits; null if each counts. */
  readonly dedupe: string | null;
  /** Not sent after it, by the clock of `engineMs`. */
  readonly expiresAtMs: number;
}

/** End of a call. */
export interface RequestEnd extends Pick<VenueEnd, 'answer' | 'reply'> {
  readonly sentAtMs: number | null;
}

/**
 * Has a call wait for its slot, sends it once, and tells what became of it. An error is a mistake in the
 * program, or another account than the one whose data is here.
 */
export function submitRequest(
  request: WaitingCall,
  options: SendRequestOptions,
  handler: CompletionHandler<RequestEnd>,
): void {
  const { limiter, caller, engineMs, limiterMs } = options;
  const { call, requestClass, dedupe, expiresAtMs } = request;
  let sentAtMs: number | null = null;
  let sent: VenueEnd | null = null;
  // Without a reply, as in a backtest, the end is as light as it was.
  const endWith = (answer: VenueAnswer): void =>
    handler.onEnd(sent?.reply === undefined ? { sentAtMs, answer } : { sentAtMs, answer, reply: sent.reply });
  const replyHandler: CompletionHandler<LimitedReply<VenueAnswer>> = {
    onEnd(reply) {
      if (reply.sent) endWith(reply.value);
      else {
        const { reason, retryInMs } = reply;
        // Where the process stood still it may have been about to be sent before.
        handler.onEnd({ sentAtMs: null, answer: { outcome: 'unsent', reason, retryInMs } });
      }
    },
    onError(error) {
      if (!(error instanceof SarrafError) || error.details['endsRun'] === true) handler.onError(error);
      else endWith(sent?.answer ?? gaveUp(request, caller, error));
    },
  };
  try {
    limiter.submit({
      budget: caller.budgetOf(call),
      requestClass,
      kind: dedupe,
      credential: caller.credentialOf(call),
      canLogIn: options.canLogIn,
      expiresAtMs: expiresAtMs - engineMs() + limiterMs(),
      timeoutMs: caller.timeoutMsOf(call) + LIMITER_PATIENCE_MS,
      send(signal, { onEnd, onError }) {
        sentAtMs = engineMs();
        sendUnlessBarred(
          caller,
          { call, signal },
          {
            onEnd(end) {
              sent = end;
              // The lockouts read the error.
              if (end.error === null) onEnd(end.answer);
              else onError(end.error);
            },
            onError,
          },
        );
      },
      handler: replyHandler,
    });
  } catch (error) {
    replyHandler.onError(error);
  }
}

/** The same as a promise; throws what `submitRequest` tells as an error. */
export async function sendRequest(request: WaitingCall, options: SendRequestOptions): Promise<RequestEnd> {
  return new Promise((onEnd, onError) => submitRequest(request, options, { onEnd, onError }));
}

function sendUnlessBarred(
  caller: VenueCaller,
  { call, signal }: { readonly call: VenueCall; readonly signal: AbortSignal },
  handler: CompletionHandler<VenueEnd>,
): void {
  if (caller.barredBy === undefined) caller.send(call, signal, handler);
  else {
    caller
      .barredBy(call)
      .then(
        (error) => (error === null ? caller.send(call, signal, handler) : handler.onEnd(heldBack(error))),
        handler.onError,
      );
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

/** Returns the end of a call that was never sent. */
function heldBack(error: SarrafError): VenueEnd {
  const { code, message } = error;
  return { answer: { outcome: 'failed', code, message, effect: 'none' }, error };
}
