import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { numberOf } from './environment.ts';
import { OwnExchange } from './own-exchange.ts';

/**
 * Minutes of the test. `npm run test:heap` takes thirty: a heap varies over a short time, and grows while the
 * bot fills its bounded lists.
 */
const MINUTES = numberOf('SARRAF_HEAP_MINUTES', 1);
const MINUTES_FOR_BYTES = 10;
const SEED = numberOf('SARRAF_SEED', 7);
const LONGEST_RUN_MS = (MINUTES + 5) * 60_000;
const MOST_HEAP_GROWTH = 1.05;

/** Maximum number of new promises; a loop of fifty turns a second that leaks one each time makes far more. */
const MOST_NEW_PROMISES = 300;

interface Sample {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly promises: number;
}

let own: OwnExchange;

beforeEach(async () => {
  own = await OwnExchange.open({ seed: SEED });
});

afterEach(async (context) => {
  await own.close(context);
});

function samplesOf(out: string): readonly Sample[] {
  const lines = out.split('\n').filter((line) => line.includes('"event":"heap"'));
  return lines.map((line) => JSON.parse(line) as Sample);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean of a field in the second and in the last third of a life. */
function thirds(samples: readonly Sample[], field: keyof Sample): readonly [second: number, last: number] {
  const values = samples.map((sample) => sample[field]);
  const length = Math.floor(values.length / 3);
  return [mean(values.slice(length, 2 * length)), mean(values.slice(2 * length))];
}

test(
  `holds as much in the last third of ${MINUTES} minutes of live trading as in the second`,
  async () => {
    const home = own.home({ instance: 'heap', seed: SEED });
    const bot = own.start(home, [
      '--expose-gc',
      '--no-warnings',
      '--import',
      resolve('test/process/heap-samples.ts'),
    ]);
    await bot.healthAddress();
    await pause(MINUTES * 60_000);
    own.exchange.endTrading();
    const { code, out, error } = await bot.end();
    const samples = samplesOf(out);
    const heap = thirds(samples, 'heapBytes');
    const promises = thirds(samples, 'promises');
    console.log({ samples: samples.length, heap, promises, rss: thirds(samples, 'rssBytes') });
    expect({ code, error: error.replaceAll(/^warning: .*\n/gm, '') }).toEqual({ code: 0, error: '' });
    expect(samples.length).toBeGreaterThan(6);
    expect(promises[1] - promises[0]).toBeLessThan(MOST_NEW_PROMISES);
    if (MINUTES >= MINUTES_FOR_BYTES) expect(heap[1] / heap[0]).toBeLessThan(MOST_HEAP_GROWTH);
  },
  LONGEST_RUN_MS,
);
