import type { TradeOrderRisk } from '../../../../src/statistics/trade-order-risk.ts';
import type {
  EntryFindings,
  RedrawnFindings,
  StressFindings,
} from '../../../../src/study/stress-findings.ts';

const spread = { p05: -0.1, p25: 0.1, p50: 0.2, p75: 0.3, p95: 0.4 };
export const known = <Value>(value: Value) => ({ kind: 'tested', value }) as const;

export const ORDER: TradeOrderRisk = {
  drawdown: spread,
  finalEquity: { ...spread, p05: 1.01 },
  observedDrawdown: 0.15,
  observedFinalEquity: 1.2,
  asDeep: 0.3,
  lossShare: 0.01,
  runs: 1_000,
};
export const REDRAWN: RedrawnFindings = {
  histories: 50,
  failed: 0,
  meanBlock: 30,
  lossShare: 0.2,
  beatsHolding: 0.7,
  totalReturn: spread,
  maxDrawdown: spread,
  holding: spread,
};
export const ENTRIES: EntryFindings = {
  controls: 50,
  failed: 0,
  metric: 'sharpe',
  found: 2,
  values: spread,
  totalReturn: spread,
  asGood: 0.02,
  pValue: 2 / 51,
};

/** Makes the findings of a trial that passes all stress tests, with some fields changed. */
export const madeFindings = (of: Partial<StressFindings> = {}): StressFindings => ({
  trial: 3,
  draws: 50,
  costs: { all: known({ totalReturn: 0.04 }), each: [], paid: [] },
  tradeOrder: { reorder: known(ORDER), resample: known(ORDER) },
  redrawn: known(REDRAWN),
  entries: known(ENTRIES),
  ...of,
});
