import { join } from 'node:path';
import { stateFile, stateFolder } from '../budget/ledger-file.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import type { AlertSettings } from '../daemon/alert-settings.ts';
import type { Language } from '../language/locale.ts';
import { hasPaperAccount } from '../daemon/paper-account-file.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import type { RuleSettings } from './core/alert-facts.ts';
import { Secret } from '../configuration/secret-file.ts';

/** Input of the alerts thread: plain values, including the secrets of the channels. */
export interface AlertsSetup extends Omit<AlertSettings, 'channels' | 'rules'> {
  readonly channels: readonly RevealedChannel[];
  readonly rules: RuleSettings;
  readonly dataFolder: string;
  readonly mirrorPath: string;
  /** Mirrors made before this, in ms since 1970, are of an earlier run and not read; null: read any. */
  readonly madeSinceMs: number | null;
  readonly deviceFile: string | null;
  /** Name of the bot. */
  readonly bot: string;
  readonly language: Language;
}

/** Returns the input for a bot's alerts; null if its configuration has none. */
export function alertsSetup(config: BotConfig, nowMs: number): AlertsSetup | null {
  const { alerts, data, mode, instance, language } = config;
  if (alerts === null) return null;
  const isNew = mode === 'embedded' || (mode === 'paper' && !hasPaperAccount(data.folder));
  return {
    ...alerts,
    channels: revealChannels(alerts.channels),
    dataFolder: data.folder,
    mirrorPath: join(data.folder, mirrorName(mode)),
    madeSinceMs: isNew ? nowMs : null,
    deviceFile: deviceFileOf(config),
    bot: instance,
    language,
  };
}

function deviceFileOf({ exchange }: BotConfig): string | null {
  const { credentials, baseUrl, ledgerFolder } = exchange;
  if (credentials?.kind !== 'login' || baseUrl === null) return null;
  const folder = stateFolder(ledgerFolder);
  return stateFile({ folder, baseUrl, username: credentials.username, kind: 'device' });
}

type Revealed<Value> = Value extends Secret
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Revealed<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Revealed<Value[Key]> }
      : Value;

/** A channel's settings with its secrets as texts, to be passed only to a thread. */
export type RevealedChannel = Revealed<AlertSettings['channels'][number]>;

function reveal(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, reveal(one)]));
}

/** Returns the channels' settings with their secrets as plain texts. */
export function revealChannels(channels: AlertSettings['channels']): readonly RevealedChannel[] {
  return channels.map((channel) => reveal(channel) as RevealedChannel);
}
