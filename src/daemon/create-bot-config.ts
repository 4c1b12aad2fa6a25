import { resolve } from 'node:path';
import { present } from '../domain/errors.ts';
import { modeConfig, type ModeConfig, MODES, MODE_SETTINGS } from './modes.ts';
import type { RiskLimits } from '../engine/risk-limits.ts';
import type { ExchangeConfig } from '../simulator-server/exchange-config.ts';
import {
  mergeRisk,
  riskSettings,
  type StrategySettings,
  MOST_STRATEGIES,
  isolationSettings,
  strategySettings,
} from './strategy-settings.ts';
import type { LockRule } from '../engine/lock.ts';
import { z } from 'zod';
import { LANGUAGES } from '../language/locale.ts';
import { alertSettings } from './alert-settings.ts';
import { BOT_MODES } from '../mirror/mirror-path.ts';
import { lockSettings } from './lock-settings.ts';
import { HOUR_MS, SECOND_MS, DAY_MS } from '../domain/time-text.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../engine/engine-settings.ts';
import { DRAIN_POLICIES } from '../engine/engine-event.ts';
import { duration } from './setting-fields.ts';
import { formatDuration } from './duration-text.ts';
import { DEFAULT_RETENTION, RETENTION_BOUNDS, type RetentionLimits } from '../mirror/pruner.ts';
import { isLoopbackName } from './allowed-host.ts';

/** Port of the page if none is set. */
const DEFAULT_PORT = 8_420;

/** Settings of the bot's page and of the API behind it. */
const dashboardSettings = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .prefault('127.0.0.1')
      .describe('Address that it listens at. One that other machines reach needs tls, or insecure: true.'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .nullable()
      .optional()
      .describe(
        `Its port; 0 takes a free one, null serves no page. Without it, ${DEFAULT_PORT} or the next free one.`,
      ),
    insecure: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether it may be reached from other machines without TLS: whoever listens there reads tokens.',
      ),
    hosts: z
      .array(z.hostname().toLowerCase())
      .max(100)
      .prefault([])
      .describe(
        'Further names under which the page and the health answers are asked for, such as bot.example.com.',
      ),
    tls: z
      .strictObject({
        certificate: z.string().min(1).describe('File with the certificate and its chain, as PEM.'),
        key: z.string().min(1).describe('File with its private key, as PEM.'),
      })
      .nullable()
      .prefault(null)
      .describe('Serves HTTPS. Without it, HTTP.'),
    lab: z
      .url({ protocol: /^https?$/ })
      .max(200)
      .optional()
      .describe('Address of a lab (sarraf lab), which the page then links to.'),
  })
  .refine(({ host, insecure, tls }) => isLoopbackName(host) || insecure || tls !== null, {
    path: ['host'],
    error:
      'expected an address of this machine alone, such as 127.0.0.1, or dashboard.tls, or dashboard.insecure: true',
  })
  .transform(({ port = DEFAULT_PORT, ...rest }, context) => ({
    ...rest,
    port,
    /** True if the file sets the port: then an occupied port ends the run. */
    isPortWritten: hasPort(context.value),
  }))
  .prefault({});

function hasPort(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'port' in value && value.port !== undefined;
}

const rows = (name: keyof RetentionLimits, meaning: string) => {
  const [least, most] = RETENTION_BOUNDS[name];
  return z.int().min(least).max(most).prefault(DEFAULT_RETENTION[name]).describe(meaning);
};

/** Settings for the bot's stored data: its place and amount. */
const dataSettings = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Folder of the mirror and of other data of the bot; data in the working directory by default. Each bot needs its own.',
      ),
    retention: z
      .strictObject({
        journalRows: rows('journalRows', 'Lines of the journal.'),
        candlesPerSeries: rows(
          'candlesPerSeries',
          'Candles of each market and length, and values of each plot.',
        ),
        publicTradesPerMarket: rows('publicTradesPerMarket', 'Public trades of each market.'),
        finalOrders: rows('finalOrders', 'Orders that are closed.'),
        fills: rows('fills', "Trades of the account, and lines of each wallet's history."),
        intents: rows('intents', 'Intents that are done or refused.'),
      })
      .prefault({})
      .describe(
        'Rows kept of each kind. Rows that are still needed, such as an open order, are kept in addition.',
      ),
  })
  .prefault({});

/** Maximum size of the events of a recorded run if none is set, in MB: about two months of the usual bot. */
const DEFAULT_EVENTS_MB = 1_000;

