import type { RequestClass } from '../domain/rate-limit.ts';
import type { VenueCall } from '../venues/port.ts';
import type { FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import type { MirrorChange } from './mirror-change.ts';

/** A request that the engine wants sent, once its budget allows it. */
export interface EngineRequest {
  readonly id: number;
  readonly call: VenueCall;
  readonly requestClass: RequestClass;
  /** Key of the request: a newer one with this key replaces it while it waits; null: none does. */
  readonly dedupe: string | null;
  /** Time in ms since 1970 after which the request is no longer sent. */
  readonly expiresAtMs: number;
}

/**
 * Output of one step, which the shell carries out in this order: it writes the changes in one transaction; if
 * `isDurable`, it waits until they are on the disk; then it sends the requests.
 */
export interface EngineOutput {
  readonly changes: readonly MirrorChange[];
  /**
   * True if changes must be on the disk first: a request may change the exchange, or no change may be lost.
   */
  readonly isDurable: boolean;
  readonly requests: readonly EngineRequest[];
  /** Latest time of the next tick, in ms since 1970; infinity if the engine only waits for answers. */
  readonly wakeAtMs: number;
  /** Messages for people, for the log and the screen. */
  readonly notices: readonly EngineNotice[];
}

export type EngineNotice =
  | {
      readonly kind: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly message: string;
      readonly subject: string | null;
      /** Parts of the message, for programs. */
      readonly details?: Readonly<Record<string, unknown>>;
      /** Stack trace of the error, for developers. */
      readonly stack?: string;
    }
  | { readonly kind: 'order'; readonly order: OrderRecord }
  | { readonly kind: 'fill'; readonly fill: FillRecord };
