import { randomUUID } from 'node:crypto';
import { ControlClient } from '../daemon/control-client.ts';
import type { ControlResult } from '../daemon/control-command.ts';
import { isDataFolderInUse } from '../daemon/process-locks.ts';
import type { ByHandCommand } from '../engine/engine-event.ts';
import { checkBotFolder, dataOption, type DataFolderOptions } from './option-readers.ts';
import type { Command } from 'commander';
import { asWrongInput, failed, wrongInput } from './command-error.ts';
import { followCommand, type Followed } from './follow-command.ts';
import { MACHINE_IO, personName, type CommandIo } from './api/command-io.ts';
import { english } from '../language/sentence.ts';

/** Options of every command that a running bot executes. */
export interface PostedOptions extends DataFolderOptions {
  readonly yes?: true;
  readonly key?: string;
}

type WithoutSender<Sent> = Sent extends unknown ? Omit<Sent, 'key' | 'by'> : never;

/** A command without the fields that all commands have. */
type ByHandRequest = WithoutSender<ByHandCommand>;

interface PostByHand {
  readonly request: ByHandRequest;
  readonly options: PostedOptions;
  /** Returns the question with effect and cost; called only if a person is asked. */
  readonly question: () => string;
  /** Returns the cost, shown even if nobody is asked. */
  readonly cost?: () => string;
  /** Advice if no bot runs. */
  readonly otherwise: string;
  readonly io?: CommandIo;
}

export const KEY_HELP =
  'name of this very command, for scripts: given twice it is done once, and answers with its result';

/** Adds the options of every command that a running bot executes. */
export function withPosting(command: Command): Command {
  return command
    .addOption(dataOption("the bot's data folder"))
    .option('--key <text>', KEY_HELP)
    .option('--yes', 'does not ask')
    .option('--json', 'prints one JSON object');
}

const KEY = /^[\w.:-]{1,100}$/;

/** Gives a command to the running bot, after asking once, and prints the result. */
export async function postByHand(of: PostByHand): Promise<void> {
  const { request, options, question, cost, otherwise, io = MACHINE_IO } = of;
  const { data, key = randomUUID(), json } = options;
  if (!KEY.test(key))
    throw wrongInput('--key: expected at most 100 letters, digits and the characters ". : _ -"');
  checkBotFolder(data);
  using client = new ControlClient(data);
  const known = client.find(key)?.result ?? null;
  if (known !== null) {
    printResult(key, known, { json, io });
    return;
  }
  if (!isDataFolderInUse(data)) throw failed(`no bot runs with ${data}, so nothing was done: ${otherwise}`);
  if (options.yes !== true && !(await io.confirm(question(), 'yes')))
    throw wrongInput('expected "yes" to be typed, or --yes; nothing was done');
  if (options.yes === true && json !== true && cost !== undefined) io.out(cost());
  const id = post(client, { ...request, key, ...personName() });
  const followed = await followCommand({
    client,
    id,
    data,
    onProgress: ({ closed, left }) => {
      if (json === true || left === 0 || request.kind === 'place') return;
      io.out(request.kind === 'cancel' ? `${closed} closed, ${left} left` : `orders still to end: ${left}`);
    },
  });
  if (followed.kind !== 'done') throw failed(notDone(client, { id, key, request, followed }));
  printResult(key, followed.result, { json, io });
}

function post(client: ControlClient, command: Parameters<ControlClient['post']>[0]): number {
  try {
    return client.post(command);
  } catch (error) {
    throw asWrongInput(error);
  }
}

function printResult(
  key: string,
  result: ControlResult,
  { json, io }: { readonly json: true | undefined; readonly io: CommandIo },
): void {
  const message = english(result.message);
  if (json === true) io.out(JSON.stringify({ key, ...result, message }));
  if (!result.ok) throw failed(message);
  if (json !== true) io.out(message);
}

/** Returns why the command is not known to be done, and what to do. One that no bot accepted is withdrawn. */
function notDone(
  client: ControlClient,
  of: {
    readonly id: number;
    readonly key: string;
    readonly request: ByHandRequest;
    readonly followed: Exclude<Followed, { kind: 'done' }>;
  },
): string {
  const { id, key, request, followed } = of;
  const withdrawn: ControlResult = { ok: false, message: 'it was taken back, and not done', left: [] };
  const isGone = followed.kind === 'gone';
  if (client.withdraw(id, withdrawn))
    return `the bot ${isGone ? 'ended before it took the command' : 'did not take the command up: see "sarraf health"'}; it was taken back, and nothing was done`;
  const again = `the same command with --key ${key} answers with its result`;
  if (!isGone) return `nothing moves any more; the bot goes on with it: ${again}`;
  return request.kind === 'place'
    ? `the bot ended with it. Its next start says whether the order was placed, and does not place it again: ${again}`
    : `the bot ended amid it. Its next start does it to its end: ${again}`;
}
