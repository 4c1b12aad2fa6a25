import { z } from 'zod';
import { decimalAmount, durationMs, millionths, positiveDecimal } from './setting-fields.ts';
import type { UserId } from './accounts.ts';
import type { BankAccount, WithdrawalCeilings } from './user.ts';
import { formatUnits, parseUnits } from '../domain/money.ts';

export const WITHDRAWAL_STATUSES = [
  'New',
  'Sent',
  'Bank processing',
  'Partially Done',
  'Done',
  'Failed',
  'Rejected',
  'Canceled',
] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** One payment to the bank. */
export interface PaymentState {
  readonly units: bigint;
  readonly status: 'Pending' | 'Failed' | 'Transferred';
  readonly bankReferenceNumber: string | null;
  readonly estimatedSettleAtMs: number | null;
  readonly updatedAtMs: number;
}

/** A rial withdrawal. `units` left the wallet when it was made; the destination gets them less `fee`. */
export interface RialWithdrawalState {
  /** `CW` followed by digits. */
  readonly id: string;
  readonly userId: UserId;
  readonly walletId: number;
  readonly units: bigint;
  readonly fee: bigint;
  readonly status: WithdrawalStatus;
  readonly createdAtMs: number;
  readonly account: BankAccount;
  readonly payments: readonly PaymentState[];
  /** Amount that was refunded when it ended early. */
  readonly refunded: bigint;
  /** Time of the next automatic step; null if it has ended or an administrator controls it. */
  readonly nextStepAtMs: number | null;
}

export const isEndedWithdrawal = (status: WithdrawalStatus): boolean =>
  status === 'Done' || status === 'Failed' || status === 'Rejected' || status === 'Canceled';

/** Returns the amount that has reached the bank. */
export function fulfilledUnits(withdrawal: RialWithdrawalState): bigint {
  return withdrawal.payments.reduce(
    (sum, { units, status }) => (status === 'Transferred' ? sum + units : sum),
    0n,
  );
}

export function isCancelable(
  withdrawal: RialWithdrawalState,
  timeMs: number,
  settings: WithdrawalSettings,
): boolean {
  return withdrawal.status === 'New' && timeMs - withdrawal.createdAtMs <= settings.cancelWithinMs;
}

/** Does one automatic step: New, Sent, Bank processing, a payment in each step (Partially Done), Done. */
export function stepWithdrawal(
  withdrawal: RialWithdrawalState,
  settings: WithdrawalSettings,
): RialWithdrawalState {
  const atMs = withdrawal.nextStepAtMs;
  if (atMs === null) return withdrawal;
  if (withdrawal.status === 'New')
    return { ...withdrawal, status: 'Sent', nextStepAtMs: atMs + settings.sentForMs };
  if (withdrawal.status === 'Sent')
    return { ...withdrawal, status: 'Bank processing', nextStepAtMs: atMs + settings.paymentEveryMs };
  return payNext(withdrawal, atMs, settings);
}

function payNext(
  withdrawal: RialWithdrawalState,
  atMs: number,
  settings: WithdrawalSettings,
): RialWithdrawalState {
  const index = withdrawal.payments.findIndex(({ status }) => status === 'Pending');
  const payments = withdrawal.payments.map((payment, at): PaymentState =>
    at === index
      ? {
          ...payment,
          status: 'Transferred',
          bankReferenceNumber: `${withdrawal.id.slice(2)}${String(at + 1).padStart(3, '0')}`,
          updatedAtMs: atMs,
        }
      : payment,
  );
  const isLast = payments.every(({ status }) => status !== 'Pending');
  return isLast
    ? { ...withdrawal, payments, status: 'Done', nextStepAtMs: null }
    : { ...withdrawal, payments, status: 'Partially Done', nextStepAtMs: atMs + settings.paymentEveryMs };
}

