import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import { prepareStudy } from '../../../src/study/prepare-study.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import type { Finished } from '../../support/sarraf-process.ts';
import { BTCIRT, gather, temporaryCatalogue } from './temporary-catalogue.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';
import { scenarios } from '../../support/scenarios.ts';

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
  const folder = folderOfThisTest();
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

test('trades in JSON come in as export writes them', async () => {
  const { code, root } = await imported(lines([1, 2].map(exportedTrade)), { name: 'trades.jsonl' });
  expect(code).toBe(0);
  const trades = await gather(temporaryCatalogue(root).readTrades({ market: BTCIRT, ...ALL_TIME }));
  expect(trades.map(({ id, side, price }) => [id, side, price])).toEqual([
    [1, 'sell', '60000'],
    [2, 'sell', '60000'],
  ]);
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
    expect(out).toContain('1 page of trades does not overlap with the one before');
    const trades = await gather(temporaryCatalogue(root).readTrades({ market: BTCIRT, ...ALL_TIME }));
    expect(trades.map(({ timeMs }) => ((timeMs ?? 0) - START) / 1_000)).toEqual([1, 2, 2, 3, 4, 8, 9]);
  });

  test('with one side only are refused, since nothing tells which side it is', async () => {
    expect(
      await imported(
        lines([
          { status: 'ok', lastUpdate: START, bids: buys, asks: [] },
          { lastUpdate: START, bids: buys, asks: sells },
        ]),
      ),
    ).toEqual(failed(2, 'expected a book with both sides'));
  });
});

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
])('a file of another kind is named with a remedy: %s', async (what, content, remedy) => {
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
    expect(
      await imported([HEADER, `${START},1.00000000001,2,1,1,1`].join('\n'), {
        flags: ['--timeframe', '1h'],
      }),
    ).toEqual(failed(2, '--round-prices'));
  });
});

