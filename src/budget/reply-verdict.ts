import { SarrafError } from '../domain/errors.ts';
import type { Verdict } from './lockouts.ts';

/** What a call that threw says about the exchange. */
export interface FailedCall {
  /** Whether the exchange answered, so that it has counted the request by now. */
  readonly isReply: boolean;
  readonly verdict: Verdict;
}

/** Whether a call did not leave because the process stood still between its admission and its writing. */
export function stoodStill(error: unknown): boolean {
  return error instanceof SarrafError && error.outcome === 'none' && error.details['stoodStill'] === true;
}

/** Reads the error of the client: its code, and the wait that a limit reply named ("Rate limits"). */
export function readFailedCall(error: unknown, canLogIn: boolean): FailedCall {
  if (!(error instanceof SarrafError)) return { isReply: false, verdict: { kind: 'silence' } };
  const { code, details } = error;
  if (code === 'RATE_LIMITED') {
    const waitMs = details['backOffMs'];
    return { isReply: true, verdict: { kind: 'limited', waitMs: typeof waitMs === 'number' ? waitMs : null } };
  }
  if (code === 'UNAUTHORIZED') return { isReply: true, verdict: { kind: 'unauthorized', canLogIn } };
  const status = details['httpStatus'];
  if (typeof status !== 'number') return { isReply: false, verdict: { kind: 'silence' } };
  // A proxy's or a failing server's answer does not show that a lockout is over; nor does it prove that the exchange itself has seen the request.
  if (status >= 500) return { isReply: false, verdict: { kind: 'silence' } };
  return { isReply: true, verdict: { kind: 'answered', loggedIn: false } };
}
