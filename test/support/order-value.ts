import { parseUnits } from '../../src/domain/money.ts';
import type { TrueFill, TrueOrder } from '../../src/fuzz/checkers/exchange-truth.ts';
import { orderIdOf } from '../../src/venues/read-records.ts';
import { unsentOrder, type OrderRecord, type OrderState } from '../../src/records/order.ts';

/** A planned order of one coin at 100. */
export function plannedOrder(changed: Partial<OrderRecord> = {}): OrderRecord {
  const key = changed.key ?? 'bot-one-e001-1';
  const unsent = unsentOrder({
    key,
    clientOrderId: key,
    intentId: 'i1',
    strategy: 'one',
    exit: null,
    market: 'BTCUSDT',
    marketVersion: 1,
    side: 'buy',
    execution: 'limit',
    price: parseUnits('100'),
    stopPrice: null,
    amount: parseUnits('1'),
    pairKey: null,
    plannedAtMs: 0,
    orderFloor: 0,
    tradeFloor: 0,
    arrivalBid: null,
    arrivalAsk: null,
  });
  return { ...unsent, ...changed };
}

/** An order of one coin in a state; nothing is filled unless the state says so. */
export function orderIn(state: OrderState, changed: Partial<OrderRecord> = {}): OrderRecord {
  const sent = { sentAtMs: 5, attempts: 1 };
  const seen = { ...sent, venueId: orderIdOf(7), venueStatus: 'Active' };
  const half = parseUnits('0.5');
  const one = parseUnits('1');
  const fields: Readonly<Record<OrderState, Partial<OrderRecord>>> = {
    planned: {},
    sending: sent,
    unknown: sent,
    open: seen,
    cancelling: seen,
    settling: { ...seen, venueStatus: 'Canceled', matched: half, closedAtMs: 9 },
    filled: { ...seen, venueStatus: 'Done', matched: one, filled: one, closedAtMs: 9 },
    cancelled: { ...seen, venueStatus: 'Canceled', closedAtMs: 9 },
    rejected: { ...sent, reason: 'InsufficientFunds', closedAtMs: 9 },
  };
  return plannedOrder({ state, ...fields[state], ...changed });
}

/** An open order of the exchange that buys one smallest unit at one; it was opened at the time `id`. */
export function trueOrder(id: number, changes: Partial<TrueOrder> = {}): TrueOrder {
  const terms = { market: 'BTCUSDT', side: 'buy', price: 1n, amount: 1n, matched: 0n } as const;
  const life = { status: 'Active', isOpen: true, openedAtMs: id, closedAtMs: null };
  return { id, clientOrderId: null, pairId: null, isStop: false, ...terms, ...life, ...changes };
}

/** A strategy's order for ten smallest units of tether, which ended when it was opened. */
export function endedOrder(id: number, changes: Partial<TrueOrder> = {}): TrueOrder {
  const of = { clientOrderId: `bot-one-mark-${id}`, market: 'USDTIRT', amount: 10n } as const;
  return trueOrder(id, { ...of, status: 'Done', isOpen: false, closedAtMs: id, ...changes });
}

/** A fill of an order at the exchange: one smallest unit at one, without a fee. */
export function trueFill(orderId: number, changes: Partial<TrueFill> = {}): TrueFill {
  const trade = { tradeId: orderId, orderId, atMs: orderId, market: 'BTCUSDT', side: 'buy' } as const;
  return { ...trade, amount: 1n, total: 1n, fee: 0n, ...changes };
}