describe('tables that others write', () => {
  const [DAY_1, DAY_2] = ['1234.5 1240 1230.25 1235 12300', '1235 1241.5 1231 1236.75 500'];
  const daily = [`-24 ${DAY_1}`, `0 ${DAY_2}`];
  const hourlyBars = [`0 ${DAY_1}`, `1 ${DAY_2}`];

  scenarios<readonly string[]>(async (text, expected) => {
    const { code, error, root } = await imported(text.replaceAll(String.raw`\t`, '\t'));
    const timeframe = expected === daily ? '1d' : '1h';
    expect({ code, error, bars: await bars(root, timeframe) }).toEqual({
      code: 0,
      error: '',
      bars: expected,
    });
  }, 'are read: %s')`
    CryptoDataDownload: an address before the titles, newest row first ${hourlyBars}
      https://www.example.com
      Unix,Date,Symbol,Open,High,Low,Close,Volume BTC,Volume IRT,tradecount
      ${START + HOUR},2026-11-27 01:00:00,BTC/IRT,1235,1241.5,1231,1236.75,500,1,1
      ${START},2026-11-27 00:00:00,BTC/IRT,1234.5,1240,1230.25,1235,12300,1,1

    Investing.com: a price, thousands and short volumes ${daily}
      "Date","Price","Open","High","Low","Vol.","Change %"
      "11/27/2026","1,236.75","1,235.0","1,241.5","1,231.0","0.5K","0.1%"
      "11/26/2026","1,235.0","1,234.5","1,240.0","1,230.25","12.3K","0.1%"

    MetaTrader with titles ${hourlyBars}
      <DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>
      2026.11.27\t00:00:00\t1234.5\t1240\t1230.25\t1235\t9\t12300\t1
      2026.11.27\t01:00:00\t1235\t1241.5\t1231\t1236.75\t9\t500\t1

    MetaTrader without titles ${hourlyBars}
      2026.11.27,00:00,1234.5,1240,1230.25,1235,12300
      2026.11.27,01:00,1235,1241.5,1231,1236.75,500

    a spreadsheet of Europe: semicolons, commas before decimals, points between thousands, days first ${hourlyBars}
      sep=;
      Date;Time;Open;High;Low;Close;Volume
      27.11.2026;00:00;1.234,5;1.240,0;1.230,25;1.235,0;12.300,0
      27.11.2026;01:00;1.235,0;1.241,5;1.231,0;1.236,75;500,0

    Yahoo: names of months and an adjusted close ${daily}
      Date\tOpen\tHigh\tLow\tClose\tAdj Close\tVolume
      Nov 27, 2026\t1,235.00\t1,241.50\t1,231.00\t1,236.75\t1,236.75\t500
      Nov 26, 2026\t1,234.50\t1,240.00\t1,230.25\t1,235.00\t1,235.00\t12,300

    digits and signs of Persian ${hourlyBars}
      time,open,high,low,close,volume
      ۲۰۲۶-۱۱-۲۷ ۰۰:۰۰,۱٬۲۳۴٫۵,۱٬۲۴۰,۱٬۲۳۰٫۲۵,۱٬۲۳۵,۱۲٬۳۰۰
      ۲۰۲۶-۱۱-۲۷ ۰۱:۰۰,۱٬۲۳۵,۱٬۲۴۱٫۵,۱٬۲۳۱,۱٬۲۳۶٫۷۵,۵۰۰

    clocks of half a day ${hourlyBars}
      date,open,high,low,close,volume
      11/27/2026 12:00 AM,1234.5,1240,1230.25,1235,12300
      11/27/2026 1:00 AM,1235,1241.5,1231,1236.75,500

    TradingView: seconds, and columns of indicators ${hourlyBars}
      time,open,high,low,close,Volume,Volume MA
      ${START / 1_000},1234.5,1240,1230.25,1235,12300,1
      ${(START + HOUR) / 1_000},1235,1241.5,1231,1236.75,500,1

    dates of eight digits ${daily}
      date,open,high,low,close,volume
      20261126,1234.5,1240,1230.25,1235,12300
      20261127,1235,1241.5,1231,1236.75,500
  `;

  const doubtfulDates = ['date,open,high,low,close,volume', '03/04/2026,1,1,1,1,1', '04/04/2026,1,1,1,1,1'];
  const doubtfulNumbers = [
    'date;open;high;low;close;volume',
    '2026-11-26;1,234;1,234;1,234;1,234;1',
    '2026-11-27;1,235;1,235;1,235;1,235;1',
  ];

  test.each<[string, readonly string[], string]>([
    ['dates of two orders', doubtfulDates, '--dates day-first or --dates month-first'],
    ['commas of two meanings', doubtfulNumbers, '--decimal point'],
    [
      'dates of the Persian calendar',
      ['date,open,high,low,close,volume', '1405/09/06,1,1,1,1,1'],
      'convert the column',
    ],
    [
      'numbers of days of a spreadsheet',
      ['date,open,high,low,close,volume', '46353,1,1,1,1,1'],
      'yyyy-mm-dd hh:mm:ss',
    ],
  ])('are refused with the remedy where they have %s', async (_, text, remedy) => {
    expect(await imported(text.join('\n'))).toEqual(failed(2, remedy));
  });

  test('are read as the options say', async () => {
    const dates = await imported(doubtfulDates.join('\n'), {
      flags: ['--dates', 'day-first', '--timeframe', '1d'],
    });
    const numbers = await imported(doubtfulNumbers.join('\n'), { flags: ['--decimal', 'comma'] });
    const wholes = await imported(doubtfulNumbers.join('\n'), { flags: ['--decimal', 'point'] });
    expect(dates.code).toBe(0);
    expect((await bars(dates.root, '1d'))[0]).toBe(`${(Date.UTC(2026, 3, 3) - START) / HOUR} 1 1 1 1 1`);
    expect((await bars(numbers.root, '1d'))[0]).toBe('-24 1.234 1.234 1.234 1.234 1');
    expect((await bars(wholes.root, '1d'))[0]).toBe('-24 1234 1234 1234 1234 1');
  });
});

const rowOf = (separator: string, time: string, price: string): string =>
  [time, price, price, price, price, '1000'].join(separator);

const backtested = async (...flags: readonly string[]): Promise<Finished> => {
  const options = '--param fast=1 --param slow=2 --cash 1000 --fee 0.1% --price-step 0.0001 --no-save --json';
  const asked = ['backtest', 'ma-cross', '--market', 'BTCUSDT', ...options.split(' ')];
  return sarrafHere([...asked, ...flags]);
};
const summaryOf = ({ out }: Finished): { readonly orders: number } =>
  (JSON.parse(out) as { summary: { orders: number } }).summary;

