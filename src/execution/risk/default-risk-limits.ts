import type { RiskLimits } from './risk-limits.ts';

/**
 * What holds where nothing is configured: guards against mistakes that no strategy makes on purpose. How much money may be at risk only its owner
 * knows, so no value is limited here.
 */
export const DEFAULT_RISK_LIMITS: RiskLimits = {
  maxOrderAmount: null,
  maxOrderValue: null,
  maxPosition: null,
  maxMarketExposure: null,
  maxTotalExposure: null,
  maxOpenOrdersPerStrategy: 50,
  maxOpenOrdersInAll: 200,
  collarBps: 1_000,
  passiveCollarBps: null,
  maxBookAgeMs: 30_000,
  maxBookVenueAgeMs: null,
  maxDailyLoss: null,
  maxDrawdown: null,
  maxOrdersPerMinute: 60,
  maxOrdersPerHour: null,
  lossCooldown: null,
  refuseSelfCrossing: false,
};
