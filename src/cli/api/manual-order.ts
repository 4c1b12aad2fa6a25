import { randomInt } from 'node:crypto';
import { isManualOrderId, manualOrderId, readOrderName } from '../../engine/order-names.ts';
import { wrongInput } from '../command-error.ts';
import type { CallRequest } from './read-fields.ts';

/**
 * Names an order that is placed by hand, so that it can be found when its reply is lost, and so that
 * everybody sees whose it is. A name that a bot would take for one of its own strategies' is refused.
 */
export function nameByHand(request: CallRequest): CallRequest {
  const { clientOrderId } = request;
  if (typeof clientOrderId !== 'string')
    return { ...request, clientOrderId: manualOrderId(() => randomInt(36)) };
  if (readOrderName(clientOrderId) === null) return request;
  throw wrongInput(
    `clientOrderId: expected a name that no bot uses for its own orders, was "${clientOrderId}"; without one it gets a name for orders by hand`,
  );
}

/** By whom an order was placed, by its name. */
export function placerOf(clientOrderId: string | null): string {
  const name = readOrderName(clientOrderId);
  if (name !== null) return `by the bot ${name.instance}, strategy ${name.strategy}`;
  return isManualOrderId(clientOrderId) ? 'by hand' : 'not by sarraf';
}
