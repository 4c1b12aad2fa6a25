import type { EndpointName } from '../../exchange/endpoints/index.ts';
import type { SimulatedExchange } from '../core/exchange.ts';
import type { Distortion } from './distortion.ts';
import type { WireForms } from './forms.ts';

/** Who asks, once the gate has let the request in. */
interface Caller {
  readonly userId: number;
  /** What the rate limit counts: the token's or key's own id. */
  readonly credentialId: string;
  readonly scheme: 'token' | 'key';
}

/** A field as it arrived: JSON of any type, or text from a query or form. JSON numbers that a float may change arrive as `BareNumber`. */
export type WireInput = Readonly<Record<string, unknown>>;

/** What a handler gets: the request is routed, authenticated, counted against its limit and its fields are read. */
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
  /** What a fault does to this reply. */
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
