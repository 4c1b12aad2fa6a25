import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { decimal, decimalOrNull, text, textOrNull } from '../reply-types.ts';
import { integer, text as requiredText } from '../request-types.ts';
import { assumedBudget } from './budget.ts';

const section = 'Payment gateway';
const timeoutMs = 15_000;

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
    /** The merchant's key. */
    api: requiredText(),
    /** In rial. */
    amount: integer({ least: 10_000 }),
    callbackURL: z
      .string({ error: 'expected an address with its scheme' })
      .regex(/^https?:\/\/\S+$/, 'expected an address with its scheme'),
    /** Shown to the payer. */
    factorNumber: z.string().optional(),
    mobile: z.string().optional(),
    description: z.string().max(255, 'expected at most 255 characters').optional(),
    /** Any of `btc` and `ltc`, separated by commas; both when left out. */
    currencies: z
      .string()
      .regex(/^(?:btc|ltc)(?:,(?:btc|ltc))*$/, 'expected btc, ltc or both separated by a comma')
      .optional(),
  }),
  reply: z.object({ token: text }),
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
  request: z.object({ api: requiredText(), token: requiredText() }),
  reply: z
    .object({
      amount: decimal,
      cryptoAmount: decimalOrNull,
      txHash: text,
      factorNumber: textOrNull,
      mobile: textOrNull,
      description: textOrNull,
    })
    .transform(({ txHash, ...payment }) => ({ ...payment, transactionHash: txHash })),
  summary: 'Confirms a payment; the hash of the answer is still to be checked with the merchant secret.',
  section,
});
