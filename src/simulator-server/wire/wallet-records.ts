import { UNITS_PER_ONE } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { confirmationsOf, type Deposit } from '../../simulator/deposits.ts';
import { fulfilledUnits, isCancelable, type RialWithdrawalState } from '../../simulator/rial-withdrawal.ts';
import type { Wallet, WalletEntry } from '../../simulator/wallet.ts';
import type { WireCall } from './handler.ts';
import { writeDecimal, writeNumber, writeTime } from './write-fields.ts';

/**
 * Source: interface, "Wallet", first form. The rial worth is at the last price, whole rial, and the same for
 * buying and selling.
 */
export function walletJson(wallet: Wallet, call: WireCall): Record<string, unknown> {
  const { services } = call.exchange;
  const addresses = services.addresses.of(wallet.userId, services.currency(wallet.currency));
  const first = addresses[0]?.[1] ?? null;
  const rial = call.exchange.rialValue(wallet.currency, wallet.total) ?? 0n;
  const rialBalance = writeNumber(divideDown(rial, UNITS_PER_ONE) * UNITS_PER_ONE);
  return {
    id: wallet.id,
    currency: wallet.currency,
    balance: writeDecimal(wallet.total, call.forms),
    blockedBalance: writeDecimal(wallet.held, call.forms),
    activeBalance: writeDecimal(wallet.free, call.forms),
    rialBalance,
    rialBalanceSell: rialBalance,
    depositAddress: first?.address ?? null,
    depositTag: first?.tag ?? null,
    depositInfo: Object.fromEntries(
      addresses.map(([network, made]) => [
        network,
        { address: made?.address ?? null, tag: made?.tag ?? null },
      ]),
    ),
  };
}

/** Source: interface, "Wallet", second form. */
export function balanceJson(wallet: Wallet, call: WireCall): Record<string, unknown> {
  return {
    id: wallet.id,
    balance: writeDecimal(wallet.total, call.forms),
    blocked: writeDecimal(wallet.held, call.forms),
  };
}

/** Source: interface, "Wallet transaction". */
export function transactionJson(transaction: WalletEntry, call: WireCall): Record<string, unknown> {
  return {
    id: transaction.id,
    currency: transaction.currency,
    created_at: writeTime(transaction.timeMs),
    calculatedFee: writeDecimal(transaction.fee, call.forms),
    amount: writeDecimal(transaction.units, call.forms),
    description: transaction.description,
  };
}

/**
 * Source: interface, "Deposit". A deposit that is not confirmed yet has no transaction: `transaction` is
 * null.
 */
export function depositJson(deposit: Deposit, call: WireCall): Record<string, unknown> {
  const { creditedAtMs } = deposit;
  const isConfirmed = creditedAtMs !== null;
  const amount = writeDecimal(deposit.units, call.forms);
  return {
    txHash: deposit.txHash,
    address: deposit.address,
    confirmed: isConfirmed,
    transaction: isConfirmed
      ? {
          id: deposit.transactionId,
          amount,
          currency: deposit.currency,
          description: `Deposit ${deposit.txHash}`,
          created_at: writeTime(creditedAtMs),
          calculatedFee: writeDecimal(0n, call.forms),
        }
      : null,
    currency: deposit.currency,
    blockchainUrl: `https://explorer.example/${deposit.network ?? 'bank'}/${deposit.txHash}`,
    confirmations: isConfirmed ? deposit.requiredConfirmations : confirmationsOf(deposit, call.timeMs),
    requiredConfirmations: deposit.requiredConfirmations,
    amount,
  };
}

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
export function listedWithdrawalJson(
  withdrawal: RialWithdrawalState,
  call: WireCall,
): Record<string, unknown> {
  return {
    ...withdrawalRecord(withdrawal, call),
    currency: 'rls',
    address: withdrawal.account.shaba,
    wallet_id: withdrawal.walletId,
  };
}
