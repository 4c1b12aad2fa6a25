import { messageOf } from '../../domain/errors.ts';
import { z } from 'zod';
import { budgetTable, DEFAULT_HEADROOM } from '../../exchange/client-options.ts';
import { ORDER_BOOK_VERSIONS } from '../../exchange/order-book-version.ts';
import { address, duration, balances } from '../setting-fields.ts';
import { credentialsSettings } from '../../venues/credentials-settings.ts';
import { checkShownAddress } from '../../redis/redis-address.ts';
import { exchangeConfig } from '../../simulator-server/exchange-config.ts';
import { feesConfig } from '../../simulator-server/market-config.ts';

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

const BUDGET_NAMES = [...budgetTable().keys()] as [string, ...string[]];

/** Requests of one window are kept as rows and looked at on every admission. */
const LARGEST_LIMIT = 100_000;

const budgetLimit = z
  .strictObject({
    limit: z.int().min(1).max(LARGEST_LIMIT).describe('Requests in a window.'),
    window: duration({ mostMs: 86_400_000 }).describe('Length of the window.'),
  })
  .transform(({ limit, window }) => ({ limit, windowMs: window }));

/** The exchange at the other end, in the modes `paper` and `live`. */
export const exchangeSettings = z
  .strictObject({
    baseUrl: address()
      .optional()
      .describe('Address of the exchange, scheme and host. Needed in the modes paper and live.'),
    name: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9]{0,31}$/, 'expected letters and digits, such as Service')
      .prefault('service')
      .describe("The service's own name: the key headers begin with it."),
    credentials: credentialsSettings
      .optional()
      .describe(
        'Credentials of the bot: token, or key and privateKey, or username and password. Needed in the mode live.',
      ),
    plainHttp: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether an http address of another machine may be used. Others can read what is sent there, secrets included.',
      ),
    orderBook: z
      .enum(ORDER_BOOK_VERSIONS)
      .prefault('auto')
      .describe(
        'The form of order books: that of the interface (v2), that of newer deployments (v3), which has its own limit, or auto: v3 once v2 answers 404 and v3 has the book.',
      ),
    limits: z
      .partialRecord(z.enum(BUDGET_NAMES), budgetLimit)
      .prefault({})
      .describe(
        'Rate limits other than those of the interface, by the name of the budget (docs/reference/endpoints.md has them).',
      ),
    headroom: z
      .number()
      .min(0)
      .max(0.5)
      .prefault(DEFAULT_HEADROOM)
      .describe(
        'Share of each limit that stays unused, for requests that a proxy repeats. The rest is rounded down, and never below 1.',
      ),
    ledgerFolder: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Folder of the ledger of sent requests. All bots that share an address must share it. The user's state folder by default.",
      ),
    ledger: z
      .string()
      .superRefine((text, context) => {
        try {
          checkShownAddress(text);
        } catch (error) {
          context.addIssue({
            code: 'custom',
            message: messageOf(error),
          });
        }
      })
      .optional()
      .describe(
        'Address of a Redis or Valkey that keeps the ledger for bots on several machines: redis://USER@HOST:PORT/DATABASE, or rediss:// for TLS. Its password is in SARRAF_REDIS_PASSWORD. Every bot of the account must name the same one. A file of this machine by default.',
      ),
    ledgerTimeout: duration({ leastMs: 5, mostMs: 200 })
      .prefault('100ms')
      .describe(
        'Longest wait for an answer of that Redis. What is not answered is not sent. A request leaves within 250 ms of its question to Redis, or not at all.',
      ),
    publicAddress: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,40}$/, 'expected a name of letters, digits, dots and dashes')
      .optional()
      .describe(
        'Name of the public IP address that this machine calls from, where bots on several machines share a ledger and their public addresses differ. Limits per address are counted apart by it. Machines behind one public address must have the same name, or none.',
      ),
  })
  .transform(
    ({
      baseUrl = null,
      credentials = null,
      ledgerFolder = null,
      ledger = null,
      publicAddress = null,
      ledgerTimeout,
      ...rest
    }) => ({
      ...rest,
      baseUrl,
      credentials,
      ledgerFolder,
      ledger,
      ledgerTimeoutMs: ledgerTimeout,
      publicAddress: ledger === null ? null : publicAddress,
      limits: Object.fromEntries(
        Object.entries(rest.limits).filter(
          (entry): entry is [string, { limit: number; windowMs: number }] => entry[1] !== undefined,
        ),
      ),
    }),
  );
