import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addUnits, negateUnits, NO_UNITS, subtractUnits, type Units } from '../../src/domain/money.ts';
import { MARKET_NAMES, parseMarket } from '../../src/exchange/market-names.ts';
import { walletLineKind } from '../../src/exchange/wallet.ts';
import type { RecordedBalances, StatementLine, StatementTrade } from '../../src/portfolio/statement-line.ts';
import {
  AverageCost,
  FifoLots,
  type CostBook,
  ProfitBooks,
  type Realised,
} from '../../src/portfolio/profit-books.ts';
import { makeStatement, type StatementSource } from '../../src/portfolio/make-statement.ts';
import { tradeIdOf, transactionIdOf } from '../../src/venues/read-records.ts';
import type { WalletTransaction } from '../../src/venues/port.ts';

const units = (max: bigint): fc.Arbitrary<Units> =>
  fc.bigInt({ min: 1n, max }).map((value) => value as Units);
const MARKETS = ['BTCIRT', 'BTCUSDT', 'USDTIRT', 'ETHIRT'].map((symbol) => parseMarket(symbol));
const COINS = ['btc', 'eth', 'usdt', 'rls'] as const;

const trade = fc
  .record({
    market: fc.constantFrom(...MARKETS),
    side: fc.constantFrom('buy', 'sell' as const),
    price: units(10n ** 20n),
    amount: units(10n ** 12n),
    total: units(10n ** 20n),
    feeShare: fc.bigInt({ min: 0n, max: 100n }),
    feeCurrency: fc.constantFrom(null, ...COINS),
    atMs: fc.nat(1_000),
  })
  .map(({ feeShare, ...of }): Omit<StatementTrade, 'tradeId'> => {
    const received = of.side === 'buy' ? of.amount : of.total;
    const fee = ((received * feeShare) / 1_000n) as Units;
    return { ...of, fee, orderKey: null, strategy: null };
  });

const outside = fc.record({
  currency: fc.constantFrom(...COINS),
  amount: units(10n ** 20n).chain((value) => fc.constantFrom(value, negateUnits(value))),
  atMs: fc.nat(1_000),
});

const world = fc.record({
  trades: fc.array(trade, { maxLength: 30 }),
  outside: fc.array(outside, { maxLength: 10 }),
  opening: fc.tuple(...COINS.map(() => fc.bigInt({ min: 0n, max: 10n ** 24n }))),
  marksAt: fc.uniqueArray(fc.nat(1_000), { maxLength: 4 }),
  stolen: fc.option(units(10n ** 15n)),
  readToMs: fc.nat(1_100),
});

interface Effect {
  readonly currency: string;
  readonly amount: bigint;
  readonly atMs: number;
}

function effectsOf(trades: readonly StatementTrade[]): readonly Effect[] {
  return trades.flatMap(({ market, side, amount, total, fee, feeCurrency, atMs }): Effect[] => {
    const moved = new Map<string, bigint>([
      [market.base, side === 'buy' ? amount : 0n - amount],
      [market.quote, side === 'buy' ? 0n - total : total],
    ]);
    const paysIn = feeCurrency ?? (side === 'buy' ? market.base : market.quote);
    moved.set(paysIn, (moved.get(paysIn) ?? 0n) - fee);
    return [...moved].map(([currency, units]) => ({ currency, amount: units, atMs }));
  });
}

const balancesAt = (opening: readonly bigint[], effects: readonly Effect[], atMs: number) =>
  new Map<string, Units>(
    COINS.map((coin, place) => {
      const moved = effects.filter((one) => one.currency === coin && one.atMs <= atMs);
      return [coin, moved.reduce((sum, { amount }) => sum + amount, opening[place] ?? 0n) as Units];
    }),
  );

function lineOf({ currency, amount, atMs }: Effect, id: number, description: string): WalletTransaction {
  return { currency, atMs, amount: amount as Units, id: transactionIdOf(id), description, tooFine: null };
}

