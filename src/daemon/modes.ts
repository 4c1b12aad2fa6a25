import { messageOf } from '../domain/errors.ts';
import { z } from 'zod';
import { DEFAULT_HEADROOM } from '../exchange/client-options.ts';
import { ORDER_BOOK_VERSIONS } from '../exchange/endpoints.ts';
import { address, duration, balances } from './setting-fields.ts';
import { credentialsSettings } from '../venues/client-credentials.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { VenuePlace } from '../venues/client-credentials.ts';
import { checkShownAddress } from '../redis/redis-server.ts';
import { exchangeConfig, type ExchangeConfig } from '../simulator-server/exchange-config.ts';
import { feesConfig } from '../simulator-server/market-config.ts';
import { ledgerPlace } from '../budget/ledger-file.ts';
import type { Language } from '../language/locale.ts';
import type { OtherVenueSettings } from '../venues/other-venues.ts';
import { DAY_MS } from '../domain/time-text.ts';
import { OTHER_VENUE } from '../domain/market-symbol.ts';
import { BOT_MODES, FIRST_VENUE } from '../mirror/mirror-path.ts';
import type { OtherVenueAges } from '../strategy/subscriptions.ts';
import type { Opening } from '../venues/live-venue.ts';
import type { ReplayFile } from '../venues/replay-file.ts';
import type { Venue } from '../venues/venue.ts';

const LARGEST_SEED = 4_294_967_295;

/** Highest speed of an embedded exchange, as a multiple of real time. */
const LARGEST_SPEED = 100_000;

/** Initial balances of a bot whose exchange is in its own process. */
const DEFAULT_BALANCES = { rls: '100000000000', usdt: '100000' } as const;

/** Settings of the exchange in the bot's own process, in the mode `embedded`. */
const embeddedSettings = z
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
 * Settings of the mode `paper`: public data of a real exchange, and orders to an exchange in the bot's own
 * process that this data feeds.
 */
const paperSettings = z
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

/** Largest limit of a budget: requests of one window are stored as rows and read on every admission. */
const LARGEST_LIMIT = 100_000;

const budgetLimit = z
  .strictObject({
    limit: z.int().min(1).max(LARGEST_LIMIT).describe('Requests in a window.'),
    window: duration({ mostMs: 86_400_000 }).describe('Length of the window.'),
  })
  .transform(({ limit, window }) => ({ limit, windowMs: window }));

/** Settings of an exchange at the other end: of the bot's own, and of other venues that it reads. */
const EXCHANGE_FIELDS = {
  baseUrl: address()
    .optional()
    .describe('Address of the exchange, scheme and host. Needed in the modes paper and live.'),
  venue: z
    .string()
    .min(1)
    .max(500)
    .prefault(FIRST_VENUE)
    .describe(
      'The venue: service, the path of a file such as ./my-venue.ts, or the name of an installed package; docs/venues.md says how one is written.',
    ),
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
    .record(z.string(), budgetLimit)
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
};

/** Settings of the exchange at which the bot trades, in the modes `paper` and `live`. */
const exchangeSettings = z
  .strictObject(EXCHANGE_FIELDS)
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
    }),
  );

const { venue, plainHttp, orderBook, limits, headroom } = EXCHANGE_FIELDS;

/** Maximum number of other venues: each has a connection and a ledger. */
const MOST_OTHER_VENUES = 10;

/** Settings of other venues, by the names that strategies use. */
const otherVenuesSettings = z
  .record(
    z.string().regex(OTHER_VENUE, 'expected a name of at most 20 lower-case letters, digits and hyphens'),
    z.strictObject({
      baseUrl: address().describe('Address of the exchange, scheme and host.'),
      venue,
      maxAge: duration({ leastMs: 100, mostMs: DAY_MS })
        .nullable()
        .prefault(null)
        .describe('Longest age of its data, whatever a strategy accepts. Without it the strategy says it.'),
      plainHttp,
      orderBook,
      limits,
      headroom,
    }),
  )
  .refine((given) => Object.keys(given).length <= MOST_OTHER_VENUES, {
    error: `expected at most ${MOST_OTHER_VENUES} venues`,
  })
  .prefault({});

/** Sections of a bot's configuration that set where its orders go, and which exchanges it reads. */
export const MODE_SETTINGS = {
  exchange: exchangeSettings.prefault({}).describe('The exchange, in the modes paper and live.'),
  venues: otherVenuesSettings.describe(
    "Other exchanges, by a name of yours: strategies read their books with venue('NAME'). Nothing is traded there, and no credentials are used; docs/world-prices.md.",
  ),
  embedded: embeddedSettings.describe('The exchange in this process, in the mode embedded.'),
  paper: paperSettings.describe('The account and the public data of the mode paper.'),
};

