/**
 * State of a credential after the first 401: its calls stop, because a hundred requests with a bad token
 * within half an hour block the whole address. One log-in may be tried if possible, and one probe every ten
 * minutes, with a log-in of its own if it needs one.
 */
export interface CredentialStop {
  readonly logInsLeft: number;
  readonly probeAtMs: number;
}

export const PROBE_EVERY_MS = 600_000;

/** Use of a credential by a call: not at all, with it, or to get a new one. */
export type CredentialUse = 'none' | 'with' | 'log-in';

/**
 * The state after a 401. The first one earns a log-in where that is possible, and a probe at once that brings
 * it about, since log-ins are only made amid calls; one to a probe shows that the credential at hand is none,
 * so nothing more is tried before the next probe; one to a call that was on its way already says nothing new.
 */
export function afterUnauthorized(
  stop: CredentialStop | null,
  call: { readonly canLogIn: boolean; readonly isProbe: boolean },
  nowMs: number,
): CredentialStop {
  const laterMs = nowMs + PROBE_EVERY_MS;
  if (stop === null) return { logInsLeft: Number(call.canLogIn), probeAtMs: call.canLogIn ? nowMs : laterMs };
  return call.isProbe ? { logInsLeft: 0, probeAtMs: Math.max(stop.probeAtMs, laterMs) } : stop;
}

/**
 * The state once a call was let through; null where the credential holds it back. A probe may find that there
 * is no credential left to probe with, as after a log-in that was lost: it brings the one log-in that it then
 * needs, since it waits for that itself.
 */
export function letThrough(stop: CredentialStop, use: CredentialUse, nowMs: number): CredentialStop | null {
  if (use === 'none') return stop;
  if (use === 'log-in' && stop.logInsLeft > 0) {
    // Nothing else is tried before it is known what came of it.
    return { logInsLeft: stop.logInsLeft - 1, probeAtMs: nowMs + PROBE_EVERY_MS };
  }
  return nowMs >= stop.probeAtMs
    ? { logInsLeft: Number(use === 'with'), probeAtMs: nowMs + PROBE_EVERY_MS }
    : null;
}
