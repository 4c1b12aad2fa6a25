import { formatRatePercent, ratesOf } from '../../domain/fee-schedule.ts';
import type { BankAccount, BankCard, User } from '../core/users/user.ts';
import type { WireCall } from './handler.ts';
import { writeDecimal } from './write-fields.ts';

function cardRecord(card: BankCard): Record<string, unknown> {
  const { number, bank, owner, confirmed } = card;
  return { number, bank, owner, confirmed, status: confirmed ? 'confirmed' : 'new' };
}

function accountRecord(account: BankAccount): Record<string, unknown> {
  const { id, number, shaba, bank, owner, confirmed } = account;
  return { id, number, shaba, bank, owner, confirmed, status: confirmed ? 'confirmed' : 'new' };
}

/** Source: interface, "Profile". `fee` and `feeUsdt` are the taker's rates in percent. */
export function profileRecord(user: User, call: WireCall): Record<string, unknown> {
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
