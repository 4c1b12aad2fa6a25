import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { MarketSymbol } from '../../../../src/domain/market-symbol.ts';
import { readReplayFile, replayStart, type ReplayFile } from '../../../../src/venues/replay-file.ts';
import * as replayed from '../../../support/replayed-market.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

const folder = folderOfAllTests();

const HOUR_MS = 3_600_000;
const START_MS = 1_502_942_400_000;

const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const candles = (lines: readonly string[], header = 'time_ms,open,high,low,close,volume'): string =>
  [header, ...lines, ''].join('\n');

const HOURS = [
  `${START_MS},4261.48,4313.62,4261.32,4308.83,47.181009`,
  `${START_MS + HOUR_MS},4308.83,4328.69,4291.37,4315.32,23.234916`,
  `${START_MS + 4 * HOUR_MS},4330.290,4345.45,4309.37,4324.35,7.229691`,
  `${START_MS + 5 * HOUR_MS},4324.35,4330,4300,4310,1e-7`,
];

const feedLine = (message: object): string => `1723161254087896568 ${JSON.stringify(message)}`;
const FEED = [
  feedLine({
    stream: 'ethusdt@depth@100ms',
    data: {
      e: 'depthUpdate',
      s: 'ETHUSDT',
      E: 1_723_161_254_087,
      U: 1,
      u: 2,
      b: [['61737.63000000', '0']],
      a: [],
    },
  }),
  feedLine({
    stream: 'ethusdt@trade',
    data: { e: 'trade', s: 'ETHUSDT', p: '2613.63000000', q: '0.02000000', T: 1_723_161_255_342, m: true },
  }),
  feedLine({ lastUpdateId: 50, bids: [], asks: [] }),
  feedLine({
    stream: 'ethusdt@aggTrade',
    data: {
      e: 'aggTrade',
      s: 'ETHUSDT',
      p: '2613.64000000',
      q: '1.50000000',
      T: 1_723_161_255_342,
      m: false,
    },
  }),
];

describe('a recording of candles', () => {
  test('gives rows with canonical decimals, the usual length and the market that its name says', async () => {
    const read = await readReplayFile(file('somewhere_ETHUSDT_1h.csv', candles(HOURS)));
    expect(read).toMatchObject({ timeframe: '1h' });
    expect(read.rows).toHaveLength(4);
    expect(read.rows[2]).toEqual({
      kind: 'candle',
      timeframe: '1h',
      openTimeMs: START_MS + 4 * HOUR_MS,
      lengthMs: HOUR_MS,
      open: '4330.29',
      high: '4345.45',
      low: '4309.37',
      close: '4324.35',
      volume: '7.229691',
    });
    expect(read.market).toEqual({
      symbol: 'ETHUSDT',
      priceStep: '0.01',
      amountStep: '0.0000001',
      initialPrice: '4261.48',
    });
  });

  test('is the same when gzipped, with other line ends and without a market in its name', async () => {
    const plain = await readReplayFile(file('plain_BTCUSDT.csv', candles(HOURS)));
    const packed = await readReplayFile(
      file('packed.csv.gz', gzipSync(candles(HOURS).replaceAll('\n', '\r\n'))),
    );
    expect(packed.rows).toEqual(plain.rows);
    expect(packed.market).toEqual(plain.market);
  });

  test.each([
    ['timestamp', '1502942400', '1502946000'],
    ['open_time', '1502942400000', '1502946000000'],
    ['time_ms_utc', '1502942400000000', '1502946000000000'],
    ['date', '2017-08-17 04:00:00', '2017-08-17 05:00:00'],
  ])('has its times in a column %s such as %s', async (column, first, second) => {
    const rest = ',1,2,1,2,5';
    const read = await readReplayFile(
      file('times.csv', candles([first + rest, second + rest], `${column},open,high,low,close,volume`)),
    );
    expect(read.rows.map((row) => row.kind === 'candle' && row.openTimeMs)).toEqual([
      START_MS,
      START_MS + HOUR_MS,
    ]);
  });

  test('has steps of no more than eight decimals and a first price on them', async () => {
    const lines = [`${START_MS},0.1234567891,0.2,0.1,0.2,5`, `${START_MS + HOUR_MS},0.2,0.2,0.1,0.2,5`];
    const { market } = await readReplayFile(file('fine.csv', candles(lines)));
    expect(market).toMatchObject({ priceStep: '0.00000001', amountStep: '1', initialPrice: '0.12345679' });
  });
});

describe('a recording of trades', () => {
  test('gives the trades of a CSV', async () => {
    const lines = [
      'time,price,amount,side',
      '1723161255,100.50,0.25,BUY',
      '1723161255,100.4,3,sell',
      '',
    ].join('\n');
    const read = await readReplayFile(file('btc-rls.csv', lines));
    expect(read).toMatchObject({ timeframe: null, market: { symbol: 'BTCIRT', priceStep: '0.1' } });
    expect(read.rows).toEqual([
      { kind: 'trade', timeMs: 1_723_161_255_000, price: '100.5', amount: '0.25', side: 'buy' },
      { kind: 'trade', timeMs: 1_723_161_255_000, price: '100.4', amount: '3', side: 'sell' },
    ]);
  });

  test('gives the trades of a recorded feed and leaves its other messages out', async () => {
    const read = await readReplayFile(file('feed.jsonl.gz', gzipSync(`${FEED.join('\n')}\n`)));
    expect(read).toMatchObject({
      timeframe: null,
      market: { symbol: 'ETHUSDT', priceStep: '0.01', amountStep: '0.01' },
    });
    expect(read.rows).toEqual([
      { kind: 'trade', timeMs: 1_723_161_255_342, price: '2613.63', amount: '0.02', side: 'sell' },
      { kind: 'trade', timeMs: 1_723_161_255_342, price: '2613.64', amount: '1.5', side: 'buy' },
    ]);
  });
});

