import type { RialWithdrawalState, PaymentState } from './rial-withdrawal.ts';

type StoredPayment = Omit<PaymentState, 'units'> & { readonly units: string };

/** A withdrawal as plain JSON: units as text. */
export type StoredWithdrawal = Omit<RialWithdrawalState, 'units' | 'fee' | 'refunded' | 'payments'> & {
  readonly units: string;
  readonly fee: string;
  readonly refunded: string;
  readonly payments: readonly StoredPayment[];
};

export function storeWithdrawal(withdrawal: RialWithdrawalState): StoredWithdrawal {
  return {
    ...withdrawal,
    units: String(withdrawal.units),
    fee: String(withdrawal.fee),
    refunded: String(withdrawal.refunded),
    payments: withdrawal.payments.map((payment) => ({ ...payment, units: String(payment.units) })),
  };
}

/** Throws a `SyntaxError` when a text is no integer. */
export function readWithdrawal(stored: StoredWithdrawal): RialWithdrawalState {
  return {
    ...stored,
    units: BigInt(stored.units),
    fee: BigInt(stored.fee),
    refunded: BigInt(stored.refunded),
    payments: stored.payments.map((payment) => ({ ...payment, units: BigInt(payment.units) })),
  };
}
