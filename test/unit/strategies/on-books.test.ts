import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '#sdk';
import { runOnBooks, runStrategy } from '#testing';
import grid from '../../../strategies/grid.ts';
import marketMaker from '../../../strategies/market-maker.ts';

/** Keeps one purchase at the best bid, and sells what it got; begins anew after a refusal. */
const joiner = defineStrategy({
  name: 'joiner',
  state: z.strictObject({ taken: z.number().default(0) }),
  data: ({ market }) => ({ book: market.book(), tape: market.trades() }),
  on: {
    book({ orders, position, buy, sell }, { bestBid }) {
      if (bestBid === null || orders.length > 0) return;
      if (position > 0) sell({ amount: position });
      else buy({ amount: 1, price: bestBid.price, tag: 'join' });
    },
    tape: ({ state, setState }, { trades }) => setState({ taken: state.taken + trades.length }),
    fill: ({ log }, { side, price, tag }) => log(`${side} at ${price} ${tag ?? ''}`),
    reject: ({ log }, { code }) => log(`rejected: ${code}`),
  },
});

const still = { bid: 99, ask: 101, amount: 2 };
const sold = { ...still, trades: [{ side: 'sell', price: 98, amount: 5 }] } as const;

test('a limit order is filled by a trade below it, and a market order by the book', async () => {
  const { fills, log, state } = await runOnBooks(joiner, { books: [still, sold, still, still] });
  expect(fills).toMatchObject([
    { side: 'buy', price: 99, amount: 1 },
    { side: 'sell', price: 99, amount: 1 },
  ]);
  expect(log).toEqual(['buy at 99 join', 'sell at 99 ']);
  expect(state).toEqual({ taken: expect.any(Number) as number });
});

test('a script refuses orders, on books as on bars', async () => {
  const { orders, log } = await runOnBooks(joiner, { books: [still, still, still], refuse: ['NoFunds'] });
  expect(log).toEqual(['rejected: NoFunds']);
  expect(orders.map(({ state }) => state)).toEqual(['rejected', 'open']);
  const holder = defineStrategy({
    name: 'holder',
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars({ position, buy }) {
        if (position === 0) buy({ amount: 1 });
      },
      reject: ({ log: note }, { code }) => note(code),
    },
  });
  const run = runStrategy(holder, { bars: [100, 100, 100, 100], refuse: ['NoFunds'] });
  expect(run).toMatchObject({ log: ['NoFunds'], fills: [{ side: 'buy' }] });
});

test('bundled strategies of books are tested in a few lines', async () => {
  const books = [100, 99.5, 99, 99.5, 100].map((middle) => ({ bid: middle - 0.01, ask: middle + 0.01 }));
  expect((await runOnBooks(grid, { books })).fills.map(({ side }) => side)).toContain('sell');
  const { orders } = await runOnBooks(marketMaker, { books: [still], balances: { btc: 10, usdt: 10_000 } });
  expect(orders.map(({ side }) => side)).toEqual(['buy', 'sell']);
});

test('a strategy of several markets sees and trades each by its own books', async () => {
  const both = defineStrategy({
    name: 'both',
    data: ({ market, markets }) => ({ own: market.book(), other: markets.of('ETHUSDT').book() }),
    on: {
      other({ data: { own, other }, markets, orders, log }) {
        if (!own?.bestAsk || other?.bestAsk?.price !== 20 || orders.length > 0) return;
        log(`${own.bestAsk.price} ${other.bestAsk.price}`);
        markets.of('ETHUSDT').buy({ amount: 2, price: 19.5 });
      },
    },
  });
  const falls = [20, 20, 19].map((ask) => ({ bid: ask - 0.01, ask }));
  const others = [{ market: 'ETHUSDT', books: falls }];
  const run = await runOnBooks(both, { books: [still, still, still], others });
  expect(run.log[0]).toBe(`${still.ask} 20`);
  expect(run.fills).toMatchObject([{ market: 'ETHUSDT', amount: 2 }]);
  const unsure = { market: 'ETHUSDT', books: [] };
  await expect(runOnBooks(both, { books: [still], others: [unsure] })).rejects.toThrow(
    'ETHUSDT: expected books of a script',
  );
});

test('what is no book is refused, and what a handler throws ends the test', async () => {
  await expect(runOnBooks(joiner, { books: [] })).rejects.toThrow('expected books of a script, were none');
  const crossed = { books: [{ bid: 101, ask: 100 }] };
  await expect(runOnBooks(joiner, crossed)).rejects.toThrow('books.0: expected a bid below the ask');
  const broken = defineStrategy({
    name: 'broken',
    data: ({ market }) => ({ book: market.book() }),
    on: { book: ({ buy }) => buy({ amount: Number.NaN }) },
  });
  await expect(runOnBooks(broken, { books: [still] })).rejects.toThrow('broken: on.book: ctx.buy.amount');
});
