import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import {
  anyValue,
  decimalField,
  decimalOrNull,
  flagOrNull,
  integerOrNull,
  textField,
  textOrNull,
  timeMsOrNull,
} from '../reply-types.ts';

/** One bank payment of a rial withdrawal. */
export interface WithdrawalPayment {
  readonly amount: DecimalText;
  readonly bankReferenceNumber: string | null;
  /** `Pending`, `Failed`, `Transferred`. */
  readonly status: string | null;
  readonly estimatedSettleAtMs: number | null;
  readonly providerUpdatedAtMs: number | null;
  /** `normal`, `paya`, `satna`. */
  readonly transferType: string | null;
}

/** A rial withdrawal of version 2. Amounts in rial; the destination gets the amount less the fee. */
export interface RialWithdrawal {
  /** `CW` and digits. */
  readonly id: string;
  readonly createdAtMs: number | null;
  /** `New`, `Sent`, `Bank processing`, `Partially Done`, `Done`, `Failed`, `Rejected`, `Canceled`. */
  readonly status: string | null;
  readonly amount: DecimalText;
  readonly fee: DecimalText | null;
  readonly fulfilledAmount: DecimalText | null;
  readonly bankAccountId: number | null;
  /** As the exchange describes the account: text or an object. */
  readonly bankAccountInfo: unknown;
  readonly isCancelable: boolean | null;
  readonly payments: readonly WithdrawalPayment[];
}

const paymentRecord = z
  .object({
    amount: decimalField,
    bankReferenceNumber: textOrNull,
    status: textOrNull,
    estimatedSettleAt: timeMsOrNull,
    providerUpdatedAt: timeMsOrNull,
    transferType: textOrNull,
  })
  .transform((wire): WithdrawalPayment => ({
    amount: wire.amount,
    bankReferenceNumber: wire.bankReferenceNumber,
    status: wire.status,
    estimatedSettleAtMs: wire.estimatedSettleAt,
    providerUpdatedAtMs: wire.providerUpdatedAt,
    transferType: wire.transferType,
  }));

/** "Rial withdrawal (version 2)". */
export const rialWithdrawalRecord = z
  .object({
    id: textField,
    createdAt: timeMsOrNull,
    status: textOrNull,
    amount: decimalField,
    fee: decimalOrNull,
    fulfilledAmount: decimalOrNull,
    bankAccountId: integerOrNull,
    bankAccountInfo: anyValue.optional(),
    isCancelable: flagOrNull,
    records: z.array(paymentRecord).nullish(),
  })
  .transform((wire): RialWithdrawal => ({
    id: wire.id,
    createdAtMs: wire.createdAt,
    status: wire.status,
    amount: wire.amount,
    fee: wire.fee,
    fulfilledAmount: wire.fulfilledAmount,
    bankAccountId: wire.bankAccountId,
    bankAccountInfo: wire.bankAccountInfo ?? null,
    isCancelable: wire.isCancelable,
    payments: wire.records ?? [],
  }));

/** A line of the shared list of withdrawals, of rial and of coins. Only what both kinds can have. */
export interface ListedWithdrawal {
  /** Digits for older withdrawals, `CW` and digits for version 2. */
  readonly id: string;
  readonly status: string | null;
  readonly amount: DecimalText;
  readonly fee: DecimalText | null;
  /** Lower case. */
  readonly currency: string | null;
  readonly address: string | null;
  readonly createdAtMs: number | null;
  readonly walletId: number | null;
  readonly isCancelable: boolean | null;
}

/** The documents do not show the record, so both spellings in use are accepted. */
export const listedWithdrawalRecord = z
  .object({
    id: textField,
    status: textOrNull,
    amount: decimalField,
    fee: decimalOrNull,
    currency: textOrNull,
    address: textOrNull,
    createdAt: timeMsOrNull,
    created_at: timeMsOrNull,
    wallet_id: integerOrNull,
    walletId: integerOrNull,
    isCancelable: flagOrNull,
    is_cancelable: flagOrNull,
  })
  .transform((wire): ListedWithdrawal => ({
    id: wire.id,
    status: wire.status,
    amount: wire.amount,
    fee: wire.fee,
    currency: wire.currency?.toLowerCase() ?? null,
    address: wire.address,
    createdAtMs: wire.createdAt ?? wire.created_at,
    walletId: wire.walletId ?? wire.wallet_id,
    isCancelable: wire.isCancelable ?? wire.is_cancelable,
  }));
