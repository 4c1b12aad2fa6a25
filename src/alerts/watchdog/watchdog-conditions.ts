import type { WatchdogNews } from '../../daemon/watchdog/watchdog.ts';
import type { AlertCondition } from '../core/alert-facts.ts';

/** Findings of a watchdog: conditions that hold, and events that have just happened. */
export interface WatchdogConditions {
  readonly holding: readonly AlertCondition[];
  readonly moments: readonly AlertCondition[];
}

/**
 * Returns the conditions after news of a watchdog, given those before. All are critical: nobody else reports
 * then. News without trouble ends the conditions that held.
 */
export function conditionsAfter(
  before: readonly AlertCondition[],
  news: WatchdogNews,
  atMs: number,
): WatchdogConditions {
  const severity = 'critical';
  switch (news.kind) {
    case 'began':
    case 'back':
      return { holding: [], moments: [] };
    case 'ended': {
      const { failure, endedAtMs } = news.pulse;
      if (failure === null) return { holding: [], moments: [] };
      const facts = { rule: 'ended', reason: failure } as const;
      return { holding: [{ key: 'ended', severity, facts, sinceMs: endedAtMs ?? atMs }], moments: [] };
    }
    case 'silent': {
      const lastSignMs = news.pulse === null ? null : Math.floor(news.pulse.beatMs);
      const facts = { rule: 'silent', lastSignMs } as const;
      return { holding: [{ key: 'silent', severity, facts, sinceMs: atMs - news.forMs }], moments: [] };
    }
    case 'canceled': {
      const { canceled, kept, left, isBack } = news.result;
      // They could be tried after all, and what is left is said.
      const holding = before.filter(({ key }) => key !== 'entries-failed');
      if (news.isRepeat || (isBack && canceled.length === 0)) return { holding, moments: [] };
      const facts = {
        rule: 'entries',
        canceled: canceled.length,
        kept: kept.length,
        left: left.length,
      } as const;
      const key = `entries ${atMs}`;
      return { holding, moments: [{ key, severity, facts, sinceMs: atMs, isMoment: true }] };
    }
    case 'not-canceled': {
      const facts = { rule: 'entries-failed', reason: news.reason } as const;
      // One alert for all attempts: each of them would be the same message.
      const rest = before.filter(({ key }) => key !== 'entries-failed');
      return { holding: [...rest, { key: 'entries-failed', severity, facts, sinceMs: atMs }], moments: [] };
    }
    case 'problem':
      return { holding: before, moments: [] };
  }
}
