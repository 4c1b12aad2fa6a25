import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import { ALL_TIME } from '../../../src/recording/read-partitions.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import type { Finished } from '../../support/sarraf-process.ts';
import { BTCIRT, gather, temporaryCatalogue, temporaryFolder } from './temporary-catalogue.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 27);

interface Taken extends Finished {
  readonly root: string;
}

/** Imports a file as the documented command does. */
async function imported(
  content: string | Buffer,
  { name = 'file.txt', flags = [] }: { readonly name?: string; readonly flags?: readonly string[] } = {},
): Promise<Taken> {
  const folder = temporaryFolder();
  const root = join(folder, 'catalogue');
  const path = join(folder, name);
  writeFileSync(path, content);
  const asked = ['data', 'import', path, '--market', 'BTCIRT', '--catalogue', root, ...flags];
  return { ...(await sarrafHere(asked)), root };
}

async function bars(root: string, timeframe: '1h' | '1d' = '1h'): Promise<unknown[]> {
  const columns = await temporaryCatalogue(root).readCandles({ market: BTCIRT, timeframe, ...ALL_TIME });
  return Array.from({ length: columns.length }, (_, index) => {
    const { openTimeMs, open, high, low, close, volume } = candleAt(columns, index);
    return [(openTimeMs - START) / HOUR, open, high, low, close, volume].join(' ');
  });
}

const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n');
const object = (hour: number): object => ({
  time_ms: START + hour * HOUR,
  open: '60000.5',
  high: '60001',
  low: '59999.25',
  close: '60000',
  volume: '0.5',
});
const list = (hour: number): unknown[] => [START + hour * HOUR, 60_000.5, 60_001, 59_999.25, 60_000, 0.5];
const HOURS = [0, 1, 2];
const THREE = HOURS.map((hour) => `${hour} 60000.5 60001 59999.25 60000 0.5`);

const exactList = (hour: number): string =>
  `[${START + hour * HOUR},1.0000000001,2,1,1.1234567891,0.1234567891]`;
const exportedTrade = (id: number): object => ({
  time_ms: START + id,
  seen_ms: START + id,
  price: '60000',
  amount: '0.5',
  side: 'sell',
  trade_id: id,
});
const repliedTrade = (second: number): object => ({
  time: START + second * 1_000,
  price: '100',
  volume: '0.5',
  type: 'buy',
});
const page = (...seconds: readonly number[]): object => ({
  status: 'ok',
  trades: seconds.map(repliedTrade),
});
const bytes = (latin: string): Buffer => Buffer.concat([Buffer.from(latin, 'latin1'), Buffer.alloc(64)]);

describe('candles in JSON', () => {
  test.each([
    ['objects one a line, as export writes them', lines(HOURS.map(object))],
    ['lists one a line', lines(HOURS.map(list))],
    ['one list of lists, as freqtrade has', JSON.stringify(HOURS.map(list))],
    ['one list of objects over many lines', JSON.stringify(HOURS.map(object), null, 2)],
    [
      'the lists of the reply of the exchange',
      JSON.stringify({
        s: 'ok',
        t: HOURS.map((hour) => (START + hour * HOUR) / 1_000),
        o: [60_000.5, 60_000.5, 60_000.5],
        h: [60_001, 60_001, 60_001],
        l: [59_999.25, 59_999.25, 59_999.25],
        c: [60_000, 60_000, 60_000],
        v: [0.5, 0.5, 0.5],
      }),
    ],
  ])('come in: %s', async (_, text) => {
    const { code, error, root } = await imported(text);
    expect({ code, error, bars: await bars(root) }).toEqual({ code: 0, error: '', bars: THREE });
  });

  test('keep every digit of a bare number', async () => {
    const { code, root } = await imported(`[${HOURS.map(exactList).join(',\n')}]`);
    expect(code).toBe(0);
    expect((await bars(root))[0]).toBe('0 1.0000000001 2 1 1.1234567891 0.1234567891');
  });
});

describe('trades in JSON', () => {
  test('come in as export writes them', async () => {
    const { code, root } = await imported(lines([1, 2].map(exportedTrade)), { name: 'trades.jsonl' });
    expect(code).toBe(0);
    const trades = await gather(temporaryCatalogue(root).readTrades({ market: BTCIRT, ...ALL_TIME }));
    expect(trades.map(({ id, side, price }) => [id, side, price])).toEqual([
      [1, 'sell', '60000'],
      [2, 'sell', '60000'],
    ]);
  });
});

