import { Command, CommanderError } from 'commander';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { CommandError, FAILED, OK, WRONG_INPUT } from './command-error.ts';
import { withCommandHelp } from './command-help.ts';
import { COMMANDS, type ListedCommand } from './command-table.ts';

/** A command in the list of all: its line of help, and nothing loaded. */
function outline(name: string, { takes, summary }: ListedCommand): Command {
  const command = new Command(name).description(summary);
  return takes === undefined ? command : command.arguments(takes);
}

async function wholeProgram(): Promise<Command> {
  return createProgram(Object.keys(COMMANDS));
}

/** The program with those commands loaded that are named, or, where none is, with the list of all. */
async function createProgram(named: readonly string[]): Promise<Command> {
  const program = new Command('sarraf')
    .description(
      'Trades on, simulates and backtests spot exchanges that have only a rate-limited REST interface.',
    )
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride();
  const found = Object.entries(COMMANDS).filter(([name]) => named.includes(name));
  for (const [, { load }] of found)
    program.addCommand(withCommandHelp(await load(wholeProgram)).exitOverride());
  if (found.length > 0) return program;
  for (const [name, listed] of Object.entries(COMMANDS)) program.addCommand(outline(name, listed));
  return program;
}

/** Says what went wrong in one line, on standard error; a mistake of our own comes with its stack. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : WRONG_INPUT;
  if (error instanceof CommandError) {
    console.error(error.message);
    return error.exitCode;
  }
  if (error instanceof SarrafError && error.code !== 'INVARIANT') {
    console.error(`${error.code}: ${error.message}`);
    return FAILED;
  }
  console.error(error);
  return FAILED;
}

/**
 * Runs a command of sarraf with what was typed behind the name of the program, and answers with the exit
 * code. What it prints goes to the console and to standard output; what concerns the whole process (its
 * signals, its umask, uncaught errors) is the business of the caller.
 */
export async function runSarraf(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args.slice(0, 2));
    await program.parseAsync(args, { from: 'user' });
    return OK;
  } catch (error) {
    return exitCodeOf(error);
  }
}
