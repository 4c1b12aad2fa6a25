import { relative } from 'node:path';
import { Command, Option } from 'commander';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { asCommand } from '../as-command.ts';
import { failed, wrongInput } from '../command-error.ts';
import { askWishes } from '../init/ask-wishes.ts';
import { BOT_LANGUAGES } from '../init/bot-language.ts';
import { BOT_MODES, type BotWishes } from '../init/bot-wishes.ts';
import { checkTogether, givenWishes, withDefaults, type WishOptions } from '../init/given-wishes.ts';
import { INIT_TEXTS } from '../init/init-texts.ts';
import { makeBot } from '../init/make-bot.ts';
import type { Terminal } from '../init/questions.ts';
import { START_NAMES } from '../init/starting-points.ts';
import { folderProblem } from '../init/write-bot-folder.ts';
import { marketOption } from '../option-readers.ts';

interface Options extends WishOptions {
  readonly yes?: true;
  readonly json?: true;
}

const HELP = `
The folder has bot.yaml, a strategy with its test, and what runs it on this machine or in a container.
It runs at once on the embedded exchange, without an account. Nothing is overwritten, and nothing is
written by halves. What no option says is asked at a terminal; --yes and --json take its default.

Exit codes: 0 the folder is made, 1 it could not be written, 2 an option is wrong or something is there.

Examples:
  sarraf init
  sarraf init my-bot --yes
  sarraf init my-bot --exchange paper --url https://exchange.example --market ETHIRT --strategy grid --yes
  sarraf init my-bot --strategy empty --name first --language fa --json`;

/** `sarraf init`: the folder of a new bot. */
export function initCommand(io: CommandIo = MACHINE_IO, terminal: Terminal = {}): Command {
  return new Command('init')
    .description('Makes the folder of a new bot: its configuration, a strategy and its test, a container.')
    .argument('[dir]', 'where: a new or empty folder')
    .option('--yes', 'asks nothing, and takes the default of what no option says')
    .addOption(new Option('--exchange <kind>', 'what it trades on (default: embedded)').choices(BOT_MODES))
    .option('--url <address>', 'address of the exchange, for paper and live')
    .option('--market <symbol>', 'market of its strategy (default: "BTCIRT")', marketOption)
    .addOption(
      new Option('--strategy <name>', 'strategy to begin with (default: ma-cross)').choices(START_NAMES),
    )
    .option('--name <name>', 'what its own strategy is called (default: that of --strategy)')
    .addOption(
      new Option('--language <language>', 'of the questions and its README (default: en)').choices(
        BOT_LANGUAGES,
      ),
    )
    .option('--json', 'prints one JSON object, and asks nothing')
    .addHelpText('after', HELP)
    .action(async (folder: string | undefined, options: Options) =>
      asCommand(async () => init(folder, options, { io, terminal })),
    );
}

async function init(
  folder: string | undefined,
  options: Options,
  { io, terminal }: { readonly io: CommandIo; readonly terminal: Terminal },
): Promise<void> {
  const { workingFolder } = io;
  const given = givenWishes(folder, options, workingFolder);
  const asksNothing = options.yes === true || options.json === true;
  if (!asksNothing && !io.isTerminal) {
    throw wrongInput(
      'expected a terminal to ask at, was none: "sarraf init my-bot --yes" asks nothing; its options say what the bot is to be',
    );
  }
  const wishes = asksNothing
    ? withDefaults(given, workingFolder)
    : await askWishes(given, { workingFolder, folderProblem, terminal });
  if (wishes === null) throw failed(INIT_TEXTS[given.language ?? 'en'].ended);
  checkTogether(wishes);
  const files = await makeBot(wishes, (line) => io.say(line));
  const next = [`cd ${quoted(relative(workingFolder, wishes.folder) || '.')}`, 'npm install', 'npm start'];
  if (options.json === true) io.out(JSON.stringify({ ...wishes, files, next }));
  else io.out(linesOf(wishes, files, next).join('\n'));
}

function linesOf(
  { folder, language }: BotWishes,
  files: readonly string[],
  next: readonly string[],
): string[] {
  const texts = INIT_TEXTS[language];
  return [texts.made(files.length, folder), '', texts.next, ...next.map((command) => `  ${command}`)];
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\p{L}\p{N}\p{M}_./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
