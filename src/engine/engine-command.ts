import type { RequestClass } from '../domain/rate-limit.ts';
import type { VenueCall } from '../venues/port.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import type { MirrorChange } from './mirror-change.ts';

/** A request that the engine wants sent, when its budget lets it. */
export interface EngineRequest {
  readonly id: number;
  readonly call: VenueCall;
  readonly requestClass: RequestClass;
  /** Key of the request, so that a newer one of its kind replaces it while it waits; null if each counts. */
  readonly dedupe: string | null;
  /** Not sent after it. */
  readonly expiresAtMs: number;
}

/**
 * Actions the engine requests, in this order: the changes of one step are written in one transaction; if
 * `isDurable`, they are on the disk before anything else happens; then the requests are sent.
 */
export interface EngineOutput {
  readonly changes: readonly MirrorChange[];
  /** True if a request of this step may change the exchange, or something must not be lost. */
  readonly isDurable: boolean;
  readonly requests: readonly EngineRequest[];
  /** Latest time for the next call with a tick; infinity if only an answer matters. */
  readonly wakeAtMs: number;
  /** For people: the log and the screen. */
  readonly notices: readonly EngineNotice[];
}

export type EngineNotice =
  | {
      readonly kind: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly message: string;
      readonly subject: string | null;
      /** Its parts, for programs. */
      readonly details?: Readonly<Record<string, unknown>>;
      /** For those who look closely. */
      readonly stack?: string;
    }
  | { readonly kind: 'order'; readonly order: OrderRecord }
  | { readonly kind: 'fill'; readonly fill: FillRecord };
