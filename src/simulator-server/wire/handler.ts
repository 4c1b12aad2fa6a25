import { z } from 'zod';
import { invariant } from '../../domain/errors.ts';
import type { EndpointName } from '../../exchange/endpoints.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { Refusal } from '../../simulator/requests.ts';
import type { User } from '../../simulator/user.ts';

/** Caller, once the gate has admitted the request. */
interface Caller {
  readonly userId: number;
  /** Subject of the rate limit: the token's or key's own id. */
  readonly credentialId: string;
  readonly scheme: 'token' | 'key';
}

/**
 * A field as it arrived: JSON of any type, or text from a query or form. JSON numbers that a float may change
 * arrive as `BareNumber`.
 */
export type WireInput = Readonly<Record<string, unknown>>;

/**
 * Input of a handler: the request is routed, authenticated, counted against its limit and its fields are
 * read.
 */
export interface WireCall {
  readonly exchange: SimulatedExchange;
  /** Null only where the endpoint needs no credentials and none came. */
  readonly caller: Caller | null;
  readonly ip: string;
  readonly userAgent: string;
  /** Request headers, lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parts of the path, such as `symbol` and `id`. */
  readonly path: Readonly<Record<string, string>>;
  /** Query and body in one. */
  readonly input: WireInput;
  readonly timeMs: number;
  readonly forms: WireForms;
  /** Changes of this reply by a fault. */
  readonly distortion?: Distortion;
}

/** An answer before it is turned into bytes. A string body is sent as it is (HTML), anything else as JSON. */
export interface WireAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WireHandler = (call: WireCall) => WireAnswer;

export type WireHandlers<Names extends EndpointName = EndpointName> = Readonly<Record<Names, WireHandler>>;

/** Changes that a fault makes to one reply while it is made. */
export interface Distortion {
  /** Lists of orders and trades and the history of a wallet are as they were this long ago. */
  readonly lagMs?: number;
  /**
   * Of the trades and lines that lag, every second one is there all the same: they come in another order than
   * that of their ids.
   */
  readonly isUneven?: boolean;
  /** Own trades come in another order than that of their ids. */
  readonly shufflesTrades?: boolean;
  /** Fields that some deployments leave out are left out. */
  readonly omitsFields?: boolean;
  /** Fields that no document names are added. */
  readonly addsFields?: boolean;
}

/**
 * The failed response: HTTP 200 for a "no" of the business, 400 where the request itself could not be read
 * (`ParseError`). Sources: interface, "Failed response" and "HTTP status codes".
 */
export function failedAnswer(refusal: Refusal, forms: Pick<WireForms, 'failureField'>): WireAnswer {
  return {
    status: refusal.code === 'ParseError' ? 400 : 200,
    body: { status: 'failed', [forms.failureField]: refusal.code, message: refusal.message },
  };
}

/** HTTP 404 for an object that does not exist, or is another user's. */
export function notFoundAnswer(kind: string): WireAnswer {
  return { status: 404, body: { error: 'NotFound', message: `No ${kind} matches the given query.` } };
}

/**
 * The user who asks, on an endpoint that needs credentials. Throws `INVARIANT` when the gate let nobody
 * through.
 */
export function callUser(call: WireCall): User {
  invariant(call.caller !== null, 'expected a caller on an endpoint that needs credentials, was none');
  return call.exchange.services.users.get(call.caller.userId);
}

/**
 * In which of the forms that deployments use the simulator writes its replies. The first of each is the
 * default.
 */
export const wireForms = z.strictObject({
  /** `8500000`, `8500000.0000000000`, or a bare JSON number. */
  decimals: z.enum(['canonical', 'padded', 'number']).default('canonical'),
  /** `lastUpdate` of books: the specification says seconds, deployments also send milliseconds. */
  lastUpdate: z.enum(['seconds', 'milliseconds']).default('seconds'),
  /** Meaning of `lastUpdate`: the time of the book's last change, or of the reading that is shown. */
  lastUpdateOf: z.enum(['change', 'snapshot']).default('change'),
  /** Versions of the order book: the second is served beside the third, or gone. */
  orderBooks: z.enum(['v2-and-v3', 'v3']).default('v2-and-v3'),
  globalStats: z.enum(['by-currency', 'by-provider']).default('by-currency'),
  /** Options under flat keys (`service.minOrders`), or nested in one object under the service's name. */
  options: z.enum(['flat', 'nested']).default('flat'),
  gatewayCode: z.enum(['text', 'number', 'trailing-minus']).default('text'),
  /** Name of the field with a failure's code: `code` or `error`. */
  failureField: z.enum(['code', 'error']).default('code'),
  /** Leaves `execution`, `market`, `averagePrice` and `hasNext` out, as some deployments do. */
  omitOptionalFields: z.boolean().default(false),
  /** Adds fields that no document names. */
  unknownFields: z.boolean().default(false),
});

export interface WireForms extends Readonly<z.output<typeof wireForms>> {
  /** The service's own name: prefix of the key headers and of the options keys. */
  readonly serviceName: string;
}

export const DEFAULT_FORMS: WireForms = { serviceName: 'service', ...wireForms.parse({}) };
