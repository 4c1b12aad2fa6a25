import { resolve } from 'node:path';
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
import {
  dashboardSettings,
  dataSettings,
  recordSettings,
  drainSettings,
  executionSettings,
  healthSettings,
  logSettings,
  reconciliationSettings,
  watchdogSettings,
} from './settings/operation-settings.ts';
import { lockSettings } from './lock-settings.ts';

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

export interface ConfiguredStrategy extends Omit<StrategySettings, 'risk'> {
  readonly limits: RiskLimits;
  /**
   * Returns a message about one of its settings, with the place of the setting in the file; absent if no file
   * was read.
   */
  readonly describe?: (path: readonly PropertyKey[], message: string) => string;
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
  /** Rules for locks of the whole bot. */
  readonly locks: readonly LockRule[];
  readonly strategiesFolders: readonly string[];
}

/** Settings of the recording: its folder, and whether replies are stored whole. */
export interface RecordConfig {
  readonly folder: string;
  readonly raw: boolean;
}

/** Folder of the mirror if none is set. */
const DEFAULT_DATA_FOLDER = 'data';

/** Returns the folder of the recordings' catalogue below a data folder, for when none is set. */
export function defaultCatalogue(dataFolder: string): string {
  return resolve(dataFolder, 'catalogue');
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
  return {
    ...others,
    ...modeConfig(others, { exchange: of.exchange, absolute: absoluteOrNull }),
    credentialPlace: of.credentialPlace ?? null,
    data: { folder: dataFolder, retention: data.retention },
    record:
      record === null
        ? null
        : { folder: absoluteOrNull(record.folder ?? null) ?? defaultCatalogue(dataFolder), raw: record.raw },
    strategies: strategies.map(({ risk: own, plugin, ...strategy }, index) => ({
      ...strategy,
      ...(describe === undefined
        ? {}
        : { describe: (path, message) => describe(['strategies', index, ...path], message) }),
      plugin: plugin.kind === 'file' ? { kind: 'file', path: absolute(plugin.path) } : plugin,
      limits: mergeRisk(risk, own),
    })),
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