/** Splits an amount into payments: full ones, then the rest. */
export function paymentsOf(units: bigint, largest: bigint, timeMs: number): readonly PaymentState[] {
  const payments: PaymentState[] = [];
  for (let rest = units; rest > 0n; rest -= largest) {
    payments.push({
      units: rest < largest ? rest : largest,
      status: 'Pending',
      bankReferenceNumber: null,
      estimatedSettleAtMs: null,
      updatedAtMs: timeMs,
    });
  }
  return payments;
}

/**
 * Settings of rial withdrawals. Amounts are in rial, as decimal text. Source for states and codes: interface,
 * "Rial withdrawal (version 2)"; most numbers are ours.
 */
export const withdrawalSettings = z.strictObject({
  /** False refuses every withdrawal with `WithdrawUnavailable`. */
  enabled: z.boolean().default(true),
  minimum: decimalAmount().prefault('150000'),
  maximum: decimalAmount().prefault('5000000000'),
  /** Flat fee, to which a share in millionths is added: rounded up to a rial, at most `feeCeiling`. */
  feeFlat: decimalAmount().prefault('0'),
  feeMillionths: millionths().default(10_000),
  feeCeiling: decimalAmount().prefault('50000'),
  /** Maximum number of withdrawals of one user within 24 hours; further ones get `WithdrawLimitReached`. */
  maximumPerDay: z.int().min(0).default(20),
  /** Time after creation in which a cancel is possible while the status is New, as in the interface. */
  cancelWithinMs: durationMs().default(180_000),
  /** Time a withdrawal is New, and then Sent. */
  newForMs: durationMs().default(180_000),
  sentForMs: durationMs().default(60_000),
  /** Time the bank needs for each payment. */
  paymentEveryMs: durationMs().default(120_000),
  /** Largest single payment; larger amounts are paid in several, with `Partially Done` between them. */
  largestPayment: positiveDecimal().prefault('1000000000'),
  transferType: z.enum(['normal', 'paya', 'satna']).default('paya'),
});

export type WithdrawalSettings = Readonly<z.output<typeof withdrawalSettings>>;

/** A user's withdrawals within the last 24 hours and the last 30 days, in rial units. */
export interface WithdrawnRial {
  readonly rialDay: bigint;
  readonly rialMonth: bigint;
  readonly coinDay: bigint;
  readonly coinMonth: bigint;
}

/** Returns the four withdrawal limits and the used part of each. Source: interface, "User limitations". */
export function usedLimits(
  ceilings: WithdrawalCeilings,
  withdrawn: WithdrawnRial,
): Readonly<Record<keyof WithdrawalCeilings, { readonly used: bigint; readonly limit: bigint }>> {
  return {
    withdrawRialDaily: { used: withdrawn.rialDay, limit: parseUnits(ceilings.withdrawRialDaily) },
    withdrawCoinDaily: { used: withdrawn.coinDay, limit: parseUnits(ceilings.withdrawCoinDaily) },
    withdrawTotalDaily: {
      used: withdrawn.rialDay + withdrawn.coinDay,
      limit: parseUnits(ceilings.withdrawTotalDaily),
    },
    withdrawTotalMonthly: {
      used: withdrawn.rialMonth + withdrawn.coinMonth,
      limit: parseUnits(ceilings.withdrawTotalMonthly),
    },
  };
}

/** Returns the limit that a further rial withdrawal would exceed, as a sentence; null if there is none. */
export function limitBrokenByRial(
  ceilings: WithdrawalCeilings,
  withdrawn: WithdrawnRial,
  units: bigint,
): string | null {
  const limits = usedLimits(ceilings, withdrawn);
  for (const name of ['withdrawRialDaily', 'withdrawTotalDaily', 'withdrawTotalMonthly'] as const) {
    const { used, limit } = limits[name];
    if (used + units > limit)
      return `${name}: expected at most ${formatUnits(limit - used)} rial, was ${formatUnits(units)}`;
  }
  return null;
}
