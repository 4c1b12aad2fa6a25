import { MOST_CANCEL_DELAY_MS } from '../budget/admission.ts';
import type { LimitUsage } from '../budget/admission.ts';
import type { CredentialUse } from '../budget/lockouts.ts';
import type { LimitedReply, CompletionHandler, Limiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import type { Charge, RequestClass } from '../domain/rate-limit.ts';
import {
  CHANGING_CALLS,
  failedCall,
  type StoredReply,
  type VenueAnswer,
  type VenueCall,
  type VenueCallKind,
} from './port.ts';
import { isAnonymous } from '../exchange/authenticator.ts';
import { dateHeaderMs, type HttpRequest, type HttpResponse } from '../exchange/transport.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { CallOptions } from '../exchange/client-options.ts';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import type { DecodedRefusal } from '../exchange/reply-decoder.ts';
import { venueOrder } from './read-records.ts';
import { ENDPOINT_OF, venueRequest } from './venue-request.ts';

/** End of a call: the answer for the engine, and the error behind it, for the lockouts; null if none. */
export interface VenueEnd {
  readonly answer: VenueAnswer;
  readonly error: SarrafError | null;
  /** Reply to a call about one order; left out if no bytes came. */
  readonly reply?: StoredReply;
  /** Counts of limits in the reply; left out if it has none. */
  readonly usage?: readonly LimitUsage[];
}

/** Calls about one order, whose replies are stored for people. */
const STORED_REPLIES: ReadonlySet<VenueCallKind> = new Set(['place', 'place-oco', 'cancel', 'order']);

/** Maximum number of characters that are stored of a body; the reply to an order has some hundreds. */
const MOST_BODY = 4_096;

/** Units of the main budget that a call takes, and the other budgets that it charges. */
interface CallCharges {
  readonly weight: number;
  readonly also?: readonly Charge[];
}

/** Makes the engine's calls with a client, and gives the limiter the facts of each. */
export interface VenueCaller {
  /** Returns the name of the endpoint that answers a call, for counts and stored replies. */
  endpointOf(call: VenueCall): string;
  /** Returns the name of the budget in which the call is counted. */
  budgetOf(call: VenueCall): string;
  /** Returns the units that it takes of that budget, and other budgets; by default one, and none. */
  readonly chargesOf?: (call: VenueCall) => CallCharges;
  credentialOf(call: VenueCall): CredentialUse;
  /** Longest time from the send to the reply. */
  timeoutMsOf(call: VenueCall): number;
  /** Returns why a call must not be sent, such as another account than the mirror's; null if it may be. */
  readonly barredBy?: (call: VenueCall) => Promise<SarrafError | null>;
  /** Sends a call. Failures of the exchange or the network are answers; `onError` is for program mistakes. */
  send(call: VenueCall, signal: AbortSignal, handler: CompletionHandler<VenueEnd>): void;
}

/** @see VenueCaller */
export function createVenueCaller(client: ExchangeClient): VenueCaller {
  // The client may use another endpoint for a call, such as another version of the order book. That choice
  // may change while a call waits; the call keeps the endpoint whose budget admitted it.
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
      void send(client, call, { ...sendOptions(call, signal), endpoint: endpointOf(call) }).then(
        onEnd,
        onError,
      ),
  };
}

/** Returns how a call is sent: a cancel may leave later than others. */
export function sendOptions(
  { kind }: VenueCall,
  signal: AbortSignal,
): Pick<HttpRequest, 'admittedForMs'> & { readonly signal: AbortSignal } {
  const isCancel = kind === 'cancel' || kind === 'cancel-old';
  return isCancel ? { signal, admittedForMs: MOST_CANCEL_DELAY_MS } : { signal };
}

async function send(client: ExchangeClient, call: VenueCall, options: CallOptions): Promise<VenueEnd> {
  if (!STORED_REPLIES.has(call.kind) && call.kind !== 'candles') return endOf(client, call, options);
  let raw: HttpResponse | null = null;
  const end = await endOf(client, call, { ...options, onReply: (reply) => void (raw = reply) });
  return raw === null ? end : withReply(end, raw, { kind: call.kind, endpoint: ENDPOINT_OF[call.kind] });
}

