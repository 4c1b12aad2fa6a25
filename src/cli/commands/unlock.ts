import { Command } from 'commander';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { wrongInput } from '../command-error.ts';
import { dataOption, marketOption } from '../option-readers.ts';
import { checkTarget, lockNameOption, postLock, type LockTarget } from '../post-lock.ts';

interface Options extends LockTarget {
  readonly name?: string;
}

const EXAMPLES = `
Ends the locks that are about exactly this: "sarraf unlock BTCIRT" leaves a lock of all markets, and
says that it holds. With --name it ends locks of that name alone. What a rule has counted towards its
lock is forgotten. Locks of hours and dates stay: change the configuration.
Exit codes: 0 ended, or waits for the next start; 1 no such lock held, or the bot could not take it;
2 an option is wrong.

Examples:
  sarraf unlock BTCIRT
  sarraf unlock BTCIRT --name news
  sarraf unlock --name cooldown
  sarraf unlock --all`;

async function run(market: MarketSymbol | undefined, options: Options): Promise<void> {
  checkTarget(market, options, options.name === undefined ? ' or --name' : null);
  const { strategy = null, name = null, all } = options;
  if (all === true && name !== null) throw wrongInput('expected --all or --name, were both');
  const isAll = market === undefined && strategy === null;
  await postLock({ kind: 'unlock', name, strategy, market: market ?? null, isAll }, options);
}

export function unlockCommand(): Command {
  return new Command('unlock')
    .description('Ends locks before their time.')
    .argument('[market]', 'locks of this market, such as BTCIRT', marketOption)
    .option('--strategy <name>', 'locks of this strategy')
    .option('--name <name>', 'locks of this name', lockNameOption)
    .option('--all', 'every lock, but those of hours and dates')
    .addOption(dataOption("the bot's data folder"))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
