import { z } from 'zod';
import { exchangeConfig } from '../../simulator-server/exchange-config.ts';
import { feesConfig } from '../../simulator-server/market-config.ts';
import { address, balances } from '../setting-fields.ts';

const LARGEST_SEED = 4_294_967_295;

/** The highest speed against real time. */
const LARGEST_SPEED = 100_000;

/** The account of a bot whose exchange is in its own process. */
const DEFAULT_BALANCES = { rls: '100000000000', usdt: '100000' } as const;

/** The exchange in the bot's own process, in the mode `embedded`. */
export const embeddedSettings = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Configuration of the exchange, as sarraf exchange --config takes it. Not together with exchange.',
      ),
    exchange: exchangeConfig
      .optional()
      .describe(
        'The same settings, written here: markets, fees, limits, faults, flow and others. It may have users other than the bot.',
      ),
    seed: z
      .int()
      .min(0)
      .max(LARGEST_SEED)
      .prefault(1)
      .describe('Seed of the synthetic traders: the same seed makes the same market.'),
    balances: balances()
      .prefault({ ...DEFAULT_BALANCES })
      .describe("The bot's money at the beginning, by currency."),
    speed: z
      .union([z.number().positive().max(LARGEST_SPEED), z.literal('max')], {
        error: 'expected a number above 0, or max',
      })
      .prefault(1)
      .describe('Speed as a multiple of real time; max never waits.'),
    replay: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A recording of candles or trades that the market repeats, instead of synthetic traders alone.',
      ),
  })
  .transform(({ file = null, exchange = null, replay = null, ...rest }) => ({
    ...rest,
    file,
    exchange,
    replay,
  }))
  .prefault({});

/**
 * The mode `paper`: public data of a real exchange, orders to an exchange in the bot's own process that is
 * fed by it.
 */
export const paperSettings = z
  .strictObject({
    baseUrl: address()
      .optional()
      .describe('Address that the public data comes from; exchange.baseUrl by default.'),
    balances: balances()
      .prefault({ ...DEFAULT_BALANCES })
      .describe("The bot's paper money at the beginning, by currency."),
    fees: feesConfig.describe('Fees in percent by quote currency.'),
  })
  .transform(({ baseUrl = null, ...rest }) => ({ ...rest, baseUrl }))
  .prefault({});
