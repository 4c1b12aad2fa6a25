import { Command } from 'commander';
import { isDataFolderInUse } from '../../daemon/process-locks.ts';
import { askHealth, healthAddress, type HealthAnswer } from '../ask-health.ts';
import { failed } from '../command-error.ts';
import { integerOption, withBotFolder, type DataFolderOptions } from '../option-readers.ts';

interface Options extends DataFolderOptions {
  readonly port?: number;
  readonly ready?: true;
}

const EXAMPLES = `
Exit codes: 0 the bot is healthy, 1 it is not, or it does not run.

Examples:
  sarraf health
  sarraf health --ready --data /data
  sarraf health --port 9464`;

/** Returns the address to query; null if the running bot serves no health. */
function addressOf({ data, port }: Options): string | null {
  if (port !== undefined) return `http://127.0.0.1:${port}`;
  if (!isDataFolderInUse(data))
    throw failed(
      `expected a bot that runs with ${data}, found none: start it, or name its folder with --data`,
    );
  return healthAddress(data);
}

async function run(options: Options): Promise<void> {
  const address = addressOf(options);
  const isReady = options.ready === true;
  // Of a bot that serves no health only that it runs is known: enough to be live, not enough to be ready.
  const reasons = isReady ? ['the bot serves no health: set health.port'] : [];
  const found: HealthAnswer =
    address === null
      ? { ok: !isReady, reasons, locks: [] }
      : await askHealth(address + (isReady ? '/readyz' : '/healthz'));
  if (options.json === true) console.log(JSON.stringify(found));
  if (!found.ok) throw failed(found.reasons.join('\n'));
  if (options.json === true) return;
  if (address === null) console.log('runs; it serves no health (health.port), so nothing more is known');
  else console.log([isReady ? 'ready' : 'well', ...found.locks].join('\n'));
}

export function healthCommand(): Command {
  return withBotFolder(new Command('health'), "the bot's data folder")
    .description('Shows whether the running bot is healthy: its loop runs and it can write to its mirror.')
    .option(
      '--port <number>',
      'asks this port of this machine, instead of the one in the data folder',
      integerOption(1, 65_535),
    )
    .option('--ready', 'checks whether it can trade: fresh data, no lockout, no break, no halt')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
