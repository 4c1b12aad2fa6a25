import { resolve } from 'node:path';
import { Command } from 'commander';
import { ControlClient } from '../../daemon/control-client.ts';
import type { ControlProgress, ControlResult } from '../../daemon/control-command.ts';
import { LONGEST_REASON } from '../../engine/engine-event.ts';
import { haltWithoutDaemon } from '../../daemon/halt-without-daemon.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { asWrongInput, failed, wrongInput } from '../command-error.ts';
import { checkBotFolder, dataOption } from '../option-readers.ts';
import { confirm } from '../api/command-io.ts';
import { askThenLeave } from '../end-signal.ts';
import { followCommand, isOfEmbeddedExchange, mirrorProblem, ownOpenOrders } from '../follow-command.ts';
import { cancelNeedText } from '../../daemon/by-hand-text.ts';
import { readConfig } from '../read-config.ts';
import { english } from '../../language/sentence.ts';
import { print } from '../table.ts';

interface Options {
  readonly data?: string;
  readonly config?: string;
  readonly reason: string;
  readonly wholeAccount?: true;
  readonly yes?: true;
  readonly json?: true;
}

interface Halt {
  readonly data: string;
  readonly config: BotConfig | null;
  readonly reason: string;
  readonly wholeAccount: boolean;
  readonly client: ControlClient;
  readonly id: number;
  readonly log: (line: string) => void;
  /** Called once the halt holds: the running bot has it, or no bot runs. */
  readonly onHalted: () => void;
}

const EXAMPLES = `
The halt holds until "sarraf resume", over restarts too.
Exit codes: 0 all orders are canceled, 1 some are left or the bot could not be reached, 2 an option
is wrong.

Examples:
  sarraf halt
  sarraf halt --reason "exchange maintenance" --data /data
  sarraf halt --config bot.yaml            cancels even when no bot runs
  sarraf halt --whole-account --yes        cancels what others placed on the account too`;

function configOf(options: Options): BotConfig | null {
  if (options.config === undefined) return null;
  const overrides =
    options.data === undefined ? [] : [['data.folder', JSON.stringify(resolve(options.data))] as const];
  return readConfig(options.config, overrides);
}

const progressText = ({ left, closed, waitsFor }: ControlProgress): string =>
  `${closed} closed, ${left} left${waitsFor === undefined ? '' : `: ${english(waitsFor)}`}`;

const goOn = (): void => {};

/** Cancels the orders here, since the bot does not run, if it is known how. */
async function cancelHere(halt: Halt): Promise<ControlResult> {
  const { config, data, reason, wholeAccount, log } = halt;
  if (config === null ? isOfEmbeddedExchange(data) : config.mode !== 'live')
    return { ok: true, message: 'no bot runs, and its exchange ended with it', left: [] };
  if (config === null) {
    const count = ownOpenOrders(data);
    if (count === 0 && !wholeAccount)
      return { ok: true, message: 'no bot runs, and none of its orders is open', left: [] };
    const what =
      count === null
        ? `whether it has open orders is not known: ${mirrorProblem(data) ?? 'it can not be read'}`
        : cancelNeedText(count);
    const message = `no bot runs with ${data}; ${what}: name its configuration with --config, so that they can be canceled from here`;
    return { ok: false, message, left: [] };
  }
  log('no bot runs: canceling from here');
  const controller = new AbortController();
  const removeListener = askThenLeave(() => controller.abort());
  // Orders are canceled also without a reader: a closed terminal is no reason to stop.
  process.on('SIGHUP', goOn);
  process.stdout.on('error', goOn);
  process.stderr.on('error', goOn);
  try {
    return await haltWithoutDaemon({
      config,
      reason,
      wholeAccount,
      signal: controller.signal,
      onProgress: (progress) => log(progressText(progress)),
    });
  } catch (error) {
    throw asWrongInput(error);
  } finally {
    removeListener();
    process.off('SIGHUP', goOn);
  }
}

async function carryOut(halt: Halt): Promise<ControlResult> {
  const { client, id, data, log } = halt;
  const followed = await followCommand({
    client,
    id,
    data,
    onProgress: (progress) => log(progressText(progress)),
    onApplied: halt.onHalted,
  });
  if (followed.kind === 'gone') halt.onHalted();
  if (followed.kind === 'done') return followed.result;
  if (followed.kind === 'still') {
    const { progress, takenAtMs } = followed.last;
    const far = progress === null ? '' : ` (${progressText(progress)})`;
    const message =
      takenAtMs === null
        ? 'NOT halted: the bot that runs did not take it up and may go on with orders; see whether it is well with "sarraf health"; ending it with SIGTERM cancels too'
        : `nothing moves any more${far}; the bot goes on: see "sarraf budget" for lockouts and "sarraf orders" for what is left`;
    return { ok: false, message, left: [] };
  }
  const result = await cancelHere(halt);
  // With `ok: false` the next run must execute it.
  if (result.ok) client.finish(id, result);
  return result;
}

async function run(options: Options): Promise<void> {
  const config = configOf(options);
  const data = config?.data.folder ?? options.data ?? 'data';
  const wholeAccount = options.wholeAccount === true;
  if (options.reason.length > LONGEST_REASON)
    throw wrongInput(`expected a --reason of at most ${LONGEST_REASON} characters`);
  checkBotFolder(data);
  if (wholeAccount && options.yes !== true) {
    const question =
      'This cancels EVERY order of the account, also those that other programs and people placed.';
    if (!(await confirm(question, 'halt')))
      throw wrongInput('expected "halt" to be typed, or --yes; nothing was done');
  }
  const log = (line: string): void => {
    if (options.json !== true) console.log(line);
  };
  using client = new ControlClient(data);
  const id = client.post({ kind: 'halt', reason: options.reason, wholeAccount });
  const count = ownOpenOrders(data);
  let isLogged = false;
  const onHalted = (): void => {
    if (!isLogged)
      log(`halted: no new orders until "sarraf resume"${count === null ? '' : `; ${cancelNeedText(count)}`}`);
    isLogged = true;
  };
  const result = await carryOut({
    data,
    config,
    reason: options.reason,
    wholeAccount,
    client,
    id,
    log,
    onHalted,
  });
  print(options, { halted: client.isHalted(), ...result }, () => null);
  if (!result.ok || result.left.length > 0)
    throw failed([english(result.message), ...result.left].join('\n'));
  log(english(result.message));
}

export function haltCommand(): Command {
  return new Command('halt')
    .description("Stops trading and cancels the bot's orders, also while the bot does not run.")
    .addOption(dataOption('the bot\'s data folder (default: that of --config, else "data")', null))
    .option(
      '--config <file>',
      'configuration of the bot; with it the command cancels orders even when the bot does not run',
    )
    .option('--reason <text>', 'reason, which "sarraf status" shows', 'by hand')
    .option('--whole-account', 'cancels every order of the account, whoever placed it; asks first')
    .option('--yes', 'does not ask')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
