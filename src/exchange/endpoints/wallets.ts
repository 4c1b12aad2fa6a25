import { z } from 'zod';
import {
  endpointsOf,
  budget,
  assumedBudget,
  currency,
  currencyList,
  day,
  integer,
  walletIdOrAll,
  word,
  textLike,
  wholeRial,
} from '../request-types.ts';
import {
  pageOf,
  decimalField,
  recordOf,
  anyValue,
  decimalOrNull,
  flagOrNull,
  integerOrNull,
  textField,
  textOrNull,
  timeMsOrNull,
  type ReplyPage,
} from '../reply-types.ts';
import { balanceRecord, depositRecord, transactionRecord, walletRecord } from '../wallet.ts';

const endpoint = endpointsOf('Wallets', 10_000);
const walletKind = () => word(['spot', 'margin']).optional();

export const walletsList = endpoint({
  name: 'walletsList',
  route: 'GET|POST /users/wallets/list',
  access: 'READ',
  budget: budget('users/wallets/list', { per: 'token', limit: 20, minutes: 2 }),
  request: z.object({ type: walletKind() }),
  reply: z.object({ wallets: z.array(walletRecord) }).transform((wire) => wire.wallets),
  example: { type: 'spot' },
  summary: 'All wallets. Under load the reply may lack what was asked for: ask again.',
});

export const wallets = endpoint({
  name: 'wallets',
  route: 'GET|POST /v2/wallets',
  access: 'READ',
  budget: budget('v2/wallets', { per: 'token', limit: 12 }),
  request: z.object({ currencies: currencyList().optional(), type: walletKind() }),
  reply: z
    .object({ wallets: recordOf(balanceRecord) })
    .transform(({ wallets: wire }) =>
      Object.entries(wire).map(([symbol, wallet]) => ({ currency: symbol.toLowerCase(), ...wallet })),
    ),
  example: { currencies: 'rls,btc' },
  summary: 'Balances of chosen currencies.',
});

export const walletBalance = endpoint({
  name: 'walletBalance',
  route: 'POST /users/wallets/balance',
  access: 'READ',
  budget: budget('users/wallets/balance', { per: 'token', limit: 60, minutes: 2 }),
  idempotent: true,
  request: z.object({ currency: currency() }),
  reply: z.object({ balance: decimalField }).transform((wire) => wire.balance),
  example: { currency: 'rls' },
  summary: 'The balance of one currency.',
});

/** Fields that choose a page of a list, and its first and last day. */
const pagesOfDays = () => ({
  page: integer({ least: 1 }).optional(),
  pageSize: integer({ least: 1 }).optional(),
  from: day().optional(),
  to: day().optional(),
});

export const walletTransactions = endpoint({
  name: 'walletTransactions',
  route: 'GET|POST /users/wallets/transactions/list',
  access: 'READ',
  budget: budget('users/wallets/transactions/list', { per: 'token', limit: 60, minutes: 2 }),
  request: z.object({
    wallet: integer({ least: 1 }).describe("A wallet's id, which the list of wallets has."),
    ...pagesOfDays(),
  }),
  reply: pageOf('transactions', transactionRecord),
  example: { wallet: 1 },
  summary: 'What came into and left one wallet.',
});

export const deposits = endpoint({
  name: 'deposits',
  route: 'GET|POST /users/wallets/deposits/list',
  access: 'READ',
  budget: budget('users/wallets/deposits/list', { per: 'token', limit: 60, minutes: 2 }),
  request: z.object({
    wallet: walletIdOrAll()
      .optional()
      .describe("A wallet's id, or all. Pages and times apply only to one wallet."),
    ...pagesOfDays(),
  }),
  reply: pageOf('deposits', depositRecord),
  example: { wallet: 'all' },
  summary: 'Deposits of the last three months at most.',
});

/** One bank payment of a rial withdrawal. */
const paymentRecord = z
  .object({
    amount: decimalField,
    bankReferenceNumber: textOrNull,
    status: textOrNull,
    estimatedSettleAt: timeMsOrNull,
    providerUpdatedAt: timeMsOrNull,
    transferType: textOrNull,
  })
  .transform((wire) => ({
    amount: wire.amount,
    bankReferenceNumber: wire.bankReferenceNumber,
    /** Status: `Pending`, `Failed`, `Transferred`. */
    status: wire.status,
    estimatedSettleAtMs: wire.estimatedSettleAt,
    providerUpdatedAtMs: wire.providerUpdatedAt,
    /** Type of transfer: `normal`, `paya`, `satna`. */
    transferType: wire.transferType,
  }));

