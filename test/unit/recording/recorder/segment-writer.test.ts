import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SegmentWriter } from '../../../../src/recording/read-segment.ts';
import { temporaryFolder } from '../temporary-catalogue.ts';
import { NOON_MS } from './answers.ts';

test('a segment is whole before the next one begins, so that a kill in between leaves no hole', async () => {
  const folder = temporaryFolder();
  const sealed: string[] = [];
  const writer = new SegmentWriter({
    folder,
    kind: 'trades',
    life: 'one',
    // Nothing is put on the disk by itself.
    after: () => () => {},
    onSegment: (path) => sealed.push(path),
    onError(error) {
      throw error;
    },
    largestBytes: 60,
  });
  const look = (second: number): void => writer.write({ what: 'look', seenMs: NOON_MS + second * 1_000 });
  for (const second of [0, 1, 2]) look(second);
  const [first = ''] = readdirSync(folder);
  expect(readFileSync(join(folder, first), 'utf8')).toBe('');
  look(3);
  expect(readFileSync(join(folder, first), 'utf8').trim().split('\n')).toHaveLength(3);
  await writer.end();
  expect(sealed).toHaveLength(2);
});
