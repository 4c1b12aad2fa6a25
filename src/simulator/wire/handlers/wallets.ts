import type { Wallet, WalletKind } from '../../core/wallet.ts';
import { refuse } from '../../core/result.ts';
import { callUser } from '../call-user.ts';
import type { WireAnswer, WireCall, WireHandlers } from '../handler.ts';
import { isKnownCurrency } from '../is-known-currency.ts';
import { hasNextField, pageOf, pageRequest } from '../page-of.ts';
import { dayRange, integerField, textField } from '../read-field.ts';
import { balanceRecord, depositRecord, transactionRecord, walletRecord } from '../wallet-records.ts';
import { listedWithdrawalRecord } from '../withdrawal-record.ts';
import { writeDecimal } from '../write-decimal.ts';
import { failedAnswer, notFoundAnswer } from '../write-failure.ts';

const TRANSACTIONS_PAGE = 50;
const RIAL_DEPOSITS_PAGE = 10;
const COIN_DEPOSITS_PAGE = 20;
const WITHDRAWALS_PAGE = 20;

function parseError(call: WireCall, message: string): WireAnswer {
  return failedAnswer(refuse('ParseError', message), call.forms);
}

function kindField(call: WireCall): WalletKind | null {
  const text = textField(call.input, 'type')?.toLowerCase() ?? 'spot';
  return text === 'spot' || text === 'margin' ? text : null;
}

/** The caller's wallet that `wallet` names; `all`, also where it is missing; null for somebody else's or none. */
function walletField(call: WireCall): Wallet | 'all' | 'invalid' | null {
  const text = textField(call.input, 'wallet');
  if (text === null || text.toLowerCase() === 'all') return 'all';
  const id = integerField(call.input, 'wallet');
  if (id === 'invalid' || id === null) return 'invalid';
  const wallet = call.exchange.accounts.byId(id);
  return wallet?.userId === callUser(call).id ? wallet : null;
}

/** Source: interface, "Wallets". */
export const walletHandlers: WireHandlers<
  'walletsList' | 'wallets' | 'walletBalance' | 'walletTransactions' | 'deposits' | 'withdrawals'
> = {
  walletsList(call) {
    const kind = kindField(call);
    if (kind === null) return parseError(call, 'Expected type spot or margin');
    const wallets = call.exchange.accounts
      .walletsOf(callUser(call).id, kind)
      .map((wallet) => walletRecord(wallet, call));
    return { status: 200, body: { status: 'ok', wallets } };
  },

  wallets(call) {
    const kind = kindField(call);
    if (kind === null) return parseError(call, 'Expected type spot or margin');
    const wanted = textField(call.input, 'currencies')
      ?.toLowerCase()
      .split(',')
      .map((part) => part.trim());
    const wallets = call.exchange.accounts
      .walletsOf(callUser(call).id, kind)
      .filter(({ currency }) => wanted === undefined || wanted.includes(currency))
      .map((wallet) => [wallet.currency.toUpperCase(), balanceRecord(wallet, call)] as const);
    return { status: 200, body: { status: 'ok', wallets: Object.fromEntries(wallets) } };
  },

  walletBalance(call) {
    const currency = textField(call.input, 'currency')?.toLowerCase();
    if (currency === undefined) return parseError(call, 'Expected currency');
    const wallet = call.exchange.accounts.find(callUser(call).id, currency);
    if (wallet === undefined && !isKnownCurrency(call.exchange, currency)) {
      return failedAnswer(refuse('InvalidCurrency', `No currency ${currency}`), call.forms);
    }
    return { status: 200, body: { status: 'ok', balance: writeDecimal(wallet?.total ?? 0n, call.forms) } };
  },

  walletTransactions(call) {
    const wallet = walletField(call);
    const page = pageRequest(call.input, TRANSACTIONS_PAGE);
    const range = dayRange(call.input);
    if (wallet === 'all' || wallet === 'invalid') return parseError(call, 'Expected wallet as an integer');
    if (page === 'invalid' || range === 'invalid') {
      return parseError(call, 'Expected page and pageSize as positive integers, from and to as YYYY-MM-DD');
    }
    if (wallet === null) return notFoundAnswer('Wallet');
    const found = wallet.transactions
      .values()
      .filter(({ timeMs }) => timeMs >= range.fromMs && timeMs < range.beforeMs)
      .reverse();
    const { items, hasNext } = pageOf(found, page);
    const transactions = items.map((transaction) => transactionRecord(transaction, call));
    return { status: 200, body: { status: 'ok', transactions, ...hasNextField(hasNext, call.forms) } };
  },

  deposits(call) {
    const wallet = walletField(call);
    if (wallet === 'invalid') return parseError(call, 'Expected wallet as an integer or all');
    if (wallet === null) return notFoundAnswer('Wallet');
    const { deposits } = call.exchange.services;
    if (wallet === 'all') {
      // Without a wallet there is neither paging nor a time filter: the three months come in one piece.
      const all = deposits.list(callUser(call).id, { timeMs: call.timeMs });
      const records = all.map((deposit) => depositRecord(deposit, call));
      return { status: 200, body: { status: 'ok', deposits: records, ...hasNextField(false, call.forms) } };
    }
    const page = pageRequest(call.input, wallet.currency === 'rls' ? RIAL_DEPOSITS_PAGE : COIN_DEPOSITS_PAGE);
    const range = dayRange(call.input);
    if (page === 'invalid' || range === 'invalid') {
      return parseError(call, 'Expected page and pageSize as positive integers, from and to as YYYY-MM-DD');
    }
    const found = deposits
      .list(wallet.userId, { timeMs: call.timeMs, currency: wallet.currency })
      .filter(({ createdAtMs }) => createdAtMs >= range.fromMs && createdAtMs < range.beforeMs);
    const { items, hasNext } = pageOf(wallet.kind === 'spot' ? found : [], page);
    const records = items.map((deposit) => depositRecord(deposit, call));
    return { status: 200, body: { status: 'ok', deposits: records, ...hasNextField(hasNext, call.forms) } };
  },

  withdrawals(call) {
    const wallet = walletField(call);
    const page = pageRequest(call.input, WITHDRAWALS_PAGE);
    const range = dayRange(call.input);
    if (wallet === 'invalid' || page === 'invalid' || range === 'invalid') {
      return parseError(
        call,
        'Expected wallet as an integer or all, page and pageSize positive, from and to as YYYY-MM-DD',
      );
    }
    if (wallet === null) return notFoundAnswer('Wallet');
    const found = call.exchange.services.withdrawals
      .list(callUser(call).id)
      .filter(({ walletId }) => wallet === 'all' || walletId === wallet.id)
      .filter(({ createdAtMs }) => createdAtMs >= range.fromMs && createdAtMs < range.beforeMs);
    const { items, hasNext } = pageOf(found, page);
    const withdraws = items.map((withdrawal) => listedWithdrawalRecord(withdrawal, call));
    return { status: 200, body: { status: 'ok', withdraws, ...hasNextField(hasNext, call.forms) } };
  },
};
