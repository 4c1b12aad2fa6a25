import type { MarketSymbol } from '../../../domain/market-symbol.ts';
import { refuse, type Refusal } from '../../../simulator/requests.ts';
import { usedLimits } from '../../../simulator/rial-withdrawal.ts';
import type { User, BankAccount, BankCard } from '../../../simulator/user.ts';
import { callUser, notFoundAnswer, type WireAnswer, type WireCall, type WireHandlers } from '../handler.ts';
import { answering, isKnownCurrency, readRequest } from '../request-fields.ts';
import { writeDecimal, writeTime } from '../order-records.ts';
import { formatRatePercent, ratesOf } from '../../../domain/market.ts';

/** Reads a comma-separated list of symbols, in upper case. Refused: `InvalidMarketPair` if unknown. */
function namedMarkets(call: WireCall, list: string): readonly string[] | Refusal {
  const symbols = list.split(',').map((part) => part.trim().toUpperCase());
  const unknown = symbols.find((symbol) => !call.exchange.markets.has(symbol as MarketSymbol));
  return unknown === undefined ? symbols : refuse('InvalidMarketPair', `No market ${unknown}`);
}

function favorites(user: User): WireAnswer {
  return { status: 200, body: { status: 'ok', favoriteMarkets: user.favoriteMarkets } };
}

/** Returns the currency of an address request, which may name a wallet; null if that is not this user's. */
function addressCurrency(
  call: WireCall,
  user: User,
  asked: { readonly currency?: string | undefined; readonly wallet?: string | undefined },
): string | null {
  if (asked.currency !== undefined) return asked.currency;
  const wallet = call.exchange.accounts.byId(Number(asked.wallet));
  return wallet?.userId === user.id ? wallet.currency : null;
}

/** Handlers of user data. Source: interface, "Authentication and user information". */
export const userHandlers: WireHandlers<
  | 'profile'
  | 'loginAttempts'
  | 'referralCode'
  | 'limitations'
  | 'generateAddress'
  | 'addCard'
  | 'addAccount'
  | 'favoriteMarkets'
  | 'addFavoriteMarkets'
  | 'removeFavoriteMarkets'
> = {
  profile: (call) => ({ status: 200, body: profileRecord(callUser(call), call) }),

  loginAttempts(call) {
    const attempts = callUser(call)
      .attempts.values()
      .map(({ ip, username, status, timeMs }) => ({ ip, username, status, createdAt: writeTime(timeMs) }))
      .reverse();
    return { status: 200, body: { status: 'ok', attempts } };
  },

  referralCode(call) {
    const user = callUser(call);
    const referral = user.settings.referral ?? {};
    return {
      status: 200,
      body: {
        status: 'ok',
        referredUsersCount: referral.referredUsersCount ?? 0,
        referralCode: user.referralCode,
        referralFeeTotalCount: referral.feeTotalCount ?? 0,
        referralFeeTotal: referral.feeTotal ?? 0,
      },
    };
  },

  limitations(call) {
    const user = callUser(call);
    const withdrawn = call.exchange.services.withdrawals.withdrawnBy(user.id, call.timeMs);
    const limits = Object.entries(usedLimits(user.ceilings, withdrawn)).map(([name, { used, limit }]) => [
      name,
      { used: writeDecimal(used, call.forms), limit: writeDecimal(limit, call.forms) },
    ]);
    const limitations = {
      userLevel: user.level,
      features: user.features,
      limits: Object.fromEntries(limits) as unknown,
    };
    return { status: 200, body: { status: 'ok', limitations } };
  },

  generateAddress: answering('generateAddress', (request, call) => {
    const user = callUser(call);
    const { services, accounts } = call.exchange;
    const currency = addressCurrency(call, user, request);
    if (currency === null) return notFoundAnswer('Wallet');
    if (!user.features.coin_deposit)
      return refuse('FeatureUnavailable', 'Coin deposits are not open to this user');
    const made = isKnownCurrency(call.exchange, currency)
      ? services.addresses.generate(user.id, services.currency(currency), request.network ?? null)
      : null;
    if (made === null) {
      const { network } = request;
      return network === undefined
        ? refuse('InvalidCurrency', `No addresses for ${currency}`)
        : refuse('InvalidNetwork', `No network ${network} for ${currency}`);
    }
    accounts.ensure(user.id, currency);
    const { address, tag } = made;
    return { status: 200, body: { status: 'ok', address, ...(tag === null ? {} : { tag }) } };
  }),

  addCard: answering('addCard', (request, call) => {
    const result = callUser(call).addCard(request);
    return result.ok ? { status: 200, body: { status: 'ok' } } : result;
  }),

  addAccount: answering('addAccount', (request, call) => {
    const result = call.exchange.services.users.addBankAccount(callUser(call), request);
    return result.ok ? { status: 200, body: { status: 'ok' } } : result;
  }),

  favoriteMarkets: (call) => favorites(callUser(call)),

  addFavoriteMarkets: answering('addFavoriteMarkets', (request, call) => {
    const user = callUser(call);
    const symbols = namedMarkets(call, request.market);
    if ('code' in symbols) return symbols;
    user.addFavorites(symbols);
    return favorites(user);
  }),

  removeFavoriteMarkets: answering('removeFavoriteMarkets', ({ market }, call) => {
    const user = callUser(call);
    const symbols = market.toLowerCase() === 'all' ? 'all' : namedMarkets(call, market);
    if (typeof symbols === 'object' && 'code' in symbols) return symbols;
    user.removeFavorites(symbols);
    return favorites(user);
  }),
};

