import type { DecimalText } from '../../../../src/domain/decimal-text.ts';
import { LatencyBuckets, type HealthSource } from '../../../../src/daemon/health-source.ts';

const nothing = {
  currency: 'rls',
  profit: '0' as DecimalText,
  realised: null,
  open: null,
  positions: {},
  unvalued: [],
} as const;

const latency = new LatencyBuckets();
for (const tookMs of [80, 90, 400, 90_000]) latency.add(tookMs);

/** Makes the health of a bot without problems; a test overrides fields of it. */
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
      {
        strategy: 'maker',
        requests: 20,
        fills: 8,
        orders: 9,
        refusals: [{ what: 'order', code: 'risk data-age', count: 4 }],
        made: {
          ...nothing,
          profit: '120' as DecimalText,
          realised: '150' as DecimalText,
          open: '-30' as DecimalText,
          positions: { btc: '-0.5' as DecimalText },
        },
      },
      {
        strategy: 'idle',
        requests: 2,
        fills: 0,
        orders: 0,
        refusals: [],
        made: { ...nothing, profit: null, unvalued: ['btc'] },
      },
    ],
    equity: () => [{ currency: 'rls', value: '1000' as DecimalText, drawdown: 0.02 }],
    orderLatency: () => latency.counts(),
    mirrorBytes: () => 8_192,
    ...but,
  };
}
