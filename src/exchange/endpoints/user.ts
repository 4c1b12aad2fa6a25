import { z } from 'zod';
import {
  decimalOrNull,
  flagOrNull,
  integerOrNull,
  recordOf,
  textOrNull,
  withoutPrototype,
  textField,
  timeMsOrNull,
} from '../reply-types.ts';
import {
  endpointsOf,
  assumedBudget,
  budget,
  currency,
  text as requiredText,
  textLike,
  textOrInteger,
  walletId,
  secretText,
  text,
} from '../request-types.ts';
import { addRuleIssues, someOf } from '../request-rules.ts';

const bankCard = z.object({
  number: textOrNull,
  bank: textOrNull,
  owner: textOrNull,
  confirmed: flagOrNull,
  status: textOrNull,
});

const bankAccount = z.object({
  id: integerOrNull,
  number: textOrNull,
  shaba: textOrNull,
  bank: textOrNull,
  owner: textOrNull,
  confirmed: flagOrNull,
  status: textOrNull,
});

const flags = recordOf(flagOrNull)
  .nullish()
  .transform((value) => value ?? withoutPrototype<boolean | null>([]));

const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items): readonly z.output<Item>[] => items ?? []);

const options = z.object({
  /** Fee in percent in rial markets. */
  fee: decimalOrNull,
  /** Fee in percent in tether markets. */
  feeUsdt: decimalOrNull,
  isManualFee: flagOrNull,
  tfa: flagOrNull,
  socialLoginEnabled: flagOrNull,
});

const profileFields = z.object({
  firstName: textOrNull,
  lastName: textOrNull,
  nationalCode: textOrNull,
  email: textOrNull,
  username: textOrNull,
  phone: textOrNull,
  mobile: textOrNull,
  city: textOrNull,
  bankCards: listOf(bankCard),
  bankAccounts: listOf(bankAccount),
  verifications: flags,
  pendingVerifications: flags,
  options: options.nullish().transform((value) => value ?? null),
  withdrawEligible: flagOrNull,
});

/** Profile of the user ("Resources: Profile"). Names as in the interface; missing ones are null or empty. */
const profileReply = z.object({
  profile: profileFields,
  tradeStats: z
    .object({ monthTradesTotal: decimalOrNull, monthTradesCount: integerOrNull })
    .nullish()
    .transform((value) => value ?? null),
});

const usage = z.object({ used: decimalOrNull, limit: decimalOrNull });

/** Limits of the user ("Resources: User limitations"). All amounts are in rial. */
const limitationsReply = z
  .object({
    limitations: z.object({
      userLevel: textOrNull,
      /** Permissions by feature: `crypto_trade`, `rial_trade`, `coin_deposit`, and so on. */
      features: recordOf(flagOrNull),
      /** Usage by limit, from `withdrawRialDaily` to `withdrawTotalMonthly`. */
      limits: recordOf(usage),
    }),
  })
  .transform((wire) => wire.limitations);

const endpoint = endpointsOf('Authentication and user information', 10_000);

export const profile = endpoint({
  name: 'profile',
  route: 'GET|POST /users/profile',
  access: 'READ',
  budget: assumedBudget('users/profile', 'token'),
  reply: profileReply,
  summary: 'Who the user is, the bank cards and accounts, and the fee rates that apply.',
});

const attempt = z
  .object({ ip: textOrNull, username: textOrNull, status: textOrNull, createdAt: timeMsOrNull })
  .transform(({ ip, username, status, createdAt }) => ({ ip, username, status, createdAtMs: createdAt }));

export const loginAttempts = endpoint({
  name: 'loginAttempts',
  route: 'GET|POST /users/login-attempts',
  access: 'token',
  budget: assumedBudget('users/login-attempts', 'token'),
  reply: z.object({ attempts: z.array(attempt) }).transform((wire) => wire.attempts),
  summary: 'The latest log-in attempts.',
});

export const referralCode = endpoint({
  name: 'referralCode',
  route: 'GET|POST /users/get-referral-code',
  access: 'token',
  budget: assumedBudget('users/get-referral-code', 'token'),
  reply: z.object({
    referredUsersCount: integerOrNull,
    referralCode: textOrNull,
    referralFeeTotalCount: integerOrNull,
    referralFeeTotal: decimalOrNull,
  }),
  summary: 'The referral code and what it brought.',
  deprecated: true,
});

export const limitations = endpoint({
  name: 'limitations',
  route: 'GET|POST /users/limitations',
  access: 'READ',
  budget: assumedBudget('users/limitations', 'token'),
  reply: limitationsReply,
  summary: 'What the user may do and how much of the withdrawal limits is used.',
});

