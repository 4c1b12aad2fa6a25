import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { flagOrNull, type ReplyPage } from '../reply-types.ts';
import {
  listedWithdrawalRecord,
  rialWithdrawalRecord,
  type ListedWithdrawal,
} from '../records/withdrawal.ts';
import { day, integer, textLike, walletIdOrAll, wholeRial } from '../request-types.ts';
import { assumedBudget } from './budget.ts';

const section = 'Rial withdrawal (version 2)';
const withdrawalId = () => textLike('^CW[0-9]{1,18}$', 'a withdrawal id such as "CW430542"');
const reply = z.object({ result: rialWithdrawalRecord }).transform((wire) => wire.result);

export const createWithdrawal = endpoint({
  name: 'createWithdrawal',
  method: 'POST',
  path: '/cobank/withdraw',
  access: 'WITHDRAW',
  budget: assumedBudget('cobank/withdraw/create', 'token'),
  idempotent: false,
  sends: 'json',
  timeoutMs: 20_000,
  request: z.object({
    destinationBankAccountId: integer({ least: 1 }).describe('Id of a bank account of the profile.'),
    amount: wholeRial().describe('In rial, including the fee.'),
  }),
  reply,
  example: { destinationBankAccountId: 1, amount: '5000000' },
  summary: 'Creates and confirms a rial withdrawal in one step.',
  section,
});

export const withdrawal = endpoint({
  name: 'withdrawal',
  method: 'GET',
  alsoMethods: ['POST'],
  path: '/cobank/withdraw/{id}',
  access: 'READ',
  budget: assumedBudget('cobank/withdraw', 'token'),
  idempotent: true,
  sends: 'query',
  timeoutMs: 10_000,
  request: z.object({ id: withdrawalId() }),
  reply,
  example: { id: 'CW430542' },
  summary: 'The state and bank payments of a rial withdrawal.',
  section,
});

export const cancelWithdrawal = endpoint({
  name: 'cancelWithdrawal',
  method: 'POST',
  path: '/cobank/withdraw/{id}/cancel',
  access: 'WITHDRAW',
  budget: assumedBudget('cobank/withdraw/cancel', 'token'),
  idempotent: false,
  sends: 'query',
  timeoutMs: 15_000,
  request: z.object({ id: withdrawalId() }),
  /** The documents do not show what a cancel answers: the withdrawal where it comes, else null. */
  reply: z.object({ result: rialWithdrawalRecord.nullish() }).transform((wire) => wire.result ?? null),
  example: { id: 'CW430542' },
  summary: 'Cancels a rial withdrawal that is still new, within three minutes.',
  section,
});

export const withdrawals = endpoint({
  name: 'withdrawals',
  method: 'GET',
  alsoMethods: ['POST'],
  path: '/users/wallets/withdraws/list',
  access: 'READ',
  budget: assumedBudget('users/wallets/withdraws/list', 'token'),
  idempotent: true,
  sends: 'query',
  timeoutMs: 10_000,
  request: z.object({
    wallet: walletIdOrAll().optional(),
    page: integer({ least: 1 }).optional(),
    pageSize: integer({ least: 1 }).optional(),
    from: day().optional(),
    to: day().optional(),
  }),
  /** The list's name is not shown either: both spellings are taken. */
  reply: z
    .object({
      withdraws: z.array(listedWithdrawalRecord).optional(),
      withdrawals: z.array(listedWithdrawalRecord).optional(),
      hasNext: flagOrNull,
    })
    .transform((wire, context): ReplyPage<ListedWithdrawal> => {
      const items = wire.withdraws ?? wire.withdrawals;
      if (items !== undefined) return { items, hasNext: wire.hasNext };
      context.addIssue({ code: 'custom', path: ['withdraws'], message: 'expected a list', input: wire });
      return z.NEVER;
    }),
  example: {},
  summary: 'All withdrawals, of rial (older and version 2) and of coins.',
  section,
});
