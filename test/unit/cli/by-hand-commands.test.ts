import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { startNode, type SarrafProcess } from '../../support/sarraf-process.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const HALTING_BOT = fileURLToPath(new URL('./halting-bot.ts', import.meta.url));
const PLACE = ['order', 'place', 'buy', 'BTCIRT', '0.10', '--price', '50000', '--strategy', 'grid'] as const;

const folder = folderOfEachTest();
const bots: SarrafProcess[] = [];
afterEach(async () => {
  for (const bot of bots.splice(0)) {
    bot.child.kill('SIGKILL');
    await bot.finished;
  }
});

async function startBot(manner: 'closes' | 'dies'): Promise<SarrafProcess> {
  const bot = startNode([HALTING_BOT, folder, manner]);
  bots.push(bot);
  await bot.line((line) => line === 'runs');
  return bot;
}

const sarraf = async (...args: readonly string[]) => sarrafHere([...args, '--data', folder]);

/** Returns the commands that the next start of a bot would take from its inbox. */
function waiting(): readonly unknown[] {
  if (!existsSync(join(folder, 'control.sqlite'))) return [];
  const inbox = new ControlInbox(folder);
  try {
    return inbox.poll().map(({ command }) => command);
  } finally {
    inbox.close();
  }
}

describe('commands for the running bot', () => {
  test.each([
    [['cancel'], 'expected an order, or --strategy and --market, or --all: one of them'],
    [['cancel', 'one', '--all'], 'one of them'],
    [['cancel', '--all', '--key', 'no spaces'], '--key: expected at most 100 letters'],
    [['close', 'grid', 'BTC'], 'expected'],
    [[...PLACE, '--config', 'bot.yaml'], '--config: expected none beside --strategy'],
    [[...PLACE, '--market'], '--price: expected none beside --market and --strategy'],
    [[...PLACE, '--stop', '4', '--stop-limit', '3'], '--stop-limit: expected none beside --strategy'],
  ])('%j is refused, and nothing waits', async (args, part) => {
    const { code, error } = await sarraf(...args);
    expect(code).toBe(2);
    expect(error).toContain(part);
    expect(waiting()).toEqual([]);
  });

  test.each([
    [['cancel', '--all', '--yes'], '"sarraf halt --config bot.yaml" cancels all'],
    [['close', 'grid', '--yes'], 'sells on the account itself'],
    [[...PLACE, '--yes'], 'without --strategy the order is placed on the account itself'],
  ])('%j does nothing without a bot, and leaves nothing to its next start', async (args, part) => {
    const { code, error } = await sarraf(...args);
    expect(code).toBe(1);
    expect(error).toContain(`no bot runs with ${folder}, so nothing was done: `);
    expect(error).toContain(part);
    expect(waiting()).toEqual([]);
  });

  test('ask once, and are given with who gave them', async () => {
    const bot = await startBot('closes');
    const no = await sarrafHere(['cancel', '--all', '--data', folder], 'no\n');
    expect(no).toMatchObject({ code: 2, error: expect.stringContaining('cancels their orders') });
    const { code, out } = await sarrafHere(['close', 'grid', 'btc-rls', '--data', folder], 'yes\n');
    expect(out.trim().split('\n')).toEqual([
      'orders still to end: 2',
      'orders still to end: 1',
      '2 orders canceled',
    ]);
    expect(code).toBe(0);
    const line = await bot.line((text) => text.startsWith('{"kind":"close"'));
    expect(JSON.parse(line)).toMatchObject({ strategy: 'grid', market: 'BTCIRT', by: expect.any(String) });
  });

  test('are done once with one key, and answer the same again without a bot', async () => {
    const bot = await startBot('closes');
    const args = [...PLACE, '--yes', '--json', '--key', 'once'] as const;
    const first = await sarraf(...args);
    expect(JSON.parse(first.out)).toEqual({
      key: 'once',
      ok: true,
      message: '2 orders canceled',
      left: [],
    });
    const line = await bot.line((text) => text.startsWith('{"kind":"place"'));
    expect(JSON.parse(line)).toMatchObject({ amount: '0.1', price: '50000', stopPrice: null, side: 'buy' });
    bot.child.kill('SIGKILL');
    await bot.finished;
    expect(await sarraf(...args)).toEqual(first);
  });

  test('are those of the page for operators', async () => {
    const bot = await startBot('closes');
    const page = readFileSync('docs/by-hand.md', 'utf8');
    const block = /## By hand\n[^`]*(?:`[^`\n]+`[^`]*)*```sh\n(.*?)```/s.exec(page)?.[1] ?? '';
    const lines = block.trim().split('\n');
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const words = [...line.replace('/data', folder).matchAll(/"([^"]*)"|(\S+)/g)];
      const [, ...args] = words.map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect({ line, ...(await sarrafHere(args)) }).toMatchObject({ line, code: 0, error: '' });
    }
    const kinds = ['lock', 'cancel', 'close', 'place', 'unlock'];
    for (const kind of kinds) await bot.line((text) => text.startsWith(`{"kind":"${kind}"`));
  });

  test('say what the next start does when the bot ends amid them', async () => {
    await startBot('dies');
    const { code, error } = await sarraf(...PLACE, '--yes', '--key', 'once');
    expect(code).toBe(1);
    expect(error).toBe(
      'the bot ended with it. Its next start says whether the order was placed, and does not place it again: the same command with --key once answers with its result\n',
    );
  });
});