describe('a recording that can not be used', () => {
  const broken = (line: string): string => candles([...HOURS, line]);
  const late = START_MS + 9 * HOUR_MS;

  test.each([
    ['an empty file', '', /expected rows in .*bad\.csv, found an empty file/],
    ['a header alone', candles([]), /expected rows in .*bad\.csv, found none/],
    ['one row', candles(HOURS.slice(0, 1)), /found fewer than two bars/],
    ['other columns', 'a,b\n1,2\n', /expected a column for time.*bad\.csv, found the columns a, b/],
    [
      'bars of no timeframe',
      candles(['0,1,2,1,2,5', '600000,1,2,1,2,5']),
      /timeframes 1m, .* found bars .* apart/,
    ],
    ['a price that is no number', broken(`${late},1,2,1,x,5`), /bad\.csv:6: .* for close, found "x"/],
    ['a missing field', broken(`${late},1,2,1,2`), /bad\.csv:6: expected 6 fields .*, found 5/],
    ['a price of zero', broken(`${late},0,2,0,2,5`), /bad\.csv:6: expected a positive open, found 0/],
    ['a negative volume', broken(`${late},1,2,1,2,-5`), /bad\.csv:6: .* not negative for volume, found "-5"/],
    ['a low above the close', broken(`${late},3,4,3,2,5`), /bad\.csv:6: expected low <= open, close <= high/],
    ['a time that is none', broken('soon,1,2,1,2,5'), /bad\.csv:6: expected a time .* found "soon"/],
    ['two bars of one time', broken(`${START_MS},1,2,1,2,5`), /bad\.csv.*once/],
    [
      'a side that is none',
      'time,price,amount,side\n1,2,3,hold\n',
      /bad\.csv:2: .* buy or sell, found "hold"/,
    ],
  ])('is refused with its line: %s', async (_what, content, message) => {
    await expect(readReplayFile(file('bad.csv', content))).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringMatching(message) as string,
    });
  });

  test.each([
    [
      'a line that is no JSON',
      `${FEED[1]}\n1723161254087896568 {"stream":\n`,
      /bad\.jsonl:2: expected a JSON object/,
    ],
    [
      'a trade without a price',
      `${feedLine({ e: 'trade', q: '1', T: 1, m: true })}\n`,
      /bad\.jsonl:1: .* texts p and q/,
    ],
    ['no trade', `${FEED[0]}\n`, /expected trades in .*bad\.jsonl, found 1 line without one/],
  ])('is refused as a feed with its line: %s', async (_what, content, message) => {
    await expect(readReplayFile(file('bad.jsonl', content))).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringMatching(message) as string,
    });
  });

  test('is refused when it is not there, is a folder, or its packing is broken', async () => {
    const missing = join(folder, 'missing.csv');
    const cut = file('cut.csv.gz', gzipSync(candles(HOURS)).subarray(0, 40));
    for (const path of [missing, folder, cut]) {
      await expect(readReplayFile(path)).rejects.toMatchObject({
        code: 'INVALID_FILE',
        message: expect.stringContaining(path) as string,
      });
    }
  });
});

function recordingOf(kind: 'candles' | 'trades', rows: number): ReplayFile {
  return {
    path: 'recording.csv',
    rows: Array.from({ length: rows }, (_, index) =>
      kind === 'candles'
        ? replayed.candle(index, ['10', '12', '9', '11'])
        : replayed.trade(index, 'buy', '10', '1'),
    ),
    timeframe: kind === 'candles' ? '1h' : null,
    barAnchors: kind === 'candles' ? {} : null,
    market: { symbol: 'BTCUSDT' as MarketSymbol, priceStep: '1', amountStep: '1', initialPrice: '10' },
  };
}

describe('the start of a replay', () => {
  test('leaves two hundred candles as the past', () => {
    expect(replayStart(recordingOf('candles', 1_000))).toEqual({
      warmUpRows: 200,
      startMs: replayed.START_MS + 200 * HOUR_MS,
    });
  });

  test('leaves a fifth of the trades as the past', () => {
    expect(replayStart(recordingOf('trades', 100))).toEqual({
      warmUpRows: 20,
      startMs: replayed.START_MS + 20_000,
    });
  });

  test.each([
    [399, 199],
    [2, 1],
    [1, 0],
  ])('of %i candles plays at least half, so %i are the past', (rows, warmUpRows) => {
    expect(replayStart(recordingOf('candles', rows)).warmUpRows).toBe(warmUpRows);
  });

  test('is refused without a row', () => {
    expect(() => replayStart(recordingOf('trades', 0))).toThrow(
      'expected at least one row in recording.csv, was none',
    );
  });
});
