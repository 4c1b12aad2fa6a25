import { fulfilledUnits, isCancelable, type RialWithdrawalState } from '../core/funding/rial-withdrawal.ts';
import type { WireCall } from './handler.ts';
import { writeDecimal } from './write-decimal.ts';
import { writeTime } from './write-time.ts';

/** `result` of the calls of rial withdrawal, version 2. Source: interface, "Rial withdrawal (version 2)". */
export function withdrawalRecord(withdrawal: RialWithdrawalState, call: WireCall): Record<string, unknown> {
  const { withdrawalSettings } = call.exchange.services;
  const { account } = withdrawal;
  return {
    id: withdrawal.id,
    createdAt: writeTime(withdrawal.createdAtMs),
    status: withdrawal.status,
    amount: writeDecimal(withdrawal.units, call.forms),
    fee: writeDecimal(withdrawal.fee, call.forms),
    fulfilledAmount: writeDecimal(fulfilledUnits(withdrawal), call.forms),
    bankAccountId: account.id,
    bankAccountInfo: {
      id: account.id,
      number: account.number,
      shaba: account.shaba,
      bank: account.bank,
      owner: account.owner,
    },
    isCancelable: isCancelable(withdrawal, call.timeMs, withdrawalSettings),
    records: withdrawal.payments.map((payment) => ({
      amount: writeDecimal(payment.units, call.forms),
      bankReferenceNumber: payment.bankReferenceNumber,
      status: payment.status,
      estimatedSettleAt: payment.estimatedSettleAtMs === null ? null : writeTime(payment.estimatedSettleAtMs),
      providerUpdatedAt: writeTime(payment.updatedAtMs),
      transferType: withdrawalSettings.transferType,
    })),
  };
}

/** A line of the shared list: the same, with the currency and the wallet that older withdrawals have. */
export function listedWithdrawalJson(withdrawal: RialWithdrawalState, call: WireCall): Record<string, unknown> {
  return {
    ...withdrawalRecord(withdrawal, call),
    currency: 'rls',
    address: withdrawal.account.shaba,
    wallet_id: withdrawal.walletId,
  };
}
