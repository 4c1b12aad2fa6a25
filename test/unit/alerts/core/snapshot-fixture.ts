import type { AlertSnapshot, Alert, RuleSettings } from '../../../../src/alerts/core/alert-facts.ts';
import type { DecimalText } from '../../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../../src/domain/money.ts';

/** Noon of Monday, 5 January 2026, in Tehran. */
export const NOON_MS = Date.UTC(2026, 0, 5, 8, 30);

/** Makes a critical alert that began at noon and was sent once. */
export const openAlert = (over: Partial<Alert> = {}): Alert => ({
  id: 1,
  key: 'halted',
  severity: 'critical',
  facts: { rule: 'halted', reason: 'by hand' },
  openedAtMs: NOON_MS,
  endedAtMs: null,
  acknowledgedAtMs: null,
  acknowledgedBy: null,
  step: 1,
  saidAtMs: NOON_MS,
  absentSinceMs: null,
  ...over,
});

/** An entry that waits until noon. */
export const WAITING: AlertSnapshot['approvals'][number] = {
  id: 'i3f',
  strategy: 'grid',
  kind: 'place',
  market: 'BTCIRT',
  value: '600000000' as DecimalText,
  bound: '60000000000' as DecimalText,
  expiresAtMs: NOON_MS,
};

/** Makes the snapshot of a bot without any problem. */
export function wellSnapshot(over: Partial<AlertSnapshot> = {}): AlertSnapshot {
  const atMs = over.atMs ?? NOON_MS;
  return {
    atMs,
    rows: [],
    fills: [],
    lastSignMs: atMs - 1_000,
    watchedSinceMs: NOON_MS - 3_600_000,
    lockouts: [],
    credential: null,
    unknownOrders: [],
    break: null,
    noOrders: null,
    lossLimits: [],
    standstills: [],
    halt: null,
    approvals: [],
    staleFeeds: [],
    lastReadMs: atMs - 1_000,
    strategies: [{ name: 'grid', status: 'running', reason: null, atMs }],
    unclear: [],
    unprotected: [],
    freeBytes: 50_000_000_000,
    diskFault: null,
    clockAheadMs: null,
    device: 'a',
    deviceBefore: 'a',
    equity: [],
    shadows: [],
    ...over,
  };
}

export const RULES: RuleSettings = {
  lockout: { severity: 'critical' },
  credential: { severity: 'critical' },
  unknownOrder: { severity: 'critical', afterMs: 600_000 },
  break: { severity: 'critical' },
  noOrders: { severity: 'critical', afterMs: 60_000 },
  riskLimit: { severity: 'warning' },
  refused: { severity: 'warning' },
  standstill: { severity: 'critical', afterMs: 60_000 },
  halted: { severity: 'warning' },
  approval: { severity: 'warning' },
  noData: { severity: 'critical', afterMs: 300_000 },
  drawdown: { severity: 'warning', percent: 10 },
  dailyLoss: { severity: 'warning', percent: 5 },
  unclear: { severity: 'critical' },
  unprotected: { severity: 'critical', afterMs: 60_000 },
  strategy: { severity: 'warning' },
  disk: { severity: 'critical', leastMegabytes: 500 },
  clock: { severity: 'warning' },
  newDevice: { severity: 'warning' },
  bigFill: { severity: 'info', least: { usdt: parseUnits('1000') } },
  shadow: { severity: 'info', least: { rls: parseUnits('5000000') } },
  silent: { severity: 'critical', afterMs: 120_000 },
};
