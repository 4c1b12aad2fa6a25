import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import type { Catalogue } from '../../../src/recording/catalogue.ts';
import type { ImportTableOptions, ImportReport } from '../../../src/recording/import-report.ts';
import { importTable } from '../../../src/recording/import-table.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import {
  BTCIRT,
  gather,
  catalogueOfEachTest,
  temporaryCatalogue,
  USUAL_IMPORT,
} from './temporary-catalogue.ts';
import { scenarios } from '../../support/scenarios.ts';

const catalogue = catalogueOfEachTest();
const HOUR = 3_600_000;
const START = Date.UTC(2024, 7, 8);
const HEADER = 'time_ms,open,high,low,close,volume';

const hourly = (
  count: number,
  time: (hour: number) => string = (hour) => String(START + hour * HOUR),
): string[] =>
  Array.from(
    { length: count },
    (_, hour) => `${time(hour)},12600000000,12600000500,12599999500,12600000010,0.${hour + 1}`,
  );

/** Makes the lines of bars of one second, from one index up to another. */
const bySecond = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `${START + (from + index) * 1_000},1,1,1,1,1`);

type Change = Partial<Omit<ImportTableOptions, 'catalogue' | 'path'>> & {
  readonly name?: string;
  readonly pack?: boolean;
};

/** Imports lines from a file in the folder of the catalogue. */
function importLines(
  catalogue: Catalogue,
  lines: readonly string[],
  change: Change = {},
): Promise<ImportReport> {
  const { name = 'file.csv', pack = false, ...options } = change;
  const path = join(catalogue.root, name);
  const text = `${lines.join('\n')}\n`;
  writeFileSync(path, pack ? gzipSync(text) : text);
  return importTable({
    ...USUAL_IMPORT,
    catalogue,
    path,
    source: name,
    ...options,
  });
}

async function bars(catalogue: Catalogue, timeframe: '1h' | '4h' | '1m' = '1h'): Promise<unknown[]> {
  const columns = await catalogue.readCandles({ market: BTCIRT, timeframe, ...ALL_TIME });
  return Array.from({ length: columns.length }, (_, index) => {
    const { openTimeMs, open, high, low, close, volume } = candleAt(columns, index);
    return [openTimeMs - START, open, high, low, close, volume];
  });
}

const PRICES = ['12600000000', '12600000500', '12599999500', '12600000010'];
const THREE_BARS = [0, 1, 2].map((hour) => [hour * HOUR, ...PRICES, `0.${hour + 1}`]);
const iso = (hour: number): string => new Date(START + hour * HOUR).toISOString();

