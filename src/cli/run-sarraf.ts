import { inspect } from 'node:util';
import { Command, CommanderError, Help, type Option } from 'commander';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { CommandError, FAILED, OK, WRONG_INPUT } from './command-error.ts';
import { COMMANDS, type ListedCommand } from './command-table.ts';

/** A command in the list of all: its line of help, and nothing loaded. */
function outline(name: string, { takes, summary }: ListedCommand): Command {
  const command = new Command(name).description(summary);
  return takes === undefined ? command : command.arguments(takes);
}

async function wholeProgram(): Promise<Command> {
  return createProgram(Object.keys(COMMANDS));
}

/** The root of the program, above these commands. */
export function rootAbove(commands: readonly Command[]): Command {
  const program = new Command('sarraf')
    .description(
      'Trades on, simulates and backtests spot exchanges that have only a rate-limited REST interface.',
    )
    .version(VERSION)
    .showSuggestionAfterError()
    // An option behind a command is the command's, also where a command above it has one of that name.
    .enablePositionalOptions()
    .exitOverride();
  for (const command of commands) program.addCommand(command);
  return program;
}

/** The program with those commands loaded that are named, or, where none is, with the list of all. */
async function createProgram(named: readonly string[]): Promise<Command> {
  const found = Object.entries(COMMANDS).filter(([name]) => named.includes(name));
  if (found.length === 0)
    return rootAbove(Object.entries(COMMANDS).map(([name, listed]) => outline(name, listed)));
  const loaded = await Promise.all(found.map(async ([, { load }]) => load(wholeProgram)));
  return rootAbove(loaded.map((command) => withCommandHelp(command).exitOverride()));
}

/** Has commander write no error: it is written as JSON. */
function silenceErrors(command: Command): void {
  command.configureOutput({ outputError: () => {} });
  for (const below of command.commands) silenceErrors(below);
}

/** Failure that ends a command: its code in the JSON form of the error, its message, and the exit code. */
interface Ending {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

/** Null for a mistake of our own. */
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

/**
 * Writes on standard error what went wrong: in a line, or under `--json` as one JSON object. A mistake of our
 * own comes with its stack.
 */
function exitCodeOf(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return OK;
  const ending = endingOf(error);
  if (isJson) {
    const { code, message } = ending ?? { code: 'INVARIANT', message: inspect(error) };
    console.error(JSON.stringify({ error: { code, message } }));
  } else if (ending === null) console.error(error);
  // Commander has written its own.
  else if (!(error instanceof CommanderError))
    console.error(error instanceof SarrafError ? `${ending.code}: ${ending.message}` : ending.message);
  return ending?.exitCode ?? FAILED;
}

/**
 * The arguments without a request for help, where they name a command that there is not: the answer is then
 * that of the command above, which says so, and not its help.
 */
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
 * Runs a command of sarraf with what was typed behind the name of the program, and answers with the exit
 * code. What it prints goes to the console and to standard output; what concerns the whole process (its
 * signals, its umask, uncaught errors) is the business of the caller.
 */
export async function runSarraf(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json');
  try {
    // The second word can be the command after "help" or an option; after a command it is that one's own.
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

function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(EMPTY_DEFAULT, '');
}

/** Has a command and those below it show no default where that is empty, as of an option that repeats. */
export function withCommandHelp(command: Command): Command {
  command.configureHelp({ optionDescription });
  for (const below of command.commands) withCommandHelp(below);
  return command;
}
