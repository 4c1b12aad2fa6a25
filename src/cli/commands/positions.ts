import { Command } from 'commander';
import { Decimal } from 'decimal.js';
import {
  approvalText,
  cancelManyText,
  cancelNeedText,
  cancelOneText,
  closeText,
  holdsText,
  noteText,
  positionText,
} from '../../daemon/by-hand-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { clockText } from '../../domain/time-text.ts';
import type { ApprovalCommand, PositionCommand } from '../../engine/engine-event.ts';
import { english, sentence } from '../../language/sentence.ts';
import { noteFields } from '../../records/rows.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { NOTE_ROWS } from '../../mirror/record-tables.ts';
import { strategyStatus } from '../../mirror/strategy-status.ts';
import { isEntry } from '../../mirror/trip-register.ts';
import { failed, wrongInput } from '../command-error.ts';
import { ownOpenOrders } from '../follow-command.ts';
import { marketOption } from '../option-readers.ts';
import { postByHand, withPosting, type PostedOptions } from '../post-by-hand.ts';
import { readMirror } from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';

interface CancelOptions extends PostedOptions {
  readonly strategy?: string;
  readonly market?: MarketSymbol;
  readonly all?: true;
}

const CANCEL_EXAMPLES = `
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

/** Describes the requests needed to cancel the open orders of a strategy and market. */
function needText(...of: Parameters<typeof ownOpenOrders>): string {
  const count = ownOpenOrders(...of);
  return count === null ? 'how many orders are open is not known' : cancelNeedText(count);
}

async function cancel(order: string | undefined, options: CancelOptions): Promise<void> {
  const { strategy = null, market = null, all, data } = options;
  const isMany = strategy !== null || market !== null;
  if ([order !== undefined, isMany, all === true].filter(Boolean).length !== 1)
    throw wrongInput('expected an order, or --strategy and --market, or --all: one of them');
  const cost = (): string => needText(data, { strategy, market });
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
  const command = new Command('cancel')
    .description('Cancels one order of the running bot, or those of a strategy, of a market or all.')
    .argument('[order]', 'its clientOrderId, or its id at the exchange')
    .option('--strategy <name>', 'those of this strategy')
    .option('--market <market>', 'those in this market', marketOption)
    .option('--all', 'every order of the bot')
    .addHelpText('after', CANCEL_EXAMPLES);
  return withPosting(command).action(cancel);
}

const CLOSE_EXAMPLES = `
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

async function close(
  strategy: string,
  market: MarketSymbol | undefined,
  options: PostedOptions,
): Promise<void> {
  const where = { strategy, market: market ?? null };
  await postByHand({
    request: { kind: 'close', ...where },
    options,
    question: () => {
      const holds = heldText(strategy, options, where.market);
      return closeText({ ...where, holds, need: needText(options.data, where) });
    },
    otherwise: '"sarraf order place sell … --market" sells on the account itself',
  });
}

export function closeCommand(): Command {
  const command = new Command('close')
    .description('Closes the position of one strategy: cancels its orders there, and sells what it holds.')
    .argument('<strategy>', 'its name, as "sarraf status" shows it')
    .argument('[market]', 'the market, such as BTCIRT; without it every coin', marketOption)
    .addHelpText('after', CLOSE_EXAMPLES);
  return withPosting(command).action(close);
}

interface PositionOptions extends PostedOptions {
  readonly price?: string;
}

const POSITION_HELP = `
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
  options: PositionOptions,
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
  return withPosting(command)
    .argument('<market>', 'a market of the coin, such as BTCIRT', marketOption)
    .argument('[amount]', 'of the coin; without it all that the strategy holds')
    .option('--price <price>', 'of one coin, in the quote currency of the market')
    .addHelpText('after', POSITION_HELP)
    .exitOverride();
}

export function positionCommand(): Command {
  const one = (kind: 'adopt' | 'write-off', description: string): Command =>
    withOptions(act(kind, description)).action(
      async (strategy: string, market: MarketSymbol, amount: string | undefined, options: PositionOptions) =>
        signalBot({ act: kind, strategy, to: null, market }, amount, options),
    );
  return new Command('position')
    .description('Says what became of coins that somebody has closed or moved by hand.')
    .addHelpText('after', POSITION_HELP)
    .addCommand(one('adopt', 'A strategy has these coins of the account.'))
    .addCommand(one('write-off', 'A strategy has these coins no more.'))
    .addCommand(
      withOptions(act('move', 'Another strategy has these coins.')).action(
        async (
          strategy: string,
          to: string,
          market: MarketSymbol,
          amount: string | undefined,
          options: PositionOptions,
        ) => signalBot({ act: 'move', strategy, to, market }, amount, options),
      ),
    );
}

const APPROVAL_HELP = `
Entries of a strategy with "approval" in the configuration wait until a person decides. "sarraf status" lists
them with their prices and the time that is left; docs/approvals.md explains them. An approved entry passes
every check of a new one. One whose price has left is refused.
Exit codes: 0 done, 1 it does not wait, was refused, or no bot runs, 2 an option is wrong or nobody typed "yes".

