import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ControlClient } from '../../src/daemon/control-client.ts';
import { ControlInbox } from '../../src/daemon/control/control-inbox.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { english } from '../../src/language/sentence.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

test.each([
  ['close', 60_000, 'it held nothing, and had no order'],
  ['close', 660_000, 'was not done: the position may be another by now'],
  ['cancel', 660_000, 'was not done: the position may be another by now'],
] as const)(
  'a %s that a run had and did not begin is looked at %i ms later: %s',
  async (kind, lateMs, said) => {
    const world = createEmbeddedWorld({
      seed: 7,
      config: {
        strategies: [{ plugin: join(process.cwd(), 'test/support/plugins/listener.ts'), market: 'BTCIRT' }],
        'data.folder': folder,
      },
    });
    const postedAtMs = Date.now() - lateMs;
    const client = new ControlClient(folder, () => postedAtMs);
    const of = { key: 'a-key', strategy: 'listener', market: null, by: 'ali' };
    const id = client.post(kind === 'close' ? { kind, ...of } : { kind, ...of, order: null });
    // It was killed after it had read the command, but before the engine wrote anything about it.
    const killed = new ControlInbox(folder, () => postedAtMs);
    expect(killed.poll()).toHaveLength(1);
    killed.close();
    const life = await BotLife.prepare(world, join(folder, 'embedded.sqlite'));
    const operator = life.createOperator();
    life.bot.shell.start();
    operator.begin();
    await life.run(60_000);
    await expect
      .poll(() => english(client.read(id)?.result?.message ?? null), { timeout: 10_000 })
      .toContain(said);
    operator.end();
    client.close();
    life.mirror.close();
  },
);
