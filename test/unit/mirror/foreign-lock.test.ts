import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createEmbeddedWorld, BotLife } from '../../support/embedded-bot.ts';
import { DURABLE, LATER, MirrorFolder, NOW_MS, orderRecord } from './mirror-fixture.ts';

const order = (key: string) => ({ kind: 'order', order: orderRecord({ key }) }) as const;

/** Locks the file as another writer does, until the returned function is called. */
function hold(path: string): () => void {
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

test('a mirror that another process holds takes no durable change, keeps the others, and goes on when it is let go of', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  const letGo = hold(mirror.path);
  expect(() => store.apply([order('bot-a-e001-1')], DURABLE)).toThrow(
    /another program holds the file.*cancels go on/,
  );
  store.apply([order('bot-a-e001-2')], LATER);
  store.flush();
  expect([store.isWritable(), store.writeFault()]).toEqual([false, 'another program holds the file']);
  letGo();
  store.flush();
  expect([store.isWritable(), store.writeFault()]).toEqual([true, null]);
  store.apply([order('bot-a-e001-1')], DURABLE);
  expect(
    store
      .load()
      .orders.map(({ key }) => key)
      .toSorted(),
  ).toEqual(['bot-a-e001-1', 'bot-a-e001-2']);
});

test('waits once, and not with every write, for a process that holds the mirror', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  const letGo = hold(mirror.path);
  // If each write waited for 250 ms, this would take minutes.
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    expect(() => store.apply([order('bot-a-e001-1')], { atMs: NOW_MS, isDurable: true })).toThrow(
      'another program',
    );
  }
  letGo();
});

test('a bot goes on while another process holds its mirror for seconds', async () => {
  using mirror = new MirrorFolder();
  const world = createEmbeddedWorld({ seed: 3, config: { 'drain.openOrders': 'cancel' } });
  const life = await BotLife.prepare(world, mirror.path);
  life.bot.shell.start();
  await life.run(60_000);
  const letGo = hold(mirror.path);
  await life.run(15_000);
  letGo();
  await life.run(60_000);
  expect(life.mirror.isWritable()).toBe(true);
  expect(life.bot.engine.status().phase).toBe('trading');
  await life.drain();
  expect(life.bot.engine.status().liveOrders).toBe(0);
});