function cardRecord(card: BankCard): Record<string, unknown> {
  const { number, bank, owner, confirmed } = card;
  return { number, bank, owner, confirmed, status: confirmed ? 'confirmed' : 'new' };
}

function accountRecord(account: BankAccount): Record<string, unknown> {
  const { id, number, shaba, bank, owner, confirmed } = account;
  return { id, number, shaba, bank, owner, confirmed, status: confirmed ? 'confirmed' : 'new' };
}

/** Returns the profile, with the taker's rates in percent as `fee`, `feeUsdt`. Source: "Profile". */
function profileRecord(user: User, call: WireCall): Record<string, unknown> {
  const { settings, verifications } = user;
  const { services } = call.exchange;
  const fees = services.feesOf(user.id);
  const month = call.exchange.monthTrades(user.id, call.timeMs);
  return {
    status: 'ok',
    profile: {
      firstName: settings.firstName ?? '',
      lastName: settings.lastName ?? '',
      nationalCode: settings.nationalCode ?? '',
      email: settings.email ?? '',
      username: user.username,
      phone: settings.phone ?? '',
      mobile: settings.mobile ?? '',
      city: settings.city ?? '',
      bankCards: user.bankCards.map(cardRecord),
      bankAccounts: user.bankAccounts.map(accountRecord),
      verifications,
      pendingVerifications: {
        email: false,
        phone: false,
        mobile: false,
        identity: false,
        selfie: false,
        bankAccount: user.bankAccounts.some(({ confirmed }) => !confirmed),
        bankCard: user.bankCards.some(({ confirmed }) => !confirmed),
      },
      options: {
        fee: formatRatePercent(ratesOf(fees, 'rls').taker),
        feeUsdt: formatRatePercent(ratesOf(fees, 'usdt').taker),
        isManualFee: false,
        tfa: settings.totp !== undefined,
        socialLoginEnabled: false,
      },
      withdrawEligible: user.features.rial_withdrawal && call.timeMs >= user.withdrawalsRestrictedUntilMs,
    },
    tradeStats: { monthTradesTotal: writeDecimal(month.total, call.forms), monthTradesCount: month.count },
  };
}

const failedLogin = ({ code, message }: Refusal): WireAnswer => ({
  status: 400,
  body: { non_field_errors: [message], code },
});

/**
 * Handler of the log-in. Failures are HTTP 400 with `non_field_errors` and a code. The device of an earlier
 * log-in is read from the body or from a header `device` or `x-device`, as no document names its place.
 * Source: interface, "Token scheme".
 */
export const sessionHandlers: WireHandlers<'login'> = {
  login(call) {
    const { exchange, headers, userAgent, ip, timeMs } = call;
    const request = readRequest('login', call);
    if (!request.ok) return failedLogin(request);
    const { username, password, remember = null, captcha = null, device } = request.value;
    const result = exchange.services.logIn.attempt({
      username,
      password,
      remember,
      captcha,
      userAgent,
      totp: headers['x-totp'] ?? null,
      device: device ?? headers['device'] ?? headers['x-device'] ?? null,
      ip,
      timeMs,
    });
    if (!result.ok) return failedLogin(result);
    return { status: 200, body: { status: 'success', key: result.value.token, device: result.value.device } };
  },
};
