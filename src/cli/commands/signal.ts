import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { ControlClient } from '../../daemon/control-client.ts';
import type { ControlResult } from '../../daemon/control-command.ts';
import { isDataFolderInUse } from '../../daemon/process-locks.ts';
import type { SignalCommand } from '../../engine/engine-event.ts';
import { isSignalId, SIGNAL_ID_RULE } from '../../domain/figure-name.ts';
import { checkBotFolder, dataOption, type DataFolderOptions } from '../option-readers.ts';
import { asWrongInput, failed, wrongInput } from '../command-error.ts';
import { timeOption } from '../data/data-options.ts';
import { followCommand } from '../follow-command.ts';
import { english } from '../../language/sentence.ts';
import { print } from '../table.ts';

interface Options extends DataFolderOptions {
  readonly payload: { readonly json: unknown };
  readonly id?: string;
  readonly sentAt?: number;
}

/** Longest wait for an answer, in ms: a bot that is starting first waits for its strategies. */
const ANSWERED_WITHIN_MS = 30_000;

const SOURCE = 'command';

const EXAMPLES = `
The strategy declares the signal in its data, with a schema of the payload: see docs/signals.md. A signal is
told once for its id, so a script that says the same id again does no harm.
Exit codes: 0 it was told, 1 it was refused or dropped or no bot runs, 2 an option is wrong.

Examples:
  sarraf signal trend alert --payload '{"side":"buy"}'
  sarraf signal trend alert --payload '{"side":"sell"}' --id 2026-01-05-close --json`;

async function run(strategy: string, name: string, options: Options): Promise<void> {
  const { data, id = randomUUID(), sentAt = null } = options;
  if (!isSignalId(id)) throw wrongInput(`--id: expected ${SIGNAL_ID_RULE}`);
  checkBotFolder(data);
  using client = new ControlClient(data);
  if (!isDataFolderInUse(data)) throw failed(`no bot runs with ${data}, so nothing was sent`);
  const payload = options.payload.json;
  const request = { strategy, name, id, payload, sentAtMs: sentAt, source: SOURCE };
  const posted = post(client, { kind: 'signal', ...request });
  const followed = await followCommand({ client, id: posted, data, stillForMs: ANSWERED_WITHIN_MS });
  if (followed.kind !== 'done') throw failed(notApplied(client, posted, followed.kind));
  const { ok, message: text, signal } = followed.result;
  const message = english(text);
  print(options, { id, ...signal, message }, () => (ok ? message : null));
  if (!ok) throw failed(`${signal?.outcome ?? 'not told'}: ${message}`);
}

function post(client: ControlClient, command: SignalCommand): number {
  try {
    return client.post(command);
  } catch (error) {
    throw asWrongInput(error);
  }
}

function notApplied(client: ControlClient, posted: number, why: 'gone' | 'still'): string {
  const withdrawn: ControlResult = { ok: false, message: 'it was taken back, and not told', left: [] };
  if (client.withdraw(posted, withdrawn))
    return `the bot ${why === 'gone' ? 'ended before it took the signal' : 'did not take the signal up: see "sarraf health"'}; it was taken back, and not told`;
  return why === 'gone'
    ? 'the bot ended with it: "sarraf signals" says what became of it, once the bot runs again'
    : 'the bot has it, and its strategies have not started: it is told then, unless it is too old by then';
}

function payloadOption(text: string): Options['payload'] {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch (error) {
    throw new InvalidArgumentError(
      `expected JSON such as '{"side":"buy"}': ${error instanceof Error ? error.message : 'it is none'}.`,
    );
  }
}

export function signalCommand(): Command {
  return new Command('signal')
    .description('Tells a strategy of the running bot something that it has declared as a signal.')
    .argument('<strategy>', 'its name, as "sarraf status" shows it')
    .argument('<name>', 'the name of the signal in its data')
    .requiredOption(
      '--payload <json>',
      'what it is told, of the schema that the strategy declares',
      payloadOption,
    )
    .option('--id <text>', 'told once for each; a random one without it')
    .option('--sent-at <time>', 'when it was sent; an old signal is refused', timeOption)
    .addOption(dataOption("the bot's data folder"))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
