import { MOST_MUTED_MS } from '../core/plan-message.ts';
import type { SafeOutbox } from './safe-outbox.ts';

const NAME = 'muted until';

/**
 * Until when only what is critical is said; 0 where nothing is held back. A time further away than anybody
 * can mute is of a clock that was set back since, and holds back nothing.
 */
export function mutedUntilMs(outbox: SafeOutbox, nowMs: number): number {
  const untilMs = Number(outbox.use((each) => each.meta(NAME)) ?? 0);
  return untilMs > nowMs && untilMs - nowMs <= MOST_MUTED_MS ? untilMs : 0;
}

export function keepMuted(outbox: SafeOutbox, untilMs: number): void {
  outbox.use((each) => each.keepMeta(NAME, String(untilMs)));
}
