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
import { exchangeSettings, embeddedSettings, paperSettings } from './settings/exchange-settings.ts';
import { lockSettings } from './lock-settings.ts';
import { MOST_STRATEGIES, isolationSettings, strategySettings } from './strategy-settings.ts';
import { riskSettings } from './settings/risk-settings.ts';

/** The strategies of a bot that names none, in the modes `embedded` and `paper`. */
export const DEFAULT_STRATEGIES = [
  { plugin: 'ma-cross', market: 'BTCIRT' },
  { plugin: 'market-maker', market: 'BTCIRT' },
] as const;

/** A whole bot, as a YAML file says it. An empty file is the bundled strategies on the embedded exchange. */
export const botConfig = z.strictObject({
  mode: z
    .enum(BOT_MODES)
    .prefault('embedded')
    .describe(
      'embedded: an exchange in this process. paper: public data of a real exchange, orders to one in this process. live: real orders with real money.',
    ),
  instance: z
    .string()
    .regex(/^[a-z0-9]{1,6}$/, 'expected one to six lower-case letters and digits')
    .prefault('bot')
    .describe('First part of every order id. Bots that share an account need different ones.'),
  exchange: exchangeSettings.prefault({}).describe('The exchange, in the modes paper and live.'),
  embedded: embeddedSettings.describe('The exchange in this process, in the mode embedded.'),
  paper: paperSettings.describe('The account and the public data of the mode paper.'),
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

/** The file as it was read: defaults put in, lengths of time in milliseconds, decimals as texts or units. */
export type ReadSettings = z.output<typeof botConfig>;
