import { z } from 'zod';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS } from '../exchange/endpoints.ts';
import { tradingSettings } from '../simulator/requests.ts';
import { withdrawalSettings } from '../simulator/rial-withdrawal.ts';
import { marginSettings } from '../simulator/services.ts';
import { gatewaySettings } from '../simulator/gateway.ts';
import { budgetOverrides, limitSettings } from '../simulator/rate-limits.ts';
import { wireForms } from './wire/handler.ts';
import { currenciesConfig, DEFAULT_MARKETS, feesConfig, marketConfig } from './market-config.ts';
import { faultSettings } from './fault-plan.ts';
import { userSettings } from '../simulator/user.ts';
import { isZone } from '../domain/zone-time.ts';

/** Names of all budgets in the limits table. */
const BUDGET_NAMES: readonly string[] = [
  ...new Set((Object.values(ENDPOINTS) as readonly Endpoint[]).map(({ budget }) => budget.name)),
];

/** Schema of the rate-limit settings; it refuses budgets that the exchange does not have. */
const limitsConfig = limitSettings
  .extend({
    overrides: z.partialRecord(z.enum(BUDGET_NAMES as [string, ...string[]]), budgetOverrides).default({}),
  })
  .prefault({});

const DEFAULT_USERS: readonly z.input<typeof userSettings>[] = [
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

/** Schema of the configured users; names, ids, tokens and keys must be unique. */
const usersConfig = z
  .array(userSettings)
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
      for (const [at, token] of (user.tokens ?? []).entries())
        claim('token', typeof token === 'string' ? token : token.token, [index, 'tokens', at]);
      for (const [at, key] of (user.keys ?? []).entries())
        claim('public key', key.publicKey.replace(/=$/, ''), [index, 'keys', at, 'publicKey']);
    }
  })
  .prefault([...DEFAULT_USERS]);

const marketsConfig = z
  .array(marketConfig)
  .min(1)
  .superRefine((markets, context) => {
    const seen = new Set<string>();
    for (const [index, { market }] of markets.entries()) {
      if (seen.has(market.symbol)) {
        const message = `expected each market once, ${market.symbol} is there before`;
        context.addIssue({ code: 'custom', path: [index, 'symbol'], message });
      }
      seen.add(market.symbol);
    }
  })
  .prefault([...DEFAULT_MARKETS]);

/** Schema of a simulated exchange's YAML file. Everything has a default: an empty file is valid. */
export const exchangeConfig = z.strictObject({
  exchange: z
    .strictObject({
      /** Name of the service: prefix of the key headers and of the options keys. */
      name: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9]{0,31}$/, 'expected letters and digits')
        .default('service'),
    })
    .prefault({}),
  markets: marketsConfig,
  currencies: currenciesConfig,
  fees: feesConfig,
  users: usersConfig,
  trading: tradingSettings.prefault({}),
  limits: limitsConfig,
  withdrawals: withdrawalSettings.prefault({}),
  margin: marginSettings.prefault({}),
  gateway: gatewaySettings.prefault({}),
  forms: wireForms.prefault({}),
  /** Zone of the candles. */
  candles: z
    .strictObject({
      /** Zone on whose clock bars of 4 h and more begin; shorter ones begin as in UTC. */
      zone: z
        .string()
        .refine(isZone, 'expected a time zone such as Asia/Tehran or UTC')
        .default('Asia/Tehran'),
    })
    .prefault({}),
  /** True if POST on reads, form bodies and stray slashes are accepted. */
  lenience: z.boolean().default(true),
  faults: faultSettings.default({}),
  /** Settings that are passed to the synthetic traders unchanged. */
  flow: z
    .looseObject({
      kind: z.enum(['synthetic', 'none']).default('synthetic'),
      seed: z.int().min(0).optional(),
    })
    .prefault({}),
  admin: z
    .strictObject({ enabled: z.boolean().default(true), token: z.string().min(8).optional() })
    .prefault({}),
});

export type ExchangeConfig = z.output<typeof exchangeConfig>;
export type ExchangeConfigInput = z.input<typeof exchangeConfig>;

/** Reads the configuration of an exchange; omitted parts have defaults. Throws a `ZodError` if invalid. */
export const readExchangeConfig = (input: ExchangeConfigInput = {}): ExchangeConfig =>
  exchangeConfig.parse(input);
