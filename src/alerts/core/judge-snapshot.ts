import type { AlertCondition, RuleSettings } from './alert-facts.ts';
import type { AlertSnapshot, JournalRow } from './alert-snapshot.ts';
import { tradingConditions } from './trading-rules.ts';
import { drawdownOf, profitOfTehranDay, type ValueAt } from '../../portfolio/value-series.ts';
import { isAhead } from './track-alerts.ts';

/** Conditions of one look at most; beyond it the last ones are left out until others end. */
const MOST_CONDITIONS = 500;

/** Everything that is worth an alert at a moment, a key once. */
export function judgeSnapshot(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  const all = [
    ...machineConditions(snapshot, rules),
    ...accountConditions(snapshot, rules),
    ...tradingConditions(snapshot, rules),
    ...equityConditions(snapshot, rules),
  ];
  return [...new Map(all.map((one) => [one.key, one])).values()].slice(0, MOST_CONDITIONS);
}

const BASIS_POINTS = 10_000;

/** Falls of equity: from its peak, and within the day of Tehran. Statistics, so shares are floats. */
function equityConditions(
  { atMs, equity }: AlertSnapshot,
  { drawdown, dailyLoss }: RuleSettings,
): readonly AlertCondition[] {
  return equity.flatMap(({ currency, values }): readonly AlertCondition[] => {
    const conditions: AlertCondition[] = [];
    const fall = (drawdownOf(values)?.now.depthBps ?? 0) / BASIS_POINTS;
    if (drawdown !== null && fall * 100 >= drawdown.percent) {
      conditions.push({
        key: `drawdown ${currency}`,
        severity: drawdown.severity,
        facts: { rule: 'drawdown', currency, share: fall, limit: drawdown.percent / 100 },
        sinceMs: atMs,
      });
    }
    const loss = lossOfDay(values, atMs);
    if (dailyLoss !== null && loss * 100 >= dailyLoss.percent) {
      conditions.push({
        key: `daily-loss ${currency}`,
        severity: dailyLoss.severity,
        facts: { rule: 'daily-loss', currency, share: loss, limit: dailyLoss.percent / 100 },
        sinceMs: atMs,
      });
    }
    return conditions;
  });
}

/** Returns the loss of the day so far, as a share of the value at its start. */
function lossOfDay(values: readonly ValueAt[], atMs: number): number {
  const day = profitOfTehranDay(values, atMs);
  const last = values.at(-1);
  if (day === null || last === undefined) return 0;
  const start = last.value - day.profit;
  return start <= 0n ? 0 : -Number(day.profit) / Number(start);
}

/** Returns what the exchange holds against the account: lockouts, a refused credential, a new device. */
function accountConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  return [...lockouts(snapshot, rules), ...credential(snapshot, rules), ...newDevice(snapshot, rules)];
}

function lockouts({ lockouts, atMs }: AlertSnapshot, { lockout }: RuleSettings): readonly AlertCondition[] {
  if (lockout === null) return [];
  return lockouts.map(({ budget, endsAtMs }) => ({
    key: `lockout ${budget}`,
    severity: lockout.severity,
    facts: { rule: 'lockout', budget, endsAtMs },
    sinceMs: atMs,
  }));
}

function credential(snapshot: AlertSnapshot, { credential }: RuleSettings): readonly AlertCondition[] {
  if (credential === null) return [];
  const { credential: refused, rows } = snapshot;
  const { severity } = credential;
  if (refused !== null) {
    const { name, advice, sinceMs } = refused;
    return [{ key: 'credential', severity, facts: { rule: 'credential', name, advice }, sinceMs }];
  }
  // It was refused and taken again since the last look: it is said all the same.
  const row = rows.find((row) => row.kind === 'notice' && row.subject === 'credential' && isRefusal(row));
  if (row === undefined) return [];
  return [
    {
      key: 'credential',
      severity,
      facts: { rule: 'credential', name: '', advice: '' },
      sinceMs: row.atMs,
    },
  ];
}

function isRefusal({ json }: JournalRow): boolean {
  return json.includes('"refused":true');
}

function newDevice(snapshot: AlertSnapshot, { newDevice }: RuleSettings): readonly AlertCondition[] {
  const { device, deviceBefore, atMs } = snapshot;
  if (newDevice === null || device === null || deviceBefore === null || device === deviceBefore) return [];
  return [
    {
      key: `new-device ${device}`,
      severity: newDevice.severity,
      facts: { rule: 'new-device' },
      sinceMs: atMs,
      isMoment: true,
    },
  ];
}

const MEGABYTE = 1_000_000;
const FAULT_FOR_MS = 10_000;

/**
 * Returns what is wrong with the machine or the connection to the exchange: data, disk, clock, and a silent
 * bot.
 */
function machineConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
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
