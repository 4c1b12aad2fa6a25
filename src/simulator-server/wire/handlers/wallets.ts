import type { Wallet } from '../../../simulator/wallet.ts';
import { refuse } from '../../../simulator/requests.ts';
import { callUser, failedAnswer, notFoundAnswer, type WireCall, type WireHandlers } from '../handler.ts';
import { dayRange, isKnownCurrency } from '../request-fields.ts';
import { hasNextField, slicePage, pageRequest } from '../page-of.ts';
import { readRequest } from '../read-request.ts';
import {
  balanceJson,
  depositJson,
  listedWithdrawalJson,
  transactionJson,
  walletJson,
} from '../wallet-records.ts';
import { writeDecimal } from '../write-fields.ts';

const TRANSACTIONS_PAGE = 50;
const RIAL_DEPOSITS_PAGE = 10;
const COIN_DEPOSITS_PAGE = 20;
const WITHDRAWALS_PAGE = 20;

/** The caller's wallet of an id; null for somebody else's or none. */
function walletOf(call: WireCall, id: string | number): Wallet | null {
  const wallet = call.exchange.accounts.byId(Number(id));
  return wallet?.userId === callUser(call).id ? wallet : null;
}

/** Source: interface, "Wallets". */
export const walletHandlers: WireHandlers<
  'walletsList' | 'wallets' | 'walletBalance' | 'walletTransactions' | 'deposits' | 'withdrawals'
> = {
  walletsList(call) {
    const request = readRequest('walletsList', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const wallets = call.exchange.accounts
      .walletsOf(callUser(call).id, request.value.type ?? 'spot')
      .map((wallet) => walletJson(wallet, call));
    return { status: 200, body: { status: 'ok', wallets } };
  },

  wallets(call) {
    const request = readRequest('wallets', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const wanted = request.value.currencies?.split(',');
    const wallets = call.exchange.accounts
      .walletsOf(callUser(call).id, request.value.type ?? 'spot')
      .filter(({ currency }) => wanted === undefined || wanted.includes(currency))
      .map((wallet) => [wallet.currency.toUpperCase(), balanceJson(wallet, call)] as const);
    return { status: 200, body: { status: 'ok', wallets: Object.fromEntries(wallets) } };
  },

  walletBalance(call) {
    const request = readRequest('walletBalance', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const { currency } = request.value;
    const wallet = call.exchange.accounts.find(callUser(call).id, currency);
    if (wallet === undefined && !isKnownCurrency(call.exchange, currency)) {
      return failedAnswer(refuse('InvalidCurrency', `No currency ${currency}`), call.forms);
    }
    return { status: 200, body: { status: 'ok', balance: writeDecimal(wallet?.total ?? 0n, call.forms) } };
  },

  walletTransactions(call) {
    const request = readRequest('walletTransactions', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const wallet = walletOf(call, request.value.wallet);
    if (wallet === null) return notFoundAnswer('Wallet');
    const range = dayRange(request.value);
    const { lagMs = 0, isUneven = false } = call.distortion ?? {};
    const newestMs = lagMs === 0 ? Number.POSITIVE_INFINITY : call.timeMs - lagMs;
    const found = wallet.transactions
      .values()
      .filter(({ timeMs }) => timeMs >= range.fromMs && timeMs < range.beforeMs)
      .filter(({ id, timeMs }) => timeMs <= newestMs || (isUneven && id % 2 === 0))
      .reverse();
    const { items, hasNext } = slicePage(found, pageRequest(request.value, TRANSACTIONS_PAGE));
    const transactions = items.map((transaction) => transactionJson(transaction, call));
    return { status: 200, body: { status: 'ok', transactions, ...hasNextField(hasNext, call.forms) } };
  },

  deposits(call) {
    const request = readRequest('deposits', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const { wallet: asked = 'all' } = request.value;
    const wallet = asked === 'all' ? 'all' : walletOf(call, asked);
    if (wallet === null) return notFoundAnswer('Wallet');
    const { deposits } = call.exchange.services;
    if (wallet === 'all') {
      // Without a wallet there is neither paging nor a time filter: the three months come in one piece.
      const all = deposits.list(callUser(call).id, { timeMs: call.timeMs });
      const records = all.map((deposit) => depositJson(deposit, call));
      return { status: 200, body: { status: 'ok', deposits: records, ...hasNextField(false, call.forms) } };
    }
    const page = pageRequest(
      request.value,
      wallet.currency === 'rls' ? RIAL_DEPOSITS_PAGE : COIN_DEPOSITS_PAGE,
    );
    const range = dayRange(request.value);
    const found = deposits
      .list(wallet.userId, { timeMs: call.timeMs, currency: wallet.currency })
      .filter(({ createdAtMs }) => createdAtMs >= range.fromMs && createdAtMs < range.beforeMs);
    const { items, hasNext } = slicePage(wallet.kind === 'spot' ? found : [], page);
    const records = items.map((deposit) => depositJson(deposit, call));
    return { status: 200, body: { status: 'ok', deposits: records, ...hasNextField(hasNext, call.forms) } };
  },

  withdrawals(call) {
    const request = readRequest('withdrawals', call);
    if (!request.ok) return failedAnswer(request, call.forms);
    const { wallet: asked = 'all' } = request.value;
    const wallet = asked === 'all' ? 'all' : walletOf(call, asked);
    const range = dayRange(request.value);
    if (wallet === null) return notFoundAnswer('Wallet');
    const found = call.exchange.services.withdrawals
      .list(callUser(call).id)
      .filter(({ walletId }) => wallet === 'all' || walletId === wallet.id)
      .filter(({ createdAtMs }) => createdAtMs >= range.fromMs && createdAtMs < range.beforeMs);
    const { items, hasNext } = slicePage(found, pageRequest(request.value, WITHDRAWALS_PAGE));
    const withdraws = items.map((withdrawal) => listedWithdrawalJson(withdrawal, call));
    return { status: 200, body: { status: 'ok', withdraws, ...hasNextField(hasNext, call.forms) } };
  },
};
