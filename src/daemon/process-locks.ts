import { join } from 'node:path';
import { ledgerFolder, subjectOf } from '../budget/ledger-file.ts';
import { SarrafError } from '../domain/errors.ts';
import { accountIdentity } from '../venues/client-credentials.ts';
import type { BotConfig } from './create-bot-config.ts';
import {
  acquireProcessLock,
  isProcessLockHeld,
  type ProcessLock,
  readProcessLockOwner,
  type ProcessLockOwner,
} from './process-lock.ts';

export function processLockPath(dataFolder: string): string {
  return join(dataFolder, 'run.lock');
}

/**
 * Takes a data folder for this run alone. Throws `DATA_UNUSABLE` when another run has it or the folder can
 * not be written to.
 */
export function claimDataFolder(dataFolder: string): ProcessLock {
  return acquireProcessLock({
    path: processLockPath(dataFolder),
    what: dataFolder,
    otherwise: 'name another folder with --data',
  });
}

/** True if a run has a data folder right now. */
export function isDataFolderInUse(dataFolder: string): boolean {
  return isProcessLockHeld(processLockPath(dataFolder));
}

/** Returns the owner of a data folder in use; null if unknown. */
export function dataFolderOwner(dataFolder: string): ProcessLockOwner | null {
  return readProcessLockOwner(processLockPath(dataFolder));
}

interface ClaimedAccount {
  /** The token or key of the account, or who its user is; only its hash is written. */
  readonly credential: string;
  /**
   * The instance's name, which distinguishes its orders from those of others: letters, digits and hyphens of
   * the lower case.
   */
  readonly instance: string;
  /** Folder of the locks of all processes that may use the account: beside the ledger. */
  readonly folder?: string;
}

/**
 * Takes an account for one instance name: two runs of one name would take each other's orders for their own.
 * Instances of different names share an account. Throws `DATA_UNUSABLE` when another run has it,
 * `INVALID_OPTIONS` for a name that can not be part of an order's id.
 */
export function claimAccount(options: ClaimedAccount): ProcessLock {
  const { instance } = options;
  if (!/^[a-z0-9-]{1,32}$/.test(instance)) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected an instance name of letters, digits and hyphens of the lower case, was "${instance}"`,
    );
  }
  const account = subjectOf(options.credential);
  return acquireProcessLock({
    path: join(options.folder ?? ledgerFolder(), `account-${account}-${instance}.lock`),
    what: `account ${account} under the instance name "${instance}"`,
    otherwise: 'give this one another instance name',
  });
}

export interface ProcessLocks extends Disposable {
  readonly data: ProcessLock;
  /**
   * Takes the account by the name that the exchange has for its user, once that is known: another credential
   * of the same user is another lock above. Throws `DATA_UNUSABLE` when another run has it.
   */
  claimUser(username: string): void;
}

/**
 * The data folder for one run alone, and, with real money, the account for its instance alone. Throws
 * `DATA_UNUSABLE` as the two above do, and then has none of them.
 */
export function acquireProcessLocks(config: BotConfig): ProcessLocks {
  using acquired = new DisposableStack();
  let held: DisposableStack = acquired;
  const adopt = (lock: ProcessLock): ProcessLock => held.adopt(lock, (it) => it.release());
  const data = adopt(claimDataFolder(config.data.folder));
  const { credentials, ledgerFolder: folder } = config.exchange;
  const isAlone = config.mode === 'live' && credentials !== null;
  const acquireAccount = (credential: string): ProcessLock =>
    adopt(claimAccount({ instance: config.instance, credential, ...(folder === null ? {} : { folder }) }));
  if (isAlone) acquireAccount(accountIdentity(credentials));
  held = acquired.move();
  let user: ProcessLock | null = null;
  return {
    data,
    claimUser(username) {
      // The name that logs in is a lock above, and may be the same.
      if (isAlone) user ??= acquireAccount(`user ${username.trim().toLowerCase()}`);
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}
