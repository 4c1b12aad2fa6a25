import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gridOf, TEHRAN_BARS, TEHRAN_MIDNIGHT, type Timeframe } from '../../../src/domain/candle.ts';
import { isoText } from '../../../src/domain/time-text.ts';
import {
  downloadCandles,
  type DownloadOptions,
  type FetchPage,
} from '../../../src/recording/download-candles.ts';
import { importTable } from '../../../src/recording/import-table.ts';
import { ALL_TIME } from '../../../src/recording/read-rows.ts';
import { ChangeDetector } from '../../../src/recording/recorder/change-detector.ts';
import { resample } from '../../../src/recording/resample.ts';
import { verifyFolder } from '../../../src/recording/verify-folder.ts';
import {
  addCandles,
  BTCIRT,
  candle,
  candles,
  catalogueOfEachTest,
  USUAL_IMPORT,
} from './temporary-catalogue.ts';

const catalogue = catalogueOfEachTest();
const at = (iso: string): number => Date.parse(iso);
const DAY = 86_400_000;

/** Starts of the exchange's days and bars of 4 h around the last change of its clock, written by hand. */
const DAYS = ['2022-09-19T19:30Z', '2022-09-20T19:30Z', '2022-09-21T20:30Z', '2022-09-22T20:30Z'].map(at);
const HOURS = [
  '2022-09-21T07:30Z',
  '2022-09-21T11:30Z',
  '2022-09-21T15:30Z',
  '2022-09-21T20:30Z',
  '2022-09-22T00:30Z',
].map(at);

/** Makes an exchange that has these bars, and records what it is asked for. */
function exchangeWith(times: readonly number[]): { readonly fetchPage: FetchPage; readonly asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    fetchPage: async ({ toMs, count }) => {
      asked.push(count);
      return times
        .filter((timeMs) => timeMs < toMs)
        .slice(-count)
        .map((timeMs) => candle(timeMs));
    },
  };
}

const download = (
  of: Pick<DownloadOptions, 'fetchPage' | 'range'> & Partial<DownloadOptions>,
): ReturnType<typeof downloadCandles> =>
  downloadCandles({
    catalogue,
    market: BTCIRT,
    timeframe: '1d',
    source: 'test',
    nowMs: () => at('2024-01-01T00:00Z'),
    ...of,
  });
/** Range of days from the first of {@link DAYS} up to a time. */
const fromDay = (toMs: number) => ({ fromMs: DAYS[0]!, toMs });

async function timesOf(timeframe: Timeframe = '1d'): Promise<readonly string[]> {
  const { openTimeMs, length } = await catalogue.readCandles({ market: BTCIRT, timeframe, ...ALL_TIME });
  return [...openTimeMs.subarray(0, length)].map(isoText);
}

const verified = async (timeframe: Timeframe = '1d'): Promise<readonly string[]> => {
  const key = { market: BTCIRT, kind: 'candles', timeframe } as const;
  const report = await verifyFolder(catalogue, key, { range: ALL_TIME, priceStep: null, gapMs: 60_000 });
  return report.findings.listed.map(({ text }) => text);
};

describe('bars of Tehran', () => {
  test.each([
    ['1d', DAYS, [4]],
    ['4h', HOURS, [5]],
  ] as const)(
    'of %s are downloaded by whole bars, kept and verified over a change of the clock',
    async (timeframe, times, asked) => {
      const exchange = exchangeWith(times);
      const range = { timeframe, range: { fromMs: times[0]!, toMs: times.at(-1)! + 1 } };
      expect(await download({ ...exchange, ...range })).toMatchObject({ added: times.length });
      expect(exchange.asked).toEqual(asked);
      expect(await timesOf(timeframe)).toEqual(times.map(isoText));
      expect(await verified(timeframe)).toEqual([]);
      expect(await download({ ...exchange, ...range })).toMatchObject({ added: 0, requests: 0 });
    },
  );

  test('are imported again as they were exported, and verified', async () => {
    const path = join(catalogue.root, 'days.csv');
    const lines = DAYS.map((timeMs) => `${timeMs},10,12,9,11,1`);
    writeFileSync(path, ['time_ms,open,high,low,close,volume', ...lines, ''].join('\n'));
    const report = await importTable({ ...USUAL_IMPORT, catalogue, path, source: 'days.csv' });
    expect(report).toMatchObject({ result: 'imported', rows: 4, notes: ['bars of 1d begin at Asia/Tehran'] });
    const key = { market: BTCIRT, kind: 'candles', timeframe: '1d' } as const;
    expect(catalogue.manifest(key)?.anchors).toEqual({ '1d': TEHRAN_MIDNIGHT });
    expect(await verified()).toEqual([]);
  });

  test('that are missing are counted in bars', async () => {
    const [first = 0, , , last = 0] = DAYS;
    await download({ ...exchangeWith([first, last]), range: fromDay(last + 1) });
    expect(await verified()).toEqual([
      expect.stringContaining('2 bars are missing from 2022-09-20T19:30:00Z to 2022-09-22T20:30:00Z'),
    ]);
  });
});