describe('a file that leaves open how it is written', () => {
  const hours = Array.from({ length: 12 * 24 }, (_, hour) => ({
    day: String(Math.floor(hour / 24) + 1).padStart(2, '0'),
    clock: `${String(hour % 24).padStart(2, '0')}:00`,
    price: (1.2 + (hour % 40) / 100 + 0.00004).toFixed(5),
  }));
  const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
  const [doubtful, plain] = [join(folder, 'doubtful.csv'), join(folder, 'plain.csv')];
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    doubtful,
    hours
      .map(({ day, clock, price }) => rowOf(';', `${day}/04/2026 ${clock}`, price.replace('.', ',')))
      .join('\n'),
  );
  writeFileSync(
    plain,
    hours
      .map(({ day, clock, price }) => rowOf(',', `2026-04-${day} ${clock}`, price.slice(0, -1)))
      .join('\n'),
  );
  const FORM = ['--dates', 'day-first', '--decimal', 'comma', '--round-prices', '4'];

  test('makes the backtest of the plain file where the options of the import say it', async () => {
    const [said, same] = [await backtested('--csv', doubtful, ...FORM), await backtested('--csv', plain)];
    expect({ code: said.code, error: said.error }).toEqual({ code: 0, error: '' });
    expect(summaryOf(said)).toEqual(summaryOf(same));
    expect(summaryOf(said).orders).toBeGreaterThan(2);
  });

  test('makes the study of the plain file where its settings say it', async () => {
    const study = { strategy: 'ma-cross', markets: 'BTCUSDT', balances: { usdt: 1_000 } };
    const csvForm = { dates: 'day-first', decimal: 'comma', roundPrices: 4 };
    const [said, same] = [
      await prepareStudy(readWrittenStudy({ ...study, csv: doubtful, csvForm })),
      await prepareStudy(readWrittenStudy({ ...study, csv: plain })),
    ];
    expect(said.identity).toEqual(same.identity);
  });

  test.each<[readonly string[], string]>([
    [['--csv', doubtful, '--decimal', 'comma'], '--dates day-first or --dates month-first'],
    [['--csv', doubtful, '--dates', 'day-first', '--decimal', 'point'], 'expected a decimal number'],
    [['--dates', 'day-first'], '--dates: expected --csv with it'],
  ])('is no backtest with %s', async (flags, remedy) => {
    expect(await backtested(...flags)).toEqual(failed(2, remedy));
  });
});

describe('a mangled file', () => {
  const table = [
    '"date","open","high","low","close","volume"',
    ...[24, 25, 26, 27].map((day) => `"2026-11-${day}","1,234.5","1,240","1,230.25","1,235","12.3K"`),
  ].join('\n');
  const reply = { status: 'ok', lastUpdate: START, bids: [['100', '1']], asks: [['101', '2']] };
  const whole: readonly Buffer[] = [
    Buffer.from(table),
    Buffer.from(lines(HOURS.map(object))),
    Buffer.from(JSON.stringify(HOURS.map(list))),
    Buffer.from(lines([reply, { ...reply, lastUpdate: START + HOUR }])),
    gzipSync(table),
    Buffer.from(`\uFEFF${table}`, 'utf16le'),
  ];
  const odd = fc.constantFrom('"', '\n', '\r', '\0', ',', ';', '{', '[', ']', '}', '9', '-', 'e', '\u00ff');
  const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), text: odd, cut: fc.nat(9) });
  const WORDS =
    /INVARIANT|CSV_|Invalid (?:Closing|Opening|Input|Record)|Unexpected|JSON\.parse|incorrect|NaN|undefined/;

  test('is taken, or refused in one line without the words of a parser', async () => {
    const file = fc.constantFrom(...whole);
    await fc.assert(
      fc.asyncProperty(file, fc.array(change, { minLength: 1, maxLength: 4 }), async (content, changes) => {
        let bytes = content;
        for (const { at, text, cut } of changes) {
          const from = Math.floor(at * bytes.length);
          bytes = Buffer.concat([
            bytes.subarray(0, from),
            Buffer.from(text, 'latin1'),
            bytes.subarray(from + cut),
          ]);
        }
        const { code, out, error } = await imported(bytes);
        expect([0, 2]).toContain(code);
        expect(error.trim().split('\n')).toHaveLength(1);
        expect(error === '').toBe(code === 0);
        expect(`${out}${error}`).not.toMatch(WORDS);
      }),
      { numRuns: deepRuns(60) },
    );
  }, 60_000);
});
