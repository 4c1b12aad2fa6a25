import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMO_SPEED } from '../../src/cli/commands/run.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { runEmbedded } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const START_MS = Date.UTC(2026, 0, 5, 12, 0, 17);
const HALF_A_MINUTE_MS = 30_000;

const folder = folderOfEachTest();

test.each([1, 3, 4, 5].slice(0, deepRuns(1)))(
  'the first half minute of the demo shows both strategies trade, in order (seed %i)',
  async (seed) => {
    const data = join(folder, String(seed));
    const { lines, summary } = await runEmbedded(
      { 'embedded.seed': seed, 'data.folder': data, 'log.file': join(folder, 'bot.log') },
      { startMs: START_MS, lengthMs: HALF_A_MINUTE_MS * DEMO_SPEED },
    );
    expect(summary.strategies.map(({ strategy, fills }) => [strategy, fills > 0])).toEqual([
      ['ma-cross', true],
      ['market-maker', true],
    ]);
    const times = lines.flatMap((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(line)?.[0] ?? []);
    expect(times.length).toBeGreaterThan(20);
    expect(times).toEqual(times.toSorted());
    const fill = lines.find((line) => line.includes('FILL'));
    expect(fill).toMatch(/ at \d{2},\d{3},\d{3},\d{3}, fee [\d,.]+ (?:btc|rls)$/);
    expect(lines.filter((line) => line.includes('log.file'))).toEqual([
      expect.stringMatching(/is for the modes paper and live: nothing is written to it$/),
    ]);
    expect(lines.filter((line) => /\b1 (?:fills|requests|orders)\b/.test(line))).toEqual([]);
    const reader = new MirrorReader(join(data, 'embedded.sqlite'));
    expect(reader.figureNames('budget/')).toContain('budget/orders/add');
    reader.close();
  },
);
