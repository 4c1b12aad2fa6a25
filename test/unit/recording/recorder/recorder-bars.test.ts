import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Candle, Timeframe } from '../../../../src/domain/candle.ts';
import { candleAt } from '../../../../src/domain/candle-columns.ts';
import type { VenueAnswer } from '../../../../src/venues/port.ts';
import type { Recorder } from '../../../../src/recording/recorder.ts';
import { BTCIRT, candle, candles, temporaryCatalogue } from '../temporary-catalogue.ts';
import { NOON_MS, openRecorder } from './answers.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const root = folderOfEachTest();
const MINUTE_MS = 60_000;
const MINUTES = { kind: 'candles', timeframe: '1m' } as const;

/** Gives a recorder a page of bars, of which the last may still be running. */
function takePage(
  recorder: Recorder,
  page: readonly Candle[],
  seenMs: number,
  timeframe: Timeframe = '1m',
): void {
  const answer: VenueAnswer = { outcome: 'value', value: page };
  recorder.apply({ kind: 'candles', market: BTCIRT, timeframe, toMs: seenMs, count: 500 }, answer, seenMs);
}

async function barsIn(root: string, timeframe: Timeframe = '1m'): Promise<readonly Candle[]> {
  const range = { fromMs: 0, toMs: NOON_MS * 2 };
  const columns = await temporaryCatalogue(root).readCandles({ market: BTCIRT, timeframe, ...range });
  return Array.from({ length: columns.length }, (_, index) => candleAt(columns, index));
}