export const generateAddress = endpoint({
  name: 'generateAddress',
  route: 'POST /users/wallets/generate-address',
  access: 'token',
  budget: budget('users/wallets/generate-address', { per: 'token', limit: 30, minutes: 60 }),
  timeoutMs: 20_000,
  request: z
    .object({
      currency: currency().optional(),
      wallet: walletId().optional().describe("The older way to say which: a wallet's id."),
      network: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,40}$/, 'expected the name of a network, such as TRX')
        .optional()
        .describe(
          'The network of the address, as the wallets list names it. Without it the exchange chooses.',
        ),
    })
    .superRefine((fields, context) => {
      if (fields.currency !== undefined || fields.wallet !== undefined) return;
      const message = 'expected a currency, or the id of a wallet';
      addRuleIssues(context, [{ field: 'currency', message, exchangeCode: 'ParseError' }]);
    })
    .meta(someOf('currency', 'wallet')),
  /** The tag, also called memo, is part of the address on some networks: a deposit without it is lost. */
  reply: z
    .object({ address: textField, tag: textOrNull })
    .transform((wire) => ({ address: wire.address, tag: wire.tag === '' ? null : wire.tag })),
  example: { currency: 'btc' },
  summary:
    'Makes a deposit address, with a tag if the network has tags, and the wallet if there is none yet.',
});

/** Card number or IBAN; spaces and hyphens may stand anywhere, as people write them. */
const cardNumber = () => textLike('^(?:[ -]*[0-9]){16}[ -]*$', 'a card number of 16 digits');
const shaba = () => textLike('^[ -]*[iI][ -]*[rR](?:[ -]*[0-9]){24}[ -]*$', 'a shaba of IR and 24 digits');

const done = z.object({}).transform(() => null);

export const addCard = endpoint({
  name: 'addCard',
  route: 'POST /users/cards-add',
  access: 'token',
  budget: budget('users/cards-add', { per: 'token', limit: 30, minutes: 30 }),
  request: z.object({ number: cardNumber(), bank: requiredText() }),
  reply: done,
  example: { number: '6219861000000002', bank: 'Sample bank' },
  summary: 'Adds a bank card.',
});

export const addAccount = endpoint({
  name: 'addAccount',
  route: 'POST /users/accounts-add',
  access: 'token',
  budget: budget('users/accounts-add', { per: 'token', limit: 30, minutes: 30 }),
  request: z.object({ number: textOrInteger(), shaba: shaba(), bank: requiredText() }),
  reply: done,
  example: { number: '0100-200-300', shaba: 'IR120000000000000000000001', bank: 'Sample bank' },
  summary: 'Adds a bank account.',
});

/** Log-in. A one-time password, if required, goes in the `X-TOTP` header, not in the body. */
export const login = endpoint({
  name: 'login',
  route: 'POST /auth/login/',
  access: 'none',
  budget: budget('auth/login', { per: 'ip', limit: 30, minutes: 10 }),
  timeoutMs: 15_000,
  request: z.object({
    username: requiredText(),
    password: secretText(1024),
    remember: z.string().optional().describe('yes asks for a token of 30 days instead of 4 hours.'),
    captcha: z.string().optional().describe('api for a log-in without a person.'),
    // The interface does not state where it belongs.
    device: z.string().optional().describe('Name of this device, as an earlier log-in returned it.'),
  }),
  reply: z.object({ key: textField, device: textOrNull }),
  example: { username: 'trader', password: 'env:PASSWORD', captcha: 'api' },
  summary: 'Exchanges a user name and password for a token.',
});

const reply = z.object({ favoriteMarkets: z.array(z.string()) }).transform((wire) => wire.favoriteMarkets);

export const favoriteMarkets = endpoint({
  name: 'favoriteMarkets',
  route: 'GET /users/markets/favorite',
  access: 'token',
  budget: budget('users/markets/favorite', { per: 'token', limit: 6 }),
  reply,
  summary: 'The symbols of the favourite markets.',
});

export const addFavoriteMarkets = endpoint({
  name: 'addFavoriteMarkets',
  route: 'POST /users/markets/favorite',
  access: 'token',
  budget: budget('users/markets/favorite/add', { per: 'token', limit: 12 }),
  request: z.object({ market: text(4000).describe('Market symbols, separated by commas.') }),
  reply,
  example: { market: 'BTCIRT,USDTIRT' },
  summary: 'Adds favourite markets.',
});

export const removeFavoriteMarkets = endpoint({
  name: 'removeFavoriteMarkets',
  route: 'DELETE /users/markets/favorite',
  access: 'token',
  budget: budget('users/markets/favorite/remove', { per: 'token', limit: 12 }),
  request: z.object({ market: text().describe('A market symbol, or All.') }),
  reply,
  example: { market: 'BTCIRT' },
  summary: 'Removes one favourite market, or all.',
});
