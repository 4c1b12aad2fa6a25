import { dirname, join } from 'node:path';
import { addressName, ledgerFolder, subjectOf } from './ledger-file.ts';

/**
 * Data of an account at an exchange that outlives a run, besides the ledger. A token has its times in a file
 * beside it.
 */
type StateKind = 'device' | 'token';

/**
 * Returns the folder of state files: the one that a configuration names for its ledger, else that of this
 * user, `$XDG_STATE_HOME/sarraf`.
 */
export function stateFolder(configured: string | null): string {
  return configured ?? dirname(ledgerFolder());
}

/** The file for one address and user. The user is in it as a hash. */
export function stateFile(of: {
  readonly folder: string;
  readonly baseUrl: string;
  readonly username: string;
  readonly kind: StateKind;
}): string {
  return join(of.folder, `${addressName(of.baseUrl)}-${subjectOf(of.username)}.${of.kind}`);
}
