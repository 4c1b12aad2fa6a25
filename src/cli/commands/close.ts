import { Command } from 'commander';
import { closeText, holdsText, cancelNeedText } from '../../daemon/by-hand-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { dataOption, marketOption } from '../option-readers.ts';
import { ownOpenOrders } from '../follow-command.ts';
import { KEY_HELP, postByHand, type PostedOptions } from '../post-by-hand.ts';
import { readMirror } from '../read-mirror.ts';
import { strategyStatus } from '../../mirror/strategy-status.ts';

const EXAMPLES = `
It ends the algorithms of the strategy in the coin of the market, its brackets too, and cancels its
orders there. Once these are at their end it sells at the market what is left, or buys back what is
owed: never more than the strategy itself holds. Without a market it does so in each coin. Meanwhile the
strategy places nothing there; afterwards it trades on, so pause it first if it is to stay out.
It passes locks and pauses. A halt takes no orders at all, so it is refused then.
Exit codes: 0 nothing is left but what is too little for an order, 1 something is left or no bot runs,
2 an option is wrong or nobody typed "yes".

Examples:
  sarraf close grid
  sarraf close grid BTCIRT
  sarraf pause grid && sarraf close grid --yes`;

/** Describes a strategy's holdings by the mirror. */
function heldText(strategy: string, { data }: PostedOptions, market: MarketSymbol | null): string {
  try {
    const row = readMirror({ data }, (reader) =>
      reader.summary().strategies.find(({ name }) => name === strategy),
    );
    if (row === undefined) return `what ${strategy} holds is not known`;
    const { positions } = strategyStatus(row, null).figures;
    const coin = market === null ? null : parseMarket(market).base;
    const held = Object.entries(positions).filter(
      ([asset, text]) => text !== '0' && (coin === null || asset === coin),
    );
    return holdsText(strategy, held);
  } catch (error) {
    if (error instanceof SarrafError) return `what ${strategy} holds is not known`;
    throw error;
  }
}

async function run(
  strategy: string,
  market: MarketSymbol | undefined,
  options: PostedOptions,
): Promise<void> {
  const where = market ?? null;
  await postByHand({
    request: { kind: 'close', strategy, market: where },
    options,
    question: () => {
      const count = ownOpenOrders(options.data, { strategy, market: where });
      const need = count === null ? 'how many orders are open is not known' : cancelNeedText(count);
      return closeText({ strategy, market: where, holds: heldText(strategy, options, where), need });
    },
    otherwise: '"sarraf order place sell … --market" sells on the account itself',
  });
}

export function closeCommand(): Command {
  return new Command('close')
    .description('Closes the position of one strategy: cancels its orders there, and sells what it holds.')
    .argument('<strategy>', 'its name, as "sarraf status" shows it')
    .argument('[market]', 'the market, such as BTCIRT; without it every coin', marketOption)
    .addOption(dataOption("the bot's data folder"))
    .option('--key <text>', KEY_HELP)
    .option('--yes', 'does not ask')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
