import { beforeEach, describe, expect, test } from 'vitest';
import { Decimal } from 'decimal.js';
import { runStrategy } from '#testing';
import type { Intent, Quote } from '../../../src/strategy/intents.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import type { OwnOrder } from '../../../src/strategy/strategy-event.ts';
import grid from '../../../strategies/grid.ts';
import { bookEvent, engineView, ownOrder, text } from '../strategy/engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';

const MARKET = 'BTCUSDT';

/** Parameters of a grid at 90, 95, 100, 105 and 110, with one coin at each price at first. */
const PARAMS = { low: 90, high: 110, levels: 5, equityShare: 0.1 };

let runner: StrategyRunner;
/** Open orders of the grid; what it wants is placed at once. */
let orders: OwnOrder[];
let position: Decimal;

function start(params: Readonly<Record<string, unknown>> = PARAMS): void {
  runner = runnerOn(grid, MARKET, '1h', { params });
}

/** Places what the grid wants; an order that rests at a wanted price stays as it is, as in the engine. */
function place(wanted: readonly Quote[]): void {
  orders = wanted.map(({ side, price, amount }) => {
    const there = orders.find((one) => one.side === side && one.price === price);
    return (
      there ??
      ownOrder(`bot-${side}-${String(price)}`, {
        market: MARKET,
        side,
        amount: text(String(amount)),
        price: text(String(price)),
      })
    );
  });
}

/** Sends a book with this middle; at the first one the equity is worth ten coins. */
function see(middle: number, equity: string | null = '1020'): readonly Intent[] {
  const event = bookEvent(middle - 0.5, middle + 0.5, MARKET);
  const intents = runner.handle(event, engineView({ orders, position: position.toFixed(), equity }));
  expect(runner.failure).toBeNull();
  for (const intent of intents) if (intent.kind === 'quotes') place(intent.quotes);
  return intents;
}

/** Writes the open orders, highest price first. */
const open = (): readonly string[] =>
  orders
    .toSorted((left, right) => Number(right.price) - Number(left.price))
    .map(({ side, amount, price }) => `${side} ${amount} at ${price}`);

/** Fills an amount of the order at a price, with a fee of 0.1 % in coins. */
function fill(price: number, amount = 1): void {
  const order = orders.find((one) => Number(one.price) === price)!;
  const left = new Decimal(order.amount).minus(amount);
  position = order.side === 'buy' ? position.plus(amount * 0.999) : position.minus(amount);
  orders = orders.flatMap((one) => {
    if (one !== order) return [one];
    return left.greaterThan(0) ? [{ ...one, amount: text(left.toFixed()) }] : [];
  });
  see(price - 1);
}

beforeEach(() => {
  orders = [];
  position = new Decimal(0);
  start();
});

describe('grid', () => {
  test('buys at each price below the market, once', () => {
    see(102);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
    const before = orders;
    see(101);
    expect(orders).toEqual(before);
  });

  test('buys at a higher price once the market has risen past it', () => {
    see(102);
    see(107);
    expect(open()).toEqual(['buy 1 at 105', 'buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('sells what it got one price higher, and then buys again', () => {
    see(102);
    fill(100);
    expect(open()).toEqual(['sell 0.999 at 105', 'buy 1 at 95', 'buy 1 at 90']);
    fill(105, 0.999);
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('sells a part of a purchase as well, and leaves the rest of its order where it is', () => {
    see(102);
    fill(100, 0.4);
    expect(open()).toEqual(['sell 0.3996 at 105', 'buy 0.6 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('places the rest again when somebody canceled an order', () => {
    see(102);
    fill(100, 0.4);
    orders = orders.filter(({ price }) => price !== '100');
    see(102);
    expect(open()).toEqual(['sell 0.3996 at 105', 'buy 0.6004 at 100', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('sells the lowest purchase first, whichever was filled', () => {
    see(102);
    fill(95);
    expect(open()).toEqual(['sell 0.999 at 105', 'buy 1 at 95', 'buy 1 at 90']);
    fill(95);
    expect(open()).toEqual(['sell 0.999 at 105', 'sell 0.998 at 100', 'buy 1 at 90']);
    fill(100, 0.998);
    expect(open()).toEqual(['sell 0.999 at 105', 'buy 1 at 95', 'buy 1 at 90']);
  });

  test('goes on from its state and its position after a restart', () => {
    see(102);
    fill(100);
    const [stored, before] = [runner.stateJson(), orders];
    start();
    runner.restore(stored);
    see(93);
    expect(orders).toEqual(before);
  });

  test('never has a purchase and a sale that would meet each other', () => {
    see(107);
    for (const price of [105, 100, 95, 100, 95, 90]) {
      if (orders.some((one) => Number(one.price) === price)) fill(price, 0.7);
      const prices = (side: string) =>
        orders.filter((one) => one.side === side).map((one) => Number(one.price));
      expect(Math.max(...prices('buy'))).toBeLessThan(Math.min(...prices('sell')));
    }
  });

  test('keeps to the prices of its parameters, also when they change', () => {
    see(102);
    fill(100);
    const stored = runner.stateJson();
    start({ ...PARAMS, levels: 3 });
    runner.restore(stored);
    see(102);
    expect(open()).toEqual(['sell 0.999 at 110', 'buy 1 at 90']);
  });

  test('lies around the first price when nothing else is said', () => {
    start({ levels: 3, equityShare: 0.1 });
    see(100, '1000');
    expect(open()).toEqual(['buy 1 at 100', 'buy 1 at 98']);
  });

  test('waits without a price or money', () => {
    expect(runner.handle(bookEvent('100', null, MARKET), engineView({ equity: '1000' }))).toEqual([]);
    expect(see(100, null)).toEqual([]);
    expect(runner.stateJson()).toBe('{}');
  });

  test('stops with the reason when its prices are the wrong way round', () => {
    start({ ...PARAMS, low: 120 });
    runner.handle(bookEvent('99', '101', MARKET), engineView({ equity: '1000' }));
    expect(runner.failure).toBe('on.price: expected low below high, was 120 and 110');
  });

  test('trades on candles alone', () => {
    const bars = [100, 99, 98.5, 99.5, 100.5, 99, 98.2, 100, 101];
    const { fills, refusals } = runStrategy(grid, { bars, minOrderValue: 5, fee: 0.001 });
    expect(refusals).toEqual([]);
    expect(new Set(fills.map(({ side }) => side))).toEqual(new Set(['buy', 'sell']));
    expect(fills.length).toBeGreaterThan(4);
  });
});
