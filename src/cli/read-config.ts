import type { BotConfig } from '../daemon/settings/create-bot-config.ts';
import type { Override } from '../daemon/settings/overrides.ts';
import { readBotConfig } from '../daemon/settings/read-bot-config.ts';
import { wrongInput } from './command-error.ts';

/** The configuration of a file, or the defaults, with what the command line lays over it. Says its warnings, and throws all its problems at once as wrong input. */
export function readConfig(file: string | null, overrides: readonly Override[] = []): BotConfig {
  const reading = readBotConfig(file, { environment: process.env, workingFolder: process.cwd(), overrides });
  for (const warning of reading.warnings) console.error(`warning: ${warning}`);
  if (reading.ok) return reading.config;
  throw wrongInput(reading.problems.join('\n'));
}
