/**
 * What the first 401 leaves behind for a credential: its calls stop, because a hundred requests with a bad token within half an hour block the
 * whole address. One log-in may be tried where that is possible, and one probe every ten minutes.
 */
export interface CredentialStop {
  readonly logInsLeft: number;
  readonly probeAtMs: number;
}

export const PROBE_EVERY_MS = 600_000;

/** How a call uses a credential: not at all, with it, or to get a new one. */
export type CredentialUse = 'none' | 'with' | 'log-in';

/** The state after a 401, also after that of a probe. Only the first one earns a log-in. */
export function afterUnauthorized(stop: CredentialStop | null, canLogIn: boolean, nowMs: number): CredentialStop {
  const probeAtMs = Math.max(stop?.probeAtMs ?? 0, nowMs + PROBE_EVERY_MS);
  return { logInsLeft: stop === null ? Number(canLogIn) : stop.logInsLeft, probeAtMs };
}

/** The state once a call was let through; null where the credential holds it back. */
export function letThrough(stop: CredentialStop, use: CredentialUse, nowMs: number): CredentialStop | null {
  if (use === 'none') return stop;
  if (use === 'log-in' && stop.logInsLeft > 0) return { ...stop, logInsLeft: stop.logInsLeft - 1 };
  return nowMs >= stop.probeAtMs ? { ...stop, probeAtMs: nowMs + PROBE_EVERY_MS } : null;
}
