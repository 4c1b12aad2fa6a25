import { writeFileSync } from 'node:fs';
import { closingAsync } from '../../../../src/domain/closing.ts';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readWrittenStudy } from '../../../../src/study/study-settings.ts';
import { prepareStudy } from '../../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../../src/study/study-session.ts';
import { ThreadRunner } from '../../../../src/study/thread-runner.ts';
import { writeCandles } from '../generated-candles.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

/** A strategy that never returns from its first candle. */
const LOOPING = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'looping',
  params: z.strictObject({ size: z.int().min(1).max(5).default(1) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: { bars() { for (;;); } },
});
`;

const folder = folderOfEachTest();

test('a trial that never ends has failed after its time, and its thread is ended', async () => {
  const strategy = join(folder, 'looping.ts');
  writeFileSync(strategy, LOOPING);
  const csv = writeCandles(join(folder, 'hours.csv'), { count: 120 });
  const study = { strategy, markets: 'BTCUSDT', csv, balances: { usdt: 1_000 } };
  const setup = trialSetupOf(await prepareStudy(readWrittenStudy(study)));
  await using runner = closingAsync(
    new ThreadRunner({
      setup,
      workers: 1,
      longestTrialMs: 20,
    }),
  );
  expect(await runner.run({ size: 2 })).toEqual({
    kind: 'failed',
    failure: 'too long',
    reason: 'expected its end within 0.02 s, found it running',
  });
});
