import { ledgerOf } from '../daemon/settings/banner.ts';
import { wrongInput } from './command-error.ts';
import { readConfig } from './read-config.ts';

/** Where the bot of a configuration has its ledger; its keys are not needed for that. Throws for a wrong configuration, and for one whose exchange is in the bot itself, without a ledger. */
export function ledgerOfConfig(config: string): string {
  const path = ledgerOf(readConfig(config, [], { isOffline: true }));
  if (path !== null) return path;
  throw wrongInput(
    `expected a configuration of the mode live or paper: in ${config} the exchange is in the bot itself, without a ledger`,
  );
}