/** Settings for recording what a run sees of its markets. If absent, nothing is recorded. */
const recordSettings = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('The catalogue of recordings; catalogue below data.folder by default.'),
    raw: z
      .boolean()
      .prefault(false)
      .describe('Whether every reply with market data is stored whole as well.'),
    eventsMb: z
      .int()
      .min(1)
      .max(100_000)
      .prefault(DEFAULT_EVENTS_MB)
      .describe(
        'Maximum size of the log of what the engine took in, in MB; "sarraf plan" shows how much a day takes. Beyond it nothing more of the run is stored.',
      ),
  })
  .nullable()
  .prefault(null);

/** Settings of `sarraf watchdog`: when it reports a silent bot, and what it does then. */
const watchdogSettings = z
  .strictObject({
    silentAfter: duration({ leastMs: 5_000, mostMs: DAY_MS })
      .prefault('60s')
      .describe('How long the loop of the bot may stand still before it is reported.'),
    cancelEntriesAfter: duration({ leastMs: 5_000, mostMs: DAY_MS })
      .nullable()
      .prefault(null)
      .describe(
        'How long it stands still before the watchdog cancels its open orders that are no exits. Without it none is canceled.',
      ),
  })
  .transform(({ silentAfter, cancelEntriesAfter }) => ({
    silentAfterMs: silentAfter,
    cancelEntriesAfterMs: cancelEntriesAfter,
  }))
  .prefault({});

/** Settings for sending orders, and for missing answers. */
const executionSettings = z
  .strictObject({
    lateArrival: duration({ leastMs: SECOND_MS, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_ENGINE_TIMES.lateArrivalMs))
      .describe('How long after it was sent a request may still arrive. Before that, no absence is proven.'),
    absencePassesApart: duration({ leastMs: SECOND_MS, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_ENGINE_TIMES.absencePassesApartMs))
      .describe('Shortest time between the two complete readings of the lists that prove an absence.'),
    resendUnknown: z
      .boolean()
      .prefault(DEFAULT_ENGINE_TIMES.resendUnknown)
      .describe(
        'Whether to send an order again, once and under its own id, if it is proven that it never arrived.',
      ),
    placeWithin: duration({ leastMs: 100, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_ENGINE_TIMES.placeWithinMs))
      .describe(
        'How long an order may wait for its limit; at an embedded.speed above 1 so many times as long.',
      ),
  })
  .transform((read) => ({
    lateArrivalMs: read.lateArrival,
    absencePassesApartMs: read.absencePassesApart,
    resendUnknown: read.resendUnknown,
    placeWithinMs: read.placeWithin,
  }))
  .prefault({});

/** Settings for comparing the books with those of the exchange. */
const reconciliationSettings = z
  .strictObject({
    every: duration({ leastMs: SECOND_MS, mostMs: 24 * HOUR_MS })
      .prefault(formatDuration(DEFAULT_RECONCILIATION.everyMs))
      .describe('How often balances and orders are compared.'),
    lag: duration({ leastMs: 0, mostMs: HOUR_MS })
      .prefault(formatDuration(DEFAULT_RECONCILIATION.lagMs))
      .describe('How far the lists of the exchange may lag: a difference that lasts longer is a break.'),
    alertAfter: duration({ leastMs: SECOND_MS, mostMs: 24 * HOUR_MS })
      .prefault(formatDuration(DEFAULT_RECONCILIATION.alertAfterMs))
      .describe('How long comparisons may have no result before new orders stop and the bot reports it.'),
  })
  .transform(({ every, lag, alertAfter }) => ({ everyMs: every, lagMs: lag, alertAfterMs: alertAfter }))
  .prefault({});

/** Settings for the run's end. */
const drainSettings = z
  .strictObject({
    openOrders: z
      .enum(DRAIN_POLICIES)
      .prefault('keep-exits')
      .describe(
        "What happens to the bot's open orders when it ends. keep-exits: those that only reduce a position of their strategy stay, such as its stop orders; the others are canceled. cancel: none stays. keep: all stay.",
      ),
    within: duration({ leastMs: SECOND_MS, mostMs: HOUR_MS })
      .prefault('60s')
      .describe('How long the end may take. The next start does the rest.'),
  })
  .transform(({ openOrders, within }) => ({ openOrders, withinMs: within }))
  .prefault({});

/** Settings of the small server that reports the bot's health. */
const healthSettings = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .prefault('127.0.0.1')
      .describe('Address that it listens at. Other machines can reach it only at 0.0.0.0.'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .nullable()
      .prefault(null)
      .describe('Its port; 0 takes a free one. Without a port there is no such server.'),
  })
  .prefault({});

