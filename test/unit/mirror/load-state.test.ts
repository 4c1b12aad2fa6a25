import { describe, expect, test } from 'vitest';
import {
  DURABLE,
  fillRecord,
  kept,
  NOW_MS,
  orderRecord,
  fillChange,
  mirrorOfEachTest,
} from './mirror-fixture.ts';
import { venueTradeId } from '../../../src/domain/order.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { placeholderIdOf } from '../../../src/records/fill.ts';
import { ADOPTED } from '../../../src/engine/lost-orders.ts';

const HOUR_MS = 3_600_000;

const place = mirrorOfEachTest();

/** Returns the keys of the orders that a restart loads, of two ended an hour ago, the second adopted. */
function givenBack(names: object): readonly string[] {
  const store = place.open();
  const ended = { state: 'filled', closedAtMs: NOW_MS - HOUR_MS } as const;
  const orders = [
    orderRecord({ ...ended, key: 'bot-one-e001-1', clientOrderId: 'bot-one-e001-1', venueId: orderIdOf(7) }),
    orderRecord({
      ...ended,
      key: 'bot-one-e002-1',
      clientOrderId: 'bot-one-e002-1',
      venueId: orderIdOf(9),
      intentId: ADOPTED,
    }),
  ];
  store.apply(
    orders.map((order) => ({ kind: 'order', order }) as const),
    { ...DURABLE, atMs: NOW_MS - HOUR_MS },
  );
  store.apply([kept('names', JSON.stringify(names))], DURABLE);
  return store.load().orders.map(({ key }) => key);
}

describe('a restart amid the search after a mirror was put back', () => {
  const names = { epoch: 'e003', former: [], takenOverTo: 8 };

  test('is given the ended orders that were taken over, so that it does not take them over again', () => {
    expect(givenBack({ ...names, isSearching: true })).toEqual(['bot-one-e002-1']);
  });

  test('is given none of them once the search is over', () => {
    expect(givenBack({ ...names, isSearching: false })).toEqual([]);
  });
});

test('a restart is given orders that were sent and refused, however long ago: such a refusal can be wrong', () => {
  const store = place.open();
  const ended = { state: 'rejected', closedAtMs: NOW_MS - 48 * HOUR_MS, venueId: null } as const;
  const orders = [
    orderRecord({ ...ended, key: 'bot-one-e001-1', clientOrderId: 'bot-one-e001-1', attempts: 1 }),
    orderRecord({ ...ended, key: 'bot-one-e001-2', clientOrderId: 'bot-one-e001-2', attempts: 0 }),
  ];
  store.apply(
    orders.map((order) => ({ kind: 'order', order }) as const),
    { ...DURABLE, atMs: NOW_MS - 48 * HOUR_MS },
  );
  expect(store.load().orders.map(({ key }) => key)).toEqual(['bot-one-e001-1']);
});

/** Returns the first cursor and the count of the fills, of 2,500, that a restart with this cursor loads. */
function givenBackFrom(cursor: number): readonly unknown[] {
  const store = place.open();
  const fills = Array.from({ length: 2_500 }, (_, at) => {
    const fill = fillRecord({ tradeId: tradeIdOf(at + 1), cursor: at + 1 });
    return { kind: 'fill', fill } as const;
  });
  store.apply([...fills, kept('cursor.trades', String(cursor))], DURABLE);
  const { fills: given } = store.load();
  return [given[0]?.cursor, given.length];
}

describe('the trades that a restart is given', () => {
  test('are the last two thousand', () => {
    expect(givenBackFrom(2_480)).toEqual([501, 2_000]);
  });

  test('are those of each market, where each has a list with places of its own', () => {
    const store = place.open();
    const fills = Array.from({ length: 5_000 }, (_, at) => {
      const market = at % 2 === 0 ? 'BTCIRT' : 'ETHIRT';
      const cursor = market === 'BTCIRT' ? 1_000_000 + at : at;
      return fillChange({ tradeId: venueTradeId(`${market}:${cursor}`), cursor, market, orderKey: null });
    });
    store.apply(
      [...fills, kept('cursor.trades BTCIRT', '1004990'), kept('cursor.trades ETHIRT', '121')],
      DURABLE,
    );
    const { fills: given } = store.load();
    const of = (market: string): readonly number[] =>
      given.flatMap((fill) => (fill.market === market ? [fill.cursor] : []));
    expect([of('BTCIRT')[0], of('BTCIRT').length]).toEqual([1_001_000, 2_000]);
    expect([of('ETHIRT')[0], of('ETHIRT').length]).toEqual([121, 2_440]);
  });

  test('are all that the next reading shows again: a trade whose order is not known yet keeps it back', () => {
    expect(givenBackFrom(120)).toEqual([120, 2_381]);
  });
});

describe('a placeholder', () => {
  const venueId = orderIdOf(7);
  const order = orderRecord({ state: 'filled', closedAtMs: NOW_MS - 48 * HOUR_MS, venueId });
  const fill = fillRecord({
    tradeId: placeholderIdOf(venueId),
    venueOrderId: venueId,
    orderKey: order.key,
    cursor: 0,
  });

  test('is given back to a restart with its order, however old, until it is taken out', () => {
    const store = place.open();
    const others = Array.from({ length: 2_100 }, (_, index) => {
      const tradeId = tradeIdOf(1_000 + index);
      return fillChange({ tradeId, cursor: 1_000 + index, orderKey: null });
    });
    store.apply([{ kind: 'order', order }, { kind: 'fill', fill }, ...others], {
      ...DURABLE,
      atMs: NOW_MS - 48 * HOUR_MS,
    });
    const before = store.load();
    expect(before.orders.map(({ key }) => key)).toEqual([order.key]);
    expect(before.fills.filter(({ cursor }) => cursor === 0)).toEqual([fill]);
    store.apply([{ kind: 'fill-gone', fill }], DURABLE);
    const after = store.load();
    expect(after.orders).toEqual([]);
    expect(after.fills.filter(({ cursor }) => cursor === 0)).toEqual([]);
  });
});
