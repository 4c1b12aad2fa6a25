import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/domain/market-symbol.ts';
import { Mirror } from '../../../src/mirror/mirror.ts';
import type { OrderRow } from '../../../src/mirror/order-rows.ts';

const NAME = 'first-bot.sqlite';

let folder: string;
let mirror: Mirror | null;

const open = (writesAtOnce = 1): Mirror => {
  mirror = Mirror.replace(folder, NAME, { writesAtOnce });
  return mirror;
};

/** Orders that another reader of the file sees. */
const seen = (): number => {
  const reader = new Database(join(folder, NAME), { readonly: true });
  const { length } = reader.prepare('SELECT 1 FROM orders').all();
  reader.close();
  return length;
};

const order: OrderRow = {
  clientOrderId: 'sarraf-ma-cross-x-1',
  venueId: null,
  strategy: 'ma-cross',
  market: 'BTCIRT',
  side: 'buy',
  execution: 'limit',
  price: '12600000000',
  amount: '0.000001',
  matched: '0',
  stage: 'sending',
  status: null,
  plannedAtMs: 1_000,
};

const trade = {
  venueId: 70,
  clientOrderId: order.clientOrderId,
  market: 'BTCIRT',
  side: 'buy',
  atMs: 2_000,
  price: '12600000000',
  amount: '0.000001',
  total: '12600',
  fee: '0.0000000025',
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-mirror-'));
  mirror = null;
});

afterEach(() => {
  mirror?.close();
  rmSync(folder, { recursive: true });
});

describe('the mirror', () => {
  test('makes its folder and is readable by others while it is open', () => {
    folder = join(folder, 'deep');
    open().write(() => mirror?.orders.save(order, 1_000));
    const reader = new Database(join(folder, NAME), { readonly: true });
    expect(reader.prepare('SELECT client_order_id FROM orders').all()).toEqual([
      { client_order_id: 'sarraf-ma-cross-x-1' },
    ]);
    expect(reader.pragma('journal_mode', { simple: true })).toBe('wal');
    reader.close();
    folder = join(folder, '..');
  });

  test('has strict tables only', () => {
    open();
    const reader = new Database(join(folder, NAME), { readonly: true });
    const tables = reader.prepare(
      `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'`,
    );
    const found = tables.all() as { name: string; strict: number }[];
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(({ strict }) => strict === 0)).toEqual([]);
    reader.close();
  });

  test('keeps an order once, as it is now, and every change of it', () => {
    const { orders } = open();
    orders.save(order, 1_000);
    orders.save({ ...order, venueId: 9, stage: 'open', status: 'Active' }, 1_010);
    orders.save({ ...order, venueId: 9, stage: 'ended', status: 'Done', matched: '0.000001' }, 2_000);
    expect(orders.all()).toEqual([{ ...order, venueId: 9, stage: 'ended', status: 'Done', matched: '0.000001' }]);
    mirror?.flush();
    const reader = new Database(join(folder, NAME), { readonly: true });
    expect(reader.prepare('SELECT at_ms, stage, status, matched FROM order_changes ORDER BY id').all()).toEqual([
      { at_ms: 1_000, stage: 'sending', status: null, matched: '0' },
      { at_ms: 1_010, stage: 'open', status: 'Active', matched: '0' },
      { at_ms: 2_000, stage: 'ended', status: 'Done', matched: '0.000001' },
    ]);
    reader.close();
  });

  test('takes a trade once, and only of an order that it has', () => {
    const { orders } = open();
    expect(() => orders.addTrade(trade)).toThrow('FOREIGN KEY');
    orders.save(order, 1_000);
    orders.addTrade(trade);
    expect(() => orders.addTrade(trade)).toThrow('UNIQUE');
    expect(orders.trades()).toEqual([trade]);
  });

  test('takes both sides of a trade with oneself', () => {
    const { orders } = open();
    const other = { ...order, clientOrderId: 'sarraf-ma-cross-x-2', side: 'sell' };
    orders.save(order, 1_000);
    orders.save(other, 1_000);
    orders.addTrade(trade);
    orders.addTrade({ ...trade, clientOrderId: other.clientOrderId, side: 'sell' });
    expect(orders.trades()).toHaveLength(2);
  });

  test('keeps what was last seen of books, stats, balances and candles', () => {
    const { market } = open();
    const level = [decimalText('12600000000'), decimalText('0.000001')] as const;
    market.saveBook('BTCIRT', { bids: [level], asks: [], updatedAtMs: null }, 1_000);
    market.saveBook('BTCIRT', { bids: [], asks: [level], updatedAtMs: 1_500 }, 2_000);
    const nothing = { volumeSrc: null, volumeDst: null, mark: null, dayLow: null, dayHigh: null, dayOpen: null };
    market.saveStats(
      {
        market: parseMarket('BTCIRT'),
        isClosed: false,
        closedReason: null,
        latest: decimalText('12600000000'),
        bestBuy: null,
        bestSell: null,
        dayClose: null,
        dayChange: decimalText('-1.5'),
        ...nothing,
      },
      2_000,
    );
    market.saveBalance({ currency: 'rls', total: '100', held: '0' }, 1_000);
    market.saveBalance({ currency: 'rls', total: '126000000000000000000.0000000001', held: '7' }, 2_000);
    const price = decimalText('1');
    const candle = { openTimeMs: 0, open: price, high: price, low: price, close: price, volume: price };
    market.saveCandle('BTCIRT', '60', candle);
    market.saveCandle('BTCIRT', '60', { ...candle, volume: decimalText('2') });
    mirror?.flush();
    expect(market.balances()).toEqual([{ currency: 'rls', total: '126000000000000000000.0000000001', held: '7' }]);
    const reader = new Database(join(folder, NAME), { readonly: true });
    expect(reader.prepare('SELECT bids, asks, updated_at_ms FROM books').all()).toEqual([
      { bids: '[]', asks: '[["12600000000","0.000001"]]', updated_at_ms: 1_500 },
    ]);
    expect(reader.prepare('SELECT market, latest, day_change FROM stats').all()).toEqual([
      { market: 'BTCIRT', latest: '12600000000', day_change: '-1.5' },
    ]);
    expect(reader.prepare('SELECT volume FROM candles').all()).toEqual([{ volume: '2' }]);
    reader.close();
  });

  test('gathers writes as its pace says, and flushes the rest when it closes', () => {
    const { orders } = open(3);
    const write = (id: number): void =>
      mirror?.write(() => orders.save({ ...order, clientOrderId: `order-${id}` }, id));
    write(1);
    write(2);
    expect(seen()).toBe(0);
    write(3);
    expect(seen()).toBe(3);
    write(4);
    mirror?.close();
    mirror = null;
    expect(seen()).toBe(4);
  });
});

