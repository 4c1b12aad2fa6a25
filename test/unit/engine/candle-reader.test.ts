import { expect, test } from 'vitest';
import { TEHRAN_BARS, type Candle, type Timeframe } from '../../../src/domain/candle.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { isoText } from '../../../src/domain/time-text.ts';
import { CandleReader } from '../../../src/engine/feeds/candle-reader.ts';
import { pageIssue } from '../../../src/engine/feeds/candle-pages.ts';

const at = (iso: string): number => Date.parse(iso);

/** Makes bars that begin at these times. */
function bars(...times: readonly string[]): readonly Candle[] {
  const price = decimalText('10');
  return times.map((time) => ({
    openTimeMs: at(time),
    open: price,
    high: price,
    low: price,
    close: price,
    volume: price,
  }));
}

/** Makes a candle reader that has read its history. */
function readerOf(timeframe: Timeframe, lastOpen: string): CandleReader {
  const reader = new CandleReader({
    market: 'BTCIRT',
    timeframe,
    anchors: TEHRAN_BARS,
    warmUp: 0,
    pageSize: 500,
  });
  reader.resume(at(lastOpen));
  return reader;
}

function taken(
  reader: CandleReader,
  page: readonly Candle[],
  askedAt: string,
  cameAt = askedAt,
): readonly string[] {
  expect(pageIssue(page, { reader, nowMs: at(cameAt) })).toBeNull();
  return reader
    .apply(page, { askedAtMs: at(askedAt), nowMs: at(cameAt) })
    .map(({ openTimeMs, closeTimeMs }) => `${isoText(openTimeMs)} to ${isoText(closeTimeMs)}`);
}

test('a day of 25 hours closes at its own end, and is asked for then', () => {
  const reader = readerOf('1d', '2022-09-19T19:30Z');
  const page = bars('2022-09-19T19:30Z', '2022-09-20T19:30Z');
  expect(taken(reader, page, '2022-09-21T19:31Z')).toEqual([]);
  expect(isoText(reader.nextMs(at('2022-09-21T19:31Z')))).toBe('2022-09-21T20:30:01Z');
  expect(taken(reader, page, '2022-09-21T20:30:01Z')).toEqual([
    '2022-09-20T19:30:00Z to 2022-09-21T20:30:00Z',
  ]);
});

test('a bar is not closed in an answer that was asked for before its end', () => {
  const reader = readerOf('1m', '2026-01-01T00:00Z');
  const page = bars('2026-01-01T00:01Z');
  expect(taken(reader, page, '2026-01-01T00:01:59Z', '2026-01-01T00:02:20Z')).toEqual([]);
  expect(taken(reader, page, '2026-01-01T00:02:01Z')).toHaveLength(1);
});

test('bars begin where the answers show, whatever is said of the exchange', () => {
  const reader = readerOf('1d', '2026-01-01T00:00Z');
  const page = bars('2026-01-02T00:00Z', '2026-01-03T00:00Z');
  expect(taken(reader, page, '2026-01-03T20:31Z')).toEqual(['2026-01-02T00:00:00Z to 2026-01-03T00:00:00Z']);
  expect(isoText(reader.nextMs(at('2026-01-03T20:31Z')))).toBe('2026-01-04T00:00:01Z');
});

test('bars that lie on no grid are a flaw that names them', () => {
  const reader = readerOf('1h', '2026-01-01T00:00Z');
  const page = bars('2026-01-01T01:00Z', '2026-01-01T02:17Z');
  expect(pageIssue(page, { reader, nowMs: at('2026-01-01T03:00Z') })).toMatchObject({
    field: 't',
    found: '2026-01-01T01:00:00Z, 2026-01-01T02:17:00Z',
  });
});

test('a bar from before all markets is a flaw, though it alone would fit a grid', () => {
  const reader = readerOf('4h', '2026-01-01T00:00Z');
  const issue = pageIssue(bars('1970-01-01T00:00Z'), { reader, nowMs: at('2026-01-01T03:00Z') });
  expect(issue).toMatchObject({ field: 't', found: '0' });
});

test('missing bars are counted in bars, over a change of the clock too', () => {
  const reader = readerOf('4h', '2022-09-21T11:30Z');
  const page = bars('2022-09-22T00:30Z');
  expect(
    reader.apply(page, { askedAtMs: at('2022-09-22T04:31Z'), nowMs: at('2022-09-22T04:31Z') }),
  ).toMatchObject([{ missedBefore: 2 }]);
});

test.each([
  ['before the end, by the time that the answer names', '2026-01-01T00:01:53Z', 0],
  ['in the second before the end', '2026-01-01T00:01:59Z', 0],
  ['after the end', '2026-01-01T00:02:02Z', 1],
])('a bar is as it was %s', (_, said, expected) => {
  const reader = readerOf('1m', '2026-01-01T00:00Z');
  // The clock of the bot is ahead by eight seconds.
  const times = { askedAtMs: at(said) + 8_000, nowMs: at(said) + 8_200, saidAtMs: at(said) };
  expect(reader.apply(bars('2026-01-01T00:01Z'), times)).toHaveLength(expected);
});

test('a later bar in the answer shows that a bar has closed', () => {
  const reader = readerOf('1m', '2026-01-01T00:00Z');
  const page = bars('2026-01-01T00:01Z', '2026-01-01T00:02Z');
  // The answer took three seconds, so its own time is too early.
  const times = { askedAtMs: at('2026-01-01T00:02:01Z'), nowMs: at('2026-01-01T00:02:04Z') };
  expect(reader.apply(page, { ...times, saidAtMs: at('2026-01-01T00:02:01Z') })).toHaveLength(1);
});

test('the next bar is asked for when it ends by the clock of the exchange, however far behind that is', () => {
  const reader = readerOf('1h', '2026-01-01T00:00Z');
  const [nowMs, saidAtMs] = [at('2026-01-01T02:10:00Z'), at('2026-01-01T02:08:30Z')];
  expect(reader.apply(bars('2026-01-01T01:00Z'), { askedAtMs: nowMs, nowMs, saidAtMs })).toHaveLength(1);
  expect(isoText(reader.nextMs(nowMs))).toBe('2026-01-01T03:01:30Z');
});

test('a clock that agrees with the exchange to the second delays nothing', () => {
  const reader = readerOf('1h', '2026-01-01T00:00Z');
  const [nowMs, saidAtMs] = [at('2026-01-01T02:00:01.900Z'), at('2026-01-01T02:00:01Z')];
  expect(reader.apply(bars('2026-01-01T01:00Z'), { askedAtMs: nowMs, nowMs, saidAtMs })).toHaveLength(1);
  expect(isoText(reader.nextMs(nowMs))).toBe('2026-01-01T03:00:01Z');
});