test('a statement of any movements balances to the last digit, and finds what they do not explain', () => {
  fc.assert(
    fc.property(world, ({ trades: made, outside: moved, opening, marksAt, stolen, readToMs }) => {
      const trades = made
        .toSorted((left, right) => left.atMs - right.atMs)
        .map((one, index) => ({ ...one, tradeId: tradeIdOf(index + 1) }));
      const ofTrades = effectsOf(trades);
      const effects = [...ofTrades, ...moved];
      const lines = [
        ...moved.map((one, index) => lineOf(one, index + 1, 'Deposit 7')),
        // The newest lines have not been read yet.
        ...ofTrades
          .filter(({ atMs }) => atMs < readToMs)
          .map((one, index) => lineOf(one, index + 99, 'Trade')),
      ];
      const [first, ...others] = marksAt.toSorted((left, right) => left - right);
      const marks = [first, ...others].flatMap((atMs): RecordedBalances[] =>
        atMs === undefined
          ? []
          : [{ throughMs: atMs, seenAtMs: atMs, totals: balancesAt(opening, effects, atMs) }],
      );
      const last = balancesAt(opening, effects, Number.POSITIVE_INFINITY);
      const isStolen = stolen !== null && marks.length > 0;
      if (isStolen) last.set('rls', subtractUnits(last.get('rls') ?? NO_UNITS, stolen));
      const source: StatementSource = {
        marketNames: MARKET_NAMES,
        beganAtMs: 0,
        trades: () => trades,
        lines,
        moves: [
          { atMs: 500, from: 'a', to: null, asset: 'btc', amount: 1n, price: 1n, market: 'BTCIRT' },
        ] as never,
        describedKind: walletLineKind,
        uncounted: new Set(),
        records: [...marks, { throughMs: Number.POSITIVE_INFINITY, seenAtMs: 2_000, totals: last }],
        closes: [],
      };
      const shown: StatementLine[] = [];
      const period = { fromMs: 0, toMs: 3_000, monthOf: (atMs: number) => String(atMs % 7) };
      const statement = makeStatement(source, period, (line) => shown.push(line));
      for (const { currency, opening: began, closing } of statement.totals.balances()) {
        const place = COINS.indexOf(currency as (typeof COINS)[number]);
        expect(began).toBe(opening[place]);
        expect(closing).toBe(last.get(currency));
      }
      expect(statement.unexplained.map(({ currency, amount }) => [currency, amount])).toEqual(
        isStolen ? [['rls', negateUnits(stolen)]] : [],
      );
      // Sums of the lines alone, without what the code under test adds up.
      for (const coin of COINS) {
        const sum = shown
          .filter(({ currency }) => currency === coin)
          .reduce((all, { amount }) => all + amount, 0n);
        expect((opening[COINS.indexOf(coin)] ?? 0n) + sum).toBe(last.get(coin));
      }
    }),
  );
});

const PURCHASE = fc.record({ amount: units(10n ** 12n), cost: fc.option(units(10n ** 22n)) });
const STEP = fc.oneof(PURCHASE, fc.record({ sold: fc.integer({ min: 1, max: 1_000 }) }));

test('no book loses a unit: what was paid has gone with what was sold, or is still there', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 40 }), (steps) => {
      for (const book of [new AverageCost(), new FifoLots()] satisfies CostBook[]) {
        let [paid, gone, bought, sold, costed] = [0n, 0n, 0n, 0n, 0n];
        for (const step of steps) {
          if ('amount' in step) {
            book.acquire(step.amount, step.cost);
            [paid, bought] = [paid + (step.cost ?? 0n), bought + step.amount];
            continue;
          }
          const amount = ((book.held * BigInt(step.sold)) / 1_000n) as Units;
          const disposal = book.dispose(amount);
          [gone, sold, costed] = [gone + disposal.cost, sold + amount, costed + disposal.costed];
          expect(disposal.costed <= amount && disposal.costed >= 0n && disposal.cost >= 0n).toBe(true);
        }
        expect(book.held).toBe(bought - sold);
        expect(book.cost).toBe(paid - gone);
        const rest = book.dispose(book.held);
        expect(gone + rest.cost).toBe(paid);
        expect([book.held, book.cost]).toEqual([0n, 0n]);
        const withCost = steps.reduce(
          (sum, step) => ('amount' in step && step.cost !== null ? sum + step.amount : sum),
          0n,
        );
        expect(costed + rest.costed).toBe(withCost);
      }
    }),
  );
});

const RIAL = parseMarket('BTCIRT');
const FREE = { market: RIAL, fee: NO_UNITS, feeCurrency: null };

test('average cost and first in, first out agree once everything is sold', () => {
  const purchase = fc.record({
    amount: units(10n ** 12n),
    total: units(10n ** 22n),
    isDeposit: fc.boolean(),
    soldAfter: fc.integer({ min: 0, max: 1_000 }),
    proceeds: units(10n ** 22n),
  });
  fc.assert(
    fc.property(fc.array(purchase, { minLength: 1, maxLength: 20 }), (purchases) => {
      const books = new ProfitBooks(MARKET_NAMES);
      const realised: Realised[] = [];
      const sell = (amount: Units, total: Units): void => {
        if (amount === 0n) return;
        realised.push(...books.book({ ...FREE, side: 'sell', amount, total }, null));
      };
      let [paid, got] = [0n, 0n];
      for (const { amount, total, isDeposit, soldAfter, proceeds } of purchases) {
        if (isDeposit) books.enter('btc', amount);
        else {
          books.book({ ...FREE, side: 'buy', amount, total }, null);
          paid += total;
        }
        const part = ((books.heldOf('btc') * BigInt(soldAfter)) / 1_000n) as Units;
        sell(part, proceeds);
        if (part > 0n) got += proceeds;
      }
      const rest = books.heldOf('btc');
      sell(rest, 7n as Units);
      if (rest > 0n) got += 7n;
      const resultOf = (method: 'average' | 'fifo'): bigint =>
        realised
          .map(({ parts }) => addUnits(parts[method].profit, parts[method].uncosted))
          .reduce((sum, each) => sum + each, 0n);
      expect(resultOf('average')).toBe(got - paid);
      expect(resultOf('fifo')).toBe(got - paid);
      expect(books.costOf('btc', 'rls')).toEqual({ average: 0n, fifo: 0n });
    }),
  );
});
