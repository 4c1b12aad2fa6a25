import type { Logger } from 'pino';
import { formatUnits } from '../../domain/money.ts';
import type { EngineNotice } from '../../engine/engine-command.ts';
import type { FillRecord } from '../../execution/fill-record.ts';
import type { OrderRecord, OrderState } from '../../execution/order-record.ts';

const LEVELS = { info: 'info', warning: 'warn', error: 'error' } as const;

/** Steps on the way are for those who look closely; what a person may have to act on is a warning. */
const ORDER_LEVELS = {
  planned: 'debug',
  sending: 'debug',
  unknown: 'warn',
  open: 'info',
  cancelling: 'debug',
  settling: 'debug',
  filled: 'info',
  cancelled: 'info',
  rejected: 'warn',
} as const satisfies Record<OrderState, string>;

/**
 * Writes a notice of the engine as a line: a sentence for people, and its parts with decimals as texts for
 * programs.
 */
export function logNotice(logger: Logger, notice: EngineNotice): void {
  switch (notice.kind) {
    case 'notice':
      logger[LEVELS[notice.level]](
        { ...(notice.subject === null ? {} : { subject: notice.subject }), ...notice.details },
        notice.message,
      );
      if (notice.stack !== undefined)
        logger.debug({ subject: notice.subject, stack: notice.stack }, 'where it failed');
      return;
    case 'order':
      logger[ORDER_LEVELS[notice.order.state]](orderFields(notice.order), orderSentence(notice.order));
      return;
    case 'fill':
      logger.info(fillFields(notice.fill), fillSentence(notice.fill));
  }
}

function orderFields(order: OrderRecord): Record<string, unknown> {
  return {
    event: 'order',
    order: order.key,
    intent: order.intentId,
    strategy: order.strategy,
    market: order.market,
    side: order.side,
    execution: order.execution,
    state: order.state,
    amount: formatUnits(order.amount),
    price: order.price === null ? null : formatUnits(order.price),
    stopPrice: order.stopPrice === null ? null : formatUnits(order.stopPrice),
    matched: formatUnits(order.matched),
    filled: formatUnits(order.filled),
    fee: formatUnits(order.fee),
    venueId: order.venueId,
    reason: order.reason,
    ...(order.tag === null ? {} : { tag: order.tag }),
    ...(order.exit === null ? {} : { exit: order.exit }),
  };
}

function orderSentence(order: OrderRecord): string {
  const price = order.price === null ? '' : ` at ${formatUnits(order.price)}`;
  const stop = order.stopPrice === null ? '' : `, stop ${formatUnits(order.stopPrice)}`;
  const reason = order.reason === null ? '' : ` (${order.reason})`;
  const what = `${order.market} ${order.side} ${formatUnits(order.amount)}${price}${stop}`;
  return `${what} is ${order.state}${reason}`;
}

function fillFields(fill: FillRecord): Record<string, unknown> {
  return {
    event: 'fill',
    order: fill.orderKey,
    strategy: fill.strategy,
    market: fill.market,
    side: fill.side,
    trade: fill.tradeId,
    amount: formatUnits(fill.amount),
    price: formatUnits(fill.price),
    total: formatUnits(fill.total),
    fee: formatUnits(fill.fee),
    atMs: fill.atMs,
  };
}

function fillSentence(fill: FillRecord): string {
  const owner = fill.orderKey === null ? ', not ours' : '';
  const verb = fill.side === 'buy' ? 'bought' : 'sold';
  return `${fill.market} ${verb} ${formatUnits(fill.amount)} at ${formatUnits(fill.price)}${owner}`;
}
