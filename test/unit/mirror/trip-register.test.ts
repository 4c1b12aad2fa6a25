import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { profitsReplyOf, tripsReplyOf } from '../../../src/dashboard/readers/trip-replies.ts';
import { profitsQuery, tripsQuery } from '../../../src/dashboard/schema/trip.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { formatUnits, parseUnits, type Units } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { TripRegister } from '../../../src/mirror/trip-register.ts';
import { placeholderIdOf } from '../../../src/records/fill.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { fillRecord, LATER, MirrorFolder, orderChange } from './mirror-fixture.ts';

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
      {
        kind: 'position-move',
        move: {
          key: 'by-hand',
          act: 'write-off',
          atMs: 3,
          from: 'one',
          to: null,
          asset: 'BTC',
          amount: '1',
          price: '110',
          market: 'BTCIRT',
          by: null,
        },
      },
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

function folderOf(...fills: readonly Made[]): MirrorFolder {
  const folder = new MirrorFolder();
  folder.write([MARKET, ...fills.map((fill) => made(fill))]);
  return folder;
}

describe('replies about trips', () => {
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
      sums: [{ currency: 'rls', trips: 3, wins: 2, profit: '20', fees: '0', payoff: 1, lengthMs: 1 }],
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
  });
});
