import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BTCIRT, gather, temporaryCatalogue } from '../unit/recording/temporary-catalogue.ts';
import { NOON_MS, numbered, openRecorder, pageAnswer } from '../unit/recording/recorder/answers.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const SCRIPT = fileURLToPath(new URL('recording-process.ts', import.meta.url));

const ALL = { market: BTCIRT, fromMs: 0, toMs: NOON_MS * 2 };

/**
 * Records from trade number `first` on, is killed after `lines` lines of output, and returns the number up to
 * which all trades are on the disk.
 */
async function recordUntilKilled(root: string, first: number, lines: number): Promise<number> {
  const child = spawn(process.execPath, [SCRIPT, root, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8');
  for await (const chunk of child.stdout) {
    text += chunk as string;
    if (text.split('\n').length > lines && !child.killed) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  // It went on for a moment after its last line.
  return Math.max(
    Number(text.split('\n').slice(0, -1).at(-1)),
    ...segmentsIn(root).map((name) => lastIn(root, name)),
  );
}

/** Number of the newest trade in a segment. */
function lastIn(root: string, name: string): number {
  const text = readFileSync(join(root, 'segments', BTCIRT, name), 'utf8');
  const line = text.split('\n').slice(0, -1).at(-1) ?? `["row",${NOON_MS}]`;
  return ((JSON.parse(line) as [string, number])[1] - NOON_MS) / 10;
}

const segmentsIn = (root: string): string[] =>
  readdirSync(join(root, 'segments', BTCIRT)).filter((name) => name.endsWith('.jsonl'));

test('a recorder that is killed again and again, amid finalizing too, loses nothing that was on the disk and has nothing twice', async () => {
  const root = folderOfThisTest();
  let known = 1;
  for (const lines of [3, 30, 50]) known = await recordUntilKilled(root, known, lines);
  expect(segmentsIn(root).length).toBeGreaterThan(0);
  const recorder = await openRecorder(root);
  await recorder.close();
  expect(segmentsIn(root)).toEqual([]);
  const trades = await gather(temporaryCatalogue(root).readTrades(ALL));
  // The three new trades of the last page count as seen with the last of them; some may belong to the next
  // segment.
  expect(trades.length).toBeGreaterThan(known - 3);
  // The tape has no hole and no duplicate: each trade is the one with its number.
  trades.forEach(({ timeMs, price, amount, side }, index) => {
    expect({ timeMs, price, amount, side }).toEqual(numbered(index + 1));
  });
  expect(temporaryCatalogue(root).manifest({ market: BTCIRT, kind: 'trades' })?.gaps).toEqual([]);
});

test('the half line at the end of a segment is left out, all before it is kept, and the tape goes on where it was', async () => {
  const root = folderOfThisTest();
  const known = await recordUntilKilled(root, 1, 12);
  for (const name of segmentsIn(root))
    appendFileSync(join(root, 'segments', BTCIRT, name), '["row",17000000');
  const next = await openRecorder(root);
  const last = known + 90;
  next.apply(...pageAnswer(known - 9, last), NOON_MS + 100_000_000);
  await next.close();
  const trades = await gather(temporaryCatalogue(root).readTrades(ALL));
  const expected = Array.from({ length: last }, (_, index) => numbered(index + 1).price);
  expect(trades.map(({ price }) => price)).toEqual(expected);
});

test('what a killed recorder left of a market that nobody records any more is taken up with the next one of any', async () => {
  const root = folderOfThisTest();
  await recordUntilKilled(root, 1, 5);
  const recorder = await openRecorder(root, { markets: ['ETHIRT' as typeof BTCIRT] });
  await recorder.close();
  expect(segmentsIn(root)).toEqual([]);
  expect((await gather(temporaryCatalogue(root).readTrades(ALL))).length).toBeGreaterThan(5);
});
