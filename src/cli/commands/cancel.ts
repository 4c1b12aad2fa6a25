import { Command } from 'commander';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { wrongInput } from '../command-error.ts';
import { dataOption, marketOption } from '../option-readers.ts';
import { cancelManyText, cancelOneText, cancelNeedText } from '../../daemon/by-hand-text.ts';
import { ownOpenOrders } from '../follow-command.ts';
import { KEY_HELP, postByHand, type PostedOptions } from '../post-by-hand.ts';

interface Options extends PostedOptions {
  readonly strategy?: string;
  readonly market?: MarketSymbol;
  readonly all?: true;
}

const EXAMPLES = `
Of a strategy, of a market or of all, the algorithms there end as well: they would place again. Of one
order the algorithm goes on, and the result says what it does next. Strategies trade on: "sarraf pause"
stops one. The result names positions that no stop covers any more.
The running bot does it, with its own reserve of cancels. Orders of others are left alone.
Exit codes: 0 canceled, 1 not all or no bot runs, 2 an option is wrong or nobody typed "yes".

Examples:
  sarraf cancel bot-grid-k3v9-12
  sarraf cancel --strategy grid
  sarraf cancel --strategy grid --market BTCIRT --yes
  sarraf cancel --all --data /data`;

async function run(order: string | undefined, options: Options): Promise<void> {
  const { strategy = null, market = null, all, data } = options;
  const isMany = strategy !== null || market !== null;
  if ([order !== undefined, isMany, all === true].filter(Boolean).length !== 1)
    throw wrongInput('expected an order, or --strategy and --market, or --all: one of them');
  const cost = (): string => {
    const count = ownOpenOrders(data, { strategy, market });
    return count === null ? 'how many orders are open is not known' : cancelNeedText(count);
  };
  await postByHand({
    request: { kind: 'cancel', order: order ?? null, strategy, market },
    options,
    question: () => (order === undefined ? cancelManyText(cost()) : cancelOneText(order)),
    ...(order === undefined ? { cost } : {}),
    otherwise:
      '"sarraf halt --config bot.yaml" cancels all orders of a bot that does not run, "sarraf order cancel" one',
  });
}

export function cancelCommand(): Command {
  return new Command('cancel')
    .description('Cancels one order of the running bot, or those of a strategy, of a market or all.')
    .argument('[order]', 'its clientOrderId, or its id at the exchange')
    .option('--strategy <name>', 'those of this strategy')
    .option('--market <market>', 'those in this market', marketOption)
    .option('--all', 'every order of the bot')
    .addOption(dataOption("the bot's data folder"))
    .option('--key <text>', KEY_HELP)
    .option('--yes', 'does not ask')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
