import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const folder = folderOfAllTests();

/** How long a file may load before a line reports it, in ms. */
const QUIET_MS = 3_000;

/** Blocks its thread as an endless loop does, but without using the processor. */
const HELD_UP = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

test('a backtest that a strategy file holds up names the file, and Ctrl-C ends it', async () => {
  const strategy = join(folder, 'endless.ts');
  writeFileSync(strategy, `${HELD_UP}\nexport default {};\n`);
  const backtest = startSarraf(['backtest', strategy, '--market', 'BTCUSDT', '--cash', '1000']);
  const said = await new Promise<string>((resolve) => backtest.child.stderr?.once('data', resolve));
  expect(said).toBe(
    `still loading ${strategy} after 3 s: it may loop as it is imported or set up; Ctrl-C (or kill ${backtest.child.pid}) ends it\n`,
  );
  backtest.child.kill('SIGINT');
  expect(await backtest.finished).toEqual({ code: 'SIGINT', out: '', error: said });
});

test('a file that is loaded soon is not spoken of, nor one with a mistake beyond that', async () => {
  const strategy = join(folder, 'wrong.ts');
  writeFileSync(strategy, 'throw new Error("no data today");\n');
  const begunMs = performance.now();
  const { code, error } = await startSarraf(['backtest', strategy, '--market', 'BTCUSDT', '--cash', '1000'])
    .finished;
  const tookMs = performance.now() - begunMs;
  expect([code, error]).toEqual([2, expect.stringContaining(`${strategy}:1: Error: no data today`)]);
  // A machine so busy that loading takes this long reports it too.
  if (tookMs < QUIET_MS) expect(error).not.toContain('still loading');
});
