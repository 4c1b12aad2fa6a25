import { messageOf } from '../../domain/errors.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import { relative, join, resolve, dirname } from 'node:path';
import { Command, Option } from 'commander';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { asCommand, failed, wrongInput } from '../command-error.ts';
import { BOT_MODES } from '../../mirror/mirror-path.ts';
import { MODES } from '../../daemon/modes.ts';
import {
  type BotRequest,
  checkAddress,
  checkFolder,
  checkMarket,
  checkName,
  USUAL_REQUEST,
  type CheckedText,
  type GivenRequest,
  EMBEDDED_MARKETS,
  START_NAMES,
  STARTING_POINTS,
  type StartName,
} from '../init/bot-request.ts';
import {
  INIT_TEXTS,
  LANGUAGE_NAMES,
  LANGUAGE_QUESTION,
  type InitTexts,
  type Terminal,
  Questions,
  QuestionsEnded,
  botFiles,
} from '../init/bot-files.ts';
import {
  folderProblem,
  checkIsFree,
  vendorPath,
  writeBotFolder,
  type FolderContent,
  ownOrigin,
  testedVersions,
  type PackageOrigin,
} from '../init/write-bot-folder.ts';
import { marketOption } from '../option-readers.ts';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { ownFile } from '../../plugins/own-files.ts';
import { endSignal } from '../end-signal.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

interface Options extends RequestOptions {
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
      new Option('--language <language>', 'of the questions and its README (default: en)').choices(LANGUAGES),
    )
    .option('--json', 'prints one JSON object, and asks nothing')
    .addHelpText('after', HELP)
    .action(
      asCommand(async (folder: string | undefined, options: Options) =>
        init(folder, options, { io, terminal }),
      ),
    );
}

async function init(
  folder: string | undefined,
  options: Options,
  { io, terminal }: { readonly io: CommandIo; readonly terminal: Terminal },
): Promise<void> {
  const { workingFolder } = io;
  const given = givenRequest(folder, options, workingFolder);
  const asksNothing = options.yes === true || options.json === true;
  if (!asksNothing && !io.isTerminal)
    throw wrongInput(
      'expected a terminal to ask at, was none: "sarraf init my-bot --yes" asks nothing; its options say what the bot is to be',
    );
  const request = asksNothing
    ? withDefaults(given, workingFolder)
    : await askRequest(given, { workingFolder, folderProblem, terminal });
  if (request === null) throw failed(INIT_TEXTS[given.language ?? 'en'].ended);
  // The chosen exchange must have the market.
  valueOf(checkMarket(request.market, request.mode), '--market');
  const files = await makeBot(request, (line) => io.log(line));
  const next = [`cd ${quoted(relative(workingFolder, request.folder) || '.')}`, 'npm install', 'npm start'];
  if (options.json === true) io.out(JSON.stringify({ ...request, files, next }));
  else io.out(linesOf(request, files, next).join('\n'));
}

function linesOf(
  { folder, language }: BotRequest,
  files: readonly string[],
  next: readonly string[],
): string[] {
  const texts = INIT_TEXTS[language];
  return [texts.made(files.length, folder), '', texts.next, ...next.map((command) => `  ${command}`)];
}

