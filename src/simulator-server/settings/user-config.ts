import { z } from 'zod';
import { FEATURES, VERIFICATIONS } from '../../simulator/user-settings.ts';
import { currencySymbol, decimalAmount, durationMs } from '../config-fields.ts';

const flags = <Name extends string>(names: readonly Name[]) =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, z.boolean().optional()])) as Record<
      Name,
      z.ZodOptional<z.ZodBoolean>
    >,
  );

const text = () => z.string().min(1);
const balances = () => z.record(currencySymbol(), decimalAmount());

/** Higher ones are the synthetic traders'. */
const LARGEST_USER_ID = 8_999_999;

/** One user of the simulated exchange, with all that lets it in. */
export const userConfig = z.strictObject({
  username: text(),
  id: z.int().min(1).max(LARGEST_USER_ID).optional(),
  password: text().optional(),
  firstName: text().optional(),
  lastName: text().optional(),
  nationalCode: text().optional(),
  email: text().optional(),
  phone: text().optional(),
  mobile: text().optional(),
  city: text().optional(),
  level: text().optional(),
  features: flags(FEATURES).optional(),
  verifications: flags(VERIFICATIONS).optional(),
  totp: z.strictObject({ secret: text().optional(), fixedCode: text().optional() }).optional(),
  tokens: z
    .array(
      z.union([text(), z.strictObject({ token: text(), validForMs: durationMs().optional() })], {
        error: 'expected a token, or an object with token and validForMs',
      }),
    )
    .optional(),
  keys: z
    .array(
      z.strictObject({
        publicKey: z
          .string()
          .regex(
            /^[A-Za-z0-9_-]{43}=?$/,
            'expected 32 bytes in URL-safe Base64, which is 43 characters and maybe "="',
          ),
        permissions: z.array(z.enum(['READ', 'TRADE', 'WITHDRAW'])),
      }),
    )
    .optional(),
  bankCards: z
    .array(
      z.strictObject({
        number: text(),
        bank: text(),
        owner: text().optional(),
        confirmed: z.boolean().optional(),
      }),
    )
    .optional(),
  bankAccounts: z
    .array(
      z.strictObject({
        id: z.int().min(1).optional(),
        number: text(),
        shaba: text(),
        bank: text(),
        owner: text().optional(),
        confirmed: z.boolean().optional(),
      }),
    )
    .optional(),
  favoriteMarkets: z.array(text()).optional(),
  limits: z
    .strictObject({
      withdrawRialDaily: decimalAmount().optional(),
      withdrawCoinDaily: decimalAmount().optional(),
      withdrawTotalDaily: decimalAmount().optional(),
      withdrawTotalMonthly: decimalAmount().optional(),
    })
    .optional(),
  balances: balances().optional(),
  marginBalances: balances().optional(),
  referral: z
    .strictObject({
      code: text().optional(),
      referredUsersCount: z.int().min(0).optional(),
      feeTotalCount: z.int().min(0).optional(),
      feeTotal: z.int().min(0).optional(),
    })
    .optional(),
});

/** The default users. */
const DEFAULT_USERS: readonly z.input<typeof userConfig>[] = [
  {
    username: 'trader',
    id: 1,
    password: 'trader',
    firstName: 'First',
    lastName: 'Trader',
    tokens: ['trader-token'],
    balances: { rls: '20000000000', usdt: '20000', btc: '0.5', eth: '5', shib: '100000000' },
    bankAccounts: [
      { id: 1, number: '0100-200-300', shaba: 'IR120000000000000000000001', bank: 'Sample bank' },
    ],
  },
  {
    username: 'second',
    id: 2,
    password: 'second',
    tokens: ['second-token'],
    balances: { rls: '20000000000', usdt: '20000', btc: '0.5' },
  },
];

/** A configuration's list of users: names, ids, tokens and keys must each be there once. */
export const usersConfig = z
  .array(userConfig)
  .superRefine((users, context) => {
    const seen = new Map<string, string>();
    const claim = (what: string, value: string | undefined, path: readonly (string | number)[]): void => {
      if (value === undefined) return;
      const known = seen.get(`${what} ${value}`);
      if (known !== undefined) {
        const message = `expected a ${what} that no other user has, ${known} has it too`;
        context.addIssue({ code: 'custom', path: [...path], message });
      }
      seen.set(`${what} ${value}`, `users[${String(path[0])}]`);
    };
    for (const [index, user] of users.entries()) {
      claim('username', user.username, [index, 'username']);
      claim('id', user.id?.toString(), [index, 'id']);
      for (const [at, token] of (user.tokens ?? []).entries()) {
        claim('token', typeof token === 'string' ? token : token.token, [index, 'tokens', at]);
      }
      for (const [at, key] of (user.keys ?? []).entries()) {
        claim('public key', key.publicKey.replace(/=$/, ''), [index, 'keys', at, 'publicKey']);
      }
    }
  })
  .prefault([...DEFAULT_USERS]);
