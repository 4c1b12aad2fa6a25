import { z } from 'zod';
import {
  endpointsOf,
  budget,
  assumedBudget,
  currency,
  positiveInput,
  word,
  integer,
  secretText,
  text as requiredText,
  textLike,
  textOrInteger,
  wordsOf,
} from '../request-types.ts';
import { walletRecord } from '../wallet.ts';
import { decimalField, decimalOrNull, flagOrNull, recordOf, textOrNull, textField } from '../reply-types.ts';
import { addRuleIssues } from '../request-rules.ts';

const endpoint = endpointsOf('Margin', 10_000);

/** Settings of a margin market ("Resources: Margin market setting"). */
const marginMarket = z.object({
  srcCurrency: textOrNull,
  dstCurrency: textOrNull,
  /** Daily share of the position's value. */
  positionFeeRate: decimalOrNull,
  maxLeverage: decimalOrNull,
  sellEnabled: flagOrNull,
  buyEnabled: flagOrNull,
});

export const marginMarkets = endpoint({
  name: 'marginMarkets',
  route: 'GET /margin/markets/list',
  access: 'optional-token',
  budget: budget('margin/markets/list', { per: 'ip', limit: 30 }),
  reply: z.object({ markets: recordOf(marginMarket) }).transform((wire) => wire.markets),
  summary: "Markets with margin trading, by symbol; with a token the leverage is that of the user's level.",
});

const pool = z.object({
  capacity: decimalOrNull,
  filledCapacity: decimalOrNull,
  availableBalance: decimalOrNull,
});

export const liquidityPools = endpoint({
  name: 'liquidityPools',
  route: 'GET|POST /liquidity-pools/list',
  access: 'token',
  budget: budget('liquidity-pools/list', { per: 'token', limit: 12 }),
  reply: z.object({ pools: recordOf(pool) }).transform((wire) => wire.pools),
  summary: 'Liquidity pools by currency.',
});

const walletKind = () => word(['spot', 'margin']);
const amount = () => positiveInput({ zero: 'InvalidAmount', negative: 'InvalidAmount' });

export const transfer = endpoint({
  name: 'transfer',
  route: 'POST /wallets/transfer',
  access: 'token',
  budget: budget('wallets/transfer', { per: 'token', limit: 10 }),
  timeoutMs: 15_000,
  request: z
    .object({ currency: currency(), amount: amount(), src: walletKind(), dst: walletKind() })
    .superRefine((fields, context) => {
      if (fields.src !== fields.dst) return;
      addRuleIssues(context, [
        { field: 'dst', message: 'expected another wallet kind than src', exchangeCode: 'SameDestination' },
      ]);
    }),
  failsInBody: true,
  reply: z.object({ srcWallet: walletRecord, dstWallet: walletRecord }),
  example: { currency: 'usdt', amount: '10', src: 'spot', dst: 'margin' },
  summary: 'Moves rial or tether between the spot and the margin wallet.',
});

export const delegationLimit = endpoint({
  name: 'delegationLimit',
  route: 'GET|POST /margin/delegation-limit',
  access: 'READ',
  budget: budget('margin/delegation-limit', { per: 'token', limit: 12 }),
  request: z.object({ currency: currency() }),
  reply: z.object({ limit: decimalField }).transform((wire) => wire.limit),
  example: { currency: 'btc' },
  summary: 'How much may be delegated in a currency.',
});

const gatewayEndpoint = endpointsOf('Payment gateway', 15_000);

/** Pattern of a callback address: plain ASCII, since a redirect header cannot hold other characters. */
const CALLBACK = '^[hH][tT][tT][pP][sS]?://[!-"$-.0->A-~]+(?:[/?#][!-~]*)?$';

export const gatewaySend = gatewayEndpoint({
  name: 'gatewaySend',
  route: 'POST /pg/send/',
  access: 'merchant',
  budget: assumedBudget('pg/send', 'ip'),
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
});

export const gatewayVerify = gatewayEndpoint({
  name: 'gatewayVerify',
  route: 'POST /pg/verify/',
  access: 'merchant',
  budget: assumedBudget('pg/verify', 'ip'),
  // A payment is verified once: the second call answers "verified before".
  idempotent: false,
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
});
