import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ControlClient } from '../../../src/daemon/control-client.ts';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import type { SignalItem } from '../../../src/dashboard/schema/log.ts';
import type { SignalCommand } from '../../../src/engine/engine-event.ts';
import { BotLife, createEmbeddedWorld } from '../../support/embedded-bot.ts';
import { DashboardHere } from '../../support/dashboard-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();
let here: DashboardHere;

const command = (id: string, more: Partial<SignalCommand> = {}): SignalCommand => ({
  kind: 'signal',
  strategy: 'listener',
  name: 'alert',
  id,
  payload: { side: 'buy', amount: '0.002' },
  sentAtMs: null,
  source: 'chart',
  ...more,
});

/** A bot that received some signals and has ended; other signals wait in its folder. */
beforeAll(async () => {
  const strategies = [{ plugin: join(process.cwd(), 'test/support/plugins/listener.ts'), market: 'BTCIRT' }];
  const world = createEmbeddedWorld({ seed: 7, config: { strategies, 'data.folder': folder } });
  const life = await BotLife.prepare(world, join(folder, 'embedded.sqlite'));
  life.bot.shell.start();
  await life.run(60_000);
  for (const signal of [
    command('first'),
    command('wrong', { payload: { side: 'hold' }, source: 'command' }),
    command('nobody', { strategy: 'other' }),
    command('again', { payload: { side: 'sell', amount: '0.001' }, sentAtMs: 1_700_000_000_000 }),
  ]) {
    life.bot.shell.control(signal);
    await life.run(1_000);
  }
  life.mirror.close();
  life.bot.shell.close();
  here = await new DashboardHere(folder).listen();
});
afterAll(async () => {
  await here.close();
});

async function listed(
  query = '',
): Promise<{ readonly items: readonly SignalItem[]; readonly next: string | null }> {
  const { status, json } = await here.api(`/signals${query}`, undefined, here.bearer(here.read));
  expect({ status, json }).toMatchObject({ status: 200 });
  return json;
}

const idsOf = ({ items }: { readonly items: readonly SignalItem[] }): readonly string[] =>
  items.map(({ id }) => id);

test('signals are listed newest first, with what became of each and why', async () => {
  const { items, next } = await listed();
  expect(next).toBeNull();
  expect(items.map(({ id, outcome, code, source }) => [id, outcome, code, source])).toEqual([
    ['again', 'told', 'told', 'chart'],
    ['nobody', 'refused', 'unknown', 'chart'],
    ['wrong', 'refused', 'invalid', 'command'],
    ['first', 'told', 'told', 'chart'],
  ]);
  expect(items[0]).toMatchObject({
    payload: { side: 'sell', amount: '0.001' },
    sentAtMs: 1_700_000_000_000,
    reason: null,
  });
  expect(items[1]?.reason).toBe('expected one of the strategies of this bot (listener), was other');
  expect(items[2]?.reason).toContain('payload.side: Invalid option');
  expect(idsOf(await listed('?strategy=other'))).toEqual(['nobody']);
  const strategy = await here.api('/strategies/listener');
  expect(strategy.json['signals'].map(({ id }: SignalItem) => id)).toEqual(['again', 'wrong', 'first']);
});

test('those that wait come first, with why, and every one is on one page', async () => {
  using client = new ControlClient(folder);
  for (const id of ['w1', 'w2']) client.post(command(id));
  client.post(command('w3', { strategy: 'other' }));
  const whole = await listed();
  expect(idsOf(whole)).toEqual(['w3', 'w2', 'w1', 'again', 'nobody', 'wrong', 'first']);
  expect(whole.items[0]).toMatchObject({ seq: null, outcome: 'waiting', code: 'no-bot' });
  for (const limit of [1, 2, 4, 5]) {
    const seen: string[] = [];
    for (let query = `?limit=${limit}`; ;) {
      const page = await listed(query);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...idsOf(page));
      if (page.next === null) break;
      query = `?limit=${limit}&before=${page.next}`;
    }
    // More signals wait than a page holds; no page has the rest, as the next ones list received signals.
    const waiting = ['w3', 'w2', 'w1'].slice(0, limit);
    expect(seen).toEqual([...waiting, 'again', 'nobody', 'wrong', 'first']);
  }
  expect(idsOf(await listed('?strategy=other'))).toEqual(['w3', 'nobody']);
});

test('one that a bot has waits for its strategies, and one that it was told is listed once', async () => {
  const client = new ControlClient(folder);
  const lock = claimDataFolder(folder);
  const inbox = new ControlInbox(folder);
  try {
    client.post(command('first', { payload: 'known' }));
    expect((await listed()).items[0]).toMatchObject({ id: 'w3', code: 'not-taken' });
    expect(inbox.poll()).toHaveLength(4);
    const { items } = await listed();
    expect(items[0]).toMatchObject({ id: 'w3', outcome: 'waiting', code: 'starting' });
    expect(items.filter(({ id }) => id === 'first')).toMatchObject([{ outcome: 'told' }]);
  } finally {
    inbox.close();
    lock[Symbol.dispose]();
    client.close();
  }
});
