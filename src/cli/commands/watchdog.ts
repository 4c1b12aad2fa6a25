import { resolve } from 'node:path';
import { Command } from 'commander';
import { alertsSetup } from '../../alerts/alerts-setup.ts';
import { WatchdogAlerts } from '../../alerts/watchdog-alerts.ts';
import { lengthText } from '../../domain/time-text.ts';
import { runWatchdog, watchdogText, isTrouble } from '../../daemon/watchdog.ts';
import { endSignal } from '../end-signal.ts';
import { readConfig } from '../read-config.ts';
import { dataOption } from '../option-readers.ts';

interface Options {
  readonly config: string;
  readonly data?: string;
  readonly json?: true;
}

const EXAMPLES = `
It is a process of its own, so that somebody speaks when the bot can not. It looks at the bot's
heartbeat once a second. It asks the exchange for nothing while the bot lives.
Exit codes: 0 it was ended by a signal, 1 another watchdog has the folder, 2 the configuration or an
option is wrong.

Examples:
  sarraf watchdog --config bot.yaml
  sarraf watchdog --config bot.yaml --data /data --json`;

async function watch(options: Options): Promise<void> {
  const overrides =
    options.data === undefined ? [] : [['data.folder', JSON.stringify(resolve(options.data))] as const];
  const config = readConfig(options.config, overrides);
  const { silentAfterMs, cancelEntriesAfterMs } = config.watchdog;
  const log = (line: { readonly event: string; readonly message: string }): void => {
    const atMs = Date.now();
    if (options.json === true) console.log(JSON.stringify({ atMs, ...line }));
    else console.log(`${new Date(atMs).toISOString()} ${line.message}`);
  };
  const cancels =
    cancelEntriesAfterMs === null
      ? 'cancels nothing'
      : `cancels its entries after ${lengthText(cancelEntriesAfterMs)}`;
  log({
    event: 'begin',
    message: `watches the bot of ${config.data.folder}: reports a silence of ${lengthText(silentAfterMs)}, ${cancels}`,
  });
  await using opened = new AsyncDisposableStack();
  const { signal } = opened.use(endSignal());
  const setup = alertsSetup(config, Date.now());
  const alerts =
    setup === null
      ? null
      : await WatchdogAlerts.open(setup, (level, message) => log({ event: level, message }));
  opened.defer(async () => alerts?.end());
  await runWatchdog({
    config,
    signal,
    onNews(news) {
      log({ event: news.kind, message: watchdogText(news), ...(isTrouble(news) ? { trouble: true } : {}) });
      alerts?.notify(news);
    },
  });
}

export function watchdogCommand(): Command {
  return new Command('watchdog')
    .description('Watches a bot from a process of its own: reports silence, and can cancel its entries.')
    .requiredOption('--config <file>', 'configuration of the bot, such as bot.yaml')
    .addOption(dataOption('data folder of the bot, instead of the configured one', null))
    .option('--json', 'prints JSON lines')
    .addHelpText('after', EXAMPLES)
    .action(watch);
}
