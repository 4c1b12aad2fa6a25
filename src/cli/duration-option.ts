import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../daemon/settings/duration-field.ts';

/** Reads `30s`, `5m`, `2h` to milliseconds. */
export function durationOption(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs !== null && durationMs > 0) return durationMs;
  throw new InvalidArgumentError('expected a length of time such as 30s, 5m or 2h.');
}
