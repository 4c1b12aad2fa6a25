import { messageOf } from '../../domain/errors.ts';

/** Reasons are shown in one line, and kept for every trial that failed. */
const LONGEST_REASON = 300;

/** Returns the failure reason, in one line. */
export function failureReason(error: unknown): string {
  const text = messageOf(error);
  const line = text.replaceAll(/\s*\n\s*/g, '; ');
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1)}…`;
}