describe('bars that a run asks for', () => {
  test('are in the catalogue when they have closed, once, those of each length apart', async () => {
    const recorder = await openRecorder(root);
    const bars = candles(NOON_MS - 10 * MINUTE_MS, 13);
    takePage(recorder, bars.slice(0, 11), NOON_MS + 1_000);
    takePage(recorder, bars.slice(8, 12), NOON_MS + MINUTE_MS + 1_000);
    takePage(recorder, bars.slice(10, 13), NOON_MS + 2 * MINUTE_MS + 1_000);
    takePage(recorder, candles(NOON_MS - 7_200_000, 3, 3_600_000), NOON_MS + 1_000, '1h');
    expect(recorder.markets).toMatchObject([{ kinds: { candles: { rows: 12 } }, timeframes: ['1m', '1h'] }]);
    await recorder.close();
    // A bar may still change for a second after its end, and the last one was not seen later than that.
    expect(await barsIn(root)).toEqual(bars.slice(0, 11));
    const covered = [{ fromMs: NOON_MS - 10 * MINUTE_MS, toMs: NOON_MS + MINUTE_MS }];
    expect(temporaryCatalogue(root).manifest({ ...MINUTES, market: BTCIRT })).toMatchObject({ covered });
    expect(await barsIn(root, '1h')).toEqual(candles(NOON_MS - 7_200_000, 1, 3_600_000));
  });

  test('that were seen right after their end in one run are taken from the next, as they then are', async () => {
    const first = await openRecorder(root);
    takePage(first, [candle(NOON_MS - MINUTE_MS), candle(NOON_MS)], NOON_MS + MINUTE_MS + 1_000);
    await first.close();
    expect(await barsIn(root)).toEqual([candle(NOON_MS - MINUTE_MS)]);
    const late = candle(NOON_MS, { volume: '0.2' });
    const second = await openRecorder(root);
    takePage(second, [candle(NOON_MS - MINUTE_MS), late], NOON_MS + 2 * MINUTE_MS);
    await second.close();
    expect(await barsIn(root)).toEqual([candle(NOON_MS - MINUTE_MS), late]);
  });

  test('are known to be all there were, but where the page of one did not reach back to that of another', async () => {
    const recorder = await openRecorder(root);
    const bars = candles(NOON_MS, 20);
    const page = (...minutes: readonly number[]): readonly Candle[] =>
      minutes.flatMap((minute) => bars[minute] ?? []);
    takePage(recorder, page(0, 1, 3), NOON_MS + 5 * MINUTE_MS);
    takePage(recorder, page(3, 5), NOON_MS + 7 * MINUTE_MS);
    takePage(recorder, page(10, 12), NOON_MS + 30 * MINUTE_MS);
    await recorder.close();
    expect(await barsIn(root)).toEqual(page(0, 1, 3, 5, 10, 12));
    expect(temporaryCatalogue(root).manifest({ ...MINUTES, market: BTCIRT })?.covered).toEqual([
      { fromMs: NOON_MS, toMs: NOON_MS + 6 * MINUTE_MS },
      { fromMs: NOON_MS + 10 * MINUTE_MS, toMs: NOON_MS + 13 * MINUTE_MS },
    ]);
  });

  test('are as they were seen last, since the last trades of a bar may come late', async () => {
    const recorder = await openRecorder(root);
    takePage(recorder, [candle(NOON_MS)], NOON_MS + MINUTE_MS);
    const late = candle(NOON_MS, { volume: '0.2' });
    takePage(recorder, [late, candle(NOON_MS + MINUTE_MS)], NOON_MS + 2 * MINUTE_MS);
    await recorder.close();
    expect(await barsIn(root)).toEqual([late]);
  });

  test('have volumes of ten decimals, however many the exchange tells, as where it adds up floats', async () => {
    const recorder = await openRecorder(root);
    takePage(recorder, [candle(NOON_MS, { volume: '0.30000000000000004' })], NOON_MS + 2 * MINUTE_MS);
    await recorder.close();
    expect(await barsIn(root)).toEqual([candle(NOON_MS, { volume: '0.3' })]);
  });

  test('leave those that are there as they are, and fill what is missing between them', async () => {
    const bars = candles(NOON_MS, 6);
    const other = candle(NOON_MS + MINUTE_MS, { volume: '9' });
    const first = await openRecorder(root);
    takePage(first, [other, bars[4] ?? other], NOON_MS + 60 * MINUTE_MS);
    await first.close();
    const second = await openRecorder(root);
    takePage(second, bars, NOON_MS + 60 * MINUTE_MS);
    await second.close();
    expect(await barsIn(root)).toEqual([bars[0], other, ...bars.slice(2)]);
  });

  test('of an exchange that begins anew are added behind those of an earlier run, for each has another past', async () => {
    const first = await openRecorder(root, { beganMs: NOON_MS });
    const bars = candles(NOON_MS - 10 * MINUTE_MS, 12);
    takePage(first, bars, NOON_MS + 2 * MINUTE_MS + 10_000);
    await first.close();
    const beganMs = NOON_MS + 5 * MINUTE_MS;
    const second = await openRecorder(root, { beganMs });
    const others = Array.from({ length: 30 }, (_, index) =>
      candle(beganMs + (index - 25) * MINUTE_MS, { volume: '7' }),
    );
    takePage(second, others, beganMs + 5 * MINUTE_MS + 10_000);
    await second.close();
    const behind = others.filter(({ openTimeMs }) => openTimeMs > NOON_MS + MINUTE_MS);
    expect(await barsIn(root)).toEqual([...bars, ...behind]);
  });

  test('of an exchange that begins anew are not added to those of another source, which is reported once', async () => {
    const bars = candles(NOON_MS - 10 * MINUTE_MS, 5);
    await temporaryCatalogue(root).appendCandles({
      market: BTCIRT,
      timeframe: '1m',
      source: 'https://exchange.example',
      candles: [bars],
    });
    const problems: string[] = [];
    const recorder = await openRecorder(root, {
      beganMs: NOON_MS,
      onProblem: (message) => problems.push(message),
    });
    takePage(recorder, candles(NOON_MS, 3), NOON_MS + 3 * MINUTE_MS);
    takePage(recorder, candles(NOON_MS, 4), NOON_MS + 4 * MINUTE_MS);
    takePage(recorder, candles(NOON_MS - 3_600_000, 1, 3_600_000), NOON_MS + 4 * MINUTE_MS, '1h');
    await recorder.close();
    expect(await barsIn(root)).toEqual(bars);
    expect(await barsIn(root, '1h')).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining('they are from https://exchange.example')]);
  });

  test('come from a segment that a killed process has left, all but the line that was cut short', async () => {
    const folder = join(root, 'segments', BTCIRT);
    mkdirSync(folder, { recursive: true });
    const lines = candles(NOON_MS, 3).map(({ openTimeMs, open, high, low, close, volume }) =>
      JSON.stringify([
        'row',
        NOON_MS + 10 * MINUTE_MS,
        ['1m', NOON_MS, openTimeMs, open, high, low, close, volume],
      ]),
    );
    const name = 'candles-2026-01-05-000000000000001-1-000001.jsonl';
    writeFileSync(join(folder, name), lines.join('\n').slice(0, -9));
    const recorder = await openRecorder(root);
    await recorder.close();
    expect(await barsIn(root)).toEqual(candles(NOON_MS, 2));
    expect(readdirSync(folder).filter((file) => file.endsWith('.jsonl'))).toEqual([]);
  });
});
