import { callUser } from '../call-user.ts';
import type { WireCall, WireHandlers } from '../handler.ts';
import { integerField, textField, unitsField } from '../read-field.ts';
import { withdrawalRecord } from '../withdrawal-record.ts';
import { failedAnswer, notFoundAnswer } from '../write-failure.ts';

function idField(call: WireCall): string {
  return call.path['id'] ?? textField(call.input, 'id') ?? '';
}

/** Source: interface, "Rial withdrawal (version 2)". */
export const rialWithdrawalHandlers: WireHandlers<'createWithdrawal' | 'withdrawal' | 'cancelWithdrawal'> = {
  createWithdrawal(call) {
    const accountId = integerField(call.input, 'destinationBankAccountId');
    const result = call.exchange.services.withdrawals.create({
      user: callUser(call),
      bankAccountId: accountId === 'invalid' ? null : accountId,
      units: unitsField(call.input, 'amount'),
      timeMs: call.timeMs,
    });
    if (!result.ok) return failedAnswer(result, call.forms);
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(result.value, call) } };
  },

  withdrawal(call) {
    const found = call.exchange.services.withdrawals.find(callUser(call).id, idField(call));
    if (found === undefined) return notFoundAnswer('Withdrawal');
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(found, call) } };
  },

  cancelWithdrawal(call) {
    const result = call.exchange.services.withdrawals.cancel(callUser(call).id, idField(call), call.timeMs);
    if (!result.ok) return failedAnswer(result, call.forms);
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(result.value, call) } };
  },
};