/** Settings of the log: its content and destination. */
const logSettings = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
      .prefault('info')
      .describe('The lowest level that is logged.'),
    pretty: z
      .union([z.boolean(), z.literal('auto')], { error: 'expected true, false or auto' })
      .prefault('auto')
      .describe('Readable lines instead of JSON. auto: on a terminal only.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'A file that gets the JSON lines as well. At 50 MB it is renamed to end in .1, and replaces the older one.',
      ),
  })
  .transform(({ file = null, ...rest }) => ({ ...rest, file }))
  .prefault({});

/** Strategies of a bot that names none, in the modes `embedded` and `paper`. */
export const DEFAULT_STRATEGIES = [
  { plugin: 'ma-cross', market: 'BTCIRT' },
  { plugin: 'market-maker', market: 'BTCIRT' },
] as const;

/** Configuration of a bot, as in a YAML file. An empty file: the bundled strategies, embedded exchange. */
export const botConfig = z.strictObject({
  mode: z
    .enum(BOT_MODES)
    .prefault('embedded')
    .describe(BOT_MODES.map((mode) => `${mode}: ${MODES[mode].about}.`).join(' ')),
  instance: z
    .string()
    .regex(/^[a-z0-9]{1,6}$/, 'expected one to six lower-case letters and digits')
    .prefault('bot')
    .describe('First part of every order id. Bots that share an account need different ones.'),
  ...MODE_SETTINGS,
  data: dataSettings.describe('What the bot stores.'),
  record: recordSettings.describe(
    'Records the books, public trades and statistics that the run asks for anyway, for backtests. Without it nothing is recorded.',
  ),
  strategies: z
    .array(strategySettings)
    .min(1, 'expected at least one strategy')
    .max(MOST_STRATEGIES)
    .prefault([...DEFAULT_STRATEGIES])
    .describe('What trades. Needed in the mode live.'),
  strategiesFolders: z
    .array(z.string().min(1))
    .max(20)
    .prefault([])
    .describe('Folders with plugins, which are searched before the bundled ones.'),
  risk: riskSettings.describe(
    'Limits of every strategy and of all together. null is no limit; docs/risk.md explains each.',
  ),
  locks: lockSettings.describe(
    'Rules that stop new risk for a while. Without them nothing is locked; docs/locks.md explains each.',
  ),
  execution: executionSettings.describe('How orders are sent, and what happens when an answer is missing.'),
  reconciliation: reconciliationSettings.describe('How the bot compares its books with the exchange.'),
  isolation: isolationSettings.describe('Limits of the thread of each strategy in a running bot.'),
  drain: drainSettings.describe('How the run ends.'),
  health: healthSettings.describe('The server that shows whether the bot is healthy.'),
  watchdog: watchdogSettings.describe('When "sarraf watchdog" reports that the bot is silent.'),
  dashboard: dashboardSettings.describe('The page of the bot, and the API behind it: docs/dashboard.md.'),
  log: logSettings.describe('What is logged, and where.'),
  language: z
    .enum(LANGUAGES)
    .prefault('en')
    .describe('Of alerts and of the pages of reports: en or fa. Other files, logs and the API are English.'),
  alerts: alertSettings.describe(
    'What people are told, and by which ways. Without it nobody is told anything; docs/alerts.md explains it.',
  ),
});

/** Settings as they were read: defaults filled in, durations in ms, decimals as texts or units. */
export type ReadSettings = z.output<typeof botConfig>;

type ShadowSettings = NonNullable<StrategySettings['shadow']>;

export interface ConfiguredStrategy extends Omit<StrategySettings, 'risk' | 'shadow'> {
  readonly limits: RiskLimits;
  /**
   * Returns a message about one of its settings, with the place of the setting in the file; absent if no file
   * was read.
   */
  readonly describe?: (path: readonly PropertyKey[], message: string) => string;
}

/** Second version of a strategy, which trades on paper beside it. */
export interface ConfiguredShadow {
  /** Name of the strategy that it is compared with. */
  readonly of: string;
  /** Its settings: those of the other strategy with its own name, plugin and params. */
  readonly strategy: ConfiguredStrategy;
  /** Its paper money at the beginning, by currency. */
  readonly balances: Readonly<Record<string, string>>;
}

