import { callUser, failedAnswer, notFoundAnswer, type WireHandlers } from '../handler.ts';
import { unitsOf } from '../../../domain/money.ts';
import { readRequest } from '../read-request.ts';
import { withdrawalRecord } from '../wallet-records.ts';

/** Source: interface, "Rial withdrawal (version 2)". */
export const rialWithdrawalHandlers: WireHandlers<'createWithdrawal' | 'withdrawal' | 'cancelWithdrawal'> = {
  createWithdrawal(call) {
    const request = readRequest('createWithdrawal', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const result = call.exchange.services.withdrawals.create({
      user: callUser(call),
      bankAccountId: request.value.destinationBankAccountId,
      units: unitsOf(request.value.amount),
      timeMs: call.timeMs,
    });
    if (!result.ok) return failedAnswer(result, call.forms);
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(result.value, call) } };
  },

  withdrawal(call) {
    const request = readRequest('withdrawal', call);
    const found = request.ok
      ? call.exchange.services.withdrawals.find(callUser(call).id, request.value.id)
      : undefined;
    if (found === undefined) return notFoundAnswer('Withdrawal');
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(found, call) } };
  },

  cancelWithdrawal(call) {
    const request = readRequest('cancelWithdrawal', call);
    if (!request.ok) return notFoundAnswer('Withdrawal');
    const result = call.exchange.services.withdrawals.cancel(
      callUser(call).id,
      request.value.id,
      call.timeMs,
    );
    if (!result.ok) return failedAnswer(result, call.forms);
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(result.value, call) } };
  },
};