/** Adds what people or the engine need of the reply to the end of a call: its bytes, or its time. */
export function withReply(
  end: VenueEnd,
  reply: HttpResponse,
  of: { readonly kind: VenueCallKind; readonly endpoint: string },
): VenueEnd {
  if (STORED_REPLIES.has(of.kind)) {
    const { status, body } = reply;
    const stored = { httpStatus: status, body: body.slice(0, MOST_BODY), bodyLength: body.length };
    return { ...end, reply: { endpoint: of.endpoint, ...stored } };
  }
  const saidAtMs = of.kind === 'candles' ? dateHeaderMs(reply) : null;
  if (saidAtMs === null || end.answer.outcome !== 'value') return end;
  return { ...end, answer: { ...end.answer, saidAtMs } };
}

async function endOf(client: ExchangeClient, call: VenueCall, options: CallOptions): Promise<VenueEnd> {
  try {
    const reply = await venueRequest(call).send(client, options);
    if (!reply.ok) return { answer: refused(reply, !CHANGING_CALLS.has(call.kind)), error: null };
    // A call whose value is null by its kind, such as `cancel-old`, lacks nothing.
    if (reply.value === null && call.kind === 'place-oco') throw halfAPair();
    const { value, unread } = reply;
    return { answer: { outcome: 'value', value, ...(unread === undefined ? {} : { unread }) }, error: null };
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return { answer: failedCall(call.kind, error), error };
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
  /** The clocks of the engine and of the limiter. */
  readonly engineMs: () => number;
  readonly limiterMs: () => number;
}

/** A call that waits for its slot. */
interface WaitingCall {
  readonly call: VenueCall;
  readonly requestClass: RequestClass;
  /** Key of its request: a newer call with the same key replaces it while it waits; null if each counts. */
  readonly dedupe: string | null;
  /** Time by `engineMs` after which it is not sent. */
  readonly expiresAtMs: number;
}

/** End of a request that was sent or dropped. */
export interface RequestEnd extends Pick<VenueEnd, 'answer' | 'reply'> {
  readonly sentAtMs: number | null;
}

/**
 * Queues a call for its slot, sends it once, and reports its end. An error is a mistake in the program, or an
 * account that does not match the stored data.
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
  // The field is left out if there is no reply, as in a backtest, to save time.
  const endWith = (answer: VenueAnswer): void =>
    handler.onEnd(sent?.reply === undefined ? { sentAtMs, answer } : { sentAtMs, answer, reply: sent.reply });
  const replyHandler: CompletionHandler<LimitedReply<VenueAnswer>> = {
    onEnd(reply) {
      if (reply.sent) endWith(reply.value);
      else {
        const { reason, retryInMs } = reply;
        // If the process stood still, an earlier try may have set `sentAtMs`.
        handler.onEnd({ sentAtMs: null, answer: { outcome: 'unsent', reason, retryInMs } });
      }
    },
    onError(error) {
      if (!(error instanceof SarrafError) || error.details['endsRun'] === true) handler.onError(error);
      else endWith(sent?.answer ?? failedCall(call.kind, error));
    },
  };
  try {
    limiter.submit({
      budget: caller.budgetOf(call),
      ...caller.chargesOf?.(call),
      usageOf: () => sent?.usage,
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

/** Submits a call as `submitRequest` does and returns a promise; rejects with its errors. */
export const sendRequest = async (request: WaitingCall, options: SendRequestOptions): Promise<RequestEnd> =>
  new Promise((onEnd, onError) => submitRequest(request, options, { onEnd, onError }));

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

/** Extra time of the limiter, in ms: the client gives up first, since its own error says more. */
const LIMITER_PATIENCE_MS = 2_000;

/** Returns the end of a call that was never sent. */
function heldBack(error: SarrafError): VenueEnd {
  const { code, message } = error;
  return { answer: { outcome: 'failed', code, message, effect: 'none' }, error };
}
