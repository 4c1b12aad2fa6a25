import { z } from 'zod';
import { invariant } from '../../domain/errors.ts';
import type { EndpointName } from '../../exchange/endpoints.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { Refusal } from '../../simulator/requests.ts';
import type { GateCaller } from '../../simulator/credentials.ts';
import type { User } from '../../simulator/user.ts';

/** Fields as they arrived: JSON, or text from a query or form. Risky JSON numbers are `BareNumber`. */
export type WireInput = Readonly<Record<string, unknown>>;

/** Input of a handler: a request that is routed, authenticated and counted, with its fields read. */
export interface WireCall {
  readonly exchange: SimulatedExchange;
  /** Null only if the endpoint needs no credentials and none came. */
  readonly caller: GateCaller | null;
  readonly ip: string;
  readonly userAgent: string;
  /** Request headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parts of the path, such as `symbol` and `id`. */
  readonly path: Readonly<Record<string, string>>;
  /** Fields of query and body together. */
  readonly input: WireInput;
  readonly timeMs: number;
  readonly forms: WireForms;
  /** Changes that a fault makes to this reply. */
  readonly distortion?: Distortion;
}

/** A reply before it is turned into bytes. A string body is sent as it is (HTML), anything else as JSON. */
export interface WireAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WireHandler = (call: WireCall) => WireAnswer;

export type WireHandlers<Names extends EndpointName = EndpointName> = Readonly<Record<Names, WireHandler>>;

/** Changes that a fault makes to one reply while it is made. */
export interface Distortion {
  /** Age of the shown lists of orders and trades and of the wallet history, in ms. */
  readonly lagMs?: number;
  /** True to show every second one of the hidden trades and lines, so that the lists are not sorted by id. */
  readonly isUneven?: boolean;
  /** True if own trades are not sorted by their ids. */
  readonly shufflesTrades?: boolean;
  /** True if fields are left out that some deployments omit. */
  readonly omitsFields?: boolean;
  /** True if fields are added that no document names. */
  readonly addsFields?: boolean;
}

/**
 * Returns a failed response: HTTP 200 for a refusal by the exchange's rules, 400 for an unreadable request
 * (`ParseError`). Sources: interface, "Failed response" and "HTTP status codes".
 */
export function failedAnswer(refusal: Refusal, forms: Pick<WireForms, 'failureField'>): WireAnswer {
  return {
    status: refusal.code === 'ParseError' ? 400 : 200,
    body: { status: 'failed', [forms.failureField]: refusal.code, message: refusal.message },
  };
}

/** Returns HTTP 404 for an object that does not exist or belongs to another user. */
export function notFoundAnswer(kind: string): WireAnswer {
  return { status: 404, body: { error: 'NotFound', message: `No ${kind} matches the given query.` } };
}

/** Returns the user of a call that needs credentials. Throws `INVARIANT` if the gate admitted none. */
export function callUser(call: WireCall): User {
  invariant(call.caller !== null, 'expected a caller on an endpoint that needs credentials, was none');
  return call.exchange.services.users.get(call.caller.userId);
}

/** Schema of the forms in which deployments write replies. The first of each is the default. */
export const wireForms = z.strictObject({
  /** Form of decimals: `8500000`, `8500000.0000000000`, or a bare JSON number. */
  decimals: z.enum(['canonical', 'padded', 'number']).default('canonical'),
  /** Unit of `lastUpdate` of books: the specification says seconds, deployments also send milliseconds. */
  lastUpdate: z.enum(['seconds', 'milliseconds']).default('seconds'),
  /** Meaning of `lastUpdate`: time of the book's last change, or of the view that is served. */
  lastUpdateOf: z.enum(['change', 'snapshot']).default('change'),
  /** Versions of the order book that are served: the second may be missing. */
  orderBooks: z.enum(['v2-and-v3', 'v3']).default('v2-and-v3'),
  globalStats: z.enum(['by-currency', 'by-provider']).default('by-currency'),
  /** Form of the options: flat keys (`service.minOrders`), or one object under the service's name. */
  options: z.enum(['flat', 'nested']).default('flat'),
  gatewayCode: z.enum(['text', 'number', 'trailing-minus']).default('text'),
  /** Name of the field with a failure's code: `code` or `error`. */
  failureField: z.enum(['code', 'error']).default('code'),
  /** True to leave out `execution`, `market`, `averagePrice` and `hasNext`, as some deployments do. */
  omitOptionalFields: z.boolean().default(false),
  /** True to add fields that no document names. */
  unknownFields: z.boolean().default(false),
});

export interface WireForms extends Readonly<z.output<typeof wireForms>> {
  /** Name of the service: prefix of the key headers and of the options keys. */
  readonly serviceName: string;
}

export const DEFAULT_FORMS: WireForms = { serviceName: 'service', ...wireForms.parse({}) };
