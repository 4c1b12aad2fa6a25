import { describe, expect, it } from 'vitest';
import { RecordedStream } from '../../../../src/backtest/poll/recorded-feed.ts';

interface Row {
  readonly atMs: number;
}

/** A stream, and how many chunks were asked of it. */
function streamOf(chunks: readonly (readonly number[])[]): {
  stream: RecordedStream<readonly Row[]>;
  asked: () => number;
} {
  let asked = 0;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    for (const chunk of chunks) {
      asked += 1;
      yield chunk.map((atMs) => ({ atMs }));
    }
  }
  return {
    stream: new RecordedStream(rows(), (chunk, row) => chunk[row]?.atMs ?? Number.NaN),
    asked: () => asked,
  };
}

function takeAll(
  stream: RecordedStream<readonly Row[]>,
): readonly [dueMs: number, atMs: number | undefined][] {
  const taken: [number, number | undefined][] = [];
  while (Number.isFinite(stream.dueMs))
    stream.hand((chunk, row, dueMs) => taken.push([dueMs, chunk[row]?.atMs]));
  return taken;
}

describe('a recorded stream', () => {
  it('reads no further than it has to, and one chunk ahead at most', async () => {
    const { stream, asked } = streamOf([
      [10, 20],
      [30, 40],
      [50, 60],
    ]);
    await stream.readFirst();
    expect(asked()).toBe(1);
    expect(stream.horizonMs).toBe(19);
    await stream.readTo(19);
    expect(asked()).toBe(1);
    await stream.readTo(20);
    expect(asked()).toBe(2);
    await stream.readTo(1_000);
    expect(stream.horizonMs).toBe(Number.POSITIVE_INFINITY);
    expect(takeAll(stream).length).toBe(6);
    expect(stream.count).toBe(6);
  });

  it('has all rows of one time at hand before it says so, even where a chunk ends among them', async () => {
    const { stream } = streamOf([[10, 20], [20, 20], [], [20, 21]]);
    await stream.readTo(20);
    expect(stream.horizonMs).toBeGreaterThanOrEqual(20);
    expect(takeAll(stream).filter(([dueMs]) => dueMs === 20).length).toBe(4);
  });

  it('hands over a row that lies before its forerunner together with it', async () => {
    const { stream } = streamOf([[10, 30, 20, 40]]);
    await stream.readTo(100);
    expect(takeAll(stream)).toEqual([
      [10, 10],
      [30, 30],
      [30, 20],
      [40, 40],
    ]);
  });

  it('knows its usual pace', async () => {
    const { stream } = streamOf([[0, 10, 20, 500, 510]]);
    await stream.readFirst();
    expect(stream.usualGapMs).toBe(10);
    expect(streamOf([[1]]).stream.usualGapMs).toBeNull();
  });

  it('refuses a row without a time', async () => {
    await expect(streamOf([[Number.NaN]]).stream.readFirst()).rejects.toMatchObject({
      code: 'DATA_UNUSABLE',
    });
  });
});