describe('where bars begin', () => {
  test('is what the exchange shows, whatever is said of it', async () => {
    const days = [0, 1, 2].map((day) => at('2023-03-01T00:00Z') + day * DAY);
    const range = { fromMs: at('2023-03-01T00:00Z'), toMs: at('2023-03-04T00:00Z') };
    await download({ ...exchangeWith(days), range });
    expect(await timesOf()).toEqual(days.map(isoText));
    expect(await verified()).toEqual([]);
  });

  test('is one thing for all bars of a folder', async () => {
    await download({ ...exchangeWith(DAYS), range: fromDay(DAYS[3]!) });
    const other = { timeframe: '1d', source: 'other', anchors: {} } as const;
    const append = addCandles(catalogue, [candle(at('2023-01-01T00:00Z'))], other);
    await expect(append).rejects.toThrow('begin as those in');
  });

  test('is found by the bars of a catalogue that does not say it', async () => {
    await download({ ...exchangeWith(DAYS), range: fromDay(DAYS[3]! + 1) });
    const path = join(catalogue.root, 'BTCIRT', 'candles-1d', 'manifest.json');
    const { anchors: _, ...older } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(older));
    const { anchors } = await catalogue.readCandles({ market: BTCIRT, timeframe: '1d', ...ALL_TIME });
    expect(anchors).toEqual({ '1d': TEHRAN_MIDNIGHT });
    expect(await verified()).toEqual([]);
  });
});

describe('a bar that has not closed', () => {
  test('is not recorded, though an hour of UTC has', () => {
    // 24 h after the start of the day, and an hour before its end.
    const askedMs = at('2022-09-21T19:31Z');
    const page = DAYS.slice(0, 2).map((timeMs) => candle(timeMs));
    const detector = new ChangeDetector({ tape: null, beganMs: null, longestPauseMs: 60_000 });
    const noted = detector.applyBars('1d', page, { seenMs: askedMs, askedMs });
    expect(noted).toMatchObject([{ row: { candle: { openTimeMs: DAYS[0] } } }]);
    expect(noted).toHaveLength(1);
  });

  test('is not recorded where the answer was long on its way', () => {
    const minute = at('2026-01-01T00:00Z');
    const detector = new ChangeDetector({ tape: null, beganMs: null, longestPauseMs: 60_000 });
    const times = { askedMs: minute + 59_000, seenMs: minute + 90_000 };
    expect(detector.applyBars('1m', [candle(minute)], times)).toEqual([]);
  });

  test('is not downloaded', async () => {
    const [range, nowMs] = [fromDay(at('2022-12-01T00:00Z')), at('2022-09-21T19:45Z')];
    await download({ ...exchangeWith(DAYS.slice(0, 2)), range, nowMs: () => nowMs });
    expect(await timesOf()).toEqual(['2022-09-19T19:30:00Z']);
  });

  test('is not downloaded where the clock of the exchange turns out to be behind', async () => {
    const { fetchPage } = exchangeWith(DAYS.slice(0, 2));
    let nowMs = at('2022-09-21T20:31Z');
    const late: FetchPage = async (question) => {
      const page = await fetchPage(question);
      nowMs = at('2022-09-21T20:29Z');
      return page;
    };
    await download({ fetchPage: late, range: fromDay(at('2022-12-01T00:00Z')), nowMs: () => nowMs });
    expect(await timesOf()).toEqual(['2022-09-19T19:30:00Z']);
  });
});

describe('coarser bars', () => {
  test('are made of those that lie whole inside them, 25 hours in one day', async () => {
    const halfHours = candles(at('2022-09-20T19:30Z'), 98, 1_800_000);
    await addCandles(catalogue, halfHours, { timeframe: '30m', anchors: TEHRAN_BARS });
    await resample(catalogue, { market: BTCIRT, from: '30m', to: '1d', range: ALL_TIME });
    expect(await timesOf()).toEqual(['2022-09-20T19:30:00Z', '2022-09-21T20:30:00Z']);
    const { volume } = await catalogue.readCandles({ market: BTCIRT, timeframe: '1d', ...ALL_TIME });
    expect([...volume]).toEqual([50, 48].map((bars) => bars * 123_456));
    expect(await verified()).toEqual([]);
  });

  test('are refused of those that reach over their ends', async () => {
    const hours = candles(at('2022-09-20T00:00Z'), 72, 3_600_000);
    await addCandles(catalogue, hours, { timeframe: '1h', anchors: TEHRAN_BARS });
    await expect(
      resample(catalogue, { market: BTCIRT, from: '1h', to: '1d', range: ALL_TIME }),
    ).rejects.toThrow(
      'expected candles that lie whole inside those of 1d, which begin at Asia/Tehran, was 1h, which begin at UTC',
    );
    const anchor = { zone: 'UTC', offsetMs: 0 };
    await resample(catalogue, { market: BTCIRT, from: '1h', to: '1d', anchor, range: ALL_TIME });
    expect(await timesOf()).toEqual(['2022-09-20T00:00:00Z', '2022-09-21T00:00:00Z', '2022-09-22T00:00:00Z']);
  });

  test('of a market of UTC are those of UTC', async () => {
    await addCandles(catalogue, candles(at('2024-08-08T00:00Z'), 48, 3_600_000), { timeframe: '1h' });
    await resample(catalogue, { market: BTCIRT, from: null, to: '1d', range: ALL_TIME });
    expect(await timesOf()).toEqual(['2024-08-08T00:00:00Z', '2024-08-09T00:00:00Z']);
    const { anchors } = await catalogue.readCandles({ market: BTCIRT, timeframe: '1d', ...ALL_TIME });
    expect(gridOf('1d', anchors).anchor.zone).toBe('UTC');
  });
});
