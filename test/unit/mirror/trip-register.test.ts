import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { profitsReplyOf, tripsReplyOf } from '../../../src/dashboard/readers/trip-replies.ts';
import { profitsQuery, tripsQuery } from '../../../src/dashboard/schema/trip.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { formatUnits, parseUnits, type Units } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { isEntry, TripRegister } from '../../../src/mirror/trip-register.ts';
import { placeholderIdOf } from '../../../src/records/fill.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { figure, fillRecord, LATER, MirrorFolder, noteChange, orderChange } from './mirror-fixture.ts';

const MARKET: MirrorChange = {
  kind: 'market',
  market: {
    symbol: 'BTCIRT',
    version: 1,
    fromMs: 0,
    priceStep: decimalText('1'),
    amountStep: decimalText('0.1'),
    minOrderValue: decimalText('1'),
  },
};
/** First moment of 1 Farvardin 1405 in Tehran, a Saturday. */
const NEW_YEAR_MS = Date.parse('2026-03-20T20:30:00Z');
const HOUR_MS = 3_600_000;
const priceOf = (): Units => parseUnits('100');
const FREE = { fees: '0', unvaluedFees: 0 };

interface Made {
  readonly number: number;
  readonly side: 'buy' | 'sell';
  readonly amount?: string;
  readonly price?: string;
  readonly atMs?: number;
  readonly strategy?: string | null;
}

const fillOf = ({ number, side, amount = '1', price = '100', atMs = number, strategy = 'one' }: Made) =>
  fillRecord({
    tradeId: tradeIdOf(number),
    cursor: number,
    venueOrderId: orderIdOf(number),
    orderKey: `k${number}`,
    strategy,
    side,
    atMs,
    price: parseUnits(price),
    amount: parseUnits(amount),
    total: parseUnits(String(Number(price) * Number(amount))),
    fee: parseUnits('0'),
  });
const made = (fill: Made): MirrorChange => ({ kind: 'fill', fill: fillOf(fill) });

describe('the trips of a mirror', () => {
  test('are the same read fill by fill and at once, whatever becomes of fills that were read', () => {
    const step = fc.record({
      act: fc.constantFrom('buy', 'sell', 'placeholder', 'trade of it', 'owner', 'late', 'oldest gone'),
      isRead: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        using folder = new MirrorFolder();
        const store = folder.open();
        const apply = (change: MirrorChange): void => {
          store.apply([change], LATER);
          store.flush();
        };
        apply(MARKET);
        const reader = folder.read();
        const register = new TripRegister(reader);
        let placeholder: ReturnType<typeof fillOf> | null = null;
        for (const [index, { act, isRead }] of steps.entries()) {
          const number = 100 + index;
          if (act === 'buy' || act === 'sell') apply(made({ number, side: act }));
          else if (act === 'late') apply(made({ number, side: 'buy', atMs: 50 }));
          else if (act === 'owner')
            apply(made({ number: 100, side: 'buy', strategy: isRead ? 'two' : null }));
          else if (act === 'oldest gone')
            folder.exec('DELETE FROM fills WHERE id = (SELECT min(id) FROM fills)');
          else if (act === 'placeholder') {
            placeholder = { ...fillOf({ number, side: 'buy' }), tradeId: placeholderIdOf(orderIdOf(number)) };
            apply({ kind: 'fill', fill: placeholder });
          } else if (placeholder !== null) {
            store.apply(
              [{ kind: 'fill-gone', fill: placeholder }, made({ number, side: 'buy', amount: '2' })],
              LATER,
            );
            store.flush();
            placeholder = null;
          }
          if (isRead) register.trips(priceOf);
        }
        expect(register.trips(priceOf)).toEqual(new TripRegister(reader).trips(priceOf));
      }),
      { numRuns: 60 },
    );
  });

  test('have the tags, exits and first stops of their orders, and coins that a person has moved', () => {
    using folder = new MirrorFolder();
    folder.write([
      MARKET,
      orderChange({ key: 'k1', intentId: 'i', strategy: 'one', tag: 'dip' }),
      orderChange({ key: 'stop', intentId: 'i', exit: 'stop-loss', stopPrice: parseUnits('90') }),
      orderChange({ key: 'k2', intentId: 'i', exit: 'trail', stopPrice: parseUnits('95'), tag: 'dip' }),
      made({ number: 1, side: 'buy', amount: '3' }),
      made({ number: 2, side: 'sell', price: '120' }),
      moveOf('by-hand', 3, null),
    ]);
    const trips = new TripRegister(folder.read()).trips(priceOf);
    const shown = trips.map(({ entryTag, exit, firstStop, profit, exitOrder, isOpen }) =>
      [
        entryTag,
        exit,
        firstStop === null ? null : formatUnits(firstStop),
        formatUnits(profit),
        exitOrder,
        isOpen,
      ].join(),
    );
    expect(shown).toEqual(['dip,trail,90,20,k2,false', 'dip,,90,10,,false', 'dip,,90,0,,true']);
  });
});

