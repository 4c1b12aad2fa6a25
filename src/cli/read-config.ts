import { ledgerOf } from '../daemon/modes.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { type Override, readBotConfig } from '../daemon/read-bot-config.ts';
import { wrongInput } from './command-error.ts';

/** Configuration file of a bot's folder, as `sarraf init` names it. */
export const USUAL_CONFIG = 'bot.yaml';

/**
 * Reads the configuration of a file, or the defaults, with the overrides of the command line. Prints its
 * warnings, and throws all its problems at once as a wrong input. `isOffline`: no exchange will be queried,
 * so no credentials are needed.
 */
export function readConfig(
  file: string | null,
  overrides: readonly Override[] = [],
  { isOffline = false }: { readonly isOffline?: boolean } = {},
): BotConfig {
  const workingFolder = process.cwd();
  const reading = readBotConfig(file, { environment: process.env, workingFolder, overrides, isOffline });
  for (const warning of reading.warnings) console.error(`warning: ${warning}`);
  if (reading.ok) return reading.config;
  throw wrongInput(reading.problems.join('\n'));
}

/**
 * Returns the ledger path of a configuration's bot; its keys are not needed for that. Throws for a wrong
 * configuration, and for one whose exchange is in the bot itself, without a ledger.
 */
export function ledgerOfConfig(config: string): string {
  const path = ledgerOf(readConfig(config, [], { isOffline: true }));
  if (path !== null) return path;
  throw wrongInput(
    `expected a configuration of the mode live or paper: in ${config} the exchange is in the bot itself, without a ledger`,
  );
}
