import { join } from 'node:path';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { InvalidArgumentError, type Command } from 'commander';
import type { BarAnchor, Timeframe } from '../../domain/candle.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { resample } from '../../recording/resample.ts';
import { wrongInput } from '../command-error.ts';
import { marketOption } from '../option-readers.ts';
import { asCommand } from '../as-command.ts';
import {
  ANCHOR_HELP,
  anchorOption,
  dataCommand,
  rangeOption,
  timeframeOption,
  timeOption,
  type DataOptions,
} from './data-options.ts';
import { conflictLines, outcomeText } from './import-command.ts';

interface ResampleOptions extends DataOptions {
  readonly market: MarketSymbol;
  readonly of?: Timeframe | 'trades';
  readonly timeframe: Timeframe;
  readonly anchor?: BarAnchor;
  readonly from?: number;
  readonly to?: number;
}

const RESAMPLE_EXAMPLES = `  sarraf data resample --market BTCIRT --timeframe 1h
  sarraf data resample --market BTCIRT --of trades --timeframe 1m`;

export function resampleCommand(): Command {
  return dataCommand('resample', {
    description: 'Makes coarser candles from finer ones, or from trades, and adds them to the catalogue.',
    examples: RESAMPLE_EXAMPLES,
  })
    .requiredOption('--market <market>', 'market of the data', marketOption)
    .requiredOption('--timeframe <timeframe>', 'timeframe of the new candles', timeframeOption)
    .option('--anchor <zone>', ANCHOR_HELP, anchorOption)
    .option('--of <what>', 'a timeframe, or trades (default: the coarsest candles that fit)', sourceOption)
    .option('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time, which is not included', timeOption)
    .action(async (options: ResampleOptions) => asCommand(async () => run(options)));
}

function sourceOption(text: string): Timeframe | 'trades' {
  if (text === 'trades') return text;
  try {
    return timeframeOption(text);
  } catch {
    throw new InvalidArgumentError('expected a timeframe, or trades.');
  }
}

async function run(options: ResampleOptions): Promise<void> {
  const { market, timeframe } = options;
  const { from, outcome } = await resample(openCatalogue(options.catalogue), {
    market,
    from: options.of ?? null,
    to: timeframe,
    anchor: options.anchor ?? null,
    range: rangeOption(options),
  });
  if (options.json === true) console.log(JSON.stringify({ market, of: from, timeframe, outcome }));
  else {
    console.log(`${market} candles-${timeframe} of ${from}: ${outcomeText(outcome)}`);
    for (const line of conflictLines(outcome)) console.log(line);
  }
  if (outcome.kind === 'conflict') {
    throw wrongInput(
      `expected the candles of ${timeframe} in the catalogue to agree with those of ${from}; nothing was changed. Move ${join(options.catalogue, market, `candles-${timeframe}`)} away to make them again`,
    );
  }
}
