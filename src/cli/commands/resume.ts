import { Command } from 'commander';
import { ControlClient } from '../../daemon/control-client.ts';
import { PAUSE } from '../../engine/lock.ts';
import { failed } from '../command-error.ts';
import { checkBotFolder, dataOption } from '../option-readers.ts';
import { followCommand } from '../follow-command.ts';
import { postLock } from '../post-lock.ts';
import { english } from '../../language/sentence.ts';

interface Options {
  readonly data: string;
  readonly json?: true;
}

/** A running bot takes it at once; longer means that something holds it up. */
const APPLIED_WITHIN_MS = 10_000;

const EXAMPLES = `
Without a name it ends a halt, and leaves strategies that are paused as they are.
Exit codes: 0 trading goes on, now or with the next start; 1 it does not.

Examples:
  sarraf resume
  sarraf resume grid                       ends the pause of one strategy
  sarraf resume --data /data`;

async function run(strategy: string | undefined, options: Options): Promise<void> {
  if (strategy === undefined) await endHalt(options);
  else await postLock({ kind: 'unlock', name: PAUSE, strategy, market: null, isAll: false }, options);
}

/** Adds the prefix, which a bot's message already has unless it is another answer. */
function goesOn(message: string): string {
  return message.startsWith('trading goes on') ? message : `trading goes on: ${message}`;
}

async function endHalt({ data, json }: Options): Promise<void> {
  checkBotFolder(data);
  using client = new ControlClient(data);
  const wasHalted = client.isHalted() !== null;
  const id = client.post({ kind: 'resume' });
  const followed = await followCommand({ client, id, data, stillForMs: APPLIED_WITHIN_MS });
  if (followed.kind === 'done' && !followed.result.ok) throw failed(english(followed.result.message));
  if (followed.kind === 'still') {
    throw failed('the bot did not take it up: see whether it is well with "sarraf health"');
  }
  const isRunning = followed.kind === 'done';
  if (json === true) console.log(JSON.stringify({ wasHalted, isRunning }));
  else if (isRunning) console.log(goesOn(english(followed.result.message)));
  else console.log('no bot runs; it will trade when it starts next');
}

export function resumeCommand(): Command {
  return new Command('resume')
    .description('Ends a halt, or the pause of one strategy: it trades again, now or with the next start.')
    .argument('[strategy]', 'the strategy whose pause ends; without one a halt ends')
    .addOption(dataOption("the bot's data folder"))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
