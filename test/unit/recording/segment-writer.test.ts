import { appendFileSync, copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/domain/market-symbol.ts';
import type { Catalogue } from '../../../src/recording/catalogue.ts';
import { ALL_TIME } from '../../../src/recording/read-partitions.ts';
import { SegmentWriter, type SegmentWriterOptions } from '../../../src/recording/segments/segment-writer.ts';
import { startNode } from '../../support/sarraf-process.ts';
import { book, BTCIRT, gather, takeLock, temporaryCatalogue, trade } from './temporary-catalogue.ts';

const START = Date.UTC(2024, 7, 8, 23, 59, 58);
const QUESTION = { market: BTCIRT, ...ALL_TIME } as const;
const NO_NUMBERS = {
  bestSell: null,
  bestBuy: null,
  volumeSrc: null,
  volumeDst: null,
  mark: null,
  dayLow: null,
  dayHigh: null,
  dayOpen: null,
  dayClose: null,
  dayChange: null,
};

function open(catalogue: Catalogue, change: Partial<SegmentWriterOptions> = {}): Promise<SegmentWriter> {
  return SegmentWriter.open({
    catalogue,
    takeLock,
    nowMs: () => START,
    onProblem(error) {
      throw error;
    },
    ...change,
  });
}

const segments = (catalogue: Catalogue): string[] =>
  readdirSync(join(catalogue.root, 'segments')).filter((name) => name.endsWith('.jsonl'));
const tradesOf = async (catalogue: Catalogue): Promise<unknown[]> => gather(catalogue.readTrades(QUESTION));

describe('a segment writer', () => {
  test('keeps trades, books, statistics and gaps, and has them in the catalogue when it is closed', async () => {
    const catalogue = temporaryCatalogue();
    const writer = await open(catalogue);
    const stats = {
      market: parseMarket('BTCIRT'),
      isClosed: false,
      closedReason: null,
      ...NO_NUMBERS,
      latest: decimalText('12600000000'),
    };
    writer.append({ kind: 'trade', market: BTCIRT, trade: trade(START) });
    writer.append({ kind: 'trade', market: BTCIRT, trade: trade(START) });
    writer.append({ kind: 'book', market: BTCIRT, book: book(START) });
    writer.append({ kind: 'stats', market: BTCIRT, stats: { seenMs: START, stats } });
    writer.append({ kind: 'gap', market: BTCIRT, gap: { fromMs: START, toMs: START + 5 } });
    await writer.close();
    expect(await tradesOf(catalogue)).toEqual([trade(START), trade(START)]);
    expect(await gather(catalogue.readBooks(QUESTION))).toEqual([book(START)]);
    expect(await gather(catalogue.readStats(QUESTION))).toEqual([{ seenMs: START, stats }]);
    expect(catalogue.manifest({ market: BTCIRT, kind: 'trades' })?.gaps).toEqual([{ fromMs: START, toMs: START + 5 }]);
    expect(segments(catalogue)).toEqual([]);
  });

  test('seals a segment that is large, and that of a day that is over', async () => {
    const catalogue = temporaryCatalogue();
    let nowMs = START;
    const writer = await open(catalogue, { nowMs: () => nowMs, largestBytes: 400 });
    const record = (timeMs: number): void => writer.append({ kind: 'trade', market: BTCIRT, trade: trade(timeMs) });
    record(START);
    await writer.flush();
    expect(segments(catalogue)).toHaveLength(1);
    for (let count = 1; count < 5; count += 1) record(START + count);
    await writer.flush();
    expect(segments(catalogue)).toEqual([]);
    expect(await tradesOf(catalogue)).toHaveLength(5);
    record(START + 5);
    await writer.flush();
    nowMs += 5_000;
    record(nowMs);
    await writer.flush();
    expect(segments(catalogue)).toHaveLength(1);
    expect(await tradesOf(catalogue)).toHaveLength(6);
    await writer.close();
    expect(await tradesOf(catalogue)).toHaveLength(7);
  });

  test('takes up what a dead one left, but for the line that was cut short, and once only', async () => {
    const catalogue = temporaryCatalogue();
    const first = await open(catalogue);
    first.append({ kind: 'trade', market: BTCIRT, trade: trade(START) });
    await first.flush();
    const [name = ''] = segments(catalogue);
    const path = join(catalogue.root, 'segments', name);
    appendFileSync(path, readFileSync(path, 'utf8').slice(0, 40));
    const kept = join(catalogue.root, 'kept');
    copyFileSync(path, kept);
    await first.close();
    expect(await tradesOf(catalogue)).toEqual([trade(START)]);
    // As if it had died between the manifest and the removal.
    copyFileSync(kept, path);
    const reports: unknown[] = [];
    const second = await open(catalogue, { onSealed: (report) => reports.push(report) });
    expect(reports).toEqual([{ segment: name, records: 1, badLines: 1 }]);
    expect(await tradesOf(catalogue)).toEqual([trade(START)]);
    await second.close();
  });

  test('is the only one of its catalogue', async () => {
    const catalogue = temporaryCatalogue();
    const first = await open(catalogue);
    await expect(open(catalogue)).rejects.toMatchObject({ code: 'DATA_UNUSABLE' });
    await first.close();
    await (await open(catalogue)).close();
    expect(() => first.append({ kind: 'trade', market: BTCIRT, trade: trade(START) })).toThrow('was closed');
  });

  test('keeps a segment whose folder another process writes to, and seals it later', async () => {
    const catalogue = temporaryCatalogue();
    const problems: unknown[] = [];
    const writer = await open(catalogue, { onProblem: (error) => problems.push(error) });
    await catalogue.appendTrades({ market: BTCIRT, source: 'test', trades: [] });
    const lock = takeLock(join(catalogue.root, 'BTCIRT', 'trades', '.lock'));
    writer.append({ kind: 'trade', market: BTCIRT, trade: trade(START) });
    await writer.seal();
    expect(problems).toHaveLength(1);
    expect(segments(catalogue)).toHaveLength(1);
    lock.release();
    await writer.close();
    expect(await tradesOf(catalogue)).toEqual([trade(START)]);
  });

  test('has on the disk what it had flushed when it is killed', async () => {
    const catalogue = temporaryCatalogue();
    const child = startNode([fileURLToPath(import.meta.resolve('./record-and-wait.ts')), catalogue.root]);
    await child.line((line) => line === 'flushed');
    child.child.kill('SIGKILL');
    await child.finished;
    await (await open(catalogue)).close();
    expect(await tradesOf(catalogue)).toEqual(Array.from({ length: 100 }, (_, index) => trade(START + index)));
  });
});
