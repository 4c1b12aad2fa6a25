import { type Wallet, transferFunds } from '../../../simulator/accounts.ts';
import { refuse, type Refusal } from '../../../simulator/requests.ts';
import {
  callUser,
  failedAnswer,
  notFoundAnswer,
  type WireCall,
  type WireHandlers,
  type WireForms,
  type WireAnswer,
} from '../handler.ts';
import { answering, dayRange, isKnownCurrency, readRequest, tryUnits, textInput } from '../request-fields.ts';
import {
  hasNextField,
  slicePage,
  pageRequest,
  balanceJson,
  depositJson,
  listedWithdrawalJson,
  transactionJson,
  walletJson,
  writeDecimal,
  withdrawalRecord,
  writeNumber,
} from '../order-records.ts';
import { unitsOf, UNIT_DECIMALS, UNITS_PER_ONE } from '../../../domain/money.ts';
import type { MarketName } from '../../../domain/market-symbol.ts';
import { parseMarket } from '../../../exchange/market-names.ts';
import { gatewayRefusal, merchantOf, readInvoice, type SendRequest } from '../../../simulator/gateway.ts';

const TRANSACTIONS_PAGE = 50;
const RIAL_DEPOSITS_PAGE = 10;
const COIN_DEPOSITS_PAGE = 20;
const WITHDRAWALS_PAGE = 20;

/** Returns the caller's wallet with an id; null if there is none or it belongs to somebody else. */
function walletOf(call: WireCall, id: string | number): Wallet | null {
  const wallet = call.exchange.accounts.byId(Number(id));
  return wallet?.userId === callUser(call).id ? wallet : null;
}

/** Handlers of wallets. Source: interface, "Wallets". */
export const walletHandlers: WireHandlers<
  'walletsList' | 'wallets' | 'walletBalance' | 'walletTransactions' | 'deposits' | 'withdrawals'
> = {
  walletsList: answering('walletsList', (request, call) => {
    const wallets = call.exchange.accounts
      .walletsOf(callUser(call).id, request.type ?? 'spot')
      .map((wallet) => walletJson(wallet, call));
    return { status: 200, body: { status: 'ok', wallets } };
  }),

  wallets: answering('wallets', (request, call) => {
    const wanted = request.currencies?.split(',');
    const wallets = call.exchange.accounts
      .walletsOf(callUser(call).id, request.type ?? 'spot')
      .filter(({ currency }) => wanted === undefined || wanted.includes(currency))
      .map((wallet) => [wallet.currency.toUpperCase(), balanceJson(wallet, call)] as const);
    return { status: 200, body: { status: 'ok', wallets: Object.fromEntries(wallets) } };
  }),

  walletBalance: answering('walletBalance', ({ currency }, call) => {
    const wallet = call.exchange.accounts.find(callUser(call).id, currency);
    if (wallet === undefined && !isKnownCurrency(call.exchange, currency))
      return refuse('InvalidCurrency', `No currency ${currency}`);
    return { status: 200, body: { status: 'ok', balance: writeDecimal(wallet?.total ?? 0n, call.forms) } };
  }),

  walletTransactions: answering('walletTransactions', (request, call) => {
    const wallet = walletOf(call, request.wallet);
    if (wallet === null) return notFoundAnswer('Wallet');
    const range = dayRange(request);
    const { lagMs = 0, isUneven = false } = call.distortion ?? {};
    const newestMs = lagMs === 0 ? Number.POSITIVE_INFINITY : call.timeMs - lagMs;
    const found = wallet.transactions
      .values()
      .filter(({ timeMs }) => timeMs >= range.fromMs && timeMs < range.beforeMs)
      .filter(({ id, timeMs }) => timeMs <= newestMs || (isUneven && id % 2 === 0))
      .reverse();
    const { items, hasNext } = slicePage(found, pageRequest(request, TRANSACTIONS_PAGE));
    const transactions = items.map((transaction) => transactionJson(transaction, call));
    return { status: 200, body: { status: 'ok', transactions, ...hasNextField(hasNext, call.forms) } };
  }),

  deposits: answering('deposits', (request, call) => {
    const { wallet: asked = 'all' } = request;
    const wallet = asked === 'all' ? 'all' : walletOf(call, asked);
    if (wallet === null) return notFoundAnswer('Wallet');
    const { deposits } = call.exchange.services;
    if (wallet === 'all') {
      // Without a wallet there is neither paging nor a time filter: the three months come in one piece.
      const all = deposits.list(callUser(call).id, { timeMs: call.timeMs });
      const records = all.map((deposit) => depositJson(deposit, call));
      return { status: 200, body: { status: 'ok', deposits: records, ...hasNextField(false, call.forms) } };
    }
    const page = pageRequest(request, wallet.currency === 'rls' ? RIAL_DEPOSITS_PAGE : COIN_DEPOSITS_PAGE);
    const range = dayRange(request);
    const found = deposits
      .list(wallet.userId, { timeMs: call.timeMs, currency: wallet.currency })
      .filter(({ createdAtMs }) => createdAtMs >= range.fromMs && createdAtMs < range.beforeMs);
    const { items, hasNext } = slicePage(wallet.kind === 'spot' ? found : [], page);
    const records = items.map((deposit) => depositJson(deposit, call));
    return { status: 200, body: { status: 'ok', deposits: records, ...hasNextField(hasNext, call.forms) } };
  }),

  withdrawals: answering('withdrawals', (request, call) => {
    const { wallet: asked = 'all' } = request;
    const wallet = asked === 'all' ? 'all' : walletOf(call, asked);
    const range = dayRange(request);
    if (wallet === null) return notFoundAnswer('Wallet');
    const found = call.exchange.services.withdrawals
      .list(callUser(call).id)
      .filter(({ walletId }) => wallet === 'all' || walletId === wallet.id)
      .filter(({ createdAtMs }) => createdAtMs >= range.fromMs && createdAtMs < range.beforeMs);
    const { items, hasNext } = slicePage(found, pageRequest(request, WITHDRAWALS_PAGE));
    const withdraws = items.map((withdrawal) => listedWithdrawalJson(withdrawal, call));
    return { status: 200, body: { status: 'ok', withdraws, ...hasNextField(hasNext, call.forms) } };
  }),
};

