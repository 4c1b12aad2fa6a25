/**
 * Behaviour of rial withdrawals. Amounts in rial, decimal text. Source for states and codes: interface, "Rial
 * withdrawal (version 2)".
 */
export interface WithdrawalSettings {
  /** False refuses every withdrawal with `WithdrawUnavailable`. */
  readonly enabled: boolean;
  readonly minimum: string;
  readonly maximum: string;
  /** Flat fee plus a share in millionths, rounded up to a whole rial, at most `feeCeiling`. */
  readonly feeFlat: string;
  readonly feeMillionths: number;
  readonly feeCeiling: string;
  /** Withdrawals of one user within 24 hours; more get `WithdrawLimitReached`. */
  readonly maximumPerDay: number;
  /** Time after creation in which a cancel is possible, while the status is still New. */
  readonly cancelWithinMs: number;
  /** Time a withdrawal stays New, then Sent. */
  readonly newForMs: number;
  readonly sentForMs: number;
  /** Time the bank needs for each payment. */
  readonly paymentEveryMs: number;
  /** Larger amounts are paid in several payments, `Partially Done` between them. */
  readonly largestPayment: string;
  readonly transferType: 'normal' | 'paya' | 'satna';
}

/** Numbers are ours but for the three minutes of the cancel. */
export const DEFAULT_WITHDRAWALS: WithdrawalSettings = {
  enabled: true,
  minimum: '150000',
  maximum: '5000000000',
  feeFlat: '0',
  feeMillionths: 10_000,
  feeCeiling: '50000',
  maximumPerDay: 20,
  cancelWithinMs: 180_000,
  newForMs: 180_000,
  sentForMs: 60_000,
  paymentEveryMs: 120_000,
  largestPayment: '1000000000',
  transferType: 'paya',
};
