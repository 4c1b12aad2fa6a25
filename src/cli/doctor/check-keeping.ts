import { DAY_MS, agoText } from '../../domain/time-text.ts';
import { existsSync } from 'node:fs';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { lastBackup } from '../../daemon/make-backup.ts';
import { readLockOwner, isLockHeld } from '../../daemon/process-lock.ts';
import { watchdogLockPath } from '../../daemon/run-watchdog.ts';
import { SarrafError } from '../../domain/errors.ts';
import { mirrorFileOf } from './check-mirror-file.ts';
import { notChecked, ok, warning, type CheckFinding } from './check-finding.ts';

/** One a night, and a week in which that may have failed without anybody looking. */
const OLD_BACKUP_MS = 7 * DAY_MS;

interface Keeping {
  readonly mode: BotConfig['mode'];
  readonly configFile: string;
}

/** Checks that a process watches the bot of a data folder from outside. */
export function checkWatchdog(
  { data: { folder }, watchdog }: Pick<BotConfig, 'data' | 'watchdog'>,
  { mode, configFile }: Keeping,
): CheckFinding {
  const path = watchdogLockPath(folder);
  try {
    if (isLockHeld(path)) {
      const owner = readLockOwner(path);
      const who = owner === null ? 'one' : `pid ${owner.pid} on ${owner.host}`;
      return ok('watchdog', `${who} watches ${folder}`);
    }
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return notChecked('watchdog', `whether one runs is not known: ${error.message}`);
  }
  if (mode !== 'live' && watchdog.cancelEntriesAfterMs === null)
    return ok('watchdog', `none runs, which is fine in the mode ${mode}`);
  return warning(
    'watchdog',
    `none watches ${folder}, so nobody will say that the bot stands still or is gone`,
    `run "sarraf watchdog --config ${configFile}" beside the bot, and have it restarted: docs/operate.md, "A watchdog"`,
  );
}

/** Checks that a live bot with something to lose has a backup, and how old it is. */
export function checkBackup(
  { data: { folder } }: Pick<BotConfig, 'data'>,
  { mode, nowMs }: Pick<Keeping, 'mode'> & { readonly nowMs: number },
): readonly CheckFinding[] {
  if (mode !== 'live' || !existsSync(mirrorFileOf(folder, mode))) return [];
  const last = lastBackup(folder);
  const remedy = `have a scheduler run "sarraf backup --data ${folder} --keep 14" every night: docs/backup.md, "Backup and restore"`;
  if (last === null) return [warning('backup', `none was ever made of ${folder}`, remedy)];
  const text = `the last one was made ${agoText(last.madeAtMs, nowMs)}: ${last.folder}`;
  return [nowMs - last.madeAtMs > OLD_BACKUP_MS ? warning('backup', text, remedy) : ok('backup', text)];
}
