import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { pageOf } from '../records/page.ts';
import {
  balanceRecord,
  depositRecord,
  transactionRecord,
  walletRecord,
  type VenueBalance,
} from '../wallet.ts';
import { decimalField, recordOf } from '../reply-types.ts';
import { currency, currencyList, day, integer, walletIdOrAll, word } from '../request-types.ts';
import { budget } from './budget.ts';

const section = 'Wallets';
const timeoutMs = 10_000;
const walletKind = () => word(['spot', 'margin']).optional();

export const walletsList = endpoint({
  name: 'walletsList',
  method: 'GET',
  alsoMethods: ['POST'],
  path: '/users/wallets/list',
  access: 'READ',
  budget: budget('users/wallets/list', { per: 'token', limit: 20, minutes: 2 }),
  idempotent: true,
  sends: 'query',
  timeoutMs,
  request: z.object({ type: walletKind() }),
  reply: z.object({ wallets: z.array(walletRecord) }).transform((wire) => wire.wallets),
  example: { type: 'spot' },
  summary: 'All wallets. Under load the reply may lack what was asked for: ask again.',
  section,
});

export const wallets = endpoint({
  name: 'wallets',
  method: 'GET',
  alsoMethods: ['POST'],
  path: '/v2/wallets',
  access: 'READ',
  budget: budget('v2/wallets', { per: 'token', limit: 12 }),
  idempotent: true,
  sends: 'query',
  timeoutMs,
  request: z.object({ currencies: currencyList().optional(), type: walletKind() }),
  reply: z.object({ wallets: recordOf(balanceRecord) }).transform((wire): readonly VenueBalance[] =>
    Object.entries(wire.wallets).map(([symbol, wallet]) => ({
      currency: symbol.toLowerCase(),
      id: wallet.id,
      balance: wallet.balance,
      blocked: wallet.blocked,
    })),
  ),
  example: { currencies: 'rls,btc' },
  summary: 'Balances of chosen currencies.',
  section,
});

export const walletBalance = endpoint({
  name: 'walletBalance',
  method: 'POST',
  path: '/users/wallets/balance',
  access: 'READ',
  budget: budget('users/wallets/balance', { per: 'token', limit: 60, minutes: 2 }),
  idempotent: true,
  sends: 'json',
  timeoutMs,
  request: z.object({ currency: currency() }),
  reply: z.object({ balance: decimalField }).transform((wire) => wire.balance),
  example: { currency: 'rls' },
  summary: 'The balance of one currency.',
  section,
});

export const walletTransactions = endpoint({
  name: 'walletTransactions',
  method: 'GET',
  alsoMethods: ['POST'],
  path: '/users/wallets/transactions/list',
  access: 'READ',
  budget: budget('users/wallets/transactions/list', { per: 'token', limit: 60, minutes: 2 }),
  idempotent: true,
  sends: 'query',
  timeoutMs,
  request: z.object({
    wallet: integer({ least: 1 }).describe("A wallet's id, which the list of wallets has."),
    page: integer({ least: 1 }).optional(),
    pageSize: integer({ least: 1 }).optional(),
    from: day().optional(),
    to: day().optional(),
  }),
  reply: pageOf('transactions', transactionRecord),
  example: { wallet: 1 },
  summary: 'What came into and left one wallet.',
  section,
});

export const deposits = endpoint({
  name: 'deposits',
  method: 'GET',
  alsoMethods: ['POST'],
  path: '/users/wallets/deposits/list',
  access: 'READ',
  budget: budget('users/wallets/deposits/list', { per: 'token', limit: 60, minutes: 2 }),
  idempotent: true,
  sends: 'query',
  timeoutMs,
  request: z.object({
    wallet: walletIdOrAll()
      .optional()
      .describe("A wallet's id, or all. Pages and times apply only to one wallet."),
    page: integer({ least: 1 }).optional(),
    pageSize: integer({ least: 1 }).optional(),
    from: day().optional(),
    to: day().optional(),
  }),
  reply: pageOf('deposits', depositRecord),
  example: { wallet: 'all' },
  summary: 'Deposits of the last three months at most.',
  section,
});