describe('a file of candles', () => {
  scenarios<readonly [readonly string[], Change]>(async (_, [lines, change]) => {
    const report = await importLines(catalogue, lines, { timeframe: '1h', ...change });
    expect(report).toMatchObject({ result: 'imported', rows: 3 });
    expect(await bars(catalogue)).toEqual(THREE_BARS);
  }, 'is read when it %s')`
    has milliseconds ${[[HEADER, ...hourly(3)], {}]}
    has milliseconds with decimals ${[[HEADER, ...hourly(3, (hour) => `${START + hour * HOUR}.9999`)], {}]}
    has seconds ${[[HEADER, ...hourly(3, (hour) => String((START + hour * HOUR) / 1_000))], {}]}
    has microseconds ${[[HEADER, ...hourly(3, (hour) => `${START + hour * HOUR}000`)], {}]}
    is packed without saying so ${[[HEADER, ...hourly(3)], { pack: true }]}
    has ISO times ${[[HEADER, ...hourly(3, iso)], {}]}
    has times of another zone
      ${[[HEADER, ...hourly(3, (hour) => iso(hour + 3).replace('.000Z', '+03:00'))], {}]}
    has dates without a zone
      ${[['Date,Open,High,Low,Close,Volume', ...hourly(3, (hour) => iso(hour).slice(0, 16).replace('T', ' '))], {}]}
    has the newest first ${[[HEADER, ...hourly(3).toReversed()], {}]}
    is packed ${[[HEADER, ...hourly(3)], { name: 'file.csv.gz', pack: true }]}
    has no titles ${[hourly(3), {}]}
    has other columns beside ${[[`${HEADER},note`, ...hourly(3).map((line) => `${line},"a, b"`)], {}]}
    has semicolons ${[[HEADER, ...hourly(3)].map((line) => line.replaceAll(',', ';')), {}]}
    has a separator at the end of its lines ${[[HEADER, ...hourly(3)].map((line) => `${line},`), {}]}
    is of Binance
      ${[hourly(3).map((line) => `${line},1723075199999,1.5,10,0.1,0.2,0`), { preset: 'binance-klines' }]}
    has titles that say nothing, and a preset that does
      ${[['a,b,c,d,e,f', ...hourly(3)], { preset: 'ohlcv' }]}
    is of Coinbase
      ${[hourly(3).map((line) => line.replace(/^(\d+),(\d+),(\d+),(\d+),(\d+),/, '$1,$4,$3,$2,$5,')), { preset: 'coinbase' }]}
    has other titles
      ${[
        [`when,a,b,c,d,e`, ...hourly(3)],
        {
          columns: new Map([
            ['time', 'when'],
            ['open', 'a'],
            ['high', 'b'],
            ['low', 'c'],
            ['close', '5'],
            ['volume', 'e'],
          ]),
        },
      ]}
  `;

  test('tells its timeframe by its times, gaps or not', async () => {
    const lines = hourly(20).filter((_, hour) => hour % 7 !== 3);
    const report = await importLines(catalogue, [HEADER, ...lines]);
    expect(report.parts).toMatchObject([{ kind: 'candles', timeframe: '1h', outcome: { added: 17 } }]);
  });

  test('of one price a day in toman, without volumes, becomes bars in rial', async () => {
    const columns = new Map(
      Object.entries({ time: 'date', open: 'usd', high: 'usd', low: 'usd', close: 'usd', volume: '-' }),
    ) as ImportTableOptions['columns'];
    const lines = ['date,usd', '2024-08-08,1260000000.5', '2024-08-09,1260000001'];
    expect(await importLines(catalogue, lines, { columns, priceFactor: 10 })).toMatchObject({
      result: 'imported',
    });
    const read = await catalogue.readCandles({ market: BTCIRT, timeframe: '1d', ...ALL_TIME });
    expect(candleAt(read, 0)).toMatchObject({ open: '12600000005', close: '12600000005', volume: '0' });
  });

  test('is put together to coarser bars when that is asked for', async () => {
    await expect(importLines(catalogue, [HEADER, ...hourly(8)], { timeframe: '4h' })).rejects.toThrow(
      'expected bars of 4 h in',
    );
    await importLines(catalogue, [HEADER, ...hourly(8).toReversed()], { timeframe: '4h', mayResample: true });
    expect(await bars(catalogue, '4h')).toEqual([
      [0, ...PRICES, '1'],
      [4 * HOUR, ...PRICES, '2.6'],
    ]);
  });

  test('leaves out the bars at its ends that it does not reach over whole, since the next file has their rest', async () => {
    const change = { timeframe: '4h', mayResample: true } as const;
    const first = await importLines(catalogue, [HEADER, ...hourly(11).slice(1)], change);
    expect(first).toMatchObject({ result: 'imported', parts: [{ outcome: { added: 1 } }] });
    expect(first.notes.join()).toContain(
      'bars at the ends that the file does not reach over whole were left out (2)',
    );
    expect(await bars(catalogue, '4h')).toEqual([[4 * HOUR, ...PRICES, '2.6']]);
    await expect(importLines(catalogue, [HEADER, ...hourly(11).slice(8)], change)).rejects.toThrow(
      'that fill at least one of 4 h, found fewer: import the finer ones, and resample them',
    );
    expect(await importLines(catalogue, [HEADER, ...hourly(12).slice(8)], change)).toMatchObject({
      result: 'imported',
    });
  });

  test('of bars by the second, which can not be imported as they are, says to put files together for the bars at its ends', async () => {
    const change = { timeframe: '1m', mayResample: true } as const;
    const report = await importLines(temporaryCatalogue(), [HEADER, ...bySecond(30, 130)], change);
    const way = 'put the file together with those before and after it, and import them as one';
    expect(report).toMatchObject({ result: 'imported', parts: [{ outcome: { added: 1 } }] });
    expect(report.notes.join()).toContain(`were left out (2): ${way}`);
    await expect(importLines(temporaryCatalogue(), [HEADER, ...bySecond(30, 110)], change)).rejects.toThrow(
      way,
    );
  });

  test('has whole bars at its ends where no more is missing than usually is amid it, as of a thin market that was cut at midnight', async () => {
    const change = { timeframe: '4h', mayResample: true } as const;
    const all = hourly(24);
    const without = (...hours: readonly number[]): string[] => all.filter((_, hour) => !hours.includes(hour));
    const thin = await importLines(temporaryCatalogue(), [HEADER, ...without(0, 5, 9, 14, 23)], change);
    expect(thin).toMatchObject({ parts: [{ outcome: { added: 6 } }] });
    const newestFirst = [HEADER, ...without(0, 5, 9, 14, 23).toReversed()];
    expect(await importLines(temporaryCatalogue(), newestFirst, change)).toMatchObject({
      parts: [{ outcome: { added: 6 } }],
    });
    const cut = await importLines(temporaryCatalogue(), [HEADER, ...without(0, 1, 5, 9, 14)], change);
    expect(cut).toMatchObject({ parts: [{ outcome: { added: 5 } }] });
    const dense = await importLines(temporaryCatalogue(), [HEADER, ...without(0, 5, 9)], change);
    expect(dense).toMatchObject({ parts: [{ outcome: { added: 5 } }] });
  });

  test('counts a bar once that comes twice when bars are put together, and refuses another one for its time', async () => {
    const change = { timeframe: '4h', mayResample: true } as const;
    const lines = [HEADER, ...hourly(8), ...hourly(6).slice(2)];
    expect(await importLines(catalogue, lines, change)).toMatchObject({ result: 'imported', rows: 12 });
    expect(await bars(catalogue, '4h')).toEqual([
      [0, ...PRICES, '1'],
      [4 * HOUR, ...PRICES, '2.6'],
    ]);
    const other = (hourly(3)[2] ?? '').replace(',0.3', ',0.4');
    const report = await importLines(temporaryCatalogue(), [HEADER, ...hourly(8), other], change);
    expect([report.result, report.firstBad]).toMatchObject(['bad-rows', { line: 10 }]);
    expect(report.firstBad?.problem).toContain('once, found another for it before');
  });

  test('can not give finer bars than it has', async () => {
    const lines = [HEADER, ...hourly(12)];
    await expect(importLines(temporaryCatalogue(), lines, { timeframe: '5m' })).rejects.toThrow(
      'found bars 1 h apart, of which finer ones can not be made',
    );
  });

  const badRows = [
    ['a price of zero', `${START},0,2,0,1,1`, 'expected a positive open, found 0'],
    ['a negative volume', `${START},1,2,1,1,-1`, 'that is not negative for volume, found "-1"'],
    ['a high below the close', `${START},1,2,1,3,1`, 'expected low <= open, close <= high'],
    ['no number', `${START},1,2,1,NaN,1`, 'for close, found "NaN"'],
    ['too few fields', `${START},1,2`, 'expected 6 fields as in the first row, found 3'],
    ['a comma in a number', `${START},1,5,2,1,1,1`, 'expected 6 fields as in the first row, found 7'],
    ['too many decimals', `${START},1,2,1,1.00000000001,1`, 'expected at most 10 decimals of close'],
    ['a time that is none', `yesterday,1,2,1,1,1`, 'found "yesterday"'],
    ['a date that is none', `2024-13-45,1,2,1,1,1`, 'expected a date of the calendar'],
    ['a date that its month does not have', `2024-02-30,1,2,1,1,1`, 'expected a date of the calendar'],
    ['a time of another form', `2024-08-08T09:00Z,1,2,1,1,1`, 'expected a time in ms as in the first row'],
    [
      'a number that no column holds',
      `${START},1e30,1e30,1e30,1e30,1`,
      'expected at most 28 digits before the point',
    ],
    ['a volume of too many digits', `${START},1,1,1,1,1234567890123456`, 'expected a volume below 10^15'],
    ['a time of another unit', `${START / 1_000},1,2,1,1,1`, 'expected a time in ms as in the first row'],
    [
      'a time between two bars',
      `${START + 1_800_000},1,2,1,1,1`,
      'expected a bar that begins where bars of 1h do at UTC, as most of the file',
    ],
  ] as const;

  test.each(badRows)('stays out whole with a row that has %s', async (_, row, problem) => {
    const report = await importLines(catalogue, [HEADER, ...hourly(8), row, ...hourly(2)]);
    expect(report).toMatchObject({ result: 'bad-rows', parts: [], rejects: { count: 1 } });
    expect(report.rejects.rows).toEqual([{ line: 10, problem: expect.stringContaining(problem), text: row }]);
    expect(catalogue.manifest({ market: BTCIRT, kind: 'candles', timeframe: '1h' })?.partitions).toEqual([]);
  });

  test('comes in without its bad rows when that is asked for', async () => {
    const lines = [HEADER, ...hourly(8), ...badRows.map(([, row]) => row)];
    const report = await importLines(catalogue, lines, { skipBadRows: true });
    expect(report).toMatchObject({
      result: 'imported',
      rows: 8 + badRows.length,
      rejects: { count: badRows.length },
    });
    expect(await bars(catalogue)).toHaveLength(8);
    const csv = report.rejects.csv().split('\n');
    expect(csv[0]).toBe('line,problem,row');
    expect(csv[1]).toBe(`10,"expected a positive open, found 0","${START},0,2,0,1,1"`);
  });

  test('has volumes rounded to ten decimals, and says so', async () => {
    const report = await importLines(catalogue, [HEADER, ...hourly(2).map((line) => `${line}2345678925`)]);
    expect(report.notes).toEqual(['2 volumes or amounts were rounded to ten decimals']);
    expect(await bars(catalogue)).toMatchObject([{ 5: '0.1234567892' }, { 5: '0.2234567892' }]);
  });

  test('names the row whose price leaves no room for the others, and comes in with rounded prices', async () => {
    const odd = `${START + 3 * HOUR},1.0000001,2,1,2,0.4`;
    const lines = [HEADER, ...hourly(3), odd];
    await expect(importLines(catalogue, lines)).rejects.toThrow(
      /file\.csv:5: .* a price of 12600000500 and one with 7 decimals: round them with --round-prices 4/,
    );
    const report = await importLines(catalogue, lines, { form: { roundPrices: 4 } });
    expect(report.notes).toEqual(['1 price was rounded']);
    expect((await bars(catalogue))[3]).toMatchObject({ 1: '1' });
  });

  test('stays out when it contradicts what is there', async () => {
    await importLines(catalogue, [HEADER, ...hourly(3)]);
    const changed = hourly(5).map((line) => line.replace(/0\.2$/, '0.25'));
    const report = await importLines(catalogue, [HEADER, ...changed]);
    expect(report).toMatchObject({
      result: 'conflict',
      parts: [{ outcome: { kind: 'conflict', count: 1 } }],
    });
    expect(report.parts[0]?.outcome).toMatchObject({
      conflicts: [
        { isWithin: false, there: `{${PRICES.join(', ')}, 0.2}`, given: `{${PRICES.join(', ')}, 0.25}` },
      ],
    });
    expect(report.rejects.rows).toMatchObject([{ line: 3, text: changed[1] }]);
    expect(await bars(catalogue)).toEqual(THREE_BARS);
  });

  test('stays out when it has two bars for one time, and both lines are rejected', async () => {
    const other = hourly(2)[1]?.replace(/0\.2$/, '0.25') ?? '';
    const report = await importLines(temporaryCatalogue(), [HEADER, ...hourly(3), other]);
    expect(report).toMatchObject({
      result: 'conflict',
      rejects: { count: 2, rows: [{ line: 3 }, { line: 5 }] },
    });
    expect(report.rejects.rows[0]?.problem).toBe(
      'expected the bar of 2024-08-08T01:00:00Z once, found others for it',
    );
  });

  test('says where its times go back, as after a change of the time zone', async () => {
    const lines = [...hourly(30), ...hourly(40, (hour) => String(START + (hour + 28) * HOUR))];
    const report = await importLines(temporaryCatalogue(), [HEADER, ...lines]);
    expect(report.result).toBe('conflict');
    expect(report.notes).toEqual([
      'its times are not in order: line 32 goes back by 1 h, as after a change of the time zone',
    ]);
  });

  test('with semicolons may have decimal commas, whether it has titles or not', async () => {
    const european = hourly(3).map((line) => line.replaceAll(',', ';').replaceAll('.', ','));
    for (const lines of [european, [HEADER.replaceAll(',', ';'), ...european]]) {
      const catalogue = temporaryCatalogue();
      const report = await importLines(catalogue, lines, { timeframe: '1h' });
      expect(report).toMatchObject({ result: 'imported', rejects: { count: 0 } });
      expect(await bars(catalogue)).toEqual(THREE_BARS);
    }
  });

  test.each([
    [
      'times with and without a zone',
      [iso(0), iso(1).replace('.000Z', '')],
      'found no zone here and UTC in line 2',
    ],
    [
      'two zones',
      [iso(0), iso(4).replace('.000Z', '+03:30')],
      'found the zone +03:30 here and UTC in line 2',
    ],
  ])('is refused with %s', async (_, times, problem) => {
    const lines = [HEADER, ...hourly(2, (hour) => times[hour] ?? '')];
    await expect(importLines(temporaryCatalogue(), lines, { timeframe: '1h' })).rejects.toThrow(problem);
  });

  scenarios<readonly [readonly string[], Change]>(async (problem, [lines, change]) => {
    await expect(importLines(temporaryCatalogue(), lines, change)).rejects.toThrow(problem);
  }, 'is refused when it %s')`
    lacks a column ${[['time,open,high,low,close', `${START},1,1,1,1`], { kind: 'candles' }]}
      expected a column for volume of candles
    names a column that is not there ${[[HEADER, ...hourly(1)], { columns: new Map([['time', 'when']]) }]}
      expected a column "when"
    lacks a price of bars ${[[HEADER.replace('low,', ''), `${START},1,1,1,1`], {}]}
      a column for low of candles
    has a title twice ${[[`${HEADER},close`, `${START},1,1,1,1,1,1`], {}]}: such as --columns close=5
    has no time that can be read ${[[HEADER, 'noon,1,1,1,1,1', 'night,1,1,1,1,1'], {}]}
      file.csv:2: expected a time in s, ms
    is empty ${[[''], {}]}: expected rows in
    has titles only ${[[HEADER], {}]}: expected rows in
    has bars of no known length ${[[HEADER, `${START},1,1,1,1,1`, `${START + 42_000},1,1,1,1,1`], {}]}
      found bars 42 s apart
  `;
});

