import { mkdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { Override } from '../../daemon/read-bot-config.ts';
import { beginServer, otherPortText } from '../../dashboard/begin-dashboard.ts';
import { LabServer } from '../../lab/lab-server.ts';
import { pageFolder } from '../../plugins/own-files.ts';
import { asWrongInput } from '../command-error.ts';
import { untilStopped } from '../end-signal.ts';
import { dataOption, durationOption, integerOption } from '../option-readers.ts';
import { readConfig } from '../read-config.ts';

interface Options {
  readonly config?: string;
  readonly data?: string;
  readonly catalogue?: string;
  readonly strategies: string;
  readonly host?: string;
  readonly port?: number;
  readonly insecure?: true;
  readonly jobs: number;
  readonly workers: number;
  readonly memory: number;
  readonly longest?: number;
  readonly json?: true;
}

/** Port that is tried first, and then the next ones; that of the bot's page is 8420. */
const USUAL_PORT = 8_430;

const LARGEST_PORT = 65_535;
const MOST_JOBS = 8;
const MOST_WORKERS = 64;
const MEMORY_MB = { least: 128, most: 1_048_576, usual: 2_048 };
const LONGEST_MS = 6 * 3_600_000;

/** Niceness of the server itself; its jobs have the highest of all. */
const NICENESS = 10;

const EXAMPLES = `
It lists strategies and data, and runs backtests, studies and data commands, one after another: each in
a process of its own, with the lowest priority and with limits of memory and time. Each run is counted as
a trial on its data. A bot beside it does not notice it. docs/lab.md explains it.
Files are written below the data folder alone. Candles are downloaded from the exchange of --config.
Exit codes: 0 it was ended, 1 it could not begin, 2 an option is wrong.

Examples:
  sarraf lab
  sarraf lab --config bot.yaml --strategies my-strategies --memory 1024
  sarraf lab --data /data --port 8431 --json`;

/** Returns the settings that options override. */
function overridesOf({ data, host, port, insecure }: Options): readonly Override[] {
  return [
    ...(data === undefined ? [] : [['data.folder', JSON.stringify(resolve(data))] as const]),
    ...(host === undefined ? [] : [['dashboard.host', JSON.stringify(host)] as const]),
    ['dashboard.port', String(port ?? USUAL_PORT)],
    ...(insecure === true ? [['dashboard.insecure', 'true'] as const] : []),
  ];
}

async function run({ longest = LONGEST_MS, ...options }: Options): Promise<void> {
  const config = readConfig(options.config ?? null, overridesOf(options), { isOffline: true });
  const dataFolder = resolve(config.data.folder);
  const { host, hosts, tls } = config.dashboard;
  const isSeen = options.json !== true && process.stdout.isTTY;
  mkdirSync(dataFolder, { recursive: true });
  setPriority(NICENESS);
  try {
    const { server, begun } = await beginServer(
      {
        dataFolder,
        host,
        hosts,
        tls,
        pageFolder: pageFolder(),
        port: options.port ?? USUAL_PORT,
        isPortProposed: options.port === undefined,
        language: config.language,
        wantsLink: isSeen,
      },
      (settings) =>
        new LabServer({
          ...settings,
          catalogue: resolve(options.catalogue ?? join(dataFolder, 'catalogue')),
          strategiesFolder: resolve(options.strategies),
          exchange: options.config === undefined ? [] : ['--config', resolve(options.config)],
          limits: {
            atOnce: options.jobs,
            workers: options.workers,
            memoryMb: options.memory,
            longestMs: longest,
            niceness: constants.priority.PRIORITY_LOW,
          },
          onError: console.error,
        }),
    );
    const { address, tokenFile, link, busyPort } = begun;
    if (busyPort !== null) console.error(otherPortText(busyPort, address));
    if (options.json === true) console.log(JSON.stringify({ address, tokenFile }));
    else console.log(`lab at ${address}${tokenFile === null ? '' : `, token in ${tokenFile}`}`);
    if (link !== null) console.log(`sign in once, within ten minutes: ${link}`);
    await untilStopped();
    await server.close();
  } catch (error) {
    throw asWrongInput(error);
  }
}

export function labCommand(): Command {
  return new Command('lab')
    .description(
      'Serves a page that runs backtests, studies and data commands, each in a process of its own.',
    )
    .option('--config <file>', 'configuration of a bot: its data folder, language, exchange and page')
    .addOption(dataOption('data folder (default: that of --config, else "data")', null))
    .option('--catalogue <folder>', 'folder of the recordings (default: catalogue in the data folder)')
    .option('--strategies <folder>', 'folder with own strategies', 'strategies')
    .option('--host <address>', 'address that it listens at')
    .option('--port <number>', 'its port; 0 takes a free one', integerOption(0, LARGEST_PORT))
    .option('--insecure', 'lets other machines reach it without TLS')
    .option('--jobs <number>', 'jobs at once', integerOption(1, MOST_JOBS), 1)
    .option('--workers <number>', 'trials of a study at once', integerOption(1, MOST_WORKERS), 1)
    .option(
      '--memory <MB>',
      'memory of one job',
      integerOption(MEMORY_MB.least, MEMORY_MB.most),
      MEMORY_MB.usual,
    )
    .option('--longest <length>', 'longest time of one job, such as 30m (default: 6h)', durationOption)
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
