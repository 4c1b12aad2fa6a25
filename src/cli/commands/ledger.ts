import { Command, InvalidArgumentError } from 'commander';
import { ledgerFolder, ledgerPath } from '../../budget/ledger-file.ts';
import { thisMachine } from '../../budget/process-owner.ts';
import { address } from '../../daemon/setting-fields.ts';
import { failed, wrongInput } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import { ledgerOfConfig } from '../read-config.ts';
import { renewLedgerAt, type Renewal } from '../renew-ledger.ts';
import { lengthText } from '../../domain/time-text.ts';

interface Options {
  readonly address?: string;
  readonly ledgerFolder?: string;
  readonly config?: string;
  readonly json?: true;
}

interface NewOptions extends Options {
  readonly yes?: true;
}

const EXAMPLES = `
Examples:
  sarraf ledger path --address https://exchange.example
  sarraf ledger new --config bot.yaml

The ledger counts the requests to an exchange against its limits, in one file for each address.
"sarraf budget" shows its content.`;

const NEW_HELP = `
The old ledger stays beside the new one. Lockouts and stopped credentials still hold, but those of a
damaged ledger are lost.
Exit codes: 0 it is made, 1 the old one is in use, still counts requests, or it can not be written,
2 an option is wrong or you did not agree.

Examples:
  sarraf ledger new --address https://exchange.example
  sarraf ledger new --config bot.yaml --yes`;

const PATH_HELP = `
Examples:
  sarraf ledger path --address https://exchange.example
  sarraf ledger path --config bot.yaml --json`;

const QUESTION = `A new ledger counts no request as sent. Go on only if nothing on this network address has sent to the exchange for as long as its
longest window, a minute mostly: beyond its limits the exchange locks the address out for 1 to 24 hours.
Without a new one a bot waits that long by itself.`;

function readAddress(text: string): string {
  const read = address().safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(
    'expected an address of scheme and host alone, such as https://exchange.example.',
  );
}

function pathOf({ address: baseUrl, ledgerFolder: folder, config }: Options): string {
  if ((baseUrl === undefined) === (config === undefined)) {
    throw wrongInput('expected the exchange as --address <url> or --config <file>, one of them');
  }
  if (config === undefined) return ledgerPath(baseUrl ?? '', folder ?? ledgerFolder());
  if (folder !== undefined)
    throw wrongInput('expected --ledger-folder with --address: a configuration names its own');
  return ledgerOfConfig(config);
}

function showPath(options: Options): void {
  const path = pathOf(options);
  console.log(options.json === true ? JSON.stringify({ ledger: path }) : path);
}

function refusalText(path: string, refusal: Exclude<Renewal, { kind: 'made' }>): string {
  if (refusal.kind === 'in use') {
    return `expected no process to use ${path}, but one has it open: stop every bot that sends to this exchange first`;
  }
  const { requests, forMs } = refusal;
  const what =
    requests === 1 ? '1 request that may still count' : `${requests} requests that may still count`;
  return `expected a ledger of which nothing counts any more, found ${what} for ${lengthText(forMs)} in ${path}: wait that long, or keep it, and the bot waits by itself`;
}

async function makeNew(options: NewOptions): Promise<void> {
  const path = pathOf(options);
  if (options.yes !== true && !(await confirm(`${QUESTION}\nThe ledger: ${path}`, 'new'))) {
    throw wrongInput('expected "new" to be typed, or --yes; nothing was done');
  }
  const renewal = await renewLedgerAt(path, thisMachine());
  if (options.json === true) console.log(JSON.stringify({ ledger: path, ...renewal }));
  if (renewal.kind !== 'made') throw failed(refusalText(path, renewal));
  if (options.json === true) return;
  console.log(`made ${path}: it counts no request as sent`);
  if (renewal.keptAs !== null) console.log(`what was there before is kept as ${renewal.keptAs}`);
}

function withPlace(command: Command): Command {
  return command
    .option('--address <url>', 'address of the exchange', readAddress)
    .option('--ledger-folder <folder>', 'where the ledgers are (default: that of this user)')
    .option('--config <file>', 'configuration of a bot, which names both')
    .option('--json', 'prints one JSON object');
}

export function ledgerCommand(): Command {
  const path = withPlace(new Command('path').description('Prints where the ledger of an exchange is.'))
    .addHelpText('after', PATH_HELP)
    .action((options: Options) => showPath(options));
  const renew = withPlace(
    new Command('new').description(
      'Makes a ledger that counts nothing as sent, so that a bot need not wait for its first windows; asks first.',
    ),
  )
    .option('--yes', 'does not ask')
    .addHelpText('after', NEW_HELP)
    .action(async (options: NewOptions) => makeNew(options));
  return new Command('ledger')
    .description('Shows where the ledger of requests to an exchange is, and makes a new one.')
    .addHelpText('after', EXAMPLES)
    .addCommand(path.exitOverride())
    .addCommand(renew.exitOverride());
}