/** Configuration ready to build a bot: every path is absolute, and limits are merged with their defaults. */
export interface BotConfig
  extends
    ModeConfig,
    Omit<
      ReadSettings,
      keyof ModeConfig | 'data' | 'record' | 'risk' | 'strategies' | 'locks' | 'strategiesFolders'
    > {
  /** Describes the source of the credentials' secret; null if there are no credentials. */
  readonly credentialPlace: string | null;
  readonly data: { readonly folder: string; readonly retention: ReadSettings['data']['retention'] };
  /** Settings of the recording; null if nothing is recorded. */
  readonly record: RecordConfig | null;
  readonly strategies: readonly ConfiguredStrategy[];
  readonly shadows: readonly ConfiguredShadow[];
  /** Rules for locks of the whole bot. */
  readonly locks: readonly LockRule[];
  readonly strategiesFolders: readonly string[];
}

/** Settings of the recording: its folder, whether replies are stored whole, and the size of the events. */
export type RecordConfig = NonNullable<z.output<typeof recordSettings>> & { readonly folder: string };

/** Folder of the mirror if none is set. */
const DEFAULT_DATA_FOLDER = 'data';

/** Returns the settings of a recording below a data folder, for when none are set. */
export function defaultRecord(dataFolder: string): RecordConfig {
  return { folder: resolve(dataFolder, 'catalogue'), raw: false, eventsMb: DEFAULT_EVENTS_MB };
}

/** Builds a bot's configuration. Relative paths start at the folder of the file that they are in. */
export function createBotConfig(
  settings: ReadSettings,
  of: {
    readonly folder: string;
    readonly workingFolder: string;
    readonly exchange: ExchangeConfig | null;
    readonly credentialPlace?: string | null;
    readonly describe?: (path: readonly PropertyKey[], message: string) => string;
  },
): BotConfig {
  const { strategies, strategiesFolders, risk, data, log, record, dashboard, ...others } = settings;
  const { describe } = of;
  const absolute = (path: string): string => resolve(of.folder, path);
  const absoluteOrNull = (path: string | null): string | null => (path === null ? null : absolute(path));
  const dataFolder =
    data.folder === undefined ? resolve(of.workingFolder, DEFAULT_DATA_FOLDER) : absolute(data.folder);
  const placed = (plugin: ConfiguredStrategy['plugin']): ConfiguredStrategy['plugin'] =>
    plugin.kind === 'file' ? { kind: 'file', path: absolute(plugin.path) } : plugin;
  const configured = strategies.map(
    ({ risk: own, shadow: _shadow, plugin, ...strategy }, index): ConfiguredStrategy => ({
      ...strategy,
      ...(describe === undefined
        ? {}
        : { describe: (path, message) => describe(['strategies', index, ...path], message) }),
      plugin: placed(plugin),
      limits: mergeRisk(risk, own),
    }),
  );
  const shadowOf = (strategy: ConfiguredStrategy, own: ShadowSettings): ConfiguredShadow => {
    const { describe: describeOf } = strategy;
    // A setting that the shadow does not change is found at the strategy.
    const isOwn = ([first, second]: readonly PropertyKey[]): boolean =>
      first === 'plugin' ? own.plugin !== null : first === 'params' && String(second) in own.params;
    return {
      of: strategy.name,
      balances: own.balances ?? others.paper.balances,
      strategy: {
        ...strategy,
        ...(describeOf === undefined
          ? {}
          : { describe: (path, text) => describeOf(isOwn(path) ? ['shadow', ...path] : path, text) }),
        name: own.name,
        plugin: own.plugin === null ? strategy.plugin : placed(own.plugin),
        params: { ...strategy.params, ...own.params },
        // Nobody decides on what a shadow wants: it sends nothing to anyone.
        approval: null,
      },
    };
  };
  return {
    ...others,
    ...modeConfig(others, { exchange: of.exchange, absolute: absoluteOrNull, folder: of.folder }),
    credentialPlace: of.credentialPlace ?? null,
    data: { folder: dataFolder, retention: data.retention },
    record:
      record === null
        ? null
        : { ...record, folder: absoluteOrNull(record.folder ?? null) ?? defaultRecord(dataFolder).folder },
    strategies: configured,
    shadows: strategies.flatMap(({ shadow }, index) =>
      shadow === null ? [] : [shadowOf(present(configured[index], 'its strategy'), shadow)],
    ),
    strategiesFolders: strategiesFolders.map(absolute),
    dashboard: {
      ...dashboard,
      tls: dashboard.tls && {
        certificate: absolute(dashboard.tls.certificate),
        key: absolute(dashboard.tls.key),
      },
    },
    log: { ...log, file: absoluteOrNull(log.file) },
  };
}
