import { decimalText, ZERO, type DecimalText } from '../../../src/domain/decimal-text.ts';
import type { SeenMargin } from '../../../src/records/margin.ts';
import type { MarketStats, OrderBook } from '../../../src/domain/order-book.ts';
import type {
  ShownLock,
  ClosedCandle,
  EngineView,
  OwnOrder,
  StrategyEvent,
  MarketRules,
} from '../../../src/strategy/strategy-event.ts';
import type { UniverseState } from '../../../src/strategy/rank-markets.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { NO_LABELS } from '../../../src/records/order.ts';

/** Data that a test shows to a strategy. Decimals are texts as people write them. */
export interface Seen {
  readonly nowMs?: number;
  readonly position?: string;
  readonly inventory?: string | number;
  readonly free?: Readonly<Record<string, string>>;
  readonly equity?: string | null;
  readonly orders?: readonly OwnOrder[];
  readonly book?: OrderBook | null;
  readonly stats?: MarketStats | null;
  readonly universe?: UniverseState | null;
  readonly margin?: SeenMargin | null;
  readonly locks?: readonly ShownLock[];
}

/** Steps of 0.01 in price and 0.000001 in amount, as in tether markets. */
const RULES: MarketRules = {
  priceStep: decimalText('0.01'),
  amountStep: decimalText('0.000001'),
  minOrderValue: decimalText('5'),
};

export const text = (number: string | number): DecimalText => decimalText(number);

/** Makes a view from the given data, which adds each thing that is read to `asked`. */
export function engineView(seen: Seen = {}, asked: string[] = []): EngineView {
  const note = <Value>(what: string, value: Value): Value => {
    asked.push(what);
    return value;
  };
  const free = Object.fromEntries(
    Object.entries(seen.free ?? {}).map(([name, amount]) => [name, text(amount)]),
  );
  return {
    nowMs: seen.nowMs ?? 0,
    position: (market) => note(`position ${market}`, text(seen.position ?? '0')),
    positionNumber: (market) => note(`position ${market}`, Number(seen.position ?? '0')),
    inventory: (market) => note(`inventory ${market}`, text(seen.inventory ?? '0')),
    free: () => note('free', free),
    freeNumber: (currency) => note('free', Number(free[currency] ?? '0')),
    orders: () => note('orders', seen.orders ?? []),
    book: (market) => note(`book ${market}`, seen.book ?? null),
    stats: (market) => note(`stats ${market}`, seen.stats ?? null),
    margin: (topic) => note(`margin ${topic}`, seen.margin ?? null),
    rules: (market) => note(`rules ${market}`, RULES),
    locks: (market) => note(`locks ${market}`, seen.locks ?? []),
    universe: (name) => note(`universe ${name}`, seen.universe ?? null),
    equity: (market) =>
      note(`equity ${market}`, seen.equity === undefined || seen.equity === null ? null : text(seen.equity)),
    ageMs: (what, market) => note(`age of ${what} ${market}`, 7),
    accountAgeMs: (what) => note(`age of ${what}`, null),
  };
}

export function closedCandle(close: string | number, more: Partial<ClosedCandle> = {}): ClosedCandle {
  const price = text(close);
  return {
    market: 'BTCIRT',
    timeframe: '1h',
    openTimeMs: 0,
    closeTimeMs: 3_600_000,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: text('1'),
    seenAtMs: 0,
    missedBefore: 0,
    ...more,
  };
}

const levels = (price: string | number | null) => (price === null ? [] : [[text(price), text('1')] as const]);

export function bookEvent(
  bid: string | number | null,
  ask: string | number | null,
  market = 'BTCIRT',
): StrategyEvent {
  return {
    kind: 'book',
    market,
    book: { bids: levels(bid), asks: levels(ask), updatedAtMs: 5 },
    seenAtMs: 9,
  };
}

export function ownOrder(clientOrderId: string, more: Partial<OwnOrder> = {}): OwnOrder {
  return {
    clientOrderId,
    market: 'BTCIRT',
    side: 'buy',
    execution: 'limit',
    exit: null,
    price: text('100'),
    stopPrice: null,
    amount: text('1'),
    matchedAmount: ZERO,
    ...NO_LABELS,
    state: 'open',
    ageMs: 0,
    ...more,
  };
}

/** A purchase of 1 at a price of 1 by the order `a`. */
export const fill = {
  clientOrderId: 'a',
  market: 'BTCIRT',
  timeMs: 1,
  side: 'buy',
  price: text('1'),
  amount: text('1'),
  total: text('1'),
  fee: text('0'),
  feeCurrency: null,
  tag: 'x',
  exit: null,
} as const;

/** Makes the rejection of a purchase by this intent. */
export function rejectionOf<Of extends Intent>(intent: Of) {
  const order = { clientOrderId: null, market: 'BTCIRT', side: 'buy', tag: null, exit: null } as const;
  return { intent, ...order, code: 'fit', reason: 'too small' } as const;
}
