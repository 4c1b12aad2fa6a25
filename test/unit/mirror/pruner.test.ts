import { beforeEach, describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import type { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import type { RetentionLimits } from '../../../src/mirror/pruner.ts';
import {
  journalLine,
  NOW_MS,
  fillChange,
  intentChange,
  orderChange,
  mirrorOfEachTest,
} from './mirror-fixture.ts';
import { tradeIdOf, transactionIdOf } from '../../../src/venues/read-records.ts';

/** The smallest limits that are allowed. */
const LEAST: RetentionLimits = {
  journalRows: 1_000,
  candlesPerSeries: 100,
  publicTradesPerMarket: 100,
  finalOrders: 1_000,
  fills: 2_000,
  intents: 1_000,
};
const LONG_AGO = { atMs: NOW_MS - 3_600_000, isDurable: true };
const NOW = { atMs: NOW_MS, isDurable: true };

const place = mirrorOfEachTest();
let store: MirrorStore;
beforeEach(() => {
  store = place.open({ retention: LEAST });
});

const value = (sql: string): unknown => Object.values(place.rows(sql)[0] as object)[0];

const isIntentThere = (id: string): boolean =>
  value(`SELECT count(*) FROM intents WHERE intent_id = '${id}'`) === 1;
const isOrderThere = (key: string): boolean =>
  value(`SELECT count(*) FROM orders WHERE order_key = '${key}'`) === 1;

const count = (table: string): unknown => value(`SELECT count(*) FROM ${table}`);

const many = <T>(size: number, create: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => create(index));

const flushes = (times: number): void => {
  for (let done = 0; done < times; done += 1) store.flush();
};

const one = decimalText('1');
const candleAt = (openTimeMs: number): MirrorChange => ({
  kind: 'candle',
  market: 'BTCIRT',
  timeframe: '1h',
  candle: { openTimeMs, open: one, high: one, low: one, close: one, volume: one },
});

const orders = (size: number, prefix: string, changed: Partial<OrderRecord> = {}): MirrorChange[] =>
  many(size, (index) =>
    orderChange({
      key: `${prefix}-${index}`,
      state: 'filled',
      closedAtMs: 1,
      intentId: prefix,
      ...changed,
    }),
  );

describe('the journal', () => {
  test('loses its oldest lines, a few with each flush', () => {
    store.apply(
      many(2_300, (index) => journalLine(`${index}`)),
      NOW,
    );
    store.flush();
    expect(count('journal')).toBe(1_800);
    flushes(3);
    expect([count('journal'), value('SELECT min(seq) FROM journal')]).toEqual([1_000, 1_301]);
  });

  test('is cut after a restart too', () => {
    store.close();
    store = place.open();
    store.apply(
      many(1_100, (index) => journalLine(`${index}`)),
      NOW,
    );
    store.close();
    store = place.open({ retention: LEAST });
    flushes(2);
    expect(count('journal')).toBe(1_000);
  });
});

test('a series keeps as many candles as its limit, and another series its own', () => {
  const hour = 3_600_000;
  store.apply(
    [...many(150, (index) => candleAt(index * hour)), { ...candleAt(0), market: 'ETHIRT' } as MirrorChange],
    NOW,
  );
  flushes(2);
  expect(value(`SELECT count(*) FROM candles WHERE market = 'BTCIRT'`)).toBe(100);
  expect(value(`SELECT min(open_time_ms) FROM candles WHERE market = 'BTCIRT'`)).toBe(50 * hour);
  expect(value(`SELECT count(*) FROM candles WHERE market = 'ETHIRT'`)).toBe(1);
});

test('a market keeps its last public trades', () => {
  const trades = many(130, (index) => ({ timeMs: index, price: one, amount: one, side: 'buy' }) as const);
  store.apply([{ kind: 'public-trades', market: 'BTCIRT', trades }], NOW);
  store.apply([{ kind: 'public-trades', market: 'ETHIRT', trades: trades.slice(0, 90) }], NOW);
  flushes(2);
  expect(value(`SELECT count(*) FROM public_trades WHERE market = 'BTCIRT'`)).toBe(100);
  expect(value(`SELECT min(at_ms) FROM public_trades WHERE market = 'BTCIRT'`)).toBe(30);
  expect(value(`SELECT count(*) FROM public_trades WHERE market = 'ETHIRT'`)).toBe(90);
});

test('fills beyond the limit go, oldest first', () => {
  store.apply(
    many(2_050, (index) => fillChange({ tradeId: tradeIdOf(index + 1), cursor: index + 1 })),
    NOW,
  );
  flushes(2);
  expect([count('fills'), value('SELECT min(cursor) FROM fills')]).toEqual([2_000, 51]);
});

test('a wallet keeps as many lines of its history as there may be fills, the newest', () => {
  store.apply(
    many(2_610, (index) => ({
      kind: 'transaction',
      transaction: {
        id: transactionIdOf(index * 1_000),
        currency: 'rls',
        atMs: 1,
        amount: parseUnits('1'),
        description: '',
        tooFine: null,
      },
    })),
    NOW,
  );
  flushes(3);
  expect([count('transactions'), value('SELECT min(CAST(id AS INTEGER)) FROM transactions')]).toEqual([
    2_000, 610_000,
  ]);
});

describe('an intent beyond the limit', () => {
  const rest = many(1_000, (index): MirrorChange => {
    return intentChange({ id: `rest-${index}`, status: 'done' });
  });

  test('goes when it is done, and stays while it works or its algorithm does', () => {
    store.apply(
      [
        intentChange({ id: 'working' }),
        intentChange({ id: 'algorithm', status: 'done' }),
        {
          kind: 'algorithm',
          algorithm: { intentId: 'algorithm', strategy: 's', market: 'BTCIRT', json: '{}' },
        },
        intentChange({ id: 'done', status: 'done' }),
        ...rest,
      ],
      NOW,
    );
    flushes(2);
    expect(['working', 'algorithm', 'done'].map(isIntentThere)).toEqual([true, true, false]);
    store.apply(
      [{ kind: 'algorithm-end', intentId: 'algorithm' }, intentChange({ id: 'working', status: 'refused' })],
      NOW,
    );
    flushes(2);
    expect(['working', 'algorithm', 'done'].map(isIntentThere)).toEqual([false, false, false]);
  });
});

describe('an order beyond the limit', () => {
  test('goes when it is final', () => {
    store.apply([...orders(5, 'old'), ...orders(1_000, 'new')], LONG_AGO);
    flushes(1);
    store.apply(orders(1, 'last'), NOW);
    flushes(2);
    expect(count('orders')).toBe(1_000);
    expect(['old-4', 'new-0', 'new-1'].filter(isOrderThere)).toEqual(['new-1']);
  });

  test.each([
    ['it is open', orders(1, 'old', { state: 'open', closedAtMs: null })],
    ['it is unknown', orders(1, 'old', { state: 'unknown', closedAtMs: null })],
    [
      'its pair is not final',
      [
        ...orders(1, 'old', { pairKey: 'pair-0' }),
        ...orders(1, 'pair', { state: 'settling', closedAtMs: null }),
      ],
    ],
    ['its intent works', [...orders(1, 'old'), intentChange({ id: 'old' })]],
    [
      'its algorithm works',
      [
        ...orders(1, 'old'),
        { kind: 'algorithm', algorithm: { intentId: 'old', strategy: 's', market: 'BTCIRT', json: '{}' } },
      ],
    ],
  ] as [string, MirrorChange[]][])('stays while %s', (_, changes) => {
    store.apply([...changes, ...orders(2, 'gone'), ...orders(1_000, 'new')], LONG_AGO);
    store.apply(orders(1, 'last'), NOW);
    flushes(3);
    expect(['old-0', 'gone-0', 'gone-1'].filter(isOrderThere)).toEqual(['old-0']);
  });

  test('stays for 15 minutes after it closed, for a restart', () => {
    store.apply([...orders(1, 'old'), ...orders(1_000, 'new')], {
      atMs: NOW_MS - 14 * 60_000,
      isDurable: true,
    });
    store.apply(orders(1, 'last'), NOW);
    flushes(2);
    expect(isOrderThere('old-0')).toBe(true);
    store.apply(orders(1, 'last'), { atMs: NOW_MS + 2 * 60_000, isDurable: true });
    flushes(2);
    expect(isOrderThere('old-0')).toBe(false);
  });
});
