import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BTCIRT, gather, temporaryCatalogue, temporaryFolder } from '../temporary-catalogue.ts';
import { NOON_MS, openRecorder } from './answers.ts';

const SCRIPT = fileURLToPath(new URL('limited-recording.ts', import.meta.url));

/**
 * Files of this process can not grow beyond so many blocks of 1 KiB, as on a disk that is full by then: a
 * line is cut short there.
 */
const LIMITED = `trap '' XFSZ; ulimit -f 600; exec "$0" "$@"`;

test('where the disk takes no more the recording stops with a word, and what it took is whole in the catalogue later', async () => {
  const root = temporaryFolder();
  const out = execFileSync('bash', ['-c', LIMITED, process.execPath, SCRIPT, root, '20000'], {
    encoding: 'utf8',
  });
  const { problems, failure } = JSON.parse(out) as {
    readonly problems: readonly string[];
    readonly failure: string;
  };
  expect(failure).toContain('EFBIG');
  expect(problems).toEqual([
    expect.stringMatching(/^recording: nothing more is recorded in this run, which goes on: EFBIG/),
  ]);
  const next = await openRecorder(root);
  await next.close();
  const books = await gather(
    temporaryCatalogue(root).readBooks({ market: BTCIRT, fromMs: 0, toMs: NOON_MS * 2 }),
  );
  expect(books.length).toBeGreaterThan(1_000);
  expect(books.map(({ seenMs }) => seenMs)).toEqual(books.map((_, number) => NOON_MS + number * 1_000));
});
