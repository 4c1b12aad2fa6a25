import type { Command } from 'commander';
import { marketOption } from '../option-readers.ts';
import { asCommand } from '../as-command.ts';
import { dataCommand, timeframeOption, timeOption } from './data-options.ts';
import type { DownloadCommandOptions } from './download-from-exchange.ts';

const EXAMPLES = `  sarraf data download --market BTCIRT --timeframe 1m --from 2024-01-01 --to 2024-02-01 --config bot.yaml
  sarraf data download --market BTCIRT --timeframe 1h --from 2024-01-01 --address http://127.0.0.1:8900`;

export function downloadCommand(): Command {
  return dataCommand('download', {
    description:
      'Downloads candles from an exchange, under the limits that all processes of this machine share. If you end it, run it again: it goes on from there.',
    examples: EXAMPLES,
  })
    .requiredOption('--market <market>', 'market of the candles', marketOption)
    .requiredOption('--timeframe <timeframe>', 'timeframe of the candles', timeframeOption)
    .requiredOption('--from <time>', 'first candle to download', timeOption)
    .option('--to <time>', 'end, which is not included (default: now)', timeOption)
    .option('--address <url>', 'address of the exchange')
    .option('--config <file>', 'configuration of a bot, whose exchange is used')
    .action(async (options: DownloadCommandOptions) => asCommand(async () => run(options)));
}

/**
 * Loads the code that connects to an exchange only when needed: the other data commands share this one's
 * start.
 */
async function run(options: DownloadCommandOptions): Promise<void> {
  const { downloadFromExchange } = await import('./download-from-exchange.ts');
  await downloadFromExchange(options);
}
