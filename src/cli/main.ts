#!/usr/bin/env node
import { messageOf } from '../domain/errors.ts';
import { FAILED, OK } from './command-error.ts';
import { runSarraf } from './run-sarraf.ts';

// The output has lost its reader, as after `| head`: further output is dropped. A run has orders to end
// first, and sees to it itself.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount('error') > 1) return;
  if (error.code === 'EPIPE') process.exit(OK);
  throw error;
});
// The files describe an account: mirrors, ledgers, recordings and logs, with the files that SQLite puts
// beside them, are readable by the user only.
process.umask(0o077);
/** Ends the process after an uncaught error, and names the strategy whose promise or timer threw. */
async function endByCrash(error: unknown): Promise<void> {
  if (process.listenerCount('uncaughtException') > 1) return;
  const { strategyPlaceOf } = await import('../plugins/load-strategy.ts');
  const place = strategyPlaceOf(error);
  const message = messageOf(error);
  if (place === null) console.error(error);
  else
    console.error(
      `INVALID_STRATEGY: ${place}: threw outside of its handlers, where nothing catches it: ${message}`,
    );
  process.exit(FAILED);
}
process.on('uncaughtException', (error) => void endByCrash(error));
process.on('unhandledRejection', (reason) => void endByCrash(reason));
process.exitCode = await runSarraf(process.argv.slice(2));
