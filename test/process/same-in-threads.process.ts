import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StrategyThreads } from '../../src/daemon/strategy-threads.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const NOSY = join(process.cwd(), 'test/support/plugins/nosy.ts');
const LIMITS = { handlerMs: 30_000, loadMs: 120_000, memoryMb: 128, restartsAnHour: 0 };

const folder = folderOfEachTest();

const LIFE_MS = 200_000;

/** Two lives of a bot, one after the other, so that states are restored too. */
async function liveTwice(threaded: boolean): Promise<{ readonly journal: string; readonly path: string }> {
  const path = join(folder, `${threaded}.sqlite`);
  const strategies = [
    { plugin: NOSY, market: 'BTCIRT' },
    { plugin: 'market-maker', market: 'BTCIRT' },
    { plugin: NOSY, name: 'other', market: 'ETHIRT' },
  ];
  const world = createEmbeddedWorld({ seed: 7, config: { strategies } });
  let journal = '';
  for (let life = 0; life < 2; life += 1) {
    const threads = new StrategyThreads({ limits: LIMITS, onPrint: () => undefined });
    try {
      const bot = await BotLife.prepare(world, path, threaded ? threads : undefined);
      bot.bot.shell.start();
      await bot.run(LIFE_MS);
      await bot.drain();
      journal = bot.mirror.journalHash();
      bot.mirror.close();
    } finally {
      await threads.dispose();
    }
  }
  return { journal, path };
}

/** Everything that was written over time, by series. */
function seriesOf(reader: MirrorReader): ReadonlyMap<string, unknown> {
  const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, most: 1_000 };
  return new Map(reader.figureNames('').map((name) => [name, reader.figures(name, all)]));
}

test('strategies in threads of their own see and want the same as called directly: the journals are equal byte for byte', async () => {
  const direct = await liveTwice(false);
  const threaded = await liveTwice(true);
  const reader = new MirrorReader(threaded.path);
  try {
    const lines = reader.lines('log', { strategy: null, last: 10_000 });
    const kinds = new Set(lines.map(({ json }) => (JSON.parse(json) as { readonly text: string }).text));
    const expected = ['bars', 'book', 'day', 'fill', 'minute', 'order', 'start', 'stop', 'tape'];
    expect([...kinds]).toEqual(expect.arrayContaining(expected));
    const series = seriesOf(reader);
    const names = ['equity/rls', 'plot/nosy/BTCIRT/book', 'plot/other/ETHIRT/book', 'profit/other/rls'];
    expect([...series.keys()]).toEqual(expect.arrayContaining(names));
    const other = new MirrorReader(direct.path);
    expect(series).toEqual(seriesOf(other));
    other.close();
    expect(reader.strategies().map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  } finally {
    reader.close();
  }
  expect(threaded.journal).toBe(direct.journal);
});
