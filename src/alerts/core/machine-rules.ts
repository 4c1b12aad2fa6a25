import type { AlertCondition } from './alert-facts.ts';
import type { AlertSnapshot } from './alert-snapshot.ts';
import type { RuleSettings } from './rule-settings.ts';
import { isAhead } from './elapsed.ts';

const MEGABYTE = 1_000_000;
const FAULT_FOR_MS = 10_000;

/**
 * Returns what is wrong with the machine or the connection to the exchange: data, disk, clock, and a silent
 * bot.
 */
export function machineConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  return [
    ...silent(snapshot, rules),
    ...noData(snapshot, rules),
    ...disk(snapshot, rules),
    ...clock(snapshot, rules),
  ];
}

/**
 * Returns how long the bot has written nothing. A sign of life from before the clock was set back is ignored.
 */
function silenceMs({ atMs, lastSignMs, watchedSinceMs }: AlertSnapshot): number {
  const signMs = lastSignMs === null || isAhead(lastSignMs, atMs) ? 0 : lastSignMs;
  return atMs - Math.max(signMs, watchedSinceMs);
}

function silent(snapshot: AlertSnapshot, { silent: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null || silenceMs(snapshot) < rule.afterMs) return [];
  const { lastSignMs, watchedSinceMs } = snapshot;
  return [
    {
      key: 'silent',
      severity: rule.severity,
      facts: { rule: 'silent', lastSignMs },
      sinceMs: lastSignMs ?? watchedSinceMs,
    },
  ];
}

/** Nothing at all was read for too long; or single feeds, which health calls too old, were not. */
function noData(snapshot: AlertSnapshot, { noData: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  const { severity, afterMs } = rule;
  const { atMs, lastReadMs, watchedSinceMs, staleFeeds } = snapshot;
  const sinceMs = Math.max(lastReadMs ?? 0, watchedSinceMs);
  if (atMs - sinceMs >= afterMs) {
    const facts = { rule: 'no-data', feed: null, readAtMs: lastReadMs } as const;
    return [{ key: 'no-data', severity, facts, sinceMs }];
  }
  return staleFeeds
    .filter(({ readAtMs }) => atMs - Math.max(readAtMs ?? 0, watchedSinceMs) >= afterMs)
    .map(({ feed, readAtMs }) => ({
      key: `no-data ${feed}`,
      severity,
      facts: { rule: 'no-data', feed, readAtMs },
      sinceMs: readAtMs ?? watchedSinceMs,
    }));
}

function disk(snapshot: AlertSnapshot, { disk: rule }: RuleSettings): readonly AlertCondition[] {
  if (rule === null) return [];
  const { freeBytes, diskFault, atMs } = snapshot;
  const isLow = freeBytes !== null && freeBytes < rule.leastMegabytes * MEGABYTE;
  if (!isLow && diskFault === null) return [];
  const facts = { rule: 'disk', freeBytes, fault: diskFault } as const;
  // As a mirror is made, its reserve is not there yet for a moment.
  return [
    { key: 'disk', severity: rule.severity, facts, sinceMs: atMs, ...(isLow ? {} : { forMs: FAULT_FOR_MS }) },
  ];
}

function clock(
  { clockAheadMs, atMs }: AlertSnapshot,
  { clock: rule }: RuleSettings,
): readonly AlertCondition[] {
  if (rule === null || clockAheadMs === null) return [];
  const facts = { rule: 'clock', aheadMs: clockAheadMs } as const;
  return [{ key: 'clock', severity: rule.severity, facts, sinceMs: atMs }];
}
