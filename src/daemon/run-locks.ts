import { join } from 'node:path';
import { ledgerFolder, subjectOf } from '../budget/ledger-file.ts';
import { SarrafError } from '../domain/errors.ts';
import { accountIdentity } from '../venues/client-credentials.ts';
import type { BotConfig } from './create-bot-config.ts';
import { acquireLock, isLockHeld, type ProcessLock, readLockOwner, type LockOwner } from './process-lock.ts';

export function dataLockPath(dataFolder: string): string {
  return join(dataFolder, 'run.lock');
}

/**
 * Takes a data folder for this run alone. Throws `DATA_UNUSABLE` when another run has it or the folder can
 * not be written to.
 */
export function lockDataFolder(dataFolder: string): ProcessLock {
  return acquireLock({
    path: dataLockPath(dataFolder),
    what: dataFolder,
    otherwise: 'name another folder with --data',
  });
}

/** True if a run has a data folder right now. */
export function isDataFolderInUse(dataFolder: string): boolean {
  return isLockHeld(dataLockPath(dataFolder));
}

/** Returns the owner of a data folder in use; null if unknown. */
export function dataFolderOwner(dataFolder: string): LockOwner | null {
  return readLockOwner(dataLockPath(dataFolder));
}

interface AccountLockOptions {
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
export function lockAccount(options: AccountLockOptions): ProcessLock {
  const { instance } = options;
  if (!/^[a-z0-9-]{1,32}$/.test(instance)) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected an instance name of letters, digits and hyphens of the lower case, was "${instance}"`,
    );
  }
  const account = subjectOf(options.credential);
  return acquireLock({
    path: join(options.folder ?? ledgerFolder(), `account-${account}-${instance}.lock`),
    what: `account ${account} under the instance name "${instance}"`,
    otherwise: 'give this one another instance name',
  });
}

export interface RunLocks extends Disposable {
  readonly data: ProcessLock;
  /**
   * Takes the account by the name that the exchange has for its user, once that is known: another credential
   * of the same user is another lock above. Throws `DATA_UNUSABLE` when another run has it.
   */
  lockUser(username: string): void;
}

/**
 * The data folder for one run alone, and, with real money, the account for its instance alone. Throws
 * `DATA_UNUSABLE` as the two above do, and then has none of them.
 */
export function takeRunLocks(config: BotConfig): RunLocks {
  using taking = new DisposableStack();
  let held: DisposableStack = taking;
  const take = (lock: ProcessLock): ProcessLock => held.adopt(lock, (it) => it.release());
  const data = take(lockDataFolder(config.data.folder));
  const { credentials, ledgerFolder: folder } = config.exchange;
  const isAlone = config.mode === 'live' && credentials !== null;
  const takeAccount = (credential: string): ProcessLock =>
    take(lockAccount({ instance: config.instance, credential, ...(folder === null ? {} : { folder }) }));
  if (isAlone) takeAccount(accountIdentity(credentials));
  held = taking.move();
  let user: ProcessLock | null = null;
  return {
    data,
    lockUser(username) {
      // The name that logs in is a lock above, and may be the same.
      if (isAlone) user ??= takeAccount(`user ${username.trim().toLowerCase()}`);
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}