const moveOf = (key: string, atMs: number, to: string | null): MirrorChange => ({
  kind: 'position-move',
  move: {
    key,
    act: to === null ? 'write-off' : 'move',
    atMs,
    from: 'one',
    to,
    asset: 'BTC',
    amount: '1',
    price: '110',
    market: 'BTCIRT',
    by: null,
  },
});

/** Returns the notes of the trips that a filter finds, oldest first, and the tags to choose from. */
const noted = (folder: MirrorFolder, query: object = {}) => {
  const { items, choices } = tripsReplyOf(folder.read(), tripsQuery.parse({ by: 'opened', ...query }));
  return [items.map(({ entry, note, tags }) => [entry, note, ...tags].join(' ')), choices.tags];
};

describe('a note', () => {
  test('is of a purchase, so each sale of it shows it, and an open trip keeps it when it is closed', () => {
    using folder = folderOf(
      { number: 1, side: 'buy', amount: '3' },
      { number: 2, side: 'sell' },
      { number: 3, side: 'buy' },
    );
    folder.write([noteChange('k1', 'پیش از خبر', 'خبر', 'late')]);
    const of1 = 'k1 پیش از خبر خبر late';
    expect(noted(folder)).toEqual([
      ['k3 ', of1, of1],
      ['late', 'خبر'],
    ]);
    folder.write([made({ number: 4, side: 'sell', amount: '2' })]);
    expect(noted(folder, { state: 'closed' })[0]).toEqual([of1, of1]);
    expect(noted(folder, { tag: 'خبر' })[0]).toEqual([of1, of1]);
    folder.write([noteChange('k1', 'again')]);
    expect(noted(folder, { state: 'closed' })).toEqual([['k1 again', 'k1 again'], []]);
    folder.write([{ kind: 'note-end', entry: 'k1' }]);
    expect(noted(folder, { state: 'closed' })[0]).toEqual(['k1 ', 'k1 ']);
  });

  test('stays when trades replace a placeholder, and does not go with coins that a person moves', () => {
    const buy = fillOf({ number: 1, side: 'buy' });
    const placeholder = { ...buy, tradeId: placeholderIdOf(orderIdOf(1)) };
    using folder = new MirrorFolder();
    folder.write([MARKET, { kind: 'fill', fill: placeholder }, noteChange('k1', 'mine')]);
    folder.write([
      { kind: 'fill-gone', fill: placeholder },
      { kind: 'fill', fill: buy },
    ]);
    expect(noted(folder)[0]).toEqual(['k1 mine']);
    folder.write([moveOf('by-hand', 2, 'two')]);
    expect(noted(folder)[0]).toEqual(['by-hand ', 'k1 mine']);
    folder.write([noteChange('by-hand', 'moved')]);
    expect(noted(folder)[0]).toEqual(['by-hand moved', 'k1 mine']);
    const reader = folder.read();
    expect(['k1', 'by-hand', 'k2'].map((key) => isEntry(reader, key))).toEqual([true, true, false]);
  });

  test('lets a trip count with each of its tags', () => {
    using folder = folderOf({ number: 1, side: 'buy' }, { number: 2, side: 'sell', price: '130' });
    const by = () =>
      profitsReplyOf(folder.read(), profitsQuery.parse({ by: 'tag' })).groups.map(
        ({ key, profit }) => `${key} ${profit}`,
      );
    expect(by()).toEqual([' 30']);
    folder.write([noteChange('k1', '', 'a', 'b'), orderChange({ key: 'k1', tag: 'b' })]);
    expect(by().toSorted()).toEqual(['a 30', 'b 30']);
  });

  test('is not in a mirror of version 7, which gets a place for it', () => {
    using folder = folderOf({ number: 1, side: 'buy' });
    for (const name of ['currency', 'value']) folder.exec(`ALTER TABLE fills DROP COLUMN fee_${name}`);
    folder.exec('DROP TABLE trip_notes; DROP INDEX fills_by_time; PRAGMA user_version = 7');
    expect(noted(folder)[0]).toEqual(['k1 ']);
    folder.write([noteChange('k1', 'mine')]);
    expect(noted(folder)[0]).toEqual(['k1 mine']);
  });

  test('that is one of the oldest goes once there are too many', () => {
    using folder = folderOf();
    const store = folder.open();
    const notes = Array.from({ length: 20_010 }, (_, index): MirrorChange => {
      const change = noteChange(`k${index}`, 'x');
      return change.kind === 'note' ? { ...change, note: { ...change.note, atMs: index } } : change;
    });
    for (let begin = 0; begin < notes.length; begin += 1_000)
      store.apply(notes.slice(begin, begin + 1_000), { ...LATER, isDurable: true });
    store.flush();
    expect(folder.rows('SELECT count(*) AS count, min(at_ms) AS oldest FROM trip_notes')).toEqual([
      { count: 20_000, oldest: 10 },
    ]);
  });
});

