import { inspect } from 'node:util';
import { Command, CommanderError, Help } from 'commander';
import { present, SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { CommandError, FAILED, OK, WRONG_INPUT } from './command-error.ts';

/** A command as the list of all commands shows it, with its loader. */
interface ListedCommand {
  /** Arguments as help shows them. */
  readonly takes?: string;
  readonly summary: string;
  /** Loads the command. `whole` creates the program with all commands, for those that list the others. */
  readonly load: (whole: () => Promise<Command>) => Promise<Command>;
}

/** All commands, one for each file. Each is loaded when it is named: loading all takes a second. */
export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  run: {
    summary: 'Runs the bot: without a configuration, two demo strategies on the built-in exchange.',
    load: async () => (await import('./commands/run.ts')).runCommand(),
  },
  init: {
    takes: '[dir]',
    summary: 'Makes the folder of a new bot, which runs at once and without an account.',
    load: async () => (await import('./commands/init.ts')).initCommand(),
  },
  exchange: {
    summary: 'Serves a simulated exchange over HTTP.',
    load: async () => (await import('./commands/exchange.ts')).exchangeCommand(),
  },
  backtest: {
    takes: '[strategy]',
    summary: 'Runs strategies on recorded candles or books, by the engine that trades live.',
    load: async () => (await import('./commands/backtest.ts')).backtestCommand(),
  },
  study: {
    summary: 'Searches the params of a strategy on recorded candles, and counts every trial.',
    load: async () => (await import('./commands/study.ts')).studyCommand(),
  },
  worker: {
    summary: 'Computes trials of studies that are offered in a Redis or Valkey.',
    load: async () => (await import('./commands/worker.ts')).workerCommand(),
  },
  parity: {
    summary: 'Runs a recorded session again as a backtest, and shows what differs and why.',
    load: async () => (await import('./commands/parity.ts')).parityCommand(),
  },
  replay: {
    summary: 'Runs a recorded session again to a moment: what the bot knew and decided there.',
    load: async () => (await import('./commands/parity.ts')).replayCommand(),
  },
  plan: {
    summary: 'Shows how often everything is polled, and whether it fits the limits.',
    load: async () => (await import('./commands/plan.ts')).planCommand(),
  },
  doctor: {
    summary: 'Checks what would keep a bot from trading, each thing with its remedy.',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  },
  budget: {
    summary: 'Shows the use, reserve and lockouts of every request budget.',
    load: async () => (await import('./commands/budget.ts')).budgetCommand(),
  },
  api: {
    takes: '[call]',
    summary: 'Calls any endpoint of the exchange; without a call it lists them all.',
    load: async () => (await import('./commands/api.ts')).apiCommand(),
  },
  order: {
    summary: 'Places, cancels, shows or finds one order by hand, beside a bot or without one.',
    load: async () => (await import('./commands/order.ts')).orderCommand(),
  },
  signal: {
    takes: '<strategy> <name>',
    summary: 'Tells a strategy of the running bot something that it has declared as a signal.',
    load: async () => (await import('./commands/signal.ts')).signalCommand(),
  },
  signals: {
    summary: 'Lists the signals that came from outside and their outcome.',
    load: async () => (await import('./commands/signals.ts')).signalsCommand(),
  },
  explain: {
    takes: '<strategy>',
    summary: 'Writes the rules of a strategy in words.',
    load: async () => (await import('./commands/explain.ts')).explainCommand(),
  },
  why: {
    takes: '[strategy]',
    summary: 'Shows what keeps a strategy made of rules from buying or selling, at any bar.',
    load: async () => (await import('./commands/explain.ts')).whyCommand(),
  },
  withdraw: {
    takes: '<amount>',
    summary: 'Withdraws rial to a bank account of yours; asks first.',
    load: async () => (await import('./commands/withdraw.ts')).withdrawCommand(),
  },
  'deposit-address': {
    takes: '<currency>',
    summary: 'Shows the deposit addresses of a coin, or makes a new one.',
    load: async () => (await import('./commands/deposit-address.ts')).depositAddressCommand(),
  },
  login: {
    summary: 'Logs in and stores the token in a file that only you can read.',
    load: async () => (await import('./commands/login.ts')).loginCommand(),
  },
  gateway: {
    summary: 'Makes or verifies a payment of the payment gateway, for merchants.',
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand(),
  },
  ledger: {
    summary: 'Shows where the ledger of requests is, and makes a new one.',
    load: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  },
  status: {
    summary: 'Shows how the bot is doing.',
    load: async () => (await import('./commands/status.ts')).statusCommand(),
  },
  orders: {
    takes: '[order]',
    summary: 'Lists the orders of this bot, or shows one with its trades and journal.',
    load: async () => (await import('./commands/orders.ts')).ordersCommand(),
  },
  trades: {
    summary: 'Lists the trades of the account, newest last.',
    load: async () => (await import('./commands/rows.ts')).tradesCommand(),
  },
  quality: {
    summary: 'Shows what orders cost against the price at which they were decided.',
    load: async () => (await import('./commands/quality.ts')).qualityCommand(),
  },
  balances: {
    summary: 'Shows the wallets as they were last read.',
    load: async () => (await import('./commands/rows.ts')).balancesCommand(),
  },
  intents: {
    summary: 'Lists the intents of the strategies and their outcome, newest last.',
    load: async () => (await import('./commands/rows.ts')).intentsCommand(),
  },
  reconcile: {
    summary: 'Shows whether the books of the bot agree with the exchange.',
    load: async () => (await import('./commands/reconcile.ts')).reconcileCommand(),
  },
  halt: {
    summary: "Stops trading and cancels the bot's orders, also while the bot does not run.",
    load: async () => (await import('./commands/halt.ts')).haltCommand(),
  },
  cancel: {
    takes: '[order]',
    summary: 'Cancels orders of the running bot: one, those of a strategy or market, or all.',
    load: async () => (await import('./commands/positions.ts')).cancelCommand(),
  },
  close: {
    takes: '<strategy> [market]',
    summary: 'Closes the position of one strategy: cancels its orders, and sells what it holds.',
    load: async () => (await import('./commands/positions.ts')).closeCommand(),
  },
  position: {
    summary: 'Says what became of coins that somebody has closed or moved by hand.',
    load: async () => (await import('./commands/positions.ts')).positionCommand(),
  },
  approve: {
    takes: '<entry>',
    summary: 'Approves an entry that waits for a person: it begins.',
    load: async () => (await import('./commands/positions.ts')).approvalCommand('approve'),
  },
  decline: {
    takes: '<entry>',
    summary: 'Declines an entry that waits for a person: nothing is sent.',
    load: async () => (await import('./commands/positions.ts')).approvalCommand('decline'),
  },
  note: {
    takes: '[trade] [text]',
    summary: 'Notes a text and tags on a trade, or lists the notes.',
    load: async () => (await import('./commands/positions.ts')).noteCommand(),
  },
  pause: {
    takes: '<strategy>',
    summary: 'Pauses one strategy: it decides nothing until it is resumed.',
    load: async () => (await import('./commands/locks.ts')).pauseCommand(),
  },
  reload: {
    takes: '<strategy>',
    summary: 'Loads the code and params of one strategy anew, while the bot goes on.',
    load: async () => (await import('./commands/locks.ts')).reloadCommand(),
  },
  shadow: {
    takes: '[name]',
    summary: 'Compares strategies with their shadows: orders, fills and profit since the same moment.',
    load: async () => (await import('./commands/shadow.ts')).shadowCommand(),
  },
  promote: {
    takes: '<shadow>',
    summary: 'Gives a strategy the code and params of its shadow, while the bot goes on.',
    load: async () => (await import('./commands/shadow.ts')).promoteCommand(),
  },
  resume: {
    takes: '[strategy]',
    summary: 'Ends a halt, or the pause of one strategy.',
    load: async () => (await import('./commands/locks.ts')).resumeCommand(),
  },
  lock: {
    takes: '[market]',
    summary: 'Stops new risk in a market, of a strategy or in all, for a while.',
    load: async () => (await import('./commands/locks.ts')).lockCommand(),
  },
  unlock: {
    takes: '[market]',
    summary: 'Ends locks before their time.',
    load: async () => (await import('./commands/locks.ts')).unlockCommand(),
  },
  locks: {
    summary: 'Shows the locks that hold, why and until when.',
    load: async () => (await import('./commands/locks.ts')).locksCommand(),
  },
  health: {
    summary: 'Shows whether the running bot is healthy.',
    load: async () => (await import('./commands/health.ts')).healthCommand(),
  },
  dashboard: {
    summary: 'Serves the page of a data folder from a process of its own, which outlives the bot.',
    load: async () => (await import('./commands/dashboard.ts')).dashboardCommand(),
  },
  token: {
    summary: 'Who may open the page: tokens, and links that sign in once.',
    load: async () => (await import('./commands/token.ts')).tokenCommand(),
  },
  alerts: {
    summary: 'Lists and acknowledges alerts, and tests the channels that they are sent by.',
    load: async () => (await import('./commands/alerts.ts')).alertsCommand(),
  },
  watchdog: {
    summary: 'Watches a bot from a process of its own: reports silence, and can cancel its entries.',
    load: async () => (await import('./commands/watchdog.ts')).watchdogCommand(),
  },
  backup: {
    summary: 'Copies what a bot remembers, while it runs, and verifies the copy.',
    load: async () => (await import('./commands/backup.ts')).backupCommand(),
  },
  restore: {
    takes: '<backup>',
    summary: 'Puts a backup in a data folder, and what was there aside; asks first.',
    load: async () => (await import('./commands/restore.ts')).restoreCommand(),
  },
  lab: {
    summary: 'Serves a page that runs backtests, studies and data commands, each in a process of its own.',
    load: async () => (await import('./commands/lab.ts')).labCommand(),
  },
  report: {
    summary: 'Lists, shows, compares and exports stored backtests; writes the page of a live session.',
    load: async () => (await import('./commands/report.ts')).reportCommand(),
  },
  statement: {
    summary: 'Shows what happened to the account in a year: balances, movements, realised profit.',
    load: async () => (await import('./commands/statement.ts')).statementCommand(),
  },
  record: {
    summary: 'Records books, public trades and statistics of an exchange for backtests.',
    load: async () => (await import('./commands/record.ts')).recordCommand(),
  },
  data: {
    summary: 'Imports, downloads, checks and exports recorded market data.',
    load: async () => (await import('./commands/data.ts')).dataCommands(),
  },
  sql: {
    takes: '[query]',
    summary: 'Runs a SQL query on recordings, stored backtests and studies.',
    load: async () => (await import('./commands/sql.ts')).sqlCommand(),
  },
  fuzz: {
    summary: 'Runs the whole bot in virtual time against a faulty exchange, and checks its promises.',
    load: async () => (await import('./commands/fuzz.ts')).fuzzCommand(),
  },
  venue: {
    summary: 'Begins and tests a venue, which connects sarraf to another exchange.',
    load: async () => (await import('./commands/venue.ts')).venueCommands(),
  },
  completion: {
    takes: '<shell>',
    summary: 'Prints a script that completes commands in a shell.',
    load: async (whole) => (await import('./commands/completion.ts')).completionCommand(whole),
  },
};

