import { SarrafError } from '../domain/errors.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import type { HttpRequest, HttpResponse, Transport } from '../exchange/transport.ts';
import type { VenueCall, VenueCallKind, VenueValues } from './port.ts';
import { venueRequest } from './venue-request.ts';

/**
 * Outcome of a call at the simulated exchange, for the venue's wire to write. A refusal has a code of the
 * built-in exchange, such as `DuplicateClientOrderId`; the wire writes its own.
 */
export type VenueWireAnswer<Kind extends VenueCallKind = VenueCallKind> =
  | { readonly kind: 'value'; readonly value: VenueValues[Kind] }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'limited'; readonly retryAfterMs: number | null }
  | { readonly kind: 'unauthorized' };

/** The exchange's side of a venue's interface, for tests: it reads requests and writes replies. */
export interface VenueWire {
  /**
   * Returns the id behind the wire of an order or a trade of the venue, for the fuzzer's checkers; left out
   * if ids are the same.
   */
  readonly idBehind?: (id: string) => string;
  /** Returns the call of a request. Throws for one that the exchange would not understand. */
  readonly read: (request: HttpRequest) => VenueCall;
  readonly write: (
    answer: VenueWireAnswer,
    call: VenueCall,
  ) => Pick<HttpResponse, 'status' | 'body'> & {
    readonly headers?: HttpResponse['headers'];
  };
}

/**
 * Returns a transport to an exchange with a venue's interface. Behind it is the built-in exchange, which a
 * client calls: each request is one request there, so that all faults of its link and its wire apply. Lost
 * requests stay lost; a reply that this client can not read is passed on as it is.
 */
export function transportOver(client: ExchangeClient, wire: VenueWire): Transport {
  return {
    close: async () => client.close(),
    async send(request) {
      const call = wire.read(request);
      const { signal, admittedForMs, timeoutMs } = request;
      let came: HttpResponse | null = null;
      const raw = (): HttpResponse | null => came;
      const written = (answer: VenueWireAnswer): HttpResponse => {
        const { headers = {}, ...reply } = wire.write(answer, call);
        const date = raw()?.headers['date'];
        return { ...reply, headers: { ...(date === undefined ? {} : { date }), ...headers } };
      };
      try {
        const reply = await venueRequest(call).send(client, {
          timeoutMs,
          ...(signal === undefined ? {} : { signal }),
          ...(admittedForMs === undefined ? {} : { admittedForMs }),
          onReply: (response) => void (came = response),
        });
        const unreadable = raw();
        if (reply.ok) {
          const isWhole = reply.unread === undefined && (reply.value !== null || call.kind !== 'place-oco');
          if (isWhole || unreadable === null) return written({ kind: 'value', value: reply.value });
          return unreadable;
        }
        if (reply.outcome === 'unknown' && unreadable !== null) return unreadable;
        return written({ kind: 'refused', code: reply.code, message: reply.message });
      } catch (error) {
        const unreadable = raw();
        if (!(error instanceof SarrafError) || unreadable === null) throw error;
        if (error.code === 'RATE_LIMITED' && error.details['isOwn'] === true)
          return written({ kind: 'limited', retryAfterMs: error.details['backOffMs'] as number | null });
        if (error.code === 'UNAUTHORIZED') return written({ kind: 'unauthorized' });
        return unreadable;
      }
    },
  };
}
