import { z } from 'zod';
import { isZone } from '../domain/zone-time.ts';
import { faultsConfig } from './settings/faults-config.ts';
import { limitsConfig } from './settings/limits-config.ts';
import { currenciesConfig, DEFAULT_MARKETS, feesConfig, marketConfig } from './market-config.ts';
import {
  formsConfig,
  gatewayConfig,
  marginConfig,
  tradingConfig,
  withdrawalsConfig,
} from './settings/services-config.ts';
import { usersConfig } from './settings/user-config.ts';

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
