import { SarrafError, type ErrorCode } from '../domain/errors.ts';
import type { SlotEnd } from './admission.ts';
import type { Verdict } from './lockouts.ts';

/** Information about the exchange from a call that threw. */
interface FailedCall {
  readonly end: SlotEnd;
  readonly verdict: Verdict;
}

/**
 * Returns true if a call did not leave because the process stood still between its admission and its writing.
 */
export function stoodStill(error: unknown): boolean {
  return error instanceof SarrafError && error.outcome === 'none' && error.details['stoodStill'] === true;
}

/** With these no byte of a request leaves. */
const UNSENT_CODES: ReadonlySet<ErrorCode> = new Set([
  'INVALID_REQUEST',
  'HOST_NOT_FOUND',
  'CONNECTION_REFUSED',
  'CONNECTION_FAILED',
  'TOO_MANY_CALLS',
]);

/** Reads the error of the client: its code, and the wait that a limit reply named ("Rate limits"). */
export function readFailedCall(error: unknown, canLogIn: boolean): FailedCall {
  if (!(error instanceof SarrafError)) return { end: 'unanswered', verdict: { kind: 'silence' } };
  const { code, details } = error;
  if (UNSENT_CODES.has(code)) return { end: 'unsent', verdict: { kind: 'silence' } };
  if (code === 'RATE_LIMITED') {
    const { backOffMs, limit, isOwn } = details;
    return {
      end: 'answered',
      verdict: {
        kind: 'limited',
        waitMs: typeof backOffMs === 'number' ? backOffMs : null,
        limit: typeof limit === 'number' ? limit : null,
        isOwn: isOwn !== false,
      },
    };
  }
  if (code === 'UNAUTHORIZED') return { end: 'answered', verdict: { kind: 'unauthorized', canLogIn } };
  const status = details['httpStatus'];
  if (typeof status !== 'number') return { end: 'unanswered', verdict: { kind: 'silence' } };
  // A proxy's or a failing server's answer does not show that a lockout is over; nor does it prove that the
  // exchange itself has seen the request.
  if (status >= 500) return { end: 'unanswered', verdict: { kind: 'silence' } };
  return { end: 'answered', verdict: { kind: 'answered', loggedIn: false } };
}
