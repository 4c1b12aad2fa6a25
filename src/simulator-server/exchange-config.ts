import { z } from 'zod';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';
import {
  durationMs,
  currencySymbol,
  decimalAmount,
  positiveDecimal,
  currenciesConfig,
  DEFAULT_MARKETS,
  feesConfig,
  marketConfig,
} from './market-config.ts';
import { FAULT_KINDS, LONGEST_DELAY_MS } from './fault-plan.ts';
import { FEATURES, VERIFICATIONS } from '../simulator/user.ts';
import { isZone } from '../domain/zone-time.ts';

/** Names of all budgets, as the limits table has them. */
const BUDGET_NAMES: readonly string[] = [
  ...new Set((Object.values(ENDPOINTS) as readonly Endpoint[]).map(({ budget }) => budget.name)),
];

const counted = z.strictObject({ limit: z.int().min(0).optional(), windowMs: durationMs().optional() });

/** Enforcement of the exchange's rate limits, and numbers other than the interface's. */
const limitsConfig = z
  .strictObject({
    enabled: z.boolean().optional(),
    /** By budget name; `none` counts nothing. */
    overrides: z
      .partialRecord(
        z.enum(BUDGET_NAMES as [string, ...string[]]),
        z.union([z.literal('none'), counted], {
          error: 'expected none, or an object with limit and windowMs',
        }),
      )
      .optional(),
    exceeded: z.enum(['lockout', 'back-off']).optional(),
    lockoutScope: z.enum(['budget', 'caller']).optional(),
    firstLockoutMs: durationMs().optional(),
    longestLockoutMs: durationMs().optional(),
    forgiveAfterMs: durationMs().optional(),
    badTokens: z
      .strictObject({ limit: z.int().min(0), windowMs: durationMs(), blockMs: durationMs() })
      .optional(),
    continuedAbuse: z
      .strictObject({ refusals: z.int().min(0), windowMs: durationMs(), blockMs: durationMs() })
      .nullable()
      .optional(),
  })
  .default({});

const text = () => z.string().min(1);

/** Rial withdrawals: fees, bounds, how long each state lasts. */
const withdrawalsConfig = z
  .strictObject({
    enabled: z.boolean().optional(),
    minimum: decimalAmount().optional(),
    maximum: decimalAmount().optional(),
    feeFlat: decimalAmount().optional(),
    feeMillionths: z.int().min(0).max(1_000_000).optional(),
    feeCeiling: decimalAmount().optional(),
    maximumPerDay: z.int().min(0).optional(),
    cancelWithinMs: durationMs().optional(),
    newForMs: durationMs().optional(),
    sentForMs: durationMs().optional(),
    paymentEveryMs: durationMs().optional(),
    largestPayment: positiveDecimal().optional(),
    transferType: z.enum(['normal', 'paya', 'satna']).optional(),
  })
  .default({});

const marginMarket = z.strictObject({
  positionFeeRate: decimalAmount().optional(),
  maxLeverage: positiveDecimal().optional(),
  sellEnabled: z.boolean().optional(),
  buyEnabled: z.boolean().optional(),
});

/** Replies of the margin reads. */
const marginConfig = z
  .strictObject({
    markets: z.record(text(), marginMarket).nullable().optional(),
    maxLeverageByLevel: z.record(text(), positiveDecimal()).optional(),
    pools: z
      .record(
        currencySymbol(),
        z.strictObject({
          capacity: decimalAmount(),
          filledCapacity: decimalAmount().optional(),
          active: z.boolean().optional(),
        }),
      )
      .nullable()
      .optional(),
    defaultPoolCapacity: decimalAmount().optional(),
    delegationLimitRial: z.record(text(), decimalAmount()).optional(),
  })
  .default({});

/** The payment gateway and its merchants. */
const gatewayConfig = z
  .strictObject({
    merchants: z
      .array(
        z.strictObject({
          api: z
            .string()
            .regex(/^[A-Za-z0-9_-]{4,64}$/, 'expected 4 to 64 letters, digits, hyphens or underscores'),
          apiSecret: text(),
          callbackOrigin: z
            .string()
            .regex(/^https?:\/\/[^\s/]+\/?$/, 'expected a scheme and a host, such as https://shop.example'),
          restricted: z.boolean().optional(),
          username: text().optional(),
        }),
      )
      .optional(),
    siteUrl: text().optional(),
    testNetwork: z.boolean().optional(),
    currencies: z.array(currencySymbol()).optional(),
    defaultCurrencies: text().optional(),
    rialRates: z.record(currencySymbol(), positiveDecimal()).optional(),
    payWithinMs: durationMs().optional(),
  })
  .default({});

