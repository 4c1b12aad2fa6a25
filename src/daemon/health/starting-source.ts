import { NO_LATENCY } from './latency-buckets.ts';
import type { HealthSource } from './health-source.ts';
import type { LedgerWatch } from './ledger-watch.ts';

/**
 * Health source while no bot is at work: before the exchange has answered, and after the bot has ended. Only
 * the ledger exists then. The loop turns, or this would not be called.
 */
export function startingSource(of: {
  /** Returns why nothing is traded, in a sentence. */
  readonly waitsFor: () => string;
  readonly ledger: LedgerWatch;
}): HealthSource {
  return {
    heartbeatAgeMs: () => 0,
    mirrorFault: () => null,
    isDiskFull: () => false,
    phase: () => 'starting',
    waitsFor: () => of.waitsFor(),
    haltReason: () => null,
    credentialFault: () => null,
    placingFault: () => of.ledger.look().placingFault,
    breaks: () => [],
    doubts: () => [],
    lockouts: () => of.ledger.look().lockouts,
    locks: () => [],
    dataAges: () => [],
    budgets: () => of.ledger.look().budgets,
    requests: () => [],
    ordersByState: () => ({}),
    noticesByLevel: () => ({}),
    strategies: () => [],
    equity: () => [],
    orderLatency: () => NO_LATENCY,
    mirrorBytes: () => null,
  };
}
