import type { Refusal } from '../../core/result.ts';
import type { WireForms } from '../forms.ts';
import type { WireAnswer, WireHandlers } from '../handler.ts';
import { textField } from '../read-field.ts';
import { writeNumber } from '../write-decimal.ts';

/** A code in the form asked for: `"-1"`, `-1`, or `"1-"`. */
function writeCode(code: string, form: WireForms['gatewayCode']): string | number {
  if (form === 'number') return Number(code);
  return form === 'trailing-minus' ? `${code.slice(1)}-` : code;
}

function failed(refusal: Refusal, forms: WireForms): WireAnswer {
  const code = writeCode(refusal.code, forms.gatewayCode);
  return { status: 200, body: { status: 'failed', code, message: refusal.message } };
}

/** Source: interface, "Payment gateway". */
export const gatewayHandlers: WireHandlers<'gatewaySend' | 'gatewayVerify'> = {
  gatewaySend({ exchange, input, timeMs, forms }) {
    const result = exchange.services.gateway.send(
      {
        api: textField(input, 'api'),
        amount: textField(input, 'amount'),
        callbackUrl: textField(input, 'callbackURL'),
        factorNumber: textField(input, 'factorNumber'),
        mobile: textField(input, 'mobile'),
        description: textField(input, 'description'),
        currencies: textField(input, 'currencies'),
      },
      timeMs,
    );
    if (!result.ok) return failed(result, forms);
    return { status: 200, body: { status: 'success', token: result.value.token } };
  },

  gatewayVerify({ exchange, input, timeMs, forms }) {
    const result = exchange.services.gateway.verify({
      api: textField(input, 'api'),
      token: textField(input, 'token'),
      timeMs,
    });
    if (!result.ok) return failed(result, forms);
    const { payment, txHash } = result.value;
    return {
      status: 200,
      body: {
        status: 'success',
        amount: payment.amount,
        cryptoAmount: writeNumber(payment.paidUnits),
        txHash,
        ...(payment.factorNumber === null ? {} : { factorNumber: payment.factorNumber }),
        ...(payment.mobile === null ? {} : { mobile: payment.mobile }),
        ...(payment.description === null ? {} : { description: payment.description }),
      },
    };
  },
};