/** "Rial withdrawal (version 2)". Amounts in rial; the destination gets the amount less the fee. */
const rialWithdrawalRecord = z
  .object({
    id: textField,
    createdAt: timeMsOrNull,
    status: textOrNull,
    amount: decimalField,
    fee: decimalOrNull,
    fulfilledAmount: decimalOrNull,
    bankAccountId: integerOrNull,
    bankAccountInfo: anyValue.optional(),
    isCancelable: flagOrNull,
    records: z.array(paymentRecord).nullish(),
  })
  .transform((wire) => ({
    /** Id: `CW` and digits. */
    id: wire.id,
    createdAtMs: wire.createdAt,
    /** `New`, `Sent`, `Bank processing`, `Partially Done`, `Done`, `Failed`, `Rejected`, `Canceled`. */
    status: wire.status,
    amount: wire.amount,
    fee: wire.fee,
    fulfilledAmount: wire.fulfilledAmount,
    bankAccountId: wire.bankAccountId,
    /** The account in the exchange's own form: text or an object. */
    bankAccountInfo: wire.bankAccountInfo ?? null,
    isCancelable: wire.isCancelable,
    payments: wire.records ?? [],
  }));

/**
 * A row in the list of rial and coin withdrawals, with the fields that both kinds can have. The documents do
 * not show the record, so both known spellings are accepted.
 */
const listedWithdrawalRecord = z
  .object({
    id: textField,
    status: textOrNull,
    amount: decimalField,
    fee: decimalOrNull,
    currency: textOrNull,
    address: textOrNull,
    createdAt: timeMsOrNull,
    created_at: timeMsOrNull,
    wallet_id: integerOrNull,
    walletId: integerOrNull,
    isCancelable: flagOrNull,
    is_cancelable: flagOrNull,
  })
  .transform((wire) => ({
    /** Id: digits for older withdrawals, `CW` and digits for version 2. */
    id: wire.id,
    status: wire.status,
    amount: wire.amount,
    fee: wire.fee,
    currency: wire.currency?.toLowerCase() ?? null,
    address: wire.address,
    createdAtMs: wire.createdAt ?? wire.created_at,
    walletId: wire.walletId ?? wire.wallet_id,
    isCancelable: wire.isCancelable ?? wire.is_cancelable,
  }));

const withdrawalEndpoint = endpointsOf('Rial withdrawal (version 2)', 10_000);
const withdrawalId = () => textLike('^CW[0-9]{1,18}$', 'a withdrawal id such as "CW430542"');
const reply = z.object({ result: rialWithdrawalRecord }).transform((wire) => wire.result);

export const createWithdrawal = withdrawalEndpoint({
  name: 'createWithdrawal',
  route: 'POST /cobank/withdraw',
  access: 'WITHDRAW',
  budget: assumedBudget('cobank/withdraw/create', 'token'),
  timeoutMs: 20_000,
  request: z.object({
    destinationBankAccountId: integer({ least: 1 }).describe('Id of a bank account of the profile.'),
    amount: wholeRial().describe('In rial, including the fee.'),
  }),
  reply,
  example: { destinationBankAccountId: 1, amount: '5000000' },
  summary: 'Creates and confirms a rial withdrawal in one step.',
});

export const withdrawal = withdrawalEndpoint({
  name: 'withdrawal',
  route: 'GET|POST /cobank/withdraw/{id}',
  access: 'READ',
  budget: assumedBudget('cobank/withdraw', 'token'),
  request: z.object({ id: withdrawalId() }),
  reply,
  example: { id: 'CW430542' },
  summary: 'The state and bank payments of a rial withdrawal.',
});

export const cancelWithdrawal = withdrawalEndpoint({
  name: 'cancelWithdrawal',
  route: 'POST /cobank/withdraw/{id}/cancel',
  access: 'WITHDRAW',
  budget: assumedBudget('cobank/withdraw/cancel', 'token'),
  sends: 'query',
  timeoutMs: 15_000,
  request: z.object({ id: withdrawalId() }),
  /** Reply to a cancel, which the documents do not show: the withdrawal if it comes, else null. */
  reply: z.object({ result: rialWithdrawalRecord.nullish() }).transform((wire) => wire.result ?? null),
  example: { id: 'CW430542' },
  summary: 'Cancels a rial withdrawal that is still new, within three minutes.',
});

export const withdrawals = withdrawalEndpoint({
  name: 'withdrawals',
  route: 'GET|POST /users/wallets/withdraws/list',
  access: 'READ',
  budget: assumedBudget('users/wallets/withdraws/list', 'token'),
  request: z.object({
    wallet: walletIdOrAll().optional(),
    ...pagesOfDays(),
  }),
  /** The list, whose name the documents do not show: both known spellings are accepted. */
  reply: z
    .object({
      withdraws: z.array(listedWithdrawalRecord).optional(),
      withdrawals: z.array(listedWithdrawalRecord).optional(),
      hasNext: flagOrNull,
    })
    .transform((wire, context): ReplyPage<z.output<typeof listedWithdrawalRecord>> => {
      const items = wire.withdraws ?? wire.withdrawals;
      if (items !== undefined) return { items, hasNext: wire.hasNext };
      context.addIssue({ code: 'custom', path: ['withdraws'], message: 'expected a list', input: wire });
      return z.NEVER;
    }),
  example: {},
  summary: 'All withdrawals, of rial (older and version 2) and of coins.',
});
