import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { StrategyRecord } from '../../src/records/rows.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { startSarraf, type SarrafProcess } from '../support/sarraf-process.ts';
import { HOSTILE, sourceOf } from './hostile-plugins.ts';
import { english } from '../../src/language/sentence.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const SECRET = 'a-token-that-no-strategy-may-see';
const EVERYTHING = { strategy: null, market: null, last: 10_000 };

/** Time-out for a busy machine; a quiet one takes seconds. */
const PATIENCE_MS = 300_000;

const folder = folderOfEachTest();
let bot: SarrafProcess | null = null;

afterEach(() => {
  bot?.child.kill('SIGKILL');
});

function writeConfig(): string {
  for (const plugin of HOSTILE) writeFileSync(join(folder, `${plugin.name}.ts`), sourceOf(plugin));
  const strategies = [
    ...HOSTILE.map(({ name, onError = 'stop' }) => ({
      plugin: join(folder, `${name}.ts`),
      market: 'BTCIRT',
      onError,
      pause: '1s',
    })),
    { plugin: 'market-maker', market: 'BTCIRT' },
  ];
  const config = {
    strategies,
    data: { folder: join(folder, 'data') },
    isolation: { handlerWithin: '1s', loadWithin: '20s', memoryMb: 48, restartsAnHour: 2 },
    // Real time passes while strategies hang; the age of books is not what this test is about.
    risk: { maxBookAge: null },
  };
  const file = join(folder, 'bot.yaml');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function read<Value>(look: (reader: MirrorReader) => Value): Value {
  const reader = new MirrorReader(join(folder, 'data', 'embedded.sqlite'));
  try {
    return look(reader);
  } finally {
    reader.close();
  }
}

/** Waits until a condition holds for the strategies in the mirror. */
async function until(holds: (records: ReadonlyMap<string, StrategyRecord>) => boolean): Promise<void> {
  let seen: readonly StrategyRecord[] = [];
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += 500) {
    try {
      seen = read((reader) => reader.strategies());
      if (holds(new Map(seen.map((record) => [record.name, record])))) return;
    } catch {
      // The mirror does not exist yet.
    }
    await pause(500);
  }
  throw new Error(
    `strategies were ${JSON.stringify(seen.map(({ name, status, reason }) => [name, status, reason]))}`,
  );
}

test('strategies that loop, exit, take all memory, poison prototypes or lie end alone: the bot trades on, and drains', async () => {
  process.env['SARRAF_TEST_TOKEN'] = SECRET;
  bot = startSarraf(['run', '--config', writeConfig(), '--json']);
  const loaded = HOSTILE.filter(({ isLoaded }) => isLoaded !== false);
  await until((records) => loaded.every(({ name }) => records.get(name)?.status === 'stopped'));
  const before = read((reader) =>
    reader.orders({ ...EVERYTHING, strategy: 'market-maker', state: 'all' }),
  ).length;
  await until(
    () =>
      read((reader) => reader.orders({ ...EVERYTHING, strategy: 'market-maker', state: 'all' })).length >
      before,
  );
  const records = new Map(read((reader) => reader.strategies()).map((record) => [record.name, record]));
  expect(records.get('market-maker')?.status).toBe('running');
  for (const { name, says } of loaded) {
    const reason = english(records.get(name)?.reason ?? '');
    expect(reason, name).toMatch(says);
    expect(reason, name).toContain(`${name}.ts`);
    expect(reason).not.toContain(SECRET);
  }
  bot.child.kill('SIGTERM');
  const { code, out, error } = await bot.finished;
  expect([code, error]).toEqual([0, '']);
  for (const { name, says } of HOSTILE.filter(({ isLoaded }) => isLoaded === false)) {
    const line = out.split('\n').find((text) => text.includes(`${name}.ts`));
    expect(line, name).toMatch(says);
  }
  // This strategy had an order as it ended, and its policy is to cancel it.
  const own = read((reader) => reader.orders({ ...EVERYTHING, strategy: 'exit-order', state: 'all' }));
  expect(own.map(({ state }) => state)).not.toContain('open');
  expect(own).toHaveLength(1);
  expect(out).toContain('restarts goes on after its pause');
  expect(out).not.toContain(SECRET);
  const summary = out.split('\n').find((line) => line.includes('"event":"summary"'));
  expect(JSON.parse(summary ?? '{}')).toMatchObject({ openOrders: 0 });
});
