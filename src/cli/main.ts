#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { Command, CommanderError } from 'commander';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { CommandError } from './command-error.ts';
import { FAILED, OK, WRONG_INPUT } from './exit-codes.ts';

/** Every command, one a file: a line here for each. They are loaded when they are named, since all of them take a second. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.ts')).runCommand(),
  exchange: async () => (await import('./commands/exchange.ts')).exchangeCommand(),
  backtest: async () => (await import('./commands/backtest.ts')).backtestCommand(),
  parity: async () => (await import('./commands/parity.ts')).parityCommand(),
  plan: async () => (await import('./commands/plan.ts')).planCommand(),
  budget: async () => (await import('./commands/budget.ts')).budgetCommand(),
  api: async () => (await import('./commands/api.ts')).apiCommand(),
  order: async () => (await import('./commands/order.ts')).orderCommand(),
  withdraw: async () => (await import('./commands/withdraw.ts')).withdrawCommand(),
  'deposit-address': async () => (await import('./commands/deposit-address.ts')).depositAddressCommand(),
  login: async () => (await import('./commands/login.ts')).loginCommand(),
  gateway: async () => (await import('./commands/gateway.ts')).gatewayCommand(),
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  orders: async () => (await import('./commands/orders.ts')).ordersCommand(),
  trades: async () => (await import('./commands/trades.ts')).tradesCommand(),
  balances: async () => (await import('./commands/balances.ts')).balancesCommand(),
  intents: async () => (await import('./commands/intents.ts')).intentsCommand(),
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand(),
  halt: async () => (await import('./commands/halt.ts')).haltCommand(),
  resume: async () => (await import('./commands/resume.ts')).resumeCommand(),
  health: async () => (await import('./commands/health.ts')).healthCommand(),
  report: async () => (await import('./commands/report.ts')).reportCommand(),
  record: async () => (await import('./commands/record.ts')).recordCommand(),
  data: async () => (await import('./commands/data.ts')).dataCommands(),
  fuzz: async () => (await import('./commands/fuzz.ts')).fuzzCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(() => createProgram(undefined)),
};

/** The program with the command that is named, or, where none is, with all of them. */
async function createProgram(named: string | undefined): Promise<Command> {
  const program = new Command('sarraf')
    .description('Trades on, simulates and backtests spot exchanges that have only a rate-limited REST interface.')
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride();
  const one = named === undefined || !Object.hasOwn(COMMANDS, named) ? undefined : COMMANDS[named];
  const wanted = one === undefined ? Object.values(COMMANDS) : [one];
  for (const command of await Promise.all(wanted.map(async (load) => load())))
    program.addCommand(command.exitOverride());
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
// Compiling all that a run needs takes longer than starting it.
enableCompileCache();
try {
  const program = await createProgram(process.argv[2]);
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
