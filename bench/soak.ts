import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchResult } from './result.ts';
import type { SoakHour } from './soak-run.ts';

const HOURS = 24;
const UNBOUNDED_HOURS = 2;
const MOST_HEAP_GROWTH = 1.1;
const MOST_RSS_BYTES = 250e6;

/**
 * Flags that bound the heap, as a container's memory does. Otherwise V8 uses all memory of the machine before
 * it collects, and virtual time, some hundred times faster than real time, leaves it no idle moment to do so.
 */
const BOUNDED_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=4'];

const megabytes = (bytes: number): number => Number((bytes / 1e6).toFixed(1));

/**
 * Runs the soak in another process, so that the memory is the bot's alone. Each hour is logged to standard
 * error, which is no part of the results.
 */
async function live(hours: number, flags: readonly string[]): Promise<readonly SoakHour[]> {
  const script = join(import.meta.dirname, 'soak-run.ts');
  const child = spawn(process.execPath, ['--expose-gc', ...flags, script, String(hours)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lived: SoakHour[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const hour = JSON.parse(line) as SoakHour;
    lived.push(hour);
    console.error(
      `hour ${hour.hour}: heap ${megabytes(hour.heapBytes)} MB, RSS ${megabytes(hour.rssBytes)} MB (most ${megabytes(hour.peakRssBytes)}), ` +
        `mirror ${megabytes(hour.mirrorBytes)} MB, ${hour.requests} requests, ${hour.orders} orders, ${hour.fills} fills`,
    );
  }
  if (lived.length !== hours)
    throw new Error(`expected ${hours} hours, was ${lived.length}: see the output above`);
  return lived;
}

/**
 * Measures a bot with 30 markets of five feeds each over 24 hours of virtual time: its heap after a
 * collection, in the last hour against the second, and the peak memory of its process. The exchange behind it
 * stores next to nothing.
 */
export async function benchSoak(): Promise<BenchResult[]> {
  const lived = await live(HOURS, BOUNDED_HEAP);
  const unbounded = await live(UNBOUNDED_HOURS, []);
  const second = lived[1]?.heapBytes ?? Number.NaN;
  const last = lived.at(-1)?.heapBytes ?? Number.NaN;
  const peakRssBytes = lived.at(-1)?.peakRssBytes ?? Number.NaN;
  const growth = last / second;
  return [
    {
      name: 'soak/heap-of-last-hour',
      value: megabytes(last),
      unit: 'MB',
      reference: megabytes(second),
      ratio: Number(growth.toFixed(3)),
      target: MOST_HEAP_GROWTH,
      holds: growth <= MOST_HEAP_GROWTH,
    },
    {
      name: 'soak/most-rss',
      value: megabytes(peakRssBytes),
      unit: 'MB',
      reference: megabytes(MOST_RSS_BYTES),
      ratio: Number((peakRssBytes / MOST_RSS_BYTES).toFixed(3)),
      target: 1,
      holds: peakRssBytes < MOST_RSS_BYTES,
    },
    {
      name: `soak/most-rss-of-${UNBOUNDED_HOURS}-hours-with-unbounded-heap`,
      value: megabytes(unbounded.at(-1)?.peakRssBytes ?? Number.NaN),
      unit: 'MB',
      reference: null,
      ratio: null,
      target: null,
      holds: true,
    },
  ];
}
