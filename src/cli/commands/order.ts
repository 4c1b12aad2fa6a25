import { separatedName } from '../../domain/money.ts';
import { Command, InvalidArgumentError } from 'commander';
import { Decimal } from 'decimal.js';
import type { MarketName } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { SarrafError } from '../../domain/errors.ts';
import { isoText } from '../../domain/time-text.ts';
import { callOf } from '../api/call-catalogue.ts';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { nameByHand, placerOf, checkedRequest, type CallRequest } from '../api/read-fields.ts';
import { printValue, valueOfCall, withSender, type ApiCallOptions } from '../api/run-call.ts';
import { findOrder, foundLines } from '../api/find-order.ts';
import { targetWords, withCallOptions, withTarget } from '../api/api-target.ts';
import { CommandError, wrongInput, programName } from '../command-error.ts';
import { timeOption } from '../data/data-options.ts';
import { KEY_HELP, postByHand } from '../post-by-hand.ts';
import { dataOption } from '../option-readers.ts';
import { placeByHandText } from '../../daemon/by-hand-text.ts';

const PLACE_HELP = `
The amount is in the currency that you buy or sell. Prices are in rial (not toman) or tether. The
prices say what kind of order it is:
  --price                          limit
  --market                         market; with --price it fills no worse than that
  --stop                           stop-market: a market order once the market reaches the price
  --price --stop                   stop-limit: a limit order once the market reaches the price
  --price --stop --stop-limit      OCO: a limit order at --price and a stop-limit order; one cancels the other
The order gets a clientOrderId that begins with "manual-". No bot treats it as its own. Only "sarraf
halt --whole-account" cancels it.
With --strategy the running bot places it in the book of that strategy, within its limits and locks. It
is tagged by-hand, and what it trades is the strategy's. With --dry-run beside it the bot runs its checks
alone and says what they would answer now.

Examples:
  sarraf order place buy BTCIRT 0.001 --price 50000000000
  sarraf order place sell BTCIRT 0.001 --market --price 49000000000 --yes --json
  sarraf order place sell BTCIRT 0.001 --stop 45000000000 --dry-run
  sarraf order place sell BTCIRT 0.001 --price 60000000000 --strategy grid --data /data --dry-run
  sarraf order place sell BTCIRT 0.001 --price 60000000000 --stop 45000000000 --stop-limit 44900000000`;

const CANCEL_HELP = `
If the order is one of an OCO that has not executed, both orders are canceled.

Examples:
  sarraf order cancel 2187
  sarraf order cancel manual-zyzjdpwh4g91 --yes`;

const STATUS_HELP = `
The clientOrderId finds only an open order; the id finds any order. To learn what became of an order whose
answer was lost, use "sarraf order find".

Examples:
  sarraf order status 2187
  sarraf order status manual-zyzjdpwh4g91 --json`;

const FIND_HELP = `
Looks in the open orders, in all orders and in the trades of the account. Do this before you send an order
again whose answer was lost. It says one of three things:
  found          it is there: do not send it again
  absent         two readings of all orders lack it, no trade since then can be its own, and it can not
                 arrive any more: you may send it again
  not yet known  it may still arrive, or something listed may be it: look again
Exit codes: 0 found, 3 absent, 4 not yet known; 1 and 2 as with the other commands.

Examples:
  sarraf order find manual-zyzjdpwh4g91 --sent 2026-01-05T10:20:00Z
  sarraf order find 2187 --json`;

/** Returns the request as typed, undefined for what was left out; the declaration checks the rest. */
export function placeRequest(
  side: string,
  of: { readonly market: string; readonly amount: string },
  options: Omit<BookOptions, 'data'>,
): CallRequest {
  const { base, quote } = marketOf(of.market);
  const { price, stop, stopLimit } = options;
  if (options.market === true && (stop !== undefined || stopLimit !== undefined))
    throw wrongInput(
      '--market: expected none beside --stop and --stop-limit: --stop alone is a stop-market order',
    );
  if (options.market !== true && price === undefined && stop === undefined)
    throw wrongInput('expected --price <price> for a limit order, or --market, or --stop <price>');
  if (stopLimit !== undefined && (price === undefined || stop === undefined))
    throw wrongInput('--stop-limit: expected --price and --stop beside it, for an OCO');
  const execution =
    stopLimit !== undefined
      ? 'limit'
      : stop === undefined
        ? options.market === true
          ? 'market'
          : 'limit'
        : price === undefined
          ? 'stop_market'
          : 'stop_limit';
  return {
    type: side,
    execution,
    srcCurrency: base,
    dstCurrency: quote,
    amount: of.amount,
    price,
    stopPrice: stop,
    stopLimitPrice: stopLimit,
    mode: stopLimit === undefined ? undefined : 'oco',
    clientOrderId: options.clientOrderId,
  };
}