/** Handlers of withdrawals. Source: interface, "Rial withdrawal (version 2)". */
export const rialWithdrawalHandlers: WireHandlers<'createWithdrawal' | 'withdrawal' | 'cancelWithdrawal'> = {
  createWithdrawal: answering('createWithdrawal', (request, call) => {
    const result = call.exchange.services.withdrawals.create({
      user: callUser(call),
      bankAccountId: request.destinationBankAccountId,
      units: unitsOf(request.amount),
      timeMs: call.timeMs,
    });
    if (!result.ok) return result;
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(result.value, call) } };
  }),

  withdrawal(call) {
    const request = readRequest('withdrawal', call);
    const found = request.ok
      ? call.exchange.services.withdrawals.find(callUser(call).id, request.value.id)
      : undefined;
    if (found === undefined) return notFoundAnswer('Withdrawal');
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(found, call) } };
  },

  cancelWithdrawal(call) {
    const request = readRequest('cancelWithdrawal', call);
    if (!request.ok) return notFoundAnswer('Withdrawal');
    const result = call.exchange.services.withdrawals.cancel(
      callUser(call).id,
      request.value.id,
      call.timeMs,
    );
    if (!result.ok) return failedAnswer(result, call.forms);
    return { status: 200, body: { status: 'ok', result: withdrawalRecord(result.value, call) } };
  },
};

const marketNames = (call: WireCall): readonly MarketName[] =>
  [...call.exchange.markets.keys()].map((symbol) => parseMarket(symbol));

/** Handlers of the margin calls. Source: interface, "Margin". */
export const marginHandlers: WireHandlers<
  'marginMarkets' | 'liquidityPools' | 'transfer' | 'delegationLimit'
> = {
  marginMarkets(call) {
    const level = call.caller === null ? null : callUser(call).level;
    const markets = [...call.exchange.services.margin.markets(marketNames(call), level)].map(
      ([symbol, market]) =>
        [
          symbol,
          {
            srcCurrency: market.base,
            dstCurrency: market.quote,
            positionFeeRate: writeDecimal(market.positionFeeRate, call.forms),
            maxLeverage: writeDecimal(market.maxLeverage, call.forms),
            sellEnabled: market.sellEnabled,
            buyEnabled: market.buyEnabled,
          },
        ] as const,
    );
    return { status: 200, body: { status: 'ok', markets: Object.fromEntries(markets) } };
  },

  liquidityPools(call) {
    const pools = [...call.exchange.services.margin.pools(marketNames(call))].map(
      ([currency, pool]) =>
        [
          currency,
          {
            capacity: writeDecimal(pool.capacity, call.forms),
            filledCapacity: writeDecimal(pool.filledCapacity, call.forms),
            availableBalance: writeDecimal(pool.availableBalance, call.forms),
          },
        ] as const,
    );
    return { status: 200, body: { status: 'ok', pools: Object.fromEntries(pools) } };
  },

  transfer: answering('transfer', ({ amount, ...fields }, call) => {
    const units = tryUnits(amount);
    if (units === null) return refuse('InvalidAmount', `Expected at most ${UNIT_DECIMALS} decimals`);
    const result = transferFunds(call.exchange.accounts, {
      ...fields,
      userId: callUser(call).id,
      units,
      timeMs: call.timeMs,
    });
    if (!result.ok) return result;
    const { srcWallet, dstWallet } = result.value;
    return {
      status: 200,
      body: { status: 'ok', srcWallet: walletJson(srcWallet, call), dstWallet: walletJson(dstWallet, call) },
    };
  }),

  delegationLimit: answering('delegationLimit', ({ currency }, call) => {
    const user = callUser(call);
    const rialOfOne = call.exchange.rialValue(currency, UNITS_PER_ONE);
    const limit = call.exchange.services.margin.delegationLimit(user.level, rialOfOne);
    if (limit === null) return refuse('InvalidCurrency', `No limit for ${currency}`);
    return { status: 200, body: { status: 'ok', limit: writeDecimal(limit, call.forms) } };
  }),
};

/** Writes a code in the configured form: `"-1"`, `-1`, or `"1-"`. */
function writeCode(code: string, form: WireForms['gatewayCode']): string | number {
  if (form === 'number') return Number(code);
  return form === 'trailing-minus' ? `${code.slice(1)}-` : code;
}

function failed(refusal: Refusal, forms: WireForms): WireAnswer {
  const code = writeCode(refusal.code, forms.gatewayCode);
  return { status: 200, body: { status: 'failed', code, message: refusal.message } };
}

/** Returns the fields unchecked: the gateway checks them itself, since its codes have an order. */
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

/** Handlers of the payment gateway. Source: interface, "Payment gateway". */
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