describe('replies of the exchange, one a line', () => {
  const [buys, sells] = [[['100', '1']], [['101', '2']]];

  test.each([
    ['version 2, which names sells bids', { bids: sells, asks: buys }],
    ['version 3', { bids: buys, asks: sells }],
  ])('are books: %s', async (_, sides) => {
    const book = (atMs: number): object => ({ status: 'ok', lastUpdate: START + atMs, ...sides });
    const other = { status: 'ok', lastUpdate: START + 2_000, bids: [['99', '1']], asks: sells };
    const { code, error, root } = await imported(lines([book(0), book(1_000), other]), { name: 'books.log' });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const books = await gather(temporaryCatalogue(root).readBooks({ market: BTCIRT, ...ALL_TIME }));
    expect(books.map(({ venueTimeMs, bids, asks }) => [(venueTimeMs ?? 0) - START, bids, asks])).toEqual([
      [0, buys, sells],
      [2_000, [['99', '1']], sells],
    ]);
  });

  test('are trades, each once where pages overlap, and a gap is told', async () => {
    const text = lines([page(3, 2, 2, 1), page(4, 3, 2, 2), page(9, 8)]);
    const { code, out, root } = await imported(text, { name: 'trades.jsonl' });
    expect(code).toBe(0);
    expect(out).toContain('1 pages of trades do not overlap with the one before');
    const trades = await gather(temporaryCatalogue(root).readTrades({ market: BTCIRT, ...ALL_TIME }));
    expect(trades.map(({ timeMs }) => ((timeMs ?? 0) - START) / 1_000)).toEqual([1, 2, 2, 3, 4, 8, 9]);
  });

  test('with one side only are refused, since nothing tells which side it is', async () => {
    const { code, error } = await imported(
      lines([
        { status: 'ok', lastUpdate: START, bids: buys, asks: [] },
        { lastUpdate: START, bids: buys, asks: sells },
      ]),
    );
    expect(code).toBe(2);
    expect(error).toContain('expected a book with both sides');
  });
});

describe('a file of another kind', () => {
  test.each<[string, string | Buffer, string]>([
    ['a ZIP archive', bytes('PK\u0003\u0004'), 'unpack an archive with "unzip '],
    ['Feather', bytes('ARROW1\0\0'), 'pandas.read_feather('],
    ['a PDF document', bytes('%PDF-1.7'), 'get the data as CSV'],
    ['an old Excel workbook', bytes('\u00d0\u00cf\u0011\u00e0'), 'save the sheet as CSV'],
    ['a web page', '<!DOCTYPE html>\n<html></html>', 'download the data itself'],
    ['an SQLite database', bytes('SQLite format 3\0'), 'sqlite3 -header -csv'],
    ['bytes that are no text', bytes('\u0001\u0002'), 'write the data as CSV'],
    ['an empty file', '', 'expected rows in'],
    ['text that is none', '{"open": 1', 'found text that is none'],
  ])('is named with a remedy: %s', async (what, content, remedy) => {
    for (const name of ['file.csv', 'file.jsonl', 'file.parquet', 'file.csv.gz']) {
      const { code, out, error, root } = await imported(content, { name });
      expect({ name, code, out, lines: error.trim().split('\n').length }).toEqual({
        name,
        code: 2,
        out: '',
        lines: 1,
      });
      expect(error).toContain(what);
      expect(error).toContain(remedy);
      expect(() => readdirSync(join(root, 'BTCIRT'))).toThrow('ENOENT');
    }
  });
});

describe('lines of text', () => {
  const HEADER = 'time,open,high,low,close,volume';
  const rows = HOURS.map((hour) => `${START + hour * HOUR},60000.5,60001,59999.25,60000,0.5`);
  const marked = `\uFEFF${[HEADER, ...rows].join('\r\n')}`;

  test.each<[string, string | Buffer]>([
    ['end with a carriage return alone', [HEADER, ...rows].join('\r')],
    ['are UTF-16 with a mark', Buffer.from(marked, 'utf16le')],
    ['are UTF-16 the other way round', Buffer.from(marked, 'utf16le').swap16()],
    ['are UTF-16 without a mark', Buffer.from([HEADER, ...rows].join('\n'), 'utf16le')],
    ['begin with a mark', marked],
  ])('are read where they %s', async (_, content) => {
    const { code, error, root } = await imported(content);
    expect({ code, error, bars: await bars(root) }).toEqual({ code: 0, error: '', bars: THREE });
  });

  test('that are all bad are no success, even where bad ones may be left out', async () => {
    const { code, error } = await imported([HEADER, ...rows.map((row) => `${row}x`)].join('\n'), {
      flags: ['--skip-bad', '--timeframe', '1h'],
    });
    expect(code).toBe(2);
    expect(error).toContain('expected a decimal number');
  });

  test('with more than ten decimals name the option that rounds', async () => {
    const { code, error } = await imported([HEADER, `${START},1.00000000001,2,1,1,1`].join('\n'), {
      flags: ['--timeframe', '1h'],
    });
    expect(code).toBe(2);
    expect(error).toContain('--round-prices');
  });
});
