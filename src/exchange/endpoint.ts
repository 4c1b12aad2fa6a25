import type { Budget } from '../domain/rate-limit.ts';
import type { z } from 'zod';
import { MINUTE_MS } from '../domain/time-text.ts';

/**
 * A key's permission that a call needs; `token` where only a token is accepted, `merchant` where the body
 * carries the credentials.
 */
export type Access = 'none' | 'optional-token' | 'token' | 'READ' | 'TRADE' | 'WITHDRAW' | 'merchant';

/**
 * One endpoint, declared once. The client, the simulator's routes, the limits table, the OpenAPI page and the
 * docs all come from it.
 *
 * `request` has the wire's own field names; parsing it gives what is sent. `reply` reads the wire's body, in
 * any of its forms, into the normalised value that callers get.
 */
export interface Endpoint<
  Name extends string = string,
  Request extends z.ZodObject = z.ZodObject,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Other methods that deployments also answer to. */
  readonly alsoMethods?: readonly ('GET' | 'POST')[];
  /** With `{name}` for path parameters, which are fields of `request` too. */
  readonly path: string;
  readonly access: Access;
  readonly budget: Budget;
  /** True if a repeated call changes nothing, so that a caller may choose to retry. */
  readonly idempotent: boolean;
  readonly sends: 'query' | 'json' | 'nothing';
  readonly timeoutMs: number;
  /**
   * True if a request whose fields are not as declared can be answered with HTTP 200 and a failed body, with
   * a code of the interface. Elsewhere that is HTTP 400.
   */
  readonly failsInBody?: true;
  readonly request: Request;
  readonly reply: Reply;
  /**
   * A request as the command line shows it. A secret stands there as the place that it is read from,
   * `env:NAME`.
   */
  readonly example: z.input<Request>;
  /** Purpose, in one sentence. */
  readonly summary: string;
  /** Heading of the interface specification it comes from. */
  readonly section: string;
  readonly deprecated?: true;
  readonly experimental?: true;
}

/** Declares an endpoint, keeping the types of its shapes. */
export function endpoint<Name extends string, Request extends z.ZodObject, Reply extends z.ZodType>(
  declaration: Endpoint<Name, Request, Reply>,
): Endpoint<Name, Request, Reply> {
  return declaration;
}

/** Assumed limit where the interface states none: 30 a minute. */
const ASSUMED_LIMIT = 30;

interface Limit {
  readonly per: Budget['per'];
  readonly limit: number;
  readonly minutes?: number;
  readonly hasReserve?: boolean;
}

/**
 * A limit from the table of the interface ("Limits"), per one minute unless said otherwise. Named after the
 * path.
 */
export function budget(name: string, { per, limit, minutes = 1, hasReserve = false }: Limit): Budget {
  return { name, limit, windowMs: minutes * MINUTE_MS, per, assumed: false, hasReserve };
}

/** A limit for an endpoint about which the interface is silent. */
export function assumedBudget(name: string, per: Budget['per'], limit = ASSUMED_LIMIT): Budget {
  return { name, limit, windowMs: MINUTE_MS, per, assumed: true };
}
