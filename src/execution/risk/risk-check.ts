import type { RiskLimits } from './risk-limits.ts';
import type { RiskRefusal, RiskView } from './risk-view.ts';

/** One check: why it refuses the order of the view, or null where it has nothing against it. Looks at nothing but what it is handed. */
export type RiskCheck = (view: RiskView, limits: RiskLimits) => RiskRefusal | null;