/** All commands as the help groups them. */
const GROUPS = {
  'Begin and run': 'run init plan doctor exchange venue completion',
  'Try a strategy': 'backtest study lab worker parity replay explain why fuzz',
  'Watch a bot':
    'status orders trades quality shadow balances intents signals locks reconcile budget health dashboard alerts report',
  'Steer a bot':
    'halt resume pause reload promote approve decline note cancel close position order signal lock unlock',
  'Use the account': 'api statement withdraw deposit-address login gateway',
  'Record data': 'record data sql',
  'Keep it safe': 'token ledger watchdog backup restore',
};

/** Creates the commands for the list of all: their lines of help, with nothing loaded. */
const outlines = (): Command[] =>
  Object.entries(GROUPS).flatMap(([group, names]) =>
    names.split(' ').map((name) => {
      const { takes, summary } = present(COMMANDS[name], 'a command of a group');
      const outline = new Command(name).description(summary).helpGroup(`${group}:`);
      return takes === undefined ? outline : outline.arguments(takes);
    }),
  );

/** Creates the root of the program, above these commands. */
export function rootAbove(commands: readonly Command[]): Command {
  const program = new Command('sarraf')
    .description(
      'Trades on, simulates and backtests spot exchanges that have only a rate-limited REST interface.',
    )
    .version(VERSION)
    .showSuggestionAfterError()
    // An option after a command is the command's, even if a command above it has one of that name.
    .enablePositionalOptions()
    .exitOverride();
  for (const command of commands) program.addCommand(command);
  return program;
}