type Read = { readonly [Name in keyof typeof MODE_SETTINGS]: z.output<(typeof MODE_SETTINGS)[Name]> };

type ExchangeRead = Omit<Read['exchange'], 'venue'> & { readonly venue: VenuePlace };

/** Settings of the modes once files are read and paths are absolute. */
export interface ModeConfig extends Pick<Read, 'paper'> {
  readonly exchange: ExchangeRead;
  /** Other venues, whose public data is read. */
  readonly venues: OtherVenueSettings;
  readonly mode: (typeof BOT_MODES)[number];
  /** `exchange` is null if the exchange in this process has the defaults. */
  readonly embedded: Omit<Read['embedded'], 'file' | 'exchange'> & {
    readonly exchange: ExchangeConfig | null;
  };
}

/** Resolves the paths and addresses of the modes' settings. */
export function modeConfig(
  { exchange, venues, paper, embedded: { file: _read, exchange: _inline, ...embedded } }: Read,
  of: {
    readonly exchange: ExchangeConfig | null;
    readonly absolute: (path: string | null) => string | null;
    /** Folder of the configuration's file. */
    readonly folder: string;
  },
): Omit<ModeConfig, 'mode'> {
  const own = {
    ...exchange,
    venue: { name: exchange.venue, folder: of.folder },
    ledgerFolder: of.absolute(exchange.ledgerFolder),
  };
  return {
    exchange: own,
    venues: Object.fromEntries(
      Object.entries(venues).map(([name, { maxAge: maxAgeMs, ...other }]) => [
        name,
        {
          ...own,
          ...other,
          venue: { name: other.venue, folder: of.folder, setting: `venues.${name}.venue` },
          credentials: null,
          maxAgeMs,
        },
      ]),
    ),
    embedded: { ...embedded, replay: of.absolute(embedded.replay), exchange: of.exchange },
    paper: { ...paper, baseUrl: paper.baseUrl ?? exchange.baseUrl },
  };
}

/** Configuration with everything that is needed to open its venue. */
interface OpenConfig extends ModeConfig {
  readonly data: { readonly folder: string };
  readonly strategies: readonly { readonly market: string | null }[];
}

/** Description of a mode: where orders go, texts for people, and how to open the venue. */
interface Mode {
  /** Line in the reference of settings. */
  readonly about: string;
  /** For "sarraf init": a hint beside the choice, and a sentence for the new bot's README. */
  readonly texts: Readonly<Record<Language, { readonly hint: string; readonly readme: string }>>;
  /** Returns the address of the exchange; null if the whole exchange is in this process. */
  readonly address: (config: ModeConfig) => string | null;
  /** Returns the first lines of a run. */
  readonly banner: (config: ModeConfig, ledger: string) => readonly string[];
  /** Returns the facts of its exchange without asking it. Throws `INVALID_OPTIONS` for an unusable venue. */
  readonly profile: (config: Pick<ModeConfig, 'exchange'>) => Promise<VenueProfile>;
  /** Opens the venue and loads no other mode's code. Throws if it is out of reach or lacks the markets. */
  readonly open: (config: OpenConfig, replay: ReplayFile | null, opening: Opening) => Promise<Venue>;
}

const ACCOUNTS = {
  token: 'a token',
  key: 'an API key',
  secret: 'an API key',
  login: 'a user who logs in',
} as const;

