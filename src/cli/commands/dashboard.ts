import { resolve } from 'node:path';
import { Command } from 'commander';
import { beginDashboard, otherPortText } from '../../dashboard/begin-dashboard.ts';
import { pageFolder } from '../../plugins/own-files.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import { checkBotFolder, dataOption, integerOption } from '../option-readers.ts';
import { asWrongInput, wrongInput } from '../command-error.ts';
import { untilStopped } from '../end-signal.ts';
import { readConfig } from '../read-config.ts';

interface Options {
  readonly config?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
  readonly insecure?: true;
  readonly json?: true;
}

const LARGEST_PORT = 65_535;

const EXAMPLES = `
It reads the data folder and asks the exchange for nothing. It serves whether a bot runs or not, and goes
on when the bot ends. Commands that are given on the page wait in the folder for the bot.
The first start writes a token to "dashboard-token" in the data folder; "sarraf token" makes others.
Exit codes: 0 it was ended, 1 it could not begin, 2 an option is wrong.

Examples:
  sarraf dashboard
  sarraf dashboard --config bot.yaml --port 8421
  sarraf dashboard --data /data --json`;

/** Returns the settings that options override. */
function overridesOf({ data, host, port, insecure }: Options): readonly Override[] {
  const overrides: Override[] = [];
  if (data !== undefined) overrides.push(['data.folder', JSON.stringify(resolve(data))]);
  if (host !== undefined) overrides.push(['dashboard.host', JSON.stringify(host)]);
  if (port !== undefined) overrides.push(['dashboard.port', String(port)]);
  if (insecure === true) overrides.push(['dashboard.insecure', 'true']);
  return overrides;
}

async function run(options: Options): Promise<void> {
  const config = readConfig(options.config ?? null, overridesOf(options));
  const { folder } = config.data;
  checkBotFolder(folder);
  const { host, port, hosts, tls, lab, isPortWritten } = config.dashboard;
  if (port === null) throw wrongInput('expected dashboard.port, was null: name one with --port');
  const isSeen = options.json !== true && process.stdout.isTTY;
  try {
    const { server, begun } = await beginDashboard(
      {
        dataFolder: folder,
        pageFolder: pageFolder(),
        host,
        port,
        isPortProposed: !isPortWritten,
        hosts,
        tls,
        lab: lab ?? null,
        language: config.language,
        wantsLink: isSeen,
      },
      (message) => console.error(message),
    );
    const { address, tokenFile, link, busyPort } = begun;
    if (busyPort !== null) console.error(otherPortText(busyPort, address));
    if (options.json === true) console.log(JSON.stringify({ address, tokenFile }));
    else console.log(`page at ${address}${tokenFile === null ? '' : `, token in ${tokenFile}`}`);
    if (link !== null) console.log(`sign in once, within ten minutes: ${link}`);
    await untilStopped();
    await server.close();
  } catch (error) {
    throw asWrongInput(error);
  }
}

export function dashboardCommand(): Command {
  return new Command('dashboard')
    .description('Serves the page of a data folder from a process of its own, which outlives the bot.')
    .option('--config <file>', 'configuration of the bot, such as bot.yaml')
    .addOption(dataOption('the bot\'s data folder (default: that of --config, else "data")', null))
    .option('--host <address>', 'address that it listens at')
    .option('--port <number>', 'its port; 0 takes a free one', integerOption(0, LARGEST_PORT))
    .option('--insecure', 'lets other machines reach it without TLS')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
