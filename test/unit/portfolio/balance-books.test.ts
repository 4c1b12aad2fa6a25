import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walletTransactionId } from '../../../src/domain/order.ts';
import {
  BalanceBooks,
  MOST_LINELESS_TRADES,
  type TradeEffect,
} from '../../../src/portfolio/balance-books.ts';
import { storedBooks } from '../../../src/portfolio/stored-books.ts';
import { linesAddingUpTo } from '../../../src/portfolio/explaining-lines.ts';

const BOTH: ReadonlySet<string> = new Set(['btc', 'usdt']);
const ALL: ReadonlySet<string> = new Set([...BOTH, 'bnb']);
const TRADE = { base: 'btc', quote: 'usdt', amount: 10n, total: 1_000n, feeCurrency: null } as const;
const BUY: TradeEffect = { ...TRADE, side: 'buy', fee: 1n };
const SALE: TradeEffect = { ...TRADE, side: 'sell', fee: 2n };

function begun(btc = 100n, usdt = 5_000n): BalanceBooks {
  const books = new BalanceBooks();
  books.begin(totals(btc, usdt));
  return books;
}

function totals(btc: bigint, usdt: bigint): ReadonlyMap<string, bigint> {
  return new Map([
    ['btc', btc],
    ['usdt', usdt],
  ]);
}

/** Stores books and reads them back, as a restart does. */
function restartedFrom(books: BalanceBooks): BalanceBooks {
  const restarted = new BalanceBooks();
  restarted.restore(storedBooks.parse(JSON.parse(JSON.stringify(books.store()))), 0);
  return restarted;
}

function line(amount: bigint, readAtMs = 0, currency = 'usdt'): Parameters<BalanceBooks['addLine']>[0] {
  return { currency, id: walletTransactionId(String(amount)), amount, readAtMs };
}