function marketOf(text: string): MarketName {
  try {
    return parseMarket(text);
  } catch (error) {
    if (error instanceof SarrafError) throw wrongInput(error.message);
    throw error;
  }
}

/** Describes the value of the order, so that an extra zero is noticed. */
function worth({ amount, price, stopPrice, dstCurrency }: CallRequest): string {
  const at = price ?? stopPrice;
  if (typeof at !== 'string') return 'It has no price: it fills at whatever the market gives, within 1 %.';
  const value = new Decimal(String(amount)).times(at).toFixed();
  return `It is worth ${value.replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ',')} ${String(dstCurrency)} at ${at}.`;
}

/** Returns the fields for an order: `2187` is the exchange's id, anything else a name. */
function orderFields<Field extends 'id' | 'order'>(
  text: string,
  idField: Field,
): { readonly [Name in Field]: string } | { readonly clientOrderId: string } {
  return /^\d{1,16}$/.test(text)
    ? ({ [idField]: text } as { readonly [Name in Field]: string })
    : { clientOrderId: text };
}

function sideArgument(text: string): string {
  const side = text.toLowerCase();
  if (side === 'buy' || side === 'sell') return side;
  throw new InvalidArgumentError('expected buy or sell.');
}

function placeCommand(io: CommandIo): Command {
  const command = new Command('place')
    .description('Places an order by hand; asks first.')
    .argument('<side>', 'buy or sell', sideArgument)
    .argument('<market>', 'such as BTCIRT')
    .argument('<amount>', 'in the currency that is bought or sold')
    .option('--price <price>', 'price of a limit order; for a market order the worst price of a fill')
    .option('--market', 'a market order')
    .option('--stop <price>', 'price at which a stop order triggers')
    .option('--stop-limit <price>', 'price of the stop-limit order of an OCO')
    .option('--client-order-id <name>', 'a clientOrderId of your own, instead of manual-…')
    .option('--strategy <name>', 'has the running bot place it, in the book of this strategy')
    .addOption(dataOption('with --strategy: the data folder of the bot'))
    .option('--key <text>', `with --strategy: ${KEY_HELP}`)
    .addHelpText('after', PLACE_HELP)
    .action(async (side: string, market: string, amount: string, options: BookOptions) => {
      const fields = checkedRequest('addOrder', placeRequest(side, { market, amount }, options));
      if (options.strategy !== undefined) {
        await placeInBook(options.strategy, { request: fields, market, options, worth: worth(fields), io });
        return;
      }
      const request = nameByHand(fields);
      const placed = await valueOfCall('addOrder', { request, options, io, warning: worth(request) });
      if (placed === null) return;
      printValue(placed, { options, io }, () => {
        const { order, pair } = placed;
        return [
          `placed ${order.id ?? ''} ${order.clientOrderId ?? ''}: ${order.status ?? 'no status'}, filled ${order.matchedAmount} of ${order.amount}`,
          ...(pair === null
            ? []
            : [`and ${pair.id ?? ''}, which wakes at ${pair.stopPrice ?? ''}: ${pair.status ?? ''}`]),
        ];
      });
    });
  return withCallOptions(command, callOf('addOrder'));
}

function cancelCommand(io: CommandIo): Command {
  const command = new Command('cancel')
    .description('Cancels one open order of the account; asks first.')
    .argument('<order>', 'its id, or its clientOrderId')
    .addHelpText('after', CANCEL_HELP)
    .action(async (text: string, options: ApiCallOptions) => {
      const request = checkedRequest('updateOrderStatus', {
        ...orderFields(text, 'order'),
        status: 'canceled',
      });
      const warning = 'clientOrderId' in request ? { warning: `It was placed ${placerOf(text)}.` } : {};
      const value = await valueOfCall('updateOrderStatus', { request, options, io, ...warning });
      if (value === null) return;
      printValue(value, { options, io }, () => {
        const { order, updatedStatus } = value;
        const filled = order === null ? '' : `, filled ${order.matchedAmount} of ${order.amount}`;
        return [`${text} is ${updatedStatus ?? 'canceled'}${filled}`];
      });
    });
  return withCallOptions(command, callOf('updateOrderStatus'));
}

function statusCommand(io: CommandIo): Command {
  const command = new Command('status')
    .description('Shows one order as the exchange has it, and who placed it.')
    .argument('<order>', 'its id, or the clientOrderId of an open order')
    .addHelpText('after', STATUS_HELP)
    .action(async (text: string, options: ApiCallOptions) => {
      const order = await valueOfCall('orderStatus', {
        request: checkedRequest('orderStatus', orderFields(text, 'id')),
        options,
        io,
      });
      if (order === null) return;
      printValue({ placed: placerOf(order.clientOrderId), ...order }, { options, io });
    });
  return withCallOptions(command, callOf('orderStatus'));
}

