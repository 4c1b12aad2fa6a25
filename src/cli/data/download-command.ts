import type { Command } from 'commander';
import { marketOption } from '../option-readers.ts';
import { asCommand, dataCommand, timeframeOption, timeOption } from './data-options.ts';
import type { DownloadCommandOptions } from './download-from-exchange.ts';

const EXAMPLES = `  sarraf data download --market BTCIRT --timeframe 1m --from 2024-01-01 --to 2024-02-01 --config bot.yaml
  sarraf data download --market BTCIRT --timeframe 1h --from 2024-01-01 --address http://127.0.0.1:8900`;

/** `sarraf data download`: candles of an exchange, into the catalogue. */
export function downloadCommand(): Command {
  return dataCommand('download', {
    description:
      'Loads candles from an exchange, under the limits that all processes of this machine share. It can be ended and goes on where it was.',
    examples: EXAMPLES,
  })
    .requiredOption('--market <market>', 'whose candles', marketOption)
    .requiredOption('--timeframe <timeframe>', 'of the candles', timeframeOption)
    .requiredOption('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time, without it; now without this', timeOption)
    .option('--address <url>', 'where the exchange is')
    .option('--config <file>', 'configuration of a bot, whose exchange it is')
    .action(async (options: DownloadCommandOptions) => asCommand(async () => run(options)));
}

/**
 * What speaks with an exchange is loaded when it is needed: the other commands for data share this one's
 * start.
 */
async function run(options: DownloadCommandOptions): Promise<void> {
  const { downloadFromExchange } = await import('./download-from-exchange.ts');
  await downloadFromExchange(options);
}