describe('the books of the balances', () => {
  it('take the fee of a purchase off the coins and that of a sale off the money', () => {
    const books = begun();
    books.addTrade(BUY, BOTH, 0);
    expect(books.compare(totals(109n, 4_000n), 0)).toEqual([]);
    books.addTrade(SALE, BOTH, 0);
    expect(books.compare(totals(99n, 4_998n), 0)).toEqual([]);
  });

  it('say which balances are not what they should be', () => {
    const books = begun();
    books.addTrade(BUY, BOTH, 0);
    expect(books.compare(totals(109n, 4_001n), 0)).toEqual([
      { currency: 'usdt', expected: 4_000n, found: 4_001n },
    ]);
    expect(books.compare(totals(100n, 5_000n), 0)).toEqual([
      { currency: 'btc', expected: 109n, found: 100n },
      { currency: 'usdt', expected: 4_000n, found: 5_000n },
    ]);
  });

  it('wait with a line that may be of a trade whose list lags, and count neither twice', () => {
    const books = new BalanceBooks(30);
    books.begin(totals(100n, 5_000n));
    books.addLine(line(-1_000n, 100));
    books.addLine(line(9n, 100, 'btc'));
    expect(books.compare(totals(109n, 4_000n), 120)).toEqual([]);
    expect(books.isPending).toBe(true);
    books.addTrade(BUY, BOTH, 0);
    expect(books.compare(totals(109n, 4_000n), 140)).toEqual([]);
    expect(books.isPending).toBe(false);
  });

  it('take old lines, which a balance agreed with since, for no reason before all else has failed', () => {
    const books = new BalanceBooks(30);
    books.begin(totals(100n, 5_000n));
    // Lines whose trades were given up: two of them add up to a trade that its list shows late.
    books.addLine(line(-400n, 100));
    books.addLine(line(-600n, 100));
    books.addLine(line(77n, 100));
    expect(books.compare(totals(100n, 5_000n), 140)).toEqual([]);
    expect(books.compare(totals(109n, 4_000n), 200)).toContainEqual({
      currency: 'usdt',
      expected: 5_000n,
      found: 4_000n,
    });
    books.addTrade(BUY, BOTH, 0);
    expect(books.compare(totals(109n, 4_000n), 210)).toEqual([]);
    // The lines before count as old, since an outdated reading of the balance agreed without the deposit.
    expect(books.compare(totals(109n, 4_077n), 220)).not.toEqual([]);
    expect(books.compare(totals(109n, 4_077n), 260, { withOld: true })).toEqual([]);
    expect(books.compare(totals(109n, 4_077n), 300)).toEqual([]);
  });

  it('let an old line explain no difference by chance, after a restart neither', () => {
    const books = begun();
    books.addLine(line(50n, 100));
    expect(books.compare(totals(100n, 5_000n), 200)).toEqual([]);
    const restarted = restartedFrom(books);
    expect(books.compare(totals(100n, 5_050n), 300)).toHaveLength(1);
    expect(restarted.compare(totals(100n, 5_050n), 300)).toHaveLength(1);
    expect(restarted.compare(totals(100n, 5_050n), 300, { withOld: true })).toEqual([]);
  });

  it('enter a line once no trade can come for it, and no second time', () => {
    const books = new BalanceBooks(30);
    books.begin(totals(100n, 5_000n));
    books.addLine(line(50n, 100));
    books.compare(totals(100n, 5_050n), 130);
    expect(books.isPending).toBe(false);
    expect(books.compare(totals(100n, 5_100n), 131)).toEqual([
      { currency: 'usdt', expected: 5_050n, found: 5_100n },
    ]);
  });

  it('say nothing before they have begun, and forget what came before', () => {
    const books = new BalanceBooks();
    books.addTrade(BUY, BOTH, 0);
    books.addLine(line(50n));
    expect(books.hasBegun).toBe(false);
    expect(books.compare(totals(1n, 2n), 0)).toEqual([]);
    books.begin(totals(1n, 2n));
    expect(books.hasBegun).toBe(true);
    expect(books.compare(totals(1n, 2n), 0)).toEqual([]);
    expect(books.compare(totals(1n, 52n), 0)).toHaveLength(1);
  });

  it('count a wallet that is not listed as empty', () => {
    const books = begun();
    expect(books.knows('btc')).toBe(true);
    expect(books.knows('eth')).toBe(false);
    expect(books.compare(new Map([['usdt', 5_000n]]), 0)).toEqual([
      { currency: 'btc', expected: 100n, found: 0n },
    ]);
    expect(books.compare(new Map([...totals(100n, 5_000n), ['eth', 3n]]), 0)).toEqual([
      { currency: 'eth', expected: 0n, found: 3n },
    ]);
  });

  it('let no line of one currency explain a difference in another', () => {
    const books = begun();
    books.addLine(line(50n, 0, 'btc'));
    expect(books.compare(totals(100n, 5_050n), 0)).toHaveLength(1);
  });

  it('let the lines of a trade explain nothing, whichever of the two was read first', () => {
    const books = begun();
    books.addTrade(BUY, BOTH, 0);
    books.addLine(line(-1_000n));
    expect(books.compare(totals(109n, 3_000n), 0)).toHaveLength(1);
    const early = begun();
    early.addLine(line(-1_000n));
    early.addTrade(BUY, BOTH, 0);
    expect(early.compare(totals(109n, 3_000n), 0)).toHaveLength(1);
  });

  it('give the sum of many trades the lines of these, also over a restart, and no other line', () => {
    const books = begun();
    const parts = Array.from({ length: 13 }, (_, place) => -100n - BigInt(place));
    const total = 13n * 106n;
    books.addTrade({ ...BUY, total, isSum: true }, new Set(['usdt']), 1_000);
    const restarted = restartedFrom(books);
    for (const amount of [-7n, ...parts, 3n, -2_000n]) restarted.addLine(line(amount, 601_000));
    expect(restarted.compare(totals(100n, 5_000n - total - 2_004n), 601_000)).toHaveLength(1);
    restarted.linesRead('usdt', 601_000);
    expect(restarted.compare(totals(100n, 5_000n - total - 2_004n), 601_000)).toEqual([]);
    expect(restarted.store()).toMatchObject({ unmatched: [], outside: [] });
  });

  it('count a trade once whose lines had to explain a difference, before any list had it', () => {
    const books = begun();
    for (const amount of [-400n, -600n]) books.addLine(line(amount, 1_000));
    expect(books.compare(totals(100n, 4_000n), 2_000)).toEqual([]);
    const restarted = restartedFrom(books);
    restarted.addTrade({ ...BUY, isSum: true }, new Set(['usdt']), 9_000);
    expect(restarted.compare(totals(100n, 4_000n), 9_000)).toEqual([]);
    restarted.addTrade({ ...BUY, isSum: true }, new Set(['usdt']), 9_000);
    expect(restarted.compare(totals(100n, 4_000n), 9_000)).toHaveLength(1);
  });

  it('forget a line that nothing asked for within ten minutes of its reading', () => {
    const books = begun();
    books.addLine(line(50n, 1_000));
    expect(books.compare(totals(100n, 5_000n), 601_001)).toEqual([]);
    expect(books.compare(totals(100n, 5_050n), 601_002)).toHaveLength(1);
  });

  it('know a trade whose line comes after they have begun anew', () => {
    const books = begun();
    books.addTrade(BUY, BOTH, 0);
    books.begin(totals(109n, 4_000n));
    expect(books.addLine(line(-1_000n))).toBe(false);
    expect(books.addLine(line(-1_000n))).toBe(true);
  });

  it('give a trade up whose line is in no history that was read ten minutes later', () => {
    const books = begun();
    books.addTrade(BUY, BOTH, 1_000);
    books.addTrade(SALE, BOTH, 2_000);
    books.linesRead('usdt', 601_000);
    expect(books.store().unmatched).toEqual([
      ['btc', '9', 1_000],
      ['btc', '-10', 2_000],
      ['usdt', '998', 2_000],
    ]);
  });

  it('hold the newest trades of each currency, and say that a currency is incomplete while lines of others may come', () => {
    const books = begun(10n ** 9n, 10n ** 9n);
    let usdt = 10n ** 9n;
    for (let count = 0; count <= MOST_LINELESS_TRADES; count += 1) {
      books.addTrade({ ...BUY, total: BigInt(count + 1) }, new Set(['usdt']), 1_000);
      usdt -= BigInt(count + 1);
    }
    books.addTrade(BUY, new Set(['btc']), 1_000);
    expect(books.store().unmatched).toHaveLength(MOST_LINELESS_TRADES + 1);
    expect([books.isIncomplete('usdt'), books.isIncomplete('btc')]).toEqual([true, false]);
    const restarted = restartedFrom(books);
    expect(restarted.isIncomplete('usdt')).toBe(true);
    // The late line of the trade that was given up.
    restarted.addLine(line(-1n, 2_000));
    restarted.compare(totals(10n ** 9n + 9n, usdt), 3_000);
    expect(restarted.isIncomplete('usdt')).toBe(true);
    restarted.linesRead('usdt', 601_000);
    restarted.compare(totals(10n ** 9n + 9n, usdt), 602_000);
    expect(restarted.isIncomplete('usdt')).toBe(false);
    expect(restarted.store().outside).toEqual([]);
  });

  it('hold the newest three hundred lines of each currency, and are incomplete then', () => {
    const books = begun();
    for (let count = 0; count < 301; count += 1) books.addLine(line(1_000n + BigInt(count)));
    books.addLine(line(50n, 0, 'btc'));
    expect(books.store().outside).toHaveLength(301);
    expect(books.store().outside[0]?.[2]).toBe('1001');
    expect([books.isIncomplete('usdt'), books.isIncomplete('btc')]).toEqual([true, false]);
  });

  it('read what an early version kept', () => {
    const books = new BalanceBooks();
    const kept = { expected: null, unmatched: [['usdt', '5']], outside: [], agreedAtMs: {} };
    books.restore(storedBooks.parse(kept), 77);
    expect(books.store()).toMatchObject({ unmatched: [['usdt', '5', 77]], givenUpAtMs: {} });
  });
});