function folderOf(...fills: readonly Made[]): MirrorFolder {
  const folder = new MirrorFolder();
  folder.write([MARKET, ...fills.map((fill) => made(fill))]);
  return folder;
}

describe('replies about trips', () => {
  test('read the book of a market once, however many trips are open, also where there is none', () => {
    using folder = folderOf(
      ...Array.from({ length: 50 }, (_, index) => ({ number: index, side: 'buy' as const })),
    );
    const reader = folder.read();
    const book = vi.spyOn(reader.markets, 'book');
    profitsReplyOf(reader, profitsQuery.parse({ by: 'day' }));
    expect(book.mock.calls).toEqual([['BTCIRT']]);
  });

  test('sort, filter and page them, and sum all that meet the filter', () => {
    using folder = folderOf(
      { number: 1, side: 'buy' },
      { number: 2, side: 'sell', price: '130' },
      { number: 3, side: 'buy' },
      { number: 4, side: 'sell', price: '80' },
      { number: 5, side: 'buy', strategy: 'two' },
      { number: 6, side: 'sell', price: '110', strategy: 'two' },
      { number: 7, side: 'buy', strategy: 'two' },
    );
    const reader = folder.read();
    const of = (query: object) => {
      const { items, next, sums } = tripsReplyOf(reader, tripsQuery.parse(query));
      return { profits: items.map(({ profit }) => profit), next, sums };
    };
    expect(of({ by: 'profit', state: 'closed', limit: 2 })).toEqual({
      profits: ['30', '10'],
      next: '2',
      sums: [{ currency: 'rls', trips: 3, wins: 2, profit: '20', ...FREE, payoff: 1, lengthMs: 1 }],
    });
    expect(of({ by: 'profit', state: 'closed', limit: 2, before: '2' })).toMatchObject({
      profits: ['-20'],
      next: null,
    });
    expect(of({ by: 'profit', first: 'smallest', strategy: 'one' }).profits).toEqual(['-20', '30']);
    // There is no book, so that what is open has no price.
    expect(of({ state: 'open' }).profits).toEqual([null]);
    expect(of({ from: 4, to: 5 }).profits).toEqual(['-20']);
    expect(tripsReplyOf(reader, tripsQuery.parse({})).choices.strategies).toEqual(['one', 'two']);
  });

  test('count a trip at the day, week, month and hour in Tehran in which it was closed', () => {
    using folder = folderOf(
      { number: 1, side: 'buy', atMs: NEW_YEAR_MS - 2 * HOUR_MS },
      { number: 2, side: 'sell', price: '90', atMs: NEW_YEAR_MS - 1 },
      { number: 3, side: 'buy', atMs: NEW_YEAR_MS - 1 },
      { number: 4, side: 'sell', price: '101', atMs: NEW_YEAR_MS },
      { number: 5, side: 'buy', atMs: NEW_YEAR_MS + 2 * HOUR_MS },
      { number: 6, side: 'sell', price: '103', atMs: NEW_YEAR_MS + 26 * HOUR_MS },
    );
    const reader = folder.read();
    const of = (query: object) =>
      profitsReplyOf(reader, profitsQuery.parse(query)).groups.map(({ key, fromMs, profit }) =>
        [fromMs === null ? key : (fromMs - NEW_YEAR_MS) / HOUR_MS, profit].join(' '),
      );
    expect(of({ by: 'day' })).toEqual(['24 3', '0 1', '-24 -10']);
    expect(of({ by: 'week' })).toEqual(['0 4', '-168 -10']);
    expect(of({ by: 'month', calendar: 'jalali' })).toEqual(['0 4', `${-29 * 24} -10`]);
    expect(of({ by: 'month' })).toEqual([`${-20 * 24} -6`]);
    expect(of({ by: 'hour' })).toEqual(['0 1', '2 3', '23 -10']);
    expect(of({ by: 'strategy' })).toEqual(['one -6']);
    const day = (days: number) => NEW_YEAR_MS + days * 24 * HOUR_MS;
    folder.write([
      figure('requests/orders', day(-1), '5'),
      figure('requests/books', day(-1), '70'),
      figure('requests/books', day(0), '80'),
      figure('requests/books', day(2), '90'),
    ]);
    const spent = (query: object) =>
      profitsReplyOf(folder.read(), profitsQuery.parse(query)).groups.map(({ trips, requests }) => [
        trips,
        requests,
      ]);
    expect(spent({ by: 'day' })).toEqual([
      [0, 90],
      [1, 0],
      [1, 80],
      [1, 75],
    ]);
    expect(spent({ by: 'week' })).toEqual([
      [2, 170],
      [1, 75],
    ]);
    expect([spent({ by: 'day', strategy: 'one' })[0], spent({ by: 'hour' })[0]]).toEqual([
      [1, null],
      [1, null],
    ]);
  });
});