Examples:
  sarraf approve i3f
  sarraf decline i3f --yes --data /data`;

export function approvalCommand(kind: ApprovalCommand['kind']): Command {
  const command = new Command(kind)
    .description(
      kind === 'approve'
        ? 'Approves an entry that waits for a person: the running bot begins it.'
        : 'Declines an entry that waits for a person: nothing is sent.',
    )
    .argument('<entry>', 'its id, as "sarraf status" shows it')
    .addHelpText('after', APPROVAL_HELP);
  return withPosting(command).action(async (intent: string, options: PostedOptions) => {
    await postByHand({
      request: { kind, intent },
      options,
      question() {
        const entry = readMirror(options, (reader) => reader.intent(intent));
        if (entry?.approval !== 'waiting') throw failed(english(sentence('approval-unknown', { intent })));
        return approvalText(kind, entry);
      },
      otherwise: 'an entry is decided by the bot that made it',
    });
  });
}

interface NoteOptions extends PostedOptions {
  readonly tag: readonly string[];
  readonly remove?: true;
}

const NOTE_HELP = `
A note is of one purchase: of all trades in which what it bought is sold. A new note replaces the text and the
tags of the one before. A text has at most 500 characters in one line; there are at most 10 tags. The page of
trades shows notes, and filters by tag. Without a trade it lists the notes, also while no bot runs.
Exit codes: 0 done, 1 no bot runs, 2 an option is wrong or nobody typed "yes".

Examples:
  sarraf note
  sarraf note bot-grid-k3v9-12 "bought before the news" --tag news --tag late
  sarraf note bot-grid-k3v9-12 --remove --yes --data /data`;

function listNotes(options: NoteOptions): void {
  const notes = readMirror(options, ({ database }) => NOTE_ROWS.select(database, 'ORDER BY at_ms, entry')());
  const shown = notes.map(({ tags, ...note }) => ({ ...note, tags: JSON.parse(tags) as string[] }));
  print(options, { notes: shown }, () =>
    shown.length === 0
      ? ['No notes.']
      : rowLines(shown, {
          'time (UTC)': ({ atMs }) => clockText(atMs, Date.now()),
          trade: ({ entry }) => entry,
          by: ({ by }) => by ?? '',
          tags: ({ tags }) => tags.join(', '),
          note: ({ text }) => text,
        }),
  );
}

async function note(
  entry: string | undefined,
  text: string | undefined,
  options: NoteOptions,
): Promise<void> {
  const { tag: tags, remove } = options;
  if (entry === undefined) {
    listNotes(options);
    return;
  }
  if ((remove === true) === (text !== undefined || tags.length > 0))
    throw wrongInput('expected a text or --tag, or --remove without them');
  const read = noteFields.safeParse({ entry, text, tags });
  const [issue] = read.error?.issues ?? [];
  if (!read.success) throw wrongInput(`${issue?.path.join(' ')}: ${issue?.message}`);
  if (!readMirror(options, (reader) => isEntry(reader, entry)))
    throw failed(`expected the order of a purchase, as "sarraf trades" shows it, was "${entry}"`);
  await postByHand({
    request: { kind: 'note', ...read.data },
    options,
    question: () => noteText(read.data),
    otherwise: 'notes are stored by the bot that runs',
  });
}

export function noteCommand(): Command {
  const command = new Command('note')
    .description('Notes a text and tags on a trade, or lists the notes.')
    .argument('[trade]', 'the order that bought, or the key of a command that moved coins')
    .argument('[text]', 'the text')
    .option('--tag <tag>', 'a tag; may be given several times', (tag, tags: string[]) => [...tags, tag], [])
    .option('--remove', 'removes the text and all tags')
    .addHelpText('after', NOTE_HELP);
  return withPosting(command).action(note);
}