describe('the books of the balances, over any history', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 20n });
  // Totals of trades are even and amounts from outside are odd, since a line with a trade's amount is taken
  // for that trade's.
  const total = amount.map((units) => units * 2n);
  const trade = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    amount,
    total,
    feeCurrency: fc.constantFrom(null, 'btc', 'usdt', 'bnb'),
  });
  const happening = fc.oneof(
    trade.map((made) => ({
      kind: 'trade' as const,
      ...made,
      fee: made.side === 'buy' ? (made.amount / 3n) * 2n : 0n,
    })),
    fc
      .bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
      .map((units) => ({ kind: 'outside' as const, units: units * 2n + 1n })),
  );

  it('agree with an exchange that moved by trades and lines only, over a restart at any moment', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(happening, fc.boolean())), (history) => {
        let books = begun();
        let btc = 100n;
        let usdt = 5_000n;
        let bnb = 10n ** 30n;
        const now = () => new Map([...totals(btc, usdt), ['bnb', bnb]]);
        books.begin(now());
        let expected: readonly unknown[] = [];
        let nowMs = 0;
        for (const [happened, isReadNow] of history) {
          nowMs += 1;
          if (happened.kind === 'outside') {
            usdt += happened.units;
            const id = walletTransactionId('1');
            books.addLine({ currency: 'usdt', id, amount: happened.units, readAtMs: nowMs });
          } else {
            const { side, amount: coins, total, fee, feeCurrency } = happened;
            const paysIn = feeCurrency ?? (side === 'buy' ? 'btc' : 'usdt');
            btc += (side === 'buy' ? coins : -coins) - (paysIn === 'btc' ? fee : 0n);
            usdt += (side === 'buy' ? -total : total) - (paysIn === 'usdt' ? fee : 0n);
            bnb -= paysIn === 'bnb' ? fee : 0n;
            books.addTrade({ ...TRADE, side, amount: coins, total, fee, feeCurrency }, ALL, nowMs);
          }
          if (isReadNow) {
            expected = books.compare(now(), nowMs);
            books = restartedFrom(books);
          }
          expect(expected).toEqual([]);
        }
        expect(books.compare(now(), nowMs)).toEqual([]);
      }),
    );
  });
});

