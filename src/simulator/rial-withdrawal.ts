import type { UserId } from './wallet.ts';
import type { BankAccount } from './user.ts';
import type { WithdrawalSettings } from './funding/withdrawal-settings.ts';

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

/** A rial withdrawal. `units` left the wallet when it was made; the destination gets it less `fee`. */
export interface RialWithdrawalState {
  /** `CW` and digits. */
  readonly id: string;
  readonly userId: UserId;
  readonly walletId: number;
  readonly units: bigint;
  readonly fee: bigint;
  readonly status: WithdrawalStatus;
  readonly createdAtMs: number;
  readonly account: BankAccount;
  readonly payments: readonly PaymentState[];
  /** Amount that went back to the wallet when it ended early. */
  readonly refunded: bigint;
  /** Time of the next automatic step; null once it has ended or an administrator has taken it over. */
  readonly nextStepAtMs: number | null;
}

export function isEndedWithdrawal(status: WithdrawalStatus): boolean {
  return status === 'Done' || status === 'Failed' || status === 'Rejected' || status === 'Canceled';
}

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

/**
 * One step of the life that time gives: New, Sent, Bank processing, then a payment a step, Partially Done
 * between, Done at the last.
 */
export function stepWithdrawal(
  withdrawal: RialWithdrawalState,
  settings: WithdrawalSettings,
): RialWithdrawalState {
  const atMs = withdrawal.nextStepAtMs;
  if (atMs === null) return withdrawal;
  if (withdrawal.status === 'New')
    return { ...withdrawal, status: 'Sent', nextStepAtMs: atMs + settings.sentForMs };
  if (withdrawal.status === 'Sent') {
    return { ...withdrawal, status: 'Bank processing', nextStepAtMs: atMs + settings.paymentEveryMs };
  }
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

/** The payments that an amount is split into: full ones, then the rest. */
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
