import { resolve } from 'node:path';
import type { RiskLimits } from '../engine/risk-limits.ts';
import type { ExchangeConfig } from '../simulator-server/exchange-config.ts';
import type { ReadSettings } from './bot-config.ts';
import { mergeRisk } from './settings/risk-settings.ts';
import type { LockRule } from '../engine/lock.ts';
import type { StrategySettings } from './strategy-settings.ts';

/** One strategy, with all of its limits. */
export interface ConfiguredStrategy extends Omit<StrategySettings, 'risk'> {
  readonly limits: RiskLimits;
  /**
   * A line about one of its settings, with the place in the file where that stands; absent where no file was
   * read.
   */
  readonly describe?: (path: readonly PropertyKey[], message: string) => string;
}

type Embedded = Omit<ReadSettings['embedded'], 'file' | 'exchange'>;

/** A bot that can be built: every path is absolute, every limit is laid over those below it. */
export interface BotConfig extends Pick<
  ReadSettings,
  | 'mode'
  | 'instance'
  | 'exchange'
  | 'execution'
  | 'reconciliation'
  | 'isolation'
  | 'drain'
  | 'health'
  | 'watchdog'
  | 'dashboard'
  | 'log'
  | 'language'
  | 'alerts'
> {
  /** `exchange` is null where the exchange in this process has the defaults. */
  readonly embedded: Embedded & { readonly exchange: ExchangeConfig | null };
  /** Source of the credentials' secret, in words; null if there are no credentials. */
  readonly credentialPlace: string | null;
  readonly paper: ReadSettings['paper'];
  readonly data: { readonly folder: string; readonly retention: ReadSettings['data']['retention'] };
  /** Null where nothing is recorded. */
  readonly record: RecordConfig | null;
  readonly strategies: readonly ConfiguredStrategy[];
  /** Rules of locks of the whole bot. */
  readonly locks: readonly LockRule[];
  readonly strategiesFolders: readonly string[];
}

/** Folder of the recordings, and whether replies are stored whole. */
export interface RecordConfig {
  readonly folder: string;
  readonly raw: boolean;
}

/** The folder of the mirror where none is named. */
const DEFAULT_DATA_FOLDER = 'data';

/** The catalogue of recordings below a data folder, where none is named. */
export function defaultCatalogue(dataFolder: string): string {
  return resolve(dataFolder, 'catalogue');
}

/** Paths count from the folder of the file that they are written in. */
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
  const { strategies, strategiesFolders, risk, data, log, paper, record, dashboard } = settings;
  const { file: _read, exchange: _inline, ...embedded } = settings.embedded;
  const { describe } = of;
  const absolute = (path: string): string => resolve(of.folder, path);
  const absoluteOrNull = (path: string | null): string | null => (path === null ? null : absolute(path));
  const dataFolder =
    data.folder === undefined ? resolve(of.workingFolder, DEFAULT_DATA_FOLDER) : absolute(data.folder);
  return {
    mode: settings.mode,
    instance: settings.instance,
    exchange: { ...settings.exchange, ledgerFolder: absoluteOrNull(settings.exchange.ledgerFolder) },
    embedded: { ...embedded, replay: absoluteOrNull(embedded.replay), exchange: of.exchange },
    credentialPlace: of.credentialPlace ?? null,
    paper: { ...paper, baseUrl: paper.baseUrl ?? settings.exchange.baseUrl },
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
    locks: settings.locks,
    strategiesFolders: strategiesFolders.map(absolute),
    execution: settings.execution,
    reconciliation: settings.reconciliation,
    isolation: settings.isolation,
    drain: settings.drain,
    health: settings.health,
    dashboard: { ...dashboard, tls: absoluteTls(dashboard.tls, absolute) },
    watchdog: settings.watchdog,
    log: { ...log, file: absoluteOrNull(log.file) },
    language: settings.language,
    alerts: settings.alerts,
  };
}

function absoluteTls(
  tls: ReadSettings['dashboard']['tls'],
  absolute: (path: string) => string,
): ReadSettings['dashboard']['tls'] {
  return tls === null ? null : { certificate: absolute(tls.certificate), key: absolute(tls.key) };
}
