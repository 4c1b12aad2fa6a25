import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { decimalField, decimalOrNull, textField, textOrNull } from '../reply-types.ts';
import {
  integer,
  secretText,
  text as requiredText,
  textLike,
  textOrInteger,
  wordsOf,
} from '../request-types.ts';
import { assumedBudget } from './budget.ts';

const section = 'Payment gateway';
const timeoutMs = 15_000;

/** No header can hold other than plain ASCII, so such an address could never be redirected to. */
const CALLBACK = '^[hH][tT][tT][pP][sS]?://[!-"$-.0->A-~]+(?:[/?#][!-~]*)?$';

export const gatewaySend = endpoint({
  name: 'gatewaySend',
  method: 'POST',
  path: '/pg/send/',
  access: 'merchant',
  budget: assumedBudget('pg/send', 'ip'),
  idempotent: false,
  sends: 'json',
  timeoutMs,
  request: z.object({
    api: secretText().describe("The merchant's key."),
    amount: integer({ least: 10_000 }).describe('In rial.'),
    callbackURL: textLike(CALLBACK, 'an address with its scheme').describe(
      'Address to which the payer returns; it has to belong to the merchant.',
    ),
    factorNumber: textOrInteger().optional().describe('Number of the invoice, shown to the payer.'),
    mobile: textOrInteger().optional().describe("The payer's mobile number."),
    description: requiredText(255).optional().describe('Shown to the payer.'),
    currencies: wordsOf(['btc', 'ltc'])
      .optional()
      .describe('Currencies that the payer may use; without it both.'),
  }),
  failsInBody: true,
  reply: z.object({ token: textField }),
  example: { api: 'env:MERCHANT_API', amount: 500_000, callbackURL: 'https://shop.example/back' },
  summary: 'Makes an invoice and the token of its payment page.',
  section,
});

export const gatewayVerify = endpoint({
  name: 'gatewayVerify',
  method: 'POST',
  path: '/pg/verify/',
  access: 'merchant',
  budget: assumedBudget('pg/verify', 'ip'),
  // A payment is verified once: the second call answers "verified before".
  idempotent: false,
  sends: 'json',
  timeoutMs,
  request: z.object({
    api: secretText().describe("The merchant's key."),
    token: requiredText().describe('The token of the payment, as gateway-send returned it.'),
  }),
  failsInBody: true,
  reply: z
    .object({
      amount: decimalField,
      cryptoAmount: decimalOrNull,
      txHash: textField,
      factorNumber: textOrNull,
      mobile: textOrNull,
      description: textOrNull,
    })
    .transform(({ txHash, ...payment }) => ({ ...payment, transactionHash: txHash })),
  example: { api: 'env:MERCHANT_API', token: 'TOKEN_OF_THE_PAYMENT' },
  summary: 'Confirms a payment; the hash of the answer is still to be checked with the merchant secret.',
  section,
});
