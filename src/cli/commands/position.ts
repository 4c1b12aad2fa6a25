import { Command } from 'commander';
import { Decimal } from 'decimal.js';
import { positionText } from '../../daemon/by-hand-text.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { PositionCommand } from '../../engine/engine-event.ts';
import { wrongInput } from '../command-error.ts';
import { marketOption } from '../option-readers.ts';
import { KEY_HELP, postByHand, type PostedOptions } from '../post-by-hand.ts';

interface Options extends PostedOptions {
  readonly price?: string;
}

const HELP = `
Says what became of coins that somebody has closed or moved by hand. It changes the books of strategies and
nothing at the exchange, and each is in the journal and in "sarraf statement". While it is not clear whether
a position is still there, the bot places no exit for it: any of the three clears that.
Without an amount, write-off and move take all that the strategy holds, and adopt says that what it holds is
there. Coins that an order sells can not be moved: cancel it first.
--price is what one coin was sold for, or is to count with, in the quote currency; the price of now without it.
Exit codes: 0 done, 1 refused or no bot runs, 2 an option is wrong or nobody typed "yes".

Examples:
  sarraf position adopt grid BTCIRT                          what grid holds is there: its exit comes again
  sarraf position adopt grid BTCIRT 0.5 --price 50000000000  coins that were there before
  sarraf position write-off grid BTCIRT --price 51000000000  sold or taken away by hand
  sarraf position move grid trend BTCIRT 0.2 --yes           from strategy to strategy`;

function decimal(text: string, what: string): string {
  if (!/^\d{1,30}(?:\.\d{1,20})?$/.test(text) || new Decimal(text).isZero())
    throw wrongInput(`${what}: expected a positive decimal, was "${text}"`);
  return new Decimal(text).toFixed();
}

async function signalBot(
  of: Pick<PositionCommand, 'act' | 'strategy' | 'to' | 'market'>,
  amount: string | undefined,
  options: Options,
): Promise<void> {
  const { price } = options;
  const request = {
    kind: 'position' as const,
    ...of,
    amount: amount === undefined ? null : decimal(amount, 'amount'),
    price: price === undefined ? null : decimal(price, '--price'),
  };
  await postByHand({
    request,
    options,
    question: () => positionText(request),
    otherwise: 'the books of a strategy are changed by the bot that runs',
  });
}

function act(name: PositionCommand['act'], description: string): Command {
  const command = new Command(name)
    .description(description)
    .argument('<strategy>', 'its name, as "sarraf status" shows it');
  return name === 'move' ? command.argument('<to>', 'the strategy that has them from now on') : command;
}

function withOptions(command: Command): Command {
  return command
    .argument('<market>', 'a market of the coin, such as BTCIRT', marketOption)
    .argument('[amount]', 'of the coin; without it all that the strategy holds')
    .option('--price <price>', 'of one coin, in the quote currency of the market')
    .option('--data <folder>', "the bot's data folder", 'data')
    .option('--key <text>', KEY_HELP)
    .option('--yes', 'does not ask')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .exitOverride();
}

export function positionCommand(): Command {
  const one = (kind: 'adopt' | 'write-off', description: string): Command =>
    withOptions(act(kind, description)).action(
      async (strategy: string, market: MarketSymbol, amount: string | undefined, options: Options) =>
        signalBot({ act: kind, strategy, to: null, market }, amount, options),
    );
  return new Command('position')
    .description('Says what became of coins that somebody has closed or moved by hand.')
    .addHelpText('after', HELP)
    .addCommand(one('adopt', 'A strategy has these coins of the account.'))
    .addCommand(one('write-off', 'A strategy has these coins no more.'))
    .addCommand(
      withOptions(act('move', 'Another strategy has these coins.')).action(
        async (
          strategy: string,
          to: string,
          market: MarketSymbol,
          amount: string | undefined,
          options: Options,
        ) => signalBot({ act: 'move', strategy, to, market }, amount, options),
      ),
    );
}
