import { Command } from 'commander';
import { OUTBOX_SIDE_FILES } from '../../alerts/outbox-file.ts';
import { dataFolderOwner, isDataFolderInUse } from '../../daemon/process-locks.ts';
import { planRestore, restoreBackup, type PlannedRestore } from '../../daemon/restore-backup.ts';
import { secondText } from '../../domain/time-text.ts';
import { asCommand, failed, wrongInput } from '../command-error.ts';
import { confirm } from '../api/command-io.ts';
import { readConfig } from '../read-config.ts';
import { dataOption } from '../option-readers.ts';
import { print } from '../table.ts';

interface Options {
  readonly data?: string;
  readonly config?: string;
  readonly yes?: true;
  readonly json?: true;
}

const EXAMPLES = `
Stop the bot first. What is in the folder is moved aside and kept. The bot then reads from the exchange what
happened since the backup, before it trades. A halt in the folder goes on to hold.
Exit codes: 0 it is restored, 1 a bot runs there, or the backup or the folder can not be used, 2 an option is
wrong, the backup is another bot's, or you did not agree. Nothing is changed with 1 and 2, unless it says so.

Examples:
  sarraf restore backups/sarraf-backup-2026-01-05T03-00-00.123Z
  sarraf restore /backups/sarraf-backup-2026-01-05T03-00-00.123Z --config bot.yaml --yes`;

const timeText = (timeMs: number | null): string =>
  timeMs === null ? 'no time' : `${secondText(timeMs)} UTC`;

function question({ backup, dataFolder, present, retained }: PlannedRestore): string {
  const { lastAtMs } = backup.manifest;
  const now =
    present === null
      ? `${dataFolder} has no mirror that can be read.`
      : `The mirror in ${dataFolder} knows what happened up to ${timeText(present.lastAtMs)}; it is moved aside and kept.`;
  return [
    `The backup knows what happened up to ${timeText(lastAtMs)}, and the bot reads from the exchange what came after it.`,
    'What only the mirror had since is not known any more: intents, the state of strategies, locks and pauses.',
    now,
    retained.has('control.sqlite')
      ? 'The control database stays, with its halt if there is one.'
      : 'The halt, if there is one, is that of the backup.',
    ...(retained.has('paper-account.sqlite') ||
    !backup.manifest.files.some(({ name }) => name === 'paper-account.sqlite')
      ? []
      : [
          'The paper account is that of the backup. Another one that is in the folder is moved aside and kept.',
        ]),
    retained.has('alerts.sqlite')
      ? 'The alerts of the folder stay, with what was said of them.'
      : 'Alerts, if the backup has some, are those of the backup.',
  ].join('\n');
}

function refuseRunningBot(dataFolder: string): void {
  if (!isDataFolderInUse(dataFolder)) return;
  const owner = dataFolderOwner(dataFolder);
  const who = owner === null ? 'a process' : `pid ${owner.pid} on ${owner.host}`;
  throw failed(
    `expected no bot to run with ${dataFolder}, found ${who}: stop it first, or name another folder with --data. Nothing was changed`,
  );
}

async function restore(backup: string, options: Options): Promise<void> {
  const config = options.config === undefined ? null : readConfig(options.config, [], { isOffline: true });
  const dataFolder = options.data ?? config?.data.folder ?? 'data';
  refuseRunningBot(dataFolder);
  const plan = await planRestore(backup, {
    dataFolder,
    instance: config?.instance ?? null,
    beside: OUTBOX_SIDE_FILES,
  });
  if (options.yes !== true && !(await confirm(question(plan), 'restore')))
    throw wrongInput('expected "restore" to be typed, or --yes; nothing was changed');
  const { keptAs, restored } = await restoreBackup(plan, Date.now());
  const { lastAtMs } = plan.backup.manifest;
  print(options, { backup: plan.backup.folder, data: dataFolder, lastAtMs, restored, keptAs }, () => [
    `restored ${restored.join(', ')} in ${dataFolder}, up to ${timeText(lastAtMs)}`,
    ...(keptAs === null ? [] : [`what was there before is kept in ${keptAs}`]),
    'start the bot: it reads what happened since, and then trades',
  ]);
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('Puts a backup in a data folder, and what was there aside; asks first.')
    .argument('<backup>', 'folder of the backup')
    .addOption(dataOption('data folder of the bot (default: that of the configuration, else "data")', null))
    .option('--config <file>', 'configuration of the bot: the backup must be of its instance')
    .option('--yes', 'does not ask')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(asCommand(restore));
}