/** Quotes a path, so that a shell reads it as one word. */
const quoted = (path: string): string =>
  /^[\p{L}\p{N}\p{M}_./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** Writes the folder of a new bot, and returns its paths. Ctrl-C ends it before anything is written. */
export async function makeBot(
  request: BotRequest,
  log: (line: string) => void,
  origin: PackageOrigin = ownOrigin(),
): Promise<readonly string[]> {
  const scratch = origin.kind === 'checkout' ? mkdtempSync(join(tmpdir(), 'sarraf-pack-')) : null;
  using opened = new DisposableStack();
  opened.defer(() => scratch === null || rmSync(scratch, { recursive: true, force: true }));
  const { signal } = opened.use(endSignal());
  try {
    // Packing takes seconds: a wrong folder is reported before it.
    checkIsFree(request.folder);
    let packed = origin.kind === 'file' ? origin.path : null;
    if (origin.kind === 'checkout' && scratch !== null) {
      log(INIT_TEXTS[request.language].packing);
      packed = await packCheckout(origin.folder, scratch, signal);
    }
    const content = contentOf(request, origin, packed);
    writeBotFolder(request.folder, content);
    return [...content.texts.keys(), ...content.copies.keys()];
  } catch (error) {
    throw signal.aborted ? failed(INIT_TEXTS[request.language].ended) : error;
  }
}

/** Returns the content of a new bot's folder; `packed` is its sarraf package, if it gets a copy of one. */
function contentOf(request: BotRequest, origin: PackageOrigin, packed: string | null): FolderContent {
  const texts = botFiles(request, {
    sarraf: packed === null ? (origin.kind === 'named' ? origin.name : '') : `file:${vendorPath(packed)}`,
    versions: testedVersions(),
    strategy: (file) => readFileSync(ownFile(join('strategies', file)), 'utf8'),
  });
  return { texts, copies: packed === null ? new Map() : new Map([[vendorPath(packed), packed]]) };
}

/** Choices for a new bot given on the command line. */
interface RequestOptions {
  readonly exchange?: BotRequest['mode'];
  readonly url?: string;
  readonly market?: MarketSymbol;
  readonly strategy?: StartName;
  readonly name?: string;
  readonly language?: Language;
}

/** Returns the choices in options. Throws a wrong input for a mistake, before anything is asked. */
function givenRequest(
  folder: string | undefined,
  options: RequestOptions,
  workingFolder: string,
): GivenRequest {
  const { exchange: mode, url, market, strategy, name, language } = options;
  if (mode === 'embedded' && url !== undefined)
    throw wrongInput('expected --url beside --exchange paper or live alone: the embedded one has no address');
  return {
    folder: folder === undefined ? undefined : valueOf(checkFolder(resolve(workingFolder, folder)), 'folder'),
    mode,
    baseUrl: url === undefined ? undefined : valueOf(checkAddress(url), '--url'),
    market,
    start: strategy,
    name: name === undefined ? undefined : valueOf(checkName(name), '--name'),
    language,
  };
}

/** Fills in the defaults of all missing choices. The address of an exchange has none. */
function withDefaults(given: GivenRequest, workingFolder: string): BotRequest {
  const { mode = USUAL_REQUEST.mode, baseUrl = null, start = USUAL_REQUEST.start } = given;
  if (mode === 'embedded' && baseUrl !== null)
    throw wrongInput('expected --exchange paper or live beside --url, was neither');
  if (mode !== 'embedded' && baseUrl === null)
    throw wrongInput(`expected --url with the address of the exchange beside --exchange ${mode}, was none`);
  return {
    folder: given.folder ?? resolve(workingFolder, USUAL_REQUEST.folder),
    mode,
    baseUrl,
    market: given.market ?? USUAL_REQUEST.market,
    start,
    name: given.name ?? STARTING_POINTS[start].name,
    language: given.language ?? USUAL_REQUEST.language,
  };
}

function valueOf<Value>(checked: CheckedText<Value>, of: string): Value {
  if ('problem' in checked) throw wrongInput(`${of}: ${checked.problem}`);
  return checked.value;
}

const PACKED = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })).readonly() }),
]);

/** Largest output of npm, in bytes: a list of hundreds of files. */
const LARGEST_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs the tools of a checkout, and returns their standard output. Throws what the system throws. */
class Tools {
  private readonly checkout: string;
  private readonly signal: AbortSignal;

  constructor(checkout: string, signal: AbortSignal) {
    this.checkout = checkout;
    this.signal = signal;
  }

  async run(program: string, args: readonly string[], cwd = this.checkout): Promise<string> {
    const options = { cwd, signal: this.signal, maxBuffer: LARGEST_OUTPUT_BYTES };
    const { stdout } = await promisify(execFile)(program, args, options);
    return stdout;
  }

  /** Packs the package of a folder without running its scripts. */
  async pack(args: readonly string[], cwd?: string): Promise<z.output<typeof PACKED>[0]> {
    const text = await this.run('npm', ['pack', '--json', '--ignore-scripts', ...args], cwd);
    const [packed] = PACKED.parse(JSON.parse(text.slice(text.indexOf('['))));
    return packed;
  }
}

