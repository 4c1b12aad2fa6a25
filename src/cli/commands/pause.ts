import { Command } from 'commander';
import { LONGEST_REASON } from '../../daemon/control-command.ts';
import { PAUSE, UNTIL_RESUMED_MS, type EntryPolicy } from '../../engine/lock.ts';
import { wrongInput } from '../command-error.ts';
import { personName } from '../confirm.ts';
import { entriesOption, lockLengthOption, postLock, type LockTarget } from '../post-lock.ts';
import { dataOption } from '../option-readers.ts';

interface Options extends LockTarget {
  readonly for?: number;
  readonly reason: string;
  readonly entries: EntryPolicy;
}

const EXAMPLES = `
A strategy that is paused is told nothing: it decides nothing, and places nothing that adds risk. Its
brackets go on protecting what it holds, and its indicators are fed. It is a lock: it holds over
restarts, and "sarraf locks" shows it. "sarraf resume" with its name ends it. It is then told a start,
as after a restart, since it has missed what happened.
Exit codes: 0 it is paused, or will be with the next start; 1 the bot could not take it; 2 an option is
wrong.

Examples:
  sarraf pause grid
  sarraf pause grid --for 2h --reason "the coin is about to fork"
  sarraf pause grid --entries keep --data /data
  sarraf resume grid`;

async function run(strategy: string, options: Options): Promise<void> {
  const { reason, entries } = options;
  if (reason.length > LONGEST_REASON)
    throw wrongInput(`expected a --reason of at most ${LONGEST_REASON} characters`);
  const untilMs = options.for === undefined ? UNTIL_RESUMED_MS : Date.now() + options.for;
  const lock = { name: PAUSE, strategy, market: null, reason, untilMs, entries, pauses: true } as const;
  await postLock({ kind: 'lock', ...lock, ...personName() }, options);
}

export function pauseCommand(): Command {
  return new Command('pause')
    .description('Pauses one strategy: it decides nothing until it is resumed.')
    .argument('<strategy>', 'its name, as "sarraf status" shows it')
    .option(
      '--for <time>',
      'how long, such as 30m, 2h or 1d; until "sarraf resume" without it',
      lockLengthOption,
    )
    .option('--reason <text>', 'reason, which "sarraf status" and "sarraf locks" show', 'by hand')
    .addOption(entriesOption())
    .addOption(dataOption("the bot's data folder"))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