export const MODES: Readonly<Record<ModeConfig['mode'], Mode>> = {
  embedded: {
    about: 'an exchange in this process',
    texts: {
      en: {
        hint: 'a simulated exchange on this machine: no account, no money',
        readme:
          'It trades on an exchange in its own process, ten times as fast as real time, without any money.',
      },
      fa: {
        hint: 'صرافی شبیه‌سازی‌شده روی همین دستگاه: بدون حساب و بدون پول',
        readme:
          'این ربات روی صرافی شبیه‌سازی‌شده‌ای در همین برنامه معامله می‌کند، ده برابر سریع‌تر از زمان واقعی و بدون هیچ پولی.',
      },
    },
    address: () => null,
    banner: ({ embedded: { replay, seed } }) => [
      `Embedded: the exchange is in this process, ${replay === null ? `synthetic traders, seed ${seed}` : `the recording ${replay}`}; no money is real.`,
    ],
    profile: async () => (await import('../venues/interface-profile.ts')).INTERFACE_PROFILE,
    open: async ({ embedded, strategies, exchange }, replay, { wrap, startMs }) => {
      const { createEmbeddedVenue } = await import('../venues/embedded-venue.ts');
      return createEmbeddedVenue({
        config: embedded.exchange,
        balances: embedded.balances,
        seed: embedded.seed,
        speed: embedded.speed,
        replay,
        traded: replay === null ? strategies.flatMap(({ market }) => market ?? []) : [replay.market.symbol],
        limits: exchange.limits,
        headroom: exchange.headroom,
        ...(wrap === undefined ? {} : { wrap }),
        ...(startMs === undefined ? {} : { startMs }),
      });
    },
  },
  paper: {
    about: 'public data of a real exchange, orders to one in this process',
    texts: {
      en: {
        hint: 'real prices, orders stay on this machine',
        readme: 'It trades on paper: prices come from the exchange, orders stay in its own process.',
      },
      fa: {
        hint: 'قیمت‌های واقعی؛ سفارش‌ها روی همین دستگاه می‌ماند',
        readme: 'این ربات آزمایشی معامله می‌کند: قیمت‌ها از صرافی می‌آید و سفارش‌ها در همین برنامه می‌ماند.',
      },
    },
    address: ({ paper }) => paper.baseUrl,
    banner: ({ paper }, ledger) => [
      'Paper: orders stay in this process, prices are real.',
      `Public data of ${paper.baseUrl ?? 'unknown'}. Ledger: ${ledger}.`,
    ],
    profile: async (config) => {
      const { profileOnPaper } = await import('../venues/interface-profile.ts');
      return profileOnPaper(await venueProfile(config));
    },
    open: async (config, _replay, opening) => {
      const { createPaperVenue } = await import('../venues/paper-venue.ts');
      const { PaperAccountFile } = await import('./paper-account-file.ts');
      return createPaperVenue(config, opening, new PaperAccountFile(config.data.folder));
    },
  },
  live: {
    about: 'real orders with real money',
    texts: {
      en: {
        hint: 'real orders with real money',
        readme:
          '**It trades with real money.** Copy `.env.example` to `.env` first, and put the token there.',
      },
      fa: {
        hint: 'سفارش واقعی با پول واقعی',
        readme:
          '**این ربات با پول واقعی معامله می‌کند.** اول از `.env.example` یک نسخه به نام `.env` بسازید و توکن را در آن بنویسید.',
      },
    },
    address: ({ exchange }) => exchange.baseUrl,
    banner: ({ exchange: { venue, baseUrl, credentials } }, ledger) => [
      '*** LIVE *** REAL ORDERS WITH REAL MONEY',
      `Exchange ${baseUrl ?? 'unknown'}${venue.name === FIRST_VENUE ? '' : ` (venue ${venue.name})`} by ${credentials === null ? 'nobody' : ACCOUNTS[credentials.kind]}. Ledger: ${ledger}.`,
    ],
    profile: async (config) => venueProfile(config),
    open: async (config, _replay, opening) => {
      const { createLiveVenue } = await import('../venues/live-venue.ts');
      return createLiveVenue(config, opening);
    },
  },
};

async function venueProfile({ exchange }: Pick<ModeConfig, 'exchange'>): Promise<VenueProfile> {
  const { loadVenue } = await import('../venues/load-venue.ts');
  return (await loadVenue(exchange.venue)).profileFor(exchange);
}

/** Returns the ledger's path for requests to a configured exchange; null if it is in this process. */
export function ledgerOf(config: ModeConfig): string | null {
  const baseUrl = MODES[config.mode].address(config);
  return baseUrl === null ? null : ledgerPlace(baseUrl, config.exchange);
}

/** Opens the venue of a configuration, with the other venues that it reads. Throws as `open` of its mode. */
export async function openVenue(
  config: OpenConfig,
  replay: ReplayFile | null,
  opening: Opening,
): Promise<Venue> {
  const own = await MODES[config.mode].open(config, replay, opening);
  if (Object.keys(config.venues).length === 0) return own;
  try {
    const { openOtherVenues, withOtherVenues } = await import('../venues/other-venues.ts');
    return withOtherVenues(own, await openOtherVenues(config.venues, opening));
  } catch (error) {
    await closeVenue(own);
    throw error;
  }
}

/** Returns the longest ages of the data of other venues, by their names, for the strategies. */
export const otherVenueAges = ({ venues }: Pick<ModeConfig, 'venues'>): OtherVenueAges =>
  Object.fromEntries(Object.entries(venues).map(([name, { maxAgeMs }]) => [name, maxAgeMs]));

/** Closes a venue; requests that wait for a slot of the limiter are refused first. */
export async function closeVenue(venue: Venue): Promise<void> {
  await venue.limiter.close();
  await venue.close();
}