function amountsAddingUpTo(difference: bigint, amounts: readonly bigint[]): readonly bigint[] | null {
  const lines = amounts.map((amount) => ({ amount }));
  return linesAddingUpTo(difference, lines)?.map(({ amount }) => amount) ?? null;
}

/** Amounts of which no few add up to the sum of others. */
const POWERS = Array.from({ length: 40 }, (_, power) => 3n ** BigInt(power));

describe('a difference is explained', () => {
  it.each([
    ['one line', [50n], 50n],
    ['a withdrawal', [-50n], -50n],
    ['all lines together', [50n, 70n, -20n], 100n],
    ['the newest few', [50n, 70n, 30n], 100n],
    ['the oldest few', [50n, 70n, 30n], 120n],
    ['one of several', [50n, 70n, 30n], 50n],
    ['two of several', [50n, 70n, 30n, 11n], 80n],
    ['deposits with a line of a given-up trade between them', [477n, 36n, 190n, -2_675n], -2_008n],
    ['three of twelve', [1n, 5n, 25n, 125n, 625n, 7n, 49n, 343n, 2_401n, 11n, 121n, 1_331n], 1_961n],
  ])('by %s', (_, lines, difference) => {
    const found = amountsAddingUpTo(difference, lines);
    expect(found?.reduce((sum, amount) => sum + amount, 0n)).toBe(difference);
  });

  it('by lines that came one after the other among many others', () => {
    expect(amountsAddingUpTo(3n ** 20n + 3n ** 21n + 3n ** 22n, POWERS)).toEqual(POWERS.slice(20, 23));
  });

  it('by all lines but one or two, which may be of trades that are still to come', () => {
    const all = POWERS.reduce((sum, amount) => sum + amount, 0n);
    expect(amountsAddingUpTo(all - 3n ** 20n, POWERS)).toHaveLength(39);
    expect(amountsAddingUpTo(all - 3n ** 7n - 3n ** 20n, POWERS)).toHaveLength(38);
  });

  it('by the newest of those that would do, and of these by the fewest', () => {
    expect(amountsAddingUpTo(5n, [5n, 2n, 3n, 0n])).toEqual([2n, 3n, 0n]);
    expect(amountsAddingUpTo(5n, [1n, 4n, 5n])).toEqual([5n]);
  });

  it('by none of them else: of many lines too many sums would fit', () => {
    expect(amountsAddingUpTo(4n, [])).toBeNull();
    expect(amountsAddingUpTo(1n + 27n + 729n, POWERS.slice(0, 13))).toBeNull();
  });
});