describe('a file of trades', () => {
  const trades = { market: BTCIRT, ...ALL_TIME } as const;

  test('is read by its titles', async () => {
    await importLines(catalogue, ['time,price,quantity,side', `${START},12600000010,0.000001,Sell`]);
    expect(await gather(catalogue.readTrades(trades))).toEqual([
      { timeMs: START, seenMs: START, price: '12600000010', amount: '0.000001', side: 'sell', id: null },
    ]);
  });

  test('of Binance sums has its own titles', async () => {
    const header = 'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker';
    await importLines(catalogue, [header, `9,61685.9,0.5,1,2,${START},true`]);
    expect(await gather(catalogue.readTrades(trades))).toMatchObject([
      { timeMs: START, side: 'sell', id: 9 },
    ]);
  });

  test('of Binance has numbers, and sides by who was there first', async () => {
    const lines = [
      `7,61685.99000000,0.5,30842.9,${START}000,True,True`,
      `8,61686.0,0.1,6168.6,${START}001,False,True`,
    ];
    await importLines(catalogue, lines);
    expect(await gather(catalogue.readTrades(trades))).toMatchObject([
      { timeMs: START, price: '61685.99', side: 'sell', id: 7 },
      { timeMs: START, price: '61686', side: 'buy', id: 8 },
    ]);
  });
});
