import type { HealthSource } from '../../../../src/daemon/health/health-source.ts';

/** A bot that is well, but for what a test says. */
export function wellSource(but: Partial<HealthSource> = {}): HealthSource {
  return {
    heartbeatAgeMs: () => 40,
    mirrorFault: () => null,
    isDiskFull: () => false,
    phase: () => 'trading',
    waitsFor: () => null,
    haltReason: () => null,
    credentialFault: () => null,
    placingFault: () => null,
    breaks: () => [],
    doubts: () => [],
    lockouts: () => [],
    locks: () => [],
    dataAges: () => [{ feed: 'book BTCIRT', ageMs: 900, longestAgeMs: 5_000 }],
    budgets: () => [{ budget: 'orders/add', subject: 'abc', inUse: 12, limit: 300, lowered: 305 }],
    requests: () => [
      { endpoint: 'orders/add', outcome: 'ok', count: 30 },
      { endpoint: 'orders/add', outcome: 'TIMED_OUT', count: 2 },
    ],
    ordersByState: () => ({ open: 3, unknown: 1 }),
    noticesByLevel: () => ({ info: 7, error: 1 }),
    strategies: () => [
      { strategy: 'maker', requests: 20, fills: 8 },
      { strategy: 'idle', requests: 2, fills: 0 },
    ],
    ...but,
  };
}
