import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { firstBars } from './bar-walk.ts';

/** Rows that are written with one call. */
const CHUNK = 20_000;

/** Writes the bars of the benchmarks as CSV: `node bench/write-bars.ts FILE BARS`. */
const [path, count] = process.argv.slice(2);
if (path === undefined || count === undefined) throw new Error('expected FILE and BARS');
const { length, openTimeMs, open, high, low, close, volume } = firstBars(Number(count));
const price = (column: Float64Array, bar: number): string => ((column[bar] ?? Number.NaN) / 100).toFixed(2);
const file = createWriteStream(path);
file.write('time_ms,open,high,low,close,volume\n');
for (let from = 0; from < length; from += CHUNK) {
  const rows: string[] = [];
  for (let bar = from; bar < Math.min(length, from + CHUNK); bar += 1) {
    const prices = [open, high, low, close].map((column) => price(column, bar));
    rows.push(`${openTimeMs[bar]},${prices.join(',')},${((volume[bar] ?? Number.NaN) / 1e6).toFixed(6)}\n`);
  }
  if (!file.write(rows.join(''))) await once(file, 'drain');
}
file.end();
await once(file, 'finish');
