import { statSync, type Stats } from 'node:fs';
import { ok, warning, type CheckFinding } from './check-finding.ts';

/** Files that hold secrets or the account's trades, and files that decide what a bot does. */
interface GuardedFiles {
  /** Nobody outside this user's group has to read them. */
  readonly secret: readonly string[];
  /** Nobody else may write them. */
  readonly trusted: readonly string[];
}

const READ_BY_OTHERS = 0o004;
/** Not the group: that of many users is theirs alone. */
const WRITTEN_BY_OTHERS = 0o002;

/** Checks that others on this machine cannot read or change guarded files. Missing files are fine. */
export function checkModes({ secret, trusted }: GuardedFiles): readonly CheckFinding[] {
  const readable = secret.filter((path) => hasMode(path, READ_BY_OTHERS));
  const writable = [...secret, ...trusted].filter((path) => hasMode(path, WRITTEN_BY_OTHERS));
  const found = [
    ...readable.map((path) =>
      warning('file modes', `everyone on this machine can read ${path}`, `run chmod 600 ${path}`),
    ),
    ...[...new Set(writable)].map((path) =>
      warning('file modes', `everyone on this machine can change ${path}`, `run chmod o-w ${path}`),
    ),
  ];
  return found.length > 0 ? found : [ok('file modes', 'no file of the bot is open to others')];
}

function hasMode(path: string, mode: number): boolean {
  const stat: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() && (stat.mode & mode) !== 0;
}
