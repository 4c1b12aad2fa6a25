#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { CommandError } from './command-error.ts';
import { balancesCommand } from './commands/balances.ts';
import { budgetCommand } from './commands/budget.ts';
import { exchangeCommand } from './commands/exchange.ts';
import { fuzzCommand } from './commands/fuzz.ts';
import { haltCommand } from './commands/halt.ts';
import { healthCommand } from './commands/health.ts';
import { intentsCommand } from './commands/intents.ts';
import { ledgerCommand } from './commands/ledger.ts';
import { ordersCommand } from './commands/orders.ts';
import { planCommand } from './commands/plan.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { resumeCommand } from './commands/resume.ts';
import { runCommand } from './commands/run.ts';
import { statusCommand } from './commands/status.ts';
import { tradesCommand } from './commands/trades.ts';
import { FAILED, OK, WRONG_INPUT } from './exit-codes.ts';

/** Every command, one a file: a line here for each. */
const COMMANDS: readonly (() => Command)[] = [
  runCommand,
  exchangeCommand,
  planCommand,
  budgetCommand,
  ledgerCommand,
  statusCommand,
  ordersCommand,
  tradesCommand,
  balancesCommand,
  intentsCommand,
  reconcileCommand,
  haltCommand,
  resumeCommand,
  healthCommand,
  fuzzCommand,
];

function createProgram(): Command {
  const program = new Command('sarraf')
    .description('Trades on, simulates and backtests spot exchanges that have only a rate-limited REST interface.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride();
  for (const create of COMMANDS) program.addCommand(create().exitOverride());
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

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
