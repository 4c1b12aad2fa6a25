import { gatewayRefusal, merchantOf, readInvoice, type SendRequest } from '../../../simulator/gateway.ts';
import type { Refusal } from '../../../simulator/requests.ts';
import {
  type WireForms,
  failedAnswer,
  type WireAnswer,
  type WireCall,
  type WireHandlers,
} from '../handler.ts';
import { textInput, readRequest } from '../request-fields.ts';
import { writeNumber } from '../order-records.ts';

/** A code in the form asked for: `"-1"`, `-1`, or `"1-"`. */
function writeCode(code: string, form: WireForms['gatewayCode']): string | number {
  if (form === 'number') return Number(code);
  return form === 'trailing-minus' ? `${code.slice(1)}-` : code;
}

function failed(refusal: Refusal, forms: WireForms): WireAnswer {
  const code = writeCode(refusal.code, forms.gatewayCode);
  return { status: 200, body: { status: 'failed', code, message: refusal.message } };
}

/** The fields as they came, for the gateway's own codes, which have an order. */
function asSent({ input }: WireCall): SendRequest {
  return {
    api: textInput(input, 'api'),
    amount: textInput(input, 'amount'),
    callbackUrl: textInput(input, 'callbackURL'),
    factorNumber: textInput(input, 'factorNumber'),
    mobile: textInput(input, 'mobile'),
    description: textInput(input, 'description'),
    currencies: textInput(input, 'currencies'),
  };
}

/** Source: interface, "Payment gateway". */
export const gatewayHandlers: WireHandlers<'gatewaySend' | 'gatewayVerify'> = {
  gatewaySend(call) {
    const { exchange, timeMs, forms } = call;
    const { gateway } = exchange.services;
    const request = readRequest('gatewaySend', call);
    if (!request.ok) {
      const invoice = readInvoice(gateway.settings, asSent(call));
      return invoice.ok ? failedAnswer(request, forms) : failed(invoice, forms);
    }
    const {
      amount,
      callbackURL,
      factorNumber = null,
      mobile = null,
      description = null,
      currencies = null,
    } = request.value;
    const result = gateway.send(
      {
        api: request.value.api,
        amount: String(amount),
        callbackUrl: callbackURL,
        factorNumber,
        mobile,
        description,
        currencies,
      },
      timeMs,
    );
    if (!result.ok) return failed(result, forms);
    return { status: 200, body: { status: 'success', token: result.value.token } };
  },

  gatewayVerify(call) {
    const { exchange, input, timeMs, forms } = call;
    const { gateway } = exchange.services;
    const request = readRequest('gatewayVerify', call);
    if (!request.ok) {
      const merchant = merchantOf(gateway.settings, textInput(input, 'api'));
      const isMissing = textInput(input, 'token') === null;
      return failed(merchant.ok ? gatewayRefusal(isMissing ? '-23' : '-21') : merchant, forms);
    }
    const result = gateway.verify({ ...request.value, timeMs });
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
