import type { VenueAnswer } from '../domain/venue-call.ts';

/** What the engine is told. Times are of one clock that never goes back, in ms since 1970. */
export type EngineEvent =
  /** Time has come, as asked for with `wake`. */
  | { readonly kind: 'tick'; readonly atMs: number }
  /** A request came to its end. `sentAtMs`: the last instant at which it can have left; null when it never did. */
  | {
      readonly kind: 'answer';
      readonly atMs: number;
      readonly requestId: number;
      readonly sentAtMs: number | null;
      readonly answer: VenueAnswer;
    }
  | { readonly kind: 'control'; readonly atMs: number; readonly command: ControlCommand };

/** What an operator asks for. */
export type ControlCommand =
  /** No new orders, and every own order canceled. Holds over a restart, until `resume`. */
  | { readonly kind: 'halt'; readonly reason: string; readonly wholeAccount: boolean }
  | { readonly kind: 'resume' }
  /** The end of the run: no new orders; own orders are canceled or kept. */
  | { readonly kind: 'drain'; readonly openOrders: 'cancel' | 'keep' }
  /** A break was looked at by a person: go on from what the exchange says now. */
  | { readonly kind: 'accept-balances' };