describe('a mirror that begins anew', () => {
  test('replaces what the last run left', () => {
    open().write(() => mirror?.orders.save(order, 1_000));
    mirror?.close();
    expect(open().orders.all()).toEqual([]);
  });

  test('leaves a run alone that still has it', () => {
    const first = open();
    first.write(() => first.orders.save(order, 1_000));
    expect(() => Mirror.replace(folder, NAME, { writesAtOnce: 1 })).toThrow(
      expect.objectContaining({ code: 'DATA_UNUSABLE' }),
    );
    expect(first.orders.all()).toHaveLength(1);
  });

  test.each([
    ['some other file', Buffer.from('my notes, which nobody may lose\n'.repeat(100))],
    ['an empty file', Buffer.alloc(0)],
  ])('refuses %s and leaves it as it is', (_, content) => {
    writeFileSync(join(folder, NAME), content);
    expect(open).toThrow(
      expect.objectContaining({ code: 'DATA_UNUSABLE', message: expect.stringContaining('--data') }),
    );
    expect(readFileSync(join(folder, NAME))).toEqual(content);
  });

  test('refuses the database of another program', () => {
    const other = new Database(join(folder, NAME));
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    expect(open).toThrow(expect.objectContaining({ code: 'DATA_UNUSABLE' }));
  });

  test('refuses a mirror of a newer version and says what to do', () => {
    open().close();
    mirror = null;
    const newer = new Database(join(folder, NAME));
    newer.pragma('user_version = 99');
    newer.close();
    expect(open).toThrow(/version 99: use the newer sarraf, or name another folder with --data/);
    expect(existsSync(join(folder, NAME))).toBe(true);
  });

  test('says in one line when the folder can not be written to', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => Mirror.replace(join(folder, 'file', 'data'), NAME, { writesAtOnce: 1 })).toThrow(
      expect.objectContaining({
        code: 'DATA_UNUSABLE',
        message: expect.stringMatching(/^expected to be able to write [^\n]+$/),
      }),
    );
  });
});