/** Creates the program with the named commands loaded, or, if none is named, with the list of all. */
async function createProgram(named: readonly string[]): Promise<Command> {
  const found = Object.entries(COMMANDS).filter(([name]) => named.includes(name));
  if (found.length === 0) return rootAbove(outlines());
  const loaded = await Promise.all(
    found.map(async ([, { load }]) => load(() => createProgram(Object.keys(COMMANDS)))),
  );
  return rootAbove(loaded.map((command) => withCommandHelp(command).exitOverride()));
}

/** Stops commander from writing errors, which are written as JSON. */
function silenceErrors(command: Command): void {
  command.configureOutput({ outputError: () => {} });
  for (const below of command.commands) silenceErrors(below);
}

/** Way in which a failed command ends: the code in its JSON error, its message, and the exit code. */
interface Ending {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

/** Returns how an error ends the command; null for a bug of sarraf. */
function endingOf(error: unknown): Ending | null {
  if (error instanceof CommanderError)
    return { code: 'WRONG_INPUT', message: error.message.replace(/^error: /, ''), exitCode: WRONG_INPUT };
  if (error instanceof CommandError)
    return {
      code: error.exitCode === WRONG_INPUT ? 'WRONG_INPUT' : 'FAILED',
      message: error.message,
      exitCode: error.exitCode,
    };
  if (error instanceof SarrafError && error.code !== 'INVARIANT')
    return { code: error.code, message: error.message, exitCode: FAILED };
  return null;
}

/** Writes an error on standard error: in a line, or with `--json` as JSON. A bug comes with its stack. */
function exitCodeOf(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return OK;
  const ending = endingOf(error);
  if (isJson) {
    const { code, message } = ending ?? { code: 'INVARIANT', message: inspect(error) };
    console.error(JSON.stringify({ error: { code, message } }));
  } else if (ending === null) console.error(error);
  // Commander has written its own errors already.
  else if (!(error instanceof CommanderError))
    console.error(error instanceof SarrafError ? `${ending.code}: ${ending.message}` : ending.message);
  return ending?.exitCode ?? FAILED;
}

/** Removes a request for help after an unknown command: the command above reports that instead. */
function withoutHelpOfNothing(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  for (const arg of args) {
    if (arg.startsWith('-') || command.commands.length === 0 || arg === 'help') return args;
    const below = command.commands.find((each) => each.name() === arg || each.aliases().includes(arg));
    if (below === undefined) return args.filter((each) => each !== '--help' && each !== '-h');
    command = below;
  }
  return args;
}

/**
 * Runs a command of sarraf with the arguments typed after the name of the program, and returns the exit code.
 * Output goes to the console and to standard output; the process as a whole (its signals, its umask, uncaught
 * errors) is the caller's business.
 */
export async function runSarraf(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json');
  try {
    // The second word can be the command after "help" or an option; after a command it is the command's.
    const isFirst = Object.hasOwn(COMMANDS, args[0] ?? '');
    const program = await createProgram(args.slice(0, isFirst ? 1 : 2));
    if (isJson) silenceErrors(program);
    await program.parseAsync(withoutHelpOfNothing(program, args), { from: 'user' });
    return OK;
  } catch (error) {
    return exitCodeOf(error, isJson);
  }
}

const EMPTY_DEFAULT = / \(default: (?:\[\]|\{\})\)$/;

/** Hides empty defaults in the help of a command and those below it, such as that of a repeatable option. */
export function withCommandHelp(command: Command): Command {
  command.configureHelp({
    optionDescription: (option) => new Help().optionDescription(option).replace(EMPTY_DEFAULT, ''),
  });
  for (const below of command.commands) withCommandHelp(below);
  return command;
}
