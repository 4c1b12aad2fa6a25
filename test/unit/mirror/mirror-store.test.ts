import { copyFileSync, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';
import { startNode } from '../../support/sarraf-process.ts';
import {
  DURABLE,
  fillRecord,
  journalLine,
  kept,
  LATER,
  MirrorFolder,
  NOW_MS,
  orderRecord,
  fillChange,
  intentChange,
  mirrorOfEachTest,
  orderChange,
} from './mirror-fixture.ts';
import { orderIdOf, tradeIdOf, transactionIdOf, walletIdOf } from '../../../src/venues/read-records.ts';
import { emptyStats } from '../../support/recorded-rows.ts';

const version = (number: number) => ({
  symbol: 'BTCIRT',
  version: number,
  fromMs: number * 1_000,
  priceStep: decimalText('10'),
  amountStep: decimalText('0.000001'),
  minOrderValue: decimalText('500000'),
});

const place = mirrorOfEachTest();

const keptNames = (): unknown[] =>
  place.rows('SELECT name FROM kept ORDER BY name').map((row) => Object.values(row as object)[0]);

describe('a mirror', () => {
  test('is of one venue, and one of an older sarraf of the only venue there was', () => {
    place.open({ venue: 'tiny' }).close();
    expect(() => place.open({ venue: 'service' })).toThrow(
      /found the data of the venue tiny: .*\(data\.folder/,
    );
    expect(place.open({ venue: 'tiny' }).epoch).toMatch(/^[a-z0-9]{4}$/);
  });

  test('without a stored venue is of the first one', () => {
    place.open({}).close();
    place.exec("DELETE FROM meta WHERE name = 'venue'");
    expect(() => place.open({ venue: 'tiny' })).toThrow(/found the data of the venue service/);
  });

  test('has strict tables only, a write-ahead log and commits that are on the disk', () => {
    const store = place.open({ durability: 'full' });
    const tables = place.rows(
      `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'`,
    );
    expect(tables.length).toBeGreaterThan(14);
    expect(tables.filter((table) => (table as { strict: number }).strict === 0)).toEqual([]);
    expect(place.rows('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(store.writeFault()).toBeNull();
  });

  test('shows durable changes to others at once, and the gathered ones that came before with them', () => {
    const store = place.open();
    store.apply([kept('a')], LATER);
    expect(keptNames()).toEqual([]);
    store.apply([kept('b')], DURABLE);
    expect(keptNames()).toEqual(['a', 'b']);
  });

  test('writes what was gathered with a flush, when it grows, and when it closes', () => {
    const store = place.open();
    store.apply([kept('a')], LATER);
    store.flush();
    expect(keptNames()).toEqual(['a']);
    for (let count = 0; count < 256; count += 1) store.apply([kept('many', `${count}`)], LATER);
    expect(place.rows(`SELECT json FROM kept WHERE name = 'many'`)).toEqual([{ json: '255' }]);
    store.apply([kept('last')], LATER);
    store.close();
    expect(keptNames()).toEqual(['a', 'last', 'many']);
  });

  test('loses in a crash what was gathered, and nothing durable', () => {
    const store = place.open();
    store.apply([kept('durable')], DURABLE);
    store.apply([kept('gathered')], LATER);
    store.abandon();
    expect(place.open().load().stored).toEqual({ durable: '{}' });
  });

  test('writes all changes of a step or none, and can still take those that failed and what waited before them', () => {
    const store = place.open();
    const wrong = { ...orderRecord(), state: 'lost' } as unknown as ReturnType<typeof orderRecord>;
    store.apply([kept('before')], LATER);
    expect(() => store.apply([kept('a'), { kind: 'order', order: wrong }], DURABLE)).toThrow(
      expect.objectContaining({ code: 'DATA_UNUSABLE', details: expect.objectContaining({ isFull: false }) }),
    );
    expect(store.writeFault()).not.toBeNull();
    expect(keptNames()).toEqual([]);
    store.apply([kept('a'), orderChange()], DURABLE);
    expect(store.writeFault()).toBeNull();
    expect(keptNames()).toEqual(['a', 'before']);
  });

  test('keeps the journal in the order of the steps, with their times', () => {
    const store = place.open();
    store.apply([journalLine('x', '1'), journalLine('y', '2')], { atMs: 5, isDurable: false });
    store.apply([journalLine('x', '3')], { atMs: 6, isDurable: true });
    expect(place.rows('SELECT seq, at_ms, subject, json FROM journal ORDER BY seq')).toEqual([
      { seq: 1, at_ms: 5, subject: 'x', json: '1' },
      { seq: 2, at_ms: 5, subject: 'y', json: '2' },
      { seq: 3, at_ms: 6, subject: 'x', json: '3' },
    ]);
  });

  test('opens again with numbers of the exchange that are finer than any money', () => {
    const fine = decimalText('0.000000000000001');
    const volumes = { baseVolume: fine, quoteVolume: fine };
    const of = { ...volumes, bestBuy: fine, bestSell: fine, latest: fine, mark: fine };
    const day = { dayLow: fine, dayHigh: fine, dayOpen: fine, dayClose: fine, dayChange: fine };
    const prices = { open: fine, high: fine, low: fine, close: fine, volume: fine };
    const market = parseMarket('BTCIRT');
    place.write([
      { kind: 'stats', stats: { ...of, ...day, market, isClosed: false, closedReason: null } },
      { kind: 'candle', market: 'BTCIRT', timeframe: '1h', candle: { openTimeMs: 0, ...prices } },
      {
        kind: 'public-trades',
        market: 'BTCIRT',
        trades: [{ timeMs: 7, price: fine, amount: fine, side: 'buy' }],
      },
    ]);
    place.open().load();
    expect(place.rows('SELECT mark, day_change FROM stats')).toEqual([{ mark: fine, day_change: fine }]);
  });

  test('keeps what was last seen of markets, wallets, candles and public trades', () => {
    const level = [decimalText('12600000000'), decimalText('0.000001')] as const;
    const one = decimalText('1');
    const held = parseUnits('1');
    const candle = { openTimeMs: 0, open: one, high: one, low: one, close: one, volume: one };
    const trade = { timeMs: 7, price: one, amount: one, side: 'sell' } as const;
    const stats = { ...emptyStats('BTCIRT'), isClosed: true, closedReason: 'halted', latest: one };
    const wallet = { currency: 'rls', walletId: walletIdOf(3), held, tooFine: null } as const;
    const paid = { id: transactionIdOf(5), currency: 'rls', atMs: 1, amount: held } as const;
    const transaction = { ...paid, description: 'deposit', tooFine: null };
    const total = parseUnits('126000000000000000000.0000000001');
    const changes: MirrorChange[] = [
      { kind: 'book', market: 'BTCIRT', book: { bids: [level], asks: [], updatedAtMs: null } },
      { kind: 'book', market: 'BTCIRT', book: { bids: [], asks: [level], updatedAtMs: 6 } },
      { kind: 'stats', stats: { ...stats, dayChange: decimalText('-1.5') } },
      { kind: 'candle', market: 'BTCIRT', timeframe: '1h', candle },
      { kind: 'candle', market: 'BTCIRT', timeframe: '1h', candle: { ...candle, volume: decimalText('2') } },
      { kind: 'public-trades', market: 'BTCIRT', trades: [trade, trade] },
      { kind: 'public-trades', market: 'ETHIRT', trades: [trade] },
      { kind: 'wallet', wallet: { ...wallet, total: parseUnits('1') } },
      { kind: 'wallet', wallet: { ...wallet, total } },
      { kind: 'transaction', transaction },
      { kind: 'transaction', transaction },
    ];
    place.write(changes);
    expect(place.rows('SELECT bids, asks, updated_at_ms FROM books')).toEqual([
      { bids: '[]', asks: '[["12600000000","0.000001"]]', updated_at_ms: 6 },
    ]);
    expect(place.rows('SELECT market, is_closed, closed_reason, latest, day_change FROM stats')).toEqual([
      { market: 'BTCIRT', is_closed: 1, closed_reason: 'halted', latest: '1', day_change: '-1.5' },
    ]);
    expect(place.rows('SELECT volume FROM candles')).toEqual([{ volume: '2' }]);
    expect(place.rows('SELECT market, ordinal FROM public_trades')).toEqual([
      { market: 'BTCIRT', ordinal: 1 },
      { market: 'BTCIRT', ordinal: 2 },
      { market: 'ETHIRT', ordinal: 1 },
    ]);
    expect(place.rows('SELECT currency, wallet_id, total, seen_at_ms FROM balances')).toEqual([
      { currency: 'rls', wallet_id: '3', total: '126000000000000000000.0000000001', seen_at_ms: NOW_MS },
    ]);
    expect(place.rows('SELECT id FROM transactions')).toEqual([{ id: '5' }]);
  });

  test('gives a restart the versions of a market in their order', () => {
    const store = place.open();
    store.apply(
      [10, 9].map((number): MirrorChange => ({ kind: 'market', market: version(number) })),
      DURABLE,
    );
    expect(store.load().markets).toEqual([version(9), version(10)]);
  });

  test('gives a restart the last 2,000 trades of the list, both sides of a self-trade', () => {
    const store = place.open();
    const changes = Array.from({ length: 2_100 }, (_, index): MirrorChange => {
      return fillChange({ tradeId: tradeIdOf(3_000 - index), cursor: 3_000 - index });
    });
    store.apply(
      [
        ...changes,
        fillChange({
          tradeId: tradeIdOf(3_000),
          cursor: 3_000,
          venueOrderId: orderIdOf(8),
          side: 'sell',
        }),
      ],
      DURABLE,
    );
    const ids = store.load().fills.map(({ tradeId }) => tradeId);
    expect([ids.length, ids[0], ids.at(-1), ids.at(-2)]).toEqual([2_001, '1001', '3000', '3000']);
  });

  test('takes a fill once, and knows it again when its order is found', () => {
    const store = place.open();
    const foreign = fillRecord({ orderKey: null, strategy: null });
    store.apply(
      [
        { kind: 'fill', fill: foreign },
        { kind: 'fill', fill: foreign },
      ],
      DURABLE,
    );
    store.apply([fillChange()], DURABLE);
    expect(store.load().fills).toEqual([fillRecord()]);
  });

  test('writes an intent again when it changes', () => {
    const store = place.open();
    store.apply([intentChange()], DURABLE);
    store.apply([intentChange({ status: 'refused', reason: 'too large' })], DURABLE);
    expect(place.rows('SELECT status, reason FROM intents')).toEqual([
      { status: 'refused', reason: 'too large' },
    ]);
  });
});

describe('the epoch', () => {
  test('is made with the mirror and stays over restarts and crashes', () => {
    const first = place.open();
    expect(first.epoch).toBe('e001');
    first.apply([journalLine('a')], DURABLE);
    first.abandon();
    expect(place.open().load().epoch).toBe('e001');
  });

  test('is another one in a copy of the mirror, never the old one again', () => {
    place.open().close();
    using other = new MirrorFolder();
    cpSync(place.folder, other.folder, { recursive: true });
    expect(() => other.open({ epoch: () => 'e001' })).toThrow('expected a new epoch');
    expect(other.open({ epoch: () => 'copy' }).epoch).toBe('copy');
  });

  test('is another one when an older copy was put into the place of the mirror', () => {
    const copy = join(place.folder, 'copy');
    const first = place.open();
    first.apply([journalLine('a')], DURABLE);
    first.close();
    copyFileSync(place.path, copy);
    const second = place.open();
    second.apply([journalLine('b')], DURABLE);
    second.close();
    // Written into the same file, so that its identity on the disk does not give the copy away.
    copyFileSync(copy, place.path);
    expect(place.open().epoch).toBe('e002');
  });

  test('is refused when it is not four letters or digits', () => {
    expect(() => place.open({ epoch: () => 'E-1' })).toThrow(
      'expected an epoch of four of [a-z0-9], was "E-1"',
    );
    expect(place.open().epoch).toBe('e001');
  });
});

describe('the one writer', () => {
  test('keeps another one out as long as it lasts, in this process too', () => {
    const first = place.open();
    expect(() => place.open()).toThrow(
      expect.objectContaining({ code: 'DATA_UNUSABLE', message: expect.stringContaining('another bot') }),
    );
    first.apply([kept('a')], DURABLE);
    first.close();
    expect(place.open().load().stored).toEqual({ a: '{}' });
  });

  test('is gone with its process, however that ends', async () => {
    const script = `
      import { MirrorStore } from './src/mirror/mirror-store.ts';
      import { DEFAULT_RETENTION } from './src/mirror/pruner.ts';
      const store = MirrorStore.open({ path: process.argv[1], retention: DEFAULT_RETENTION, nowMs: 0, epoch: () => 'abcd', durability: 'full' });
      store.apply([{ kind: 'kept', name: 'a', json: '1' }], { atMs: 0, isDurable: true });
      console.log('open');
      setInterval(() => store, 1_000);`;
    const other = startNode(['--input-type=module', '-e', script, place.path]);
    await other.line((text) => text === 'open');
    expect(() => place.open()).toThrow('another bot');
    other.child.kill('SIGKILL');
    await other.finished;
    expect(place.open().load().stored).toEqual({ a: '1' });
  });
});

test('the reserve file is there while there is room, and made again after it was freed', () => {
  const reserve = `${place.path}.ballast`;
  const store = place.open();
  expect(existsSync(reserve)).toBe(true);
  rmSync(reserve);
  for (let count = 0; count < 60; count += 1) store.flush();
  expect(existsSync(reserve)).toBe(true);
});

test('a retention out of bounds is refused before anything is made', () => {
  expect(() => place.open({ retention: { ...DEFAULT_RETENTION, fills: 10 } })).toThrow(
    'expected a whole number from 2000 to 2000000 for retention.fills, was 10',
  );
  expect(existsSync(place.path)).toBe(false);
});
