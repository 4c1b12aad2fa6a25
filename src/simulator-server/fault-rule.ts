import type { EndpointName } from '../exchange/endpoints.ts';

/** Faults that can occur between a request and its reply. */
export const FAULT_KINDS = [
  /** Handled at once, answered later. */
  'delay',
  /** Handled and answered later: after the sender's time-out, if the delay is long enough. */
  'late',
  /** Never handled, never answered. */
  'lost',
  /** Handled, never answered. */
  'reply-lost',
  /** The connection is reset. */
  'reset',
  /** HTTP 500 with JSON. */
  'server-error',
  /** HTTP 502 with a web page, as a proxy writes it. */
  'bad-gateway',
  /** Handled; the reply ends in the middle of its JSON. */
  'truncated',
  /** HTTP 403 that does not say whether it is a permission or a limit. */
  'forbidden',
  /** HTTP 429 with `backOff`. */
  'too-many-requests',
  /** HTTP 401, as for a bad token. */
  'unauthorized',
  /** Lists of orders and trades and the history of a wallet are as they were some seconds ago. */
  'lagging-lists',
  /** Own trades come in another order than that of their ids. */
  'shuffled-trades',
  'missing-fields',
  'unknown-fields',
  /**
   * HTTP 200 that says ok and lacks what was asked for, as the interface says of the wallets list under load.
   * Handled.
   */
  'no-result',
] as const;

type FaultKind = (typeof FAULT_KINDS)[number];

/** One thing that goes wrong, and when. */
export interface FaultRule {
  readonly kind: FaultKind;
  /** Only requests to these; all without it. */
  readonly endpoints?: readonly EndpointName[] | undefined;
  /**
   * A script: the numbers, counted from 1, of the requests this rule is for (those to its endpoints) that go
   * wrong.
   */
  readonly requests?: readonly number[] | undefined;
  /** Of each request the rule is for, 0 to 1; 1 without it. */
  readonly probability?: number | undefined;
  /** For `delay` and `late`; at most `LONGEST_DELAY_MS`. */
  readonly delayMs?: number | undefined;
  /** For `lagging-lists`. */
  readonly lagMs?: number | undefined;
  /**
   * For `lagging-lists`: every second one of the own trades and lines that lag is there all the same, so
   * that those between come later.
   */
  readonly isUneven?: boolean | undefined;
  /** For `reset`, `server-error` and `bad-gateway`: whether the request is handled all the same. */
  readonly isHandled?: boolean | undefined;
  /** For `too-many-requests`, in seconds. */
  readonly backOff?: number | undefined;
  /** For `too-many-requests`: the limit that it names, as it is to stand there; 60 without it. */
  readonly limit?: number | undefined;
}

/** Delays are cut down to this. */
export const LONGEST_DELAY_MS = 100_000;
