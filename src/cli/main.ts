#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { CommandError } from './command-error.ts';
import { COMMANDS, type ListedCommand } from './command-table.ts';
import { FAILED, OK, WRONG_INPUT } from './exit-codes.ts';

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
    .description('Trades on, simulates and backtests spot exchanges that have only a rate-limited REST interface.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride();
  const found = Object.entries(COMMANDS).filter(([name]) => named.includes(name));
  for (const [, { load }] of found) program.addCommand((await load(wholeProgram)).exitOverride());
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

// Nobody reads any more, as after `| head`: what is still to be said is for nobody. A run has orders to end first, and sees to it itself.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount('error') > 1) return;
  if (error.code === 'EPIPE') process.exit(OK);
  throw error;
});
// What it writes tells of an account: mirrors, ledgers, recordings and logs, with the files that SQLite puts beside them, are the user's alone.
process.umask(0o077);
/** Names the strategy whose promise nobody waited for, or whose timer threw. A run watches by itself, and ends its orders first. */
async function endByCrash(error: unknown): Promise<void> {
  if (process.listenerCount('uncaughtException') > 1) return;
  const { strategyPlaceOf } = await import('../plugins/load-strategies.ts');
  const place = strategyPlaceOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (place === null) console.error(error);
  else console.error(`INVALID_STRATEGY: ${place}: threw outside of its handlers, where nobody catches it: ${message}`);
  process.exit(FAILED);
}
process.on('uncaughtException', (error) => void endByCrash(error));
process.on('unhandledRejection', (reason) => void endByCrash(reason));
try {
  const program = await createProgram(process.argv.slice(2, 4));
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
