import { Decimal } from 'decimal.js';
import { placeByHandText } from '../daemon/control/by-hand-text.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { ApiCallOptions } from './api/run-call.ts';
import type { CommandIo } from './api/command-io.ts';
import type { CallRequest } from './api/read-fields.ts';
import { wrongInput } from './command-error.ts';
import { postByHand } from './post-by-hand.ts';

/** Options of `sarraf order place` for an order in the book of a strategy. */
export interface BookOptions extends ApiCallOptions {
  readonly strategy?: string;
  readonly data: string;
  readonly key?: string;
  readonly price?: string;
  readonly stop?: string;
  readonly stopLimit?: string;
  readonly market?: true;
  readonly clientOrderId?: string;
}

/** Places what was typed through the running bot, in the book of one of its strategies. */
export async function placeInBook(
  strategy: string,
  of: {
    /** Checked before. */
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
  await postByHand({
    wish: { kind: 'place', ...order },
    options,
    question: () => placeByHandText(order, worth),
    otherwise: 'without --strategy the order is placed on the account itself',
    io,
  });
}

/** A number as it was typed and checked, without an exponent; null for what was left out. */
function decimalOf(typed: string | undefined): string | null {
  return typed === undefined ? null : new Decimal(typed).toFixed();
}

/** Refuses options that are not for a bot's order. */
function refuseOthers(options: BookOptions): void {
  const { config, url, tokenFile, ledgerFolder, wait, dryRun, clientOrderId, stopLimit } = options;
  const given = Object.entries({
    config,
    url,
    tokenFile,
    ledgerFolder,
    wait,
    dryRun,
    clientOrderId,
    stopLimit,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  if (given.length > 0)
    throw wrongInput(
      `${given.join(', ')}: expected none beside --strategy: the running bot places the order`,
    );
  if (options.market === true && options.price !== undefined)
    throw wrongInput('--price: expected none beside --market and --strategy: the bot bounds market orders');
}