interface FindOptions extends ApiCallOptions {
  readonly sent?: number;
}

const ABSENT = 3;
const NOT_YET_KNOWN = 4;

function findCommand(io: CommandIo): Command {
  const command = new Command('find')
    .description('Looks whether an order is at the exchange whose answer was lost.')
    .argument('<order>', 'its id, or its clientOrderId')
    .option('--sent <time>', 'when it can have been sent last, such as 2026-01-05T10:20:00Z', timeOption)
    .addHelpText('after', FIND_HELP)
    .action(async (text: string, options: FindOptions) => {
      const request = checkedRequest('orderStatus', orderFields(text, 'id'));
      const { sent: sentAtMs = null } = options;
      const call = callOf('orderStatus');
      const found = await withSender({ call, request, options, io }, async (caller, { execution }) =>
        findOrder({ caller, wanted: orderFields(text, 'id'), sentAtMs, ...execution, nowMs: Date.now }),
      );
      if (found === null) return;
      const sent = sentAtMs === null ? [] : ['--sent', isoText(sentAtMs)];
      const words = [programName(), 'order', 'find', text, ...sent, ...targetWords(options)];
      const lines = foundLines(found, { name: text, command: words.join(' ') });
      const isFound = found.outcome === 'found';
      if (isFound || options.json === true) printValue(found, { options, io }, () => lines);
      if (!isFound)
        throw new CommandError(lines.join('\n'), found.outcome === 'absent' ? ABSENT : NOT_YET_KNOWN);
    });
  return withTarget(command);
}

export function orderCommand(io: CommandIo = MACHINE_IO): Command {
  return new Command('order')
    .description('Places, cancels, shows or finds one order by hand, beside a bot or without one.')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf order place buy BTCIRT 0.001 --price 50000000000\n  sarraf order status 2187\n  sarraf order cancel 2187',
    )
    .addCommand(placeCommand(io).exitOverride())
    .addCommand(cancelCommand(io).exitOverride())
    .addCommand(statusCommand(io).exitOverride())
    .addCommand(findCommand(io).exitOverride());
}

interface BookOptions extends ApiCallOptions {
  readonly strategy?: string;
  readonly data: string;
  readonly key?: string;
  readonly price?: string;
  readonly stop?: string;
  readonly stopLimit?: string;
  readonly market?: true;
  readonly clientOrderId?: string;
}

/** Places the order through the running bot, in the book of one of its strategies. */
async function placeInBook(
  strategy: string,
  of: {
    /** Request that was checked. */
    readonly request: CallRequest;
    readonly market: string;
    readonly options: BookOptions;
    /** Value of the order, for the person asked. */
    readonly worth: string;
    readonly io: CommandIo;
  },
): Promise<void> {
  const { request, options, worth, io } = of;
  refuseOthers(options);
  const { symbol } = parseMarket(of.market);
  const side = request['type'] === 'sell' ? 'sell' : 'buy';
  const amount = new Decimal(String(request['amount'])).toFixed();
  const price = decimalOf(options.price);
  const stopPrice = decimalOf(options.stop);
  const order = { strategy, market: symbol, side, amount, price, stopPrice } as const;
  const { dryRun = false } = options;
  await postByHand({
    request: { kind: 'place', ...order, ...(dryRun ? { isDryRun: true } : {}) },
    options: dryRun ? { ...options, yes: true } : options,
    question: () => placeByHandText(order, worth),
    otherwise: 'without --strategy the order is placed on the account itself',
    io,
  });
}

/** Returns a checked number without an exponent; null if it was left out. */
const decimalOf = (typed: string | undefined): string | null =>
  typed === undefined ? null : new Decimal(typed).toFixed();

const NOT_IN_A_BOOK = [
  ...(['config', 'url', 'tokenFile', 'ledgerFolder', 'wait'] as const),
  ...(['clientOrderId', 'stopLimit'] as const),
];

/** Throws for options that are not for a bot's order. */
function refuseOthers(options: BookOptions): void {
  const given = NOT_IN_A_BOOK.filter((name) => options[name] !== undefined).map(
    (name) => `--${separatedName(name, '-')}`,
  );
  if (given.length > 0)
    throw wrongInput(
      `${given.join(', ')}: expected none beside --strategy: the running bot places the order`,
    );
  if (options.market === true && options.price !== undefined)
    throw wrongInput('--price: expected none beside --market and --strategy: the bot bounds market orders');
}
