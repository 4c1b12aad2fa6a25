import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '#sdk';
import { runOnBooks, runStrategy, type ScriptedBook, type ScriptedTerms } from '#testing';
import grid from '../../../strategies/grid.ts';
import marketMaker from '../../../strategies/market-maker.ts';

/** Keeps one buy order at the best bid and sells what it bought; begins anew after a refusal. */
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
  const { orders } = await runOnBooks(marketMaker, {
    books: [still],
    balances: { btc: 10, usdt: 10_000 },
    inventory: { btc: 5 },
  });
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

/** Makes ten minutes of trades: of the amount `early` in the first half, of `late` in the second. */
const busy = (price: number, early: number, late: number): readonly ScriptedBook[] =>
  Array.from({ length: 60 }, (_, index) => ({
    bid: price - 0.01,
    ask: price,
    trades: [{ side: 'buy' as const, price, amount: index < 30 ? early : late }],
  }));
const busiest = { quote: 'usdt', rankBy: 'volume24h', take: 1, refreshMs: 60_000, hysteresis: 0 } as const;
const twoMarkets = {
  books: busy(100, 2, 2),
  others: [{ market: 'ETHUSDT', books: busy(10, 1, 90) }],
};

test('a universe follows what is traded at the books of a script', async () => {
  const roamer = defineStrategy({
    name: 'roamer',
    data: ({ universe }) => {
      const members = universe(busiest);
      return { members, prices: members.ticker() };
    },
    on: {
      members: ({ log }, { entered, left }) => log(`in ${entered.join()}, out ${left.join()}`),
      prices({ markets }, { market }) {
        const { position, buy } = markets.of(market);
        if (position === 0) buy({ value: 1_000 });
      },
    },
  });
  const { log, fills } = await runOnBooks(roamer, twoMarkets);
  expect(log).toEqual(['in BTCUSDT, out ', 'in ETHUSDT, out BTCUSDT']);
  expect(fills.map(({ market, price }) => `${market} ${price}`)).toEqual(['BTCUSDT 100', 'ETHUSDT 10']);
});

test('a strategy of one market runs in the members of a universe on books', async () => {
  const buyer = defineStrategy({
    name: 'buyer',
    data: ({ market }) => ({ price: market.ticker() }),
    on: {
      price({ position, orders, buy }) {
        if (position === 0 && orders.length === 0) buy({ value: 1_000 });
      },
    },
  });
  const { fills } = await runOnBooks(buyer, { ...twoMarkets, universe: busiest });
  expect(fills.map(({ market }) => market)).toEqual(['BTCUSDT', 'ETHUSDT']);
  const alone = runOnBooks(buyer, { books: busy(100, 1, 1), universe: { ...busiest, quote: 'rls' } });
  await expect(alone).rejects.toThrow('expected markets in rls among those of the script, found none');
});

test('data of a market that the script has no books of is refused', async () => {
  const watcher = defineStrategy({
    name: 'watcher',
    data: ({ markets }) => ({ other: markets.of('ETHUSDT').book() }),
    on: { other: ({ log }) => log('seen') },
  });
  await expect(runOnBooks(watcher, { books: [still] })).rejects.toThrow(/ETHUSDT/);
  const others = [{ market: 'ETHUSDT', books: [still, still] }];
  const { log } = await runOnBooks(watcher, { books: [still, still], others });
  expect(log.length).toBeGreaterThan(0);
});

/** Runs a purchase on bars and on books; returns for each true if it filled, else the refusal's code. */
async function codes({ value, ...terms }: ScriptedTerms & { readonly value: number }) {
  const small = defineStrategy({
    name: 'small',
    data: ({ market }) => ({ price: market.ticker() }),
    on: {
      price({ orders, position, buy }) {
        if (orders.length === 0 && position === 0) buy({ value, price: 102 });
      },
    },
  });
  const of = { ...terms, balances: { usdt: 10_000, rls: 1_000_000_000 } };
  const bars = runStrategy(small, { ...of, bars: [100, 100, 100] });
  const books = await runOnBooks(small, { ...of, books: [still, still] });
  return [bars, books].map(({ fills, refusals }) => fills.length > 0 || refusals[0]?.split(':')[0]);
}

test('an order must be worth more than at the exchange, unless the script says less', async () => {
  expect(await codes({ value: 11 })).toEqual(['fit', 'fit']);
  expect(await codes({ value: 12 })).toEqual([true, true]);
  expect(await codes({ value: 11, minOrderValue: 0 })).toEqual([true, true]);
  expect(await codes({ market: 'BTCIRT', value: 3_000_000 })).toEqual(['fit', 'fit']);
  expect(await codes({ market: 'BTCIRT', value: 3_000_100 })).toEqual([true, true]);
});
