import type { BotConfig } from './create-bot-config.ts';

/** States of a run's alert watch: on, or the reason it is off. */
export const ALERTS_STATES = ['on', 'not set', 'other speed'] as const;

type AlertsState = (typeof ALERTS_STATES)[number];

/** Alerts follow the clock, so an embedded exchange has some at speed 1 alone. */
export function alertsState({
  alerts,
  mode,
  embedded,
}: Pick<BotConfig, 'alerts' | 'mode' | 'embedded'>): AlertsState {
  if (alerts === null) return 'not set';
  return mode === 'embedded' && embedded.speed !== 1 ? 'other speed' : 'on';
}