/**
 * Collects the content of a checkout's package in a folder, and returns the paths that npm reads from the
 * checkout. The checkout itself does not change: a bot may run from its bundle.
 */
async function assemblePackage(
  checkout: string,
  into: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tools = new Tools(checkout, signal);
  const { files } = await tools.pack(['--dry-run']);
  const paths = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
  for (const path of paths) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    cpSync(join(checkout, path), join(into, path));
  }
  // The bundler runs what it has made, which needs the dependencies. A package never has this folder.
  symlinkSync(join(checkout, 'node_modules'), join(into, 'node_modules'));
  await tools.run(process.execPath, ['bundle.mjs', '--types', join(into, 'dist')]);
  return paths;
}

/** Packs a checkout as for npm, with all new files in an empty folder; returns the package's path. */
async function packCheckout(checkout: string, scratch: string, signal: AbortSignal): Promise<string> {
  const folder = join(scratch, 'package');
  try {
    await assemblePackage(checkout, folder, signal);
    const tools = new Tools(checkout, signal);
    const { filename } = await tools.pack(['--pack-destination', scratch], folder);
    return join(scratch, filename);
  } catch (error) {
    if (signal.aborted) throw error;
    const [reason = ''] = messageOf(error).split('\n');
    throw failed(
      `expected to pack ${checkout}, could not (${reason}): run "npm ci" there, and try again; nothing was written`,
    );
  }
}

interface Asking {
  readonly workingFolder: string;
  /** Returns the problem with a folder, as a sentence; null if it can be used. */
  readonly folderProblem: (path: string) => string | null;
  readonly terminal: Terminal;
}

/** Asks for the missing choices, one question after the other. Null if the person ended it. */
export async function askRequest(given: GivenRequest, asking: Asking): Promise<BotRequest | null> {
  const questions = await Questions.open(asking.terminal);
  try {
    return await requestOf(given, questions, asking);
  } catch (error) {
    if (error instanceof QuestionsEnded) return null;
    throw error;
  }
}

async function requestOf(given: GivenRequest, questions: Questions, asking: Asking): Promise<BotRequest> {
  const language =
    given.language ??
    (await questions.pick(
      LANGUAGE_QUESTION,
      LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
    ));
  const texts = INIT_TEXTS[language];
  questions.title(texts.intro);
  const folder =
    given.folder ?? (await questions.write(texts.folder, placeCheck(asking), USUAL_REQUEST.folder));
  const mode =
    given.mode ??
    (await questions.pick(
      texts.mode,
      BOT_MODES.map((value) => ({ value, label: value, hint: MODES[value].texts[language].hint })),
    ));
  const baseUrl =
    mode === 'embedded' ? null : (given.baseUrl ?? (await questions.write(texts.address, checkAddress)));
  const market = given.market ?? (await marketOf(mode, questions, texts));
  const start =
    given.start ??
    (await questions.pick(
      texts.start,
      START_NAMES.map((value) => ({ value, label: value, hint: STARTING_POINTS[value].about[language] })),
    ));
  const name = given.name ?? (await questions.write(texts.name, checkName, STARTING_POINTS[start].name));
  return { folder, mode, baseUrl, market, start, name, language };
}

async function marketOf(
  mode: BotRequest['mode'],
  questions: Questions,
  texts: InitTexts,
): Promise<MarketSymbol> {
  if (mode === 'embedded')
    return questions.pick(
      texts.market,
      EMBEDDED_MARKETS.map((value) => ({ value, label: value })),
    );
  return questions.write(texts.otherMarket, (typed) => checkMarket(typed, mode), USUAL_REQUEST.market);
}

function placeCheck({ workingFolder, folderProblem }: Asking): (typed: string) => CheckedText {
  return (typed) => {
    const checked = checkFolder(resolve(workingFolder, typed));
    if ('problem' in checked) return checked;
    const problem = folderProblem(checked.value);
    return problem === null ? checked : { problem };
  };
}
