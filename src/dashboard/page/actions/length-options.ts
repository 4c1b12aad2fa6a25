import { HOUR_MS } from '../../../domain/time-text.ts';
import { showLength } from '../shown.ts';

const LENGTHS_MS = [
  HOUR_MS / 4,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  72 * HOUR_MS,
  168 * HOUR_MS,
];

/** Lengths of time to choose from. */
export function lengthOptions(): readonly (readonly [string, string])[] {
  return LENGTHS_MS.map((ms) => [String(ms), showLength(ms)] as const);
}