const millionths = () => z.int().min(0).max(1_000_000);

/** Rules of trading that the interface states as constants or leaves open. */
const tradingConfig = z
  .strictObject({
    priceBandMillionths: millionths().optional(),
    marketBandMillionths: millionths().optional(),
    duplicateWindowMs: durationMs().optional(),
    rejectedStatus: text().optional(),
    newForMs: durationMs().optional(),
    tradesListedMs: durationMs().optional(),
    recordVersions: z.boolean().optional(),
    historyKept: z.int().min(1).optional(),
    ordersKept: z.int().min(1).optional(),
  })
  .default({});

/** In which of the deployments' forms replies are written; see `WireForms`. */
const formsConfig = z
  .strictObject({
    decimals: z.enum(['canonical', 'padded', 'number']).optional(),
    lastUpdate: z.enum(['seconds', 'milliseconds']).optional(),
    lastUpdateOf: z.enum(['change', 'snapshot']).optional(),
    orderBooks: z.enum(['v2-and-v3', 'v3']).optional(),
    globalStats: z.enum(['by-currency', 'by-provider']).optional(),
    options: z.enum(['flat', 'nested']).optional(),
    gatewayCode: z.enum(['text', 'number', 'trailing-minus']).optional(),
    failureField: z.enum(['code', 'error']).optional(),
    omitOptionalFields: z.boolean().optional(),
    unknownFields: z.boolean().optional(),
  })
  .default({});

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as [EndpointName, ...EndpointName[]];

/** A year: the exchange's clock never goes back, and dates end somewhere. */
const LARGEST_SKEW_MS = 366 * 86_400_000;

/** A share; as text where JSON was read without losing digits. */
const probability = z
  .union([z.number(), z.string().regex(/^\d+(?:\.\d+)?(?:[eE]-?\d{1,3})?$/)], {
    error: 'expected a number from 0 to 1',
  })
  .transform(Number)
  .pipe(z.number().min(0).max(1));

const rule = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  endpoints: z.array(z.enum(ENDPOINT_NAMES)).min(1).optional(),
  requests: z.array(z.int().min(1)).min(1).optional(),
  probability: probability.optional(),
  delayMs: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  lagMs: z.int().min(0).optional(),
  isUneven: z.boolean().optional(),
  isHandled: z.boolean().optional(),
  backOff: z.int().min(1).optional(),
  limit: z.number().optional(),
});

/** Faults to apply. At most 100 rules. */
export const faultsConfig = z.strictObject({
  seed: z.int().min(0).optional(),
  clockSkewMs: z.int().min(-LARGEST_SKEW_MS).max(LARGEST_SKEW_MS).optional(),
  rules: z.array(rule).max(100).optional(),
});

const flags = <Name extends string>(names: readonly Name[]) =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, z.boolean().optional()])) as Record<
      Name,
      z.ZodOptional<z.ZodBoolean>
    >,
  );

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
const usersConfig = z
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

/**
 * A whole simulated exchange, as a YAML file says it. Everything has a default: an empty file is an exchange.
 */
export const exchangeConfig = z.strictObject({
  exchange: z
    .strictObject({
      /** The service's own name: prefix of the key headers and of the options keys. */
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
  trading: tradingConfig,
  limits: limitsConfig,
  withdrawals: withdrawalsConfig,
  margin: marginConfig,
  gateway: gatewayConfig,
  forms: formsConfig,
  /** Starts of the history's bars. */
  candles: z
    .strictObject({
      /** Bars of 4 h and more begin as the clock of this zone does; shorter ones as UTC does. */
      zone: z
        .string()
        .refine(isZone, 'expected a time zone such as Asia/Tehran or UTC')
        .default('Asia/Tehran'),
    })
    .prefault({}),
  /** True if POST on reads, form bodies and stray slashes are accepted. */
  lenience: z.boolean().default(true),
  faults: faultsConfig.default({}),
  /** Handed on to the synthetic traders as it is. */
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

/**
 * The configuration of an exchange from its parts; whatever is not given is at its default. Throws a
 * `ZodError` for a bad one.
 */
export function readExchangeConfig(input: ExchangeConfigInput = {}): ExchangeConfig {
  return exchangeConfig.parse(input);
}
