import { HOUR_MS } from '../domain/durations.ts';

/**
 * State of a budget after a limit reply to it. `strikes` counts such replies since the last success. By the
 * interface ("HTTP status codes") access returns after 1 to 24 hours.
 */
export type BreakerState =
  | { readonly kind: 'open'; readonly strikes: number; readonly untilMs: number }
  /** One request, the canary, is on its way to see whether the lockout is over. */
  | { readonly kind: 'trial'; readonly strikes: number; readonly sinceMs: number };

export type Passage =
  | { readonly passes: true; readonly isCanary: boolean }
  | { readonly passes: false; readonly retryAtMs: number };

const LONGEST_MS = 24 * HOUR_MS;

/**
 * A reply that is not the interface's own, such as a proxy's page, may mean nothing of the sort: the first
 * one closes for less.
 */
const FOREIGN_MS = 600_000;

interface LimitReply {
  /** The wait that it names; null where it does not. */
  readonly waitMs: number | null;
  /** True if it is in the form of the interface. */
  readonly isOwn: boolean;
}

/** Time a canary may be silent, like one whose process died, before another is let through. */
const CANARY_SILENCE_MS = 120_000;

/** Returns whether a request may go now. Null: closed, nothing is known against it. */
export function passageOf(state: BreakerState | null, nowMs: number): Passage {
  if (state === null) return { passes: true, isCanary: false };
  const retryAtMs = state.kind === 'open' ? state.untilMs : state.sinceMs + CANARY_SILENCE_MS;
  return nowMs >= retryAtMs ? { passes: true, isCanary: true } : { passes: false, retryAtMs };
}

/** The state once the canary has left. */
export function withCanary(state: BreakerState, nowMs: number): BreakerState {
  return { kind: 'trial', strikes: state.strikes, sinceMs: nowMs };
}

/**
 * The state after a limit reply: open for as long as the reply says (`waitMs`, a day at most), and where it
 * says nothing for an hour, which doubles with each further strike up to a day; for ten minutes where the
 * reply is not the interface's own. A wait that is already longer stays: replies of one burst arrive in any
 * order.
 */
export function afterLimit(
  state: BreakerState | null,
  { waitMs, isOwn }: LimitReply,
  nowMs: number,
): BreakerState {
  // Replies of requests that were under way when it opened are the same strike.
  const isSameBurst = state?.kind === 'open' && state.untilMs > nowMs;
  const strikes = isSameBurst ? state.strikes : (state?.strikes ?? 0) + 1;
  const unnamedMs = (isOwn ? HOUR_MS : FOREIGN_MS) * 2 ** Math.min(strikes - 1, 8);
  // A page's wait is not the exchange's word either.
  const namedMs = waitMs === null || isOwn ? waitMs : Math.min(waitMs, unnamedMs);
  const lengthMs = Math.min(LONGEST_MS, namedMs ?? unnamedMs);
  const untilMs = Math.max(isSameBurst ? state.untilMs : 0, nowMs + lengthMs);
  return { kind: 'open', strikes, untilMs };
}

/**
 * A canary that came back with neither success nor limit, such as a time-out, proves nothing: the next may go
 * a while later.
 */
export function afterSilence(state: BreakerState, nowMs: number): BreakerState {
  return { kind: 'open', strikes: state.strikes, untilMs: nowMs + CANARY_SILENCE_MS };
}

/** Returns the time from now until the next request may go. */
export function lengthOf(state: BreakerState, nowMs: number): number {
  return Math.max(0, (state.kind === 'open' ? state.untilMs : state.sinceMs + CANARY_SILENCE_MS) - nowMs);
}
