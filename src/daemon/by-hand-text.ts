import { countText } from '../domain/money.ts';
import type { ApprovalCommand, NoteCommand, PlaceCommand, PositionCommand } from '../engine/engine-event.ts';
import { entryText } from '../mirror/strategy-status.ts';
import type { IntentRecord } from '../records/rows.ts';
import { lengthText } from '../domain/time-text.ts';
import { ENDPOINTS } from '../exchange/endpoints.ts';

/** Returns the question before many orders are canceled; the command line and the page show the same. */
export const cancelManyText = (need: string): string =>
  `This ends the algorithms there and cancels their orders; ${need}.`;

export const cancelOneText = (order: string): string => `This cancels ${order}.`;

/** Returns the question before positions are closed. `holds`: `grid holds 0.1 btc`, or that nobody knows. */
export function closeText(of: {
  readonly strategy: string;
  readonly market: string | null;
  readonly holds: string;
  readonly need: string;
}): string {
  const { strategy, market, holds, need } = of;
  const where = market === null ? '' : `in ${market} `;
  return `This cancels the orders of ${strategy} ${where}and sells at the market what it holds. By the mirror ${holds}; ${need}.`;
}

/** Describes a strategy's holdings: the amount of each coin. */
export function holdsText(
  strategy: string,
  held: readonly (readonly [asset: string, amount: string])[],
): string {
  const amounts = held.map(([asset, amount]) => `${amount} ${asset}`).join(', ');
  return `${strategy} holds ${held.length === 0 ? 'nothing' : amounts}`;
}

/** Returns the question before an order is placed by hand. `worth`: a sentence about the order's value. */
export function placeByHandText(
  order: Pick<PlaceCommand, 'strategy' | 'market' | 'side' | 'amount' | 'price' | 'stopPrice'>,
  worth: string,
): string {
  const { strategy, market, side, amount, price, stopPrice } = order;
  const at = price === null ? 'at the market' : `at ${price}`;
  const once = stopPrice === null ? '' : ` once ${stopPrice} is reached`;
  return `This has the bot ${side} ${amount} in ${market} ${at}${once}, in the book of ${strategy}. ${worth}`;
}

export function positionText({
  act,
  strategy,
  to,
  market,
  amount,
  price,
}: Omit<PositionCommand, 'kind' | 'key' | 'by'>): string {
  const coins = `${amount ?? 'all'} of the coin of ${market}`;
  const at = price === null ? 'the price of now' : price;
  const unchanged = 'Nothing is sent to the exchange.';
  if (act === 'move')
    return `This moves ${coins} from the books of ${strategy} to those of ${to ?? ''}, at ${at}. ${unchanged}`;
  if (act === 'write-off')
    return `This takes ${coins} out of the books of ${strategy}, at ${at}. ${unchanged}`;
  return amount === null
    ? `This says that what ${strategy} holds of the coin of ${market} is there: its exit is placed again.`
    : `This gives ${strategy} ${coins}, at ${at}. ${unchanged}`;
}

/** Returns the question before an entry is approved or declined. */
export function approvalText(kind: ApprovalCommand['kind'], entry: IntentRecord): string {
  const { id } = entry;
  const what = entryText(entry);
  return kind === 'approve'
    ? `This approves ${id}: ${what}. It begins if every check allows it.`
    : `This declines ${id}: ${what}. Nothing is sent.`;
}

/** Returns the question before a note is stored or removed. */
export function noteText({ entry, text, tags }: Pick<NoteCommand, 'entry' | 'text' | 'tags'>): string {
  const parts = [
    ...(text === '' ? [] : [`"${text}"`]),
    ...(tags.length === 0 ? [] : [`the tags ${tags.join(', ')}`]),
  ];
  return parts.length === 0
    ? `This removes the note and the tags on what ${entry} bought.`
    : `This notes ${parts.join(' and ')} on what ${entry} bought, in place of any earlier note.`;
}

/** Limit of cancels at the exchange, and the time that many cancels need. */
interface CancelNeed {
  /** Maximum number of cancels that the exchange accepts in a window of `windowMs`. */
  readonly limit: number;
  readonly windowMs: number;
  /** Time for all of them in the worst case, when the window is full at the beginning. */
  readonly needMs: number;
}

export function cancelNeed(count: number): CancelNeed {
  const { limit, windowMs } = ENDPOINTS.updateOrderStatus.budget;
  return { limit, windowMs, needMs: Math.ceil(count / limit) * windowMs };
}

/** Describes in a sentence how long `count` cancels may need at the exchange. */
export function cancelNeedText(count: number): string {
  const { limit, windowMs, needMs } = cancelNeed(count);
  if (count === 0) return 'no own order is open';
  const orders = countText(count, 'own order is open', 'own orders are open');
  return `${orders}; at ${limit} cancels in ${lengthText(windowMs)} this takes up to ${lengthText(needMs)}`;
}
