import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startCommand, type SarrafProcess } from './sarraf-process.ts';

/** Paths in a folder that other users of the machine may read or write. */
export function openToOthers(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(path, name)).mode & 0o077) !== 0,
  );
}

/** Starts a command with a umask that would let everyone read its files. */
export const startOpen = (args: readonly string[]): SarrafProcess =>
  startCommand('sh', ['-c', 'umask 0; exec "$0" bin/sarraf.js "$@"', process.execPath, ...args]);
