import type { Units } from '../../domain/money.ts';
import type { Severity } from './alert-facts.ts';

/** Parameters of each rule; null switches a rule off. */
export interface RuleSettings {
  readonly lockout: { readonly severity: Severity } | null;
  readonly credential: { readonly severity: Severity } | null;
  readonly unknownOrder: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly break: { readonly severity: Severity } | null;
  readonly noOrders: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly riskLimit: { readonly severity: Severity } | null;
  readonly refused: { readonly severity: Severity } | null;
  readonly standstill: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly halted: { readonly severity: Severity } | null;
  readonly noData: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly drawdown: { readonly severity: Severity; readonly percent: number } | null;
  readonly dailyLoss: { readonly severity: Severity; readonly percent: number } | null;
  readonly unprotected: { readonly severity: Severity; readonly afterMs: number } | null;
  readonly unclear: { readonly severity: Severity } | null;
  readonly strategy: { readonly severity: Severity } | null;
  readonly disk: { readonly severity: Severity; readonly leastMegabytes: number } | null;
  readonly clock: { readonly severity: Severity } | null;
  readonly newDevice: { readonly severity: Severity } | null;
  /** The least value by quote currency. */
  readonly bigFill: {
    readonly severity: Severity;
    readonly least: Readonly<Partial<Record<string, Units>>>;
  } | null;
  readonly silent: { readonly severity: Severity; readonly afterMs: number } | null;
}
