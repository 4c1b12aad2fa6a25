import { describe, expect, test } from 'vitest';
import { venueOrderId, type VenueOrderId } from '../../../src/domain/order.ts';
import {
  cursorOf,
  isListId,
  mayFollow,
  ListPlaces,
  nextOrdersPage,
  nextPageFrom,
  OwnMarkets,
  readingAfter,
  readingFrom,
  surelyFollows,
} from '../../../src/engine/own-list.ts';
import { orderIn } from '../../support/order-value.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import type { OwnList } from '../../../src/venues/port.ts';

const BY_ID: OwnList<VenueOrderId> = { by: 'id', cursorOf: Number };
const BY_TIME: OwnList<VenueOrderId> = { by: 'time', overlapMs: 100 };

describe('a list by id', () => {
  test('has each item where its id says, whatever its time', () => {
    expect(cursorOf(BY_ID, { id: venueOrderId('7'), timeMs: null })).toBe(7);
    expect(cursorOf(BY_ID, { id: null, timeMs: 5_000 })).toBeNull();
    expect([isListId(BY_ID, venueOrderId('0')), isListId(BY_ID, venueOrderId('1'))]).toEqual([false, true]);
  });

  test('is read on after the last id, and never twice the same page', () => {
    expect(nextPageFrom(BY_ID, { from: 5, last: 9 })).toBe(10);
    expect(nextPageFrom(BY_ID, { from: 5, last: 5 })).toBe(6);
    expect([readingFrom(BY_ID, 9), readingAfter(BY_ID, 9)]).toEqual([9, 10]);
  });

  test('has what is newer above what is older', () => {
    expect([mayFollow(BY_ID, 9, 9), mayFollow(BY_ID, 10, 9)]).toEqual([false, true]);
    expect([surelyFollows(BY_ID, 9, 9), surelyFollows(BY_ID, 10, 9)]).toEqual([false, true]);
  });
});

describe('lists of each market', () => {
  const byMarket = { scope: 'market' } as const;
  const places = new ListPlaces(byMarket);

  test('have a place each, which only their own market moves', () => {
    places.raise({ market: 'BTCIRT', cursor: 9 });
    places.raise({ market: 'BTCIRT', cursor: 7 });
    expect([places.of('BTCIRT'), places.of('ETHIRT')]).toEqual([9, 0]);
    const one = new ListPlaces({ scope: 'venue' });
    one.raise({ market: 'BTCIRT', cursor: 9 });
    expect(one.of('ETHIRT')).toBe(9);
  });

  test('are read in the markets of strategies and orders, and where a reading has begun before', () => {
    const markets = new OwnMarkets(['BTCIRT'], ['ETHIRT', 'BTCIRT']);
    markets.restore({
      orders: [orderIn('open', { market: 'USDTIRT' })],
      stored: { 'cursor.trades LTCIRT': '7' },
    });
    expect(markets.listsOf(byMarket)).toEqual(['BTCIRT', 'USDTIRT', 'LTCIRT']);
    expect(markets.everyListOf(byMarket)).toEqual(['BTCIRT', 'USDTIRT', 'LTCIRT', 'ETHIRT']);
    expect(['BTCIRT', 'ETHIRT', 'LTCIRT', 'LTCIRT'].map((market) => markets.drop(market))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(markets.everyListOf(byMarket)).toEqual(['BTCIRT', 'USDTIRT']);
    expect(markets.listsOf({ scope: 'venue' })).toEqual([null]);
  });

  test('have no next page of the open orders of all markets', () => {
    const { orders, trades, transactions } = INTERFACE_PROFILE.ownLists;
    const ownLists = { orders: { ...orders, scope: 'market' as const }, trades, transactions };
    const call = { kind: 'orders', status: 'open', market: null, from: null } as const;
    expect(nextOrdersPage({ ownLists }, call, [])).toBeNull();
    expect(nextOrdersPage({ ownLists }, { ...call, market: 'BTCIRT' }, [])).toMatchObject({
      market: 'BTCIRT',
      from: 1,
    });
  });
});

describe('a list by time', () => {
  test('has each item where its time says, whatever its id', () => {
    expect(cursorOf(BY_TIME, { id: venueOrderId('ffe0'), timeMs: 5_000 })).toBe(5_000);
    expect(cursorOf(BY_TIME, { id: venueOrderId('7'), timeMs: null })).toBeNull();
    expect(isListId(BY_TIME, venueOrderId('ffe0'))).toBe(true);
  });

  test('is read on from the last time, since more may stand there', () => {
    expect(nextPageFrom(BY_TIME, { from: 5_000, last: 5_010 })).toBe(5_010);
  });

  test('leads no further where more items stand at one time than a page has', () => {
    expect(nextPageFrom(BY_TIME, { from: 5_010, last: 5_010 })).toBeNull();
  });

  test('is read again from as long before as it may be late', () => {
    expect([readingFrom(BY_TIME, 5_000), readingAfter(BY_TIME, 5_000)]).toEqual([4_900, 4_900]);
    expect(readingFrom(BY_TIME, 50)).toBe(0);
  });

  test('says which of two is newer only beyond that', () => {
    expect([mayFollow(BY_TIME, 4_900, 5_000), mayFollow(BY_TIME, 4_901, 5_000)]).toEqual([false, true]);
    expect([5_100, 5_101].map((ms) => surelyFollows(BY_TIME, ms, 5_000))).toEqual([false, true]);
  });
});
