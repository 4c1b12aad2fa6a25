import { beforeEach, describe, expect, test } from 'vitest';
import { Decimal } from 'decimal.js';
import type { Intent } from '../../../src/strategy/intents.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import type { OwnOrder, StrategyEvent } from '../../../src/strategy/strategy-event.ts';
import grid from '../../../strategies/grid.ts';
import { bookEvent, engineView, ownOrder, text } from '../strategy/engine-view.ts';

const MARKET = 'BTCUSDT';

/** Prices 90, 95, 100, 105 and 110: four cells, each of one coin. */
const PARAMS = { low: 90, high: 110, levels: 5, amount: 1 };

let runner: StrategyRunner;
/** The orders that the grid has open; what it wants is placed at once. */
let orders: OwnOrder[];
let nowMs: number;

function start(params: Readonly<Record<string, unknown>> = PARAMS): void {
  runner = new StrategyRunner(grid, { market: MARKET, timeframe: '1h', params });
}

function tell(event: StrategyEvent, middle: number): readonly Intent[] {
  const view = engineView({ nowMs, orders, free: { usdt: '1000' }, book: bookOf(middle) });
  const intents = runner.handle(event, view);
  expect(runner.failure).toBeNull();
  for (const intent of intents) {
    if (intent.kind === 'cancel-all') orders = [];
    if (intent.kind !== 'place') continue;
    const { market, side, amount, price, tag } = intent;
    orders.push(
      ownOrder(`bot-${orders.length}-${tag}`, {
        market,
        side,
        tag: tag ?? null,
        amount: text(String(amount)),
        price: text(String(price)),
      }),
    );
  }
  return intents;
}

const bookOf = (middle: number) => {
  const event = bookEvent(middle - 0.5, middle + 0.5, MARKET);
  return event.kind === 'book' ? event.book : null;
};

const see = (middle: number): readonly Intent[] =>
  tell(bookEvent(middle - 0.5, middle + 0.5, MARKET), middle);

/** The orders as one reads them, the highest first. */
const open = (): readonly string[] =>
  orders
    .toSorted((left, right) => Number(right.price) - Number(left.price))
    .map(({ side, amount, price }) => `${side} ${amount} at ${price}`);

/** A share of the order at a price is filled, with a fee of a tenth of a percent; the last share ends it. */
function fill(price: number, share = '1', isLast = true): void {
  const order = orders.find((one) => Number(one.price) === price)!;
  const { clientOrderId, market, side, tag, price: at } = order;
  const amount = text(new Decimal(order.amount).times(share).toFixed());
  const fee = text(new Decimal(amount).times('0.001').toFixed());
  const total = text(new Decimal(amount).times(price).toFixed());
  if (isLast) orders = orders.filter((one) => one !== order);
  tell(
    { kind: 'fill', fill: { clientOrderId, market, timeMs: 0, side, price: at!, amount, total, fee, tag } },
    price - 1,
  );
  if (isLast) {
    tell({ kind: 'order', order: { clientOrderId, market, status: 'filled', code: null, tag } }, price - 1);
    see(price - 1);
  }
}

beforeEach(() => {
  orders = [];
  nowMs = 1_000;
  start();
});

describe('grid', () => {
  test('buys at each price below the market, once', () => {
    expect(see(102)).toHaveLength(3);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
    expect(see(101)).toEqual([]);
  });

  test('buys at a higher price once the market has risen past it', () => {
    see(102);
    see(107);
    expect(open()).toEqual(['buy 1 at 105', 'buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('sells what it got one level higher, and then buys again', () => {
    see(102);
    fill(100);
    expect(open()).toEqual(['sell 0.999 at 105', 'buy 1 at 95', 'buy 1 at 90']);
    fill(105);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('waits for the whole of an order that is filled in parts', () => {
    see(102);
    fill(100, '0.4', false);
    see(101);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
    fill(100, '0.6');
    expect(open()).toEqual(['sell 0.999 at 105', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('places the rest again when somebody canceled an order', () => {
    see(102);
    fill(100, '0.4', false);
    orders = orders.filter(({ price }) => price !== '100');
    see(102);
    expect(open()).toEqual(['buy 0.6 at 100', 'buy 1 at 95', 'buy 1 at 90']);
    fill(100);
    expect(open()).toEqual(['sell 0.999 at 105', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('goes on from its state and its open orders after a restart', () => {
    see(102);
    fill(100);
    const stored = runner.stateJson();
    start();
    runner.restore(stored);
    expect(see(102)).toEqual([]);
    fill(105);
    fill(95);
    fill(100);
    expect(open()).toEqual(['sell 0.999 at 105', 'sell 0.999 at 100', 'buy 1 at 90']);
  });

  test('never has a purchase and a sale that would meet each other', () => {
    see(102);
    fill(95);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 90']);
    fill(100, '0.5', false);
    orders = orders.filter(({ price }) => price !== '100');
    see(102);
    expect(open()).toEqual(['sell 0.999 at 100', 'buy 1 at 90']);
    see(107);
    expect(open()).toEqual(['sell 0.999 at 100', 'buy 1 at 90']);
    fill(100);
    see(107);
    expect(open()).toEqual(['buy 1 at 105', 'buy 0.5 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('leaves a level alone for a minute after a refusal', () => {
    see(102);
    const refused = orders.find(({ price }) => price === '95')!;
    orders = orders.filter((order) => order !== refused);
    const { clientOrderId, tag } = refused;
    tell(
      {
        kind: 'reject',
        rejection: {
          intent: null,
          clientOrderId,
          market: MARKET,
          side: 'buy',
          tag,
          code: 'NotEnough',
          reason: 'no',
        },
      },
      102,
    );
    nowMs += 59_999;
    expect(see(102)).toEqual([]);
    nowMs += 1;
    expect(see(102)).toMatchObject([{ side: 'buy', tag }]);
  });

  test('clears the orders of another grid away before it begins anew', () => {
    see(102);
    const stored = runner.stateJson();
    start({ ...PARAMS, levels: 3 });
    runner.restore(stored);
    expect(see(102)).toEqual([{ kind: 'cancel-all', market: MARKET }]);
    see(102);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 90']);
  });

  test('lies around the first price and spends its share when nothing else is said', () => {
    start({ levels: 3, rangeBps: 1_000, share: 0.1 });
    see(100);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 90']);
  });

  test('waits without a price or money', () => {
    expect(tell(bookEvent('100', null, MARKET), 100)).toEqual([]);
    start({ share: 0 });
    expect(see(100)).toEqual([]);
    expect(runner.stateJson()).toBe('{"shape":"","low":0,"step":0,"amount":0,"cells":[]}');
  });

  test('stops with the reason when its prices are the wrong way round', () => {
    start({ ...PARAMS, low: 120 });
    runner.handle(bookEvent('99', '101', MARKET), engineView());
    expect(runner.failure).toBe('on.book: expected low below high, was 120 and 110');
  });
});
