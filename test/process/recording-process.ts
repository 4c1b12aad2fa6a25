import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BTCIRT } from '../unit/recording/temporary-catalogue.ts';
import { NOON_MS, openRecorder, pageAnswer } from '../unit/recording/recorder/answers.ts';

/**
 * Records an endless tape from a trade number on, and prints the count of lines in the segments when it has
 * changed: `node recording-process.ts FOLDER FIRST`. Its segments are small, so that one is nearly always
 * being finalized.
 */
const [root = '', first = '1'] = process.argv.slice(2);
const recorder = await openRecorder(root, { largestBytes: 4_000, syncEveryMs: 10 });
const folder = join(root, 'segments', BTCIRT);
let newest = Number(first);
let printed = -1;
for (;;) {
  const [call, answer] = pageAnswer(Math.max(1, newest - 19), newest);
  recorder.apply(call, answer, NOON_MS + newest * 10);
  // Trades that are in a segment, or in a finalized file by now, outlive this process; the last trade of a
  // segment shows how far that is.
  const last = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) => lastSeen(join(folder, name)))
    .at(-1);
  if (last !== undefined && last !== printed) {
    printed = last;
    console.log(String((last - NOON_MS) / 10));
  }
  newest += 3;
  await pause(2);
}

function lastSeen(path: string): number[] {
  const lines = readOrNothing(path).split('\n').slice(0, -1);
  return lines.slice(-1).map((line) => (JSON.parse(line) as [string, number])[1]);
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The segment was finalized just now.
    return '';
  }
}
