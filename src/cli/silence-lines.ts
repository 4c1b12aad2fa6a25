import { OLDEST_HEARTBEAT_MS } from '../daemon/health/health-verdict.ts';
import { readPulse } from '../daemon/heartbeat.ts';
import { lengthText } from '../domain/time-text.ts';

/**
 * Returns the time since the loop of a running bot last turned; null while it turns, or if the bot shows
 * nothing.
 */
export function silenceOf(dataFolder: string, nowMs: number): number | null {
  const pulse = readPulse(dataFolder);
  if (pulse === null || pulse.endedAtMs !== null) return null;
  const forMs = nowMs - pulse.beatMs;
  return forMs > OLDEST_HEARTBEAT_MS ? forMs : null;
}

/** A line about it for people. */
export function silenceLines(forMs: number | null): readonly string[] {
  if (forMs === null) return [];
  return [`silent  for ${lengthText(forMs)}: the bot decides nothing, and its orders stay open`];
}
