import { join } from 'node:path';
import { Command } from 'commander';
import { OUTBOX_SIDE_FILES } from '../../alerts/outbox-file.ts';
import { makeBackup, type MadeBackup, megabytesOf } from '../../daemon/make-backup.ts';
import { groupedText } from '../../domain/money.ts';
import { secondText } from '../../domain/time-text.ts';
import { asCommand, failed } from '../command-error.ts';
import { endSignal } from '../end-signal.ts';
import { dataOption, integerOption, type DataFolderOptions } from '../option-readers.ts';
import { reportOnStderr } from '../progress-report.ts';
import { print } from '../table.ts';

interface Options extends DataFolderOptions {
  readonly out?: string;
  readonly keep?: number;
}

/** Maximum number of backups that can be kept; for more, use a backup program. */
const MOST_RETAINED = 1_000;

const EXAMPLES = `
The bot may run and trade meanwhile. The backup is a folder with the mirror, the control database, the alerts
and a manifest with checksums. It has no credential, and not the ledger, which must never be put back.
Exit codes: 0 a verified backup is made, 1 none is, 2 an option is wrong.

Examples:
  sarraf backup
  sarraf backup --data /data --out /backups --keep 14
  sarraf backup --json`;

async function backUp(options: Options): Promise<void> {
  using ended = endSignal();
  const { signal } = ended;
  using report = reportOnStderr({ isSilent: options.json === true });
  let phase: string | null = null;
  try {
    const backup = await makeBackup({
      dataFolder: options.data,
      out: options.out ?? join(options.data, 'backups'),
      keep: options.keep ?? null,
      nowMs: Date.now(),
      beside: OUTBOX_SIDE_FILES,
      onProgress({ megabytes, share, ...progress }) {
        if (progress.phase !== phase) report.begin(`${progress.phase} (MB)`);
        ({ phase } = progress);
        if (phase === 'copying') report.show({ done: megabytes, share });
      },
      signal,
    });
    report.end();
    if (backup.noteProblem !== null)
      console.error(`warning: "sarraf doctor" will not know of this backup: ${backup.noteProblem}`);
    printBackup(backup, options);
  } catch (error) {
    if (signal.aborted) throw failed('the backup was ended before it was whole; nothing is left of it');
    throw error;
  }
}

function printBackup({ folder, manifest, leftOut, retention }: MadeBackup, options: Options): void {
  const { madeAtMs, lastAtMs, instances, rows, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const value = { backup: folder, madeAtMs, lastAtMs, instances, bytes, rows, files, leftOut, ...retention };
  const upTo = lastAtMs === null ? 'of an empty mirror' : `up to ${secondText(lastAtMs)} UTC`;
  const count = Object.values(rows).reduce((sum, one) => sum + one, 0);
  print(options, value, () => [
    folder,
    `${megabytesOf(bytes)} MB, ${groupedText(String(count))} rows ${upTo}, verified`,
    ...retention.deleted.map((deleted) => `deleted ${deleted}`),
  ]);
  if (options.json === true) return;
  for (const sentence of leftOut) console.error(`not in it: ${sentence}`);
  for (const sentence of retention.leftAlone) console.error(`left as it is: ${sentence}`);
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('Copies what a bot remembers, while it runs: mirror, control database and alerts, verified.')
    .addOption(dataOption("the bot's data folder"))
    .option('--out <folder>', 'where the folder of the backup goes (default: backups in the data folder)')
    .option(
      '--keep <number>',
      'then deletes the older backups of this mirror there, but for the newest so many that are whole (default: deletes none)',
      integerOption(1, MOST_RETAINED),
    )
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(asCommand(backUp));
}
