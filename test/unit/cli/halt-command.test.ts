import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { cancelNeedText } from '../../../src/daemon/by-hand-text.ts';
import { ControlClient } from '../../../src/daemon/control-client.ts';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { startNode, type SarrafProcess } from '../../support/sarraf-process.ts';
import type { Sentence } from '../../../src/language/sentence.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const HALTING_BOT = fileURLToPath(new URL('./halting-bot.ts', import.meta.url));

const folder = folderOfEachTest();
const bots: SarrafProcess[] = [];
afterEach(async () => {
  for (const bot of bots.splice(0)) {
    bot.child.kill('SIGKILL');
    await bot.finished;
  }
});

async function startBot(manner: 'closes' | 'leaves' | 'dies'): Promise<SarrafProcess> {
  const bot = startNode([HALTING_BOT, folder, manner]);
  bots.push(bot);
  await bot.line((line) => line === 'runs');
  return bot;
}

const sarraf = async (...args: string[]) => sarrafHere([...args, '--data', folder]);

/** Runs the command with a line typed at the keyboard. */
const typed = async (line: string, ...args: string[]) =>
  sarrafHere(['halt', '--data', folder, ...args], line);

function haltOf(): { readonly reason: Sentence; readonly wholeAccount: boolean } | null {
  const client = new ControlClient(folder);
  try {
    return client.isHalted();
  } finally {
    client.close();
  }
}

describe('sarraf halt', () => {
  test('halts a bot that runs, says how it goes, and ends well when every order is canceled', async () => {
    const bot = await startBot('closes');
    const { code, out, error } = await sarraf('halt', '--reason', 'storm');
    expect([code, error]).toEqual([0, '']);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe('halted: no new orders until "sarraf resume"');
    expect(lines.slice(-2)).toEqual(['1 closed, 1 left', '2 orders canceled']);
    await bot.line((line) => line === '{"kind":"halt","reason":"storm","wholeAccount":false}');
    expect(haltOf()).toMatchObject({ reason: 'storm', wholeAccount: false });
  });

  test('fails with what is left', async () => {
    await startBot('leaves');
    expect(await sarraf('halt')).toMatchObject({ code: 1, error: '1 order is left\nbot-maker-ab12-7\n' });
    const { code, out } = await sarraf('halt', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      halted: { reason: 'by hand' },
      ok: false,
      left: ['bot-maker-ab12-7'],
    });
  });

  test('says that its orders are not canceled when the bot ends amid it, and leaves it to the next', async () => {
    await startBot('dies');
    const { code, error } = await sarraf('halt');
    expect(code).toBe(1);
    expect(error).toContain(`no bot runs with ${folder}; whether it has open orders is not known`);
    expect(error).toContain('--config');
    const next = new ControlInbox(folder);
    expect(next.isHalted()).not.toBeNull();
    expect(next.poll().map(({ command }) => command.kind)).toEqual(['halt']);
    next.close();
  });

  test('holds without a bot, and has nothing to cancel where the exchange ended with its bot', async () => {
    const config = join(folder, 'bot.yaml');
    writeFileSync(config, 'mode: embedded\n');
    const { code, out } = await sarraf('halt', '--config', config);
    expect(code).toBe(0);
    expect(out).toContain('no bot runs, and its exchange ended with it');
    const next = new ControlInbox(folder);
    expect(next.isHalted()).toMatchObject({ reason: 'by hand' });
    expect(next.poll()).toEqual([]);
    next.close();
  });

  test('does nothing to the whole account unless the word is typed, or --yes given', async () => {
    expect(await typed('yes\n', '--whole-account')).toMatchObject({
      code: 2,
      error: expect.stringContaining('EVERY order'),
    });
    expect(await typed('', '--whole-account')).toMatchObject({
      code: 2,
      error: expect.stringContaining('nothing was done'),
    });
    expect(haltOf()).toBeNull();
    await startBot('closes');
    expect(await typed('halt\n', '--whole-account')).toMatchObject({
      code: 0,
      out: expect.stringContaining('canceled'),
    });
    expect(haltOf()).toMatchObject({ wholeAccount: true });
    expect(await sarraf('halt', '--whole-account', '--yes')).toMatchObject({ code: 0 });
  });

  test('refuses a folder that is none, and makes none', async () => {
    const missing = join(folder, 'missing');
    const { code, error } = await sarrafHere(['halt', '--data', missing]);
    expect(code).toBe(1);
    expect(error).toBe(`expected the data folder of a bot at ${missing}, found none: name it with --data\n`);
  });

  test('says how long canceling takes by the limit of cancels', () => {
    expect(cancelNeedText(0)).toBe('no own order is open');
    expect(cancelNeedText(1)).toBe('1 own order is open; at 90 cancels in 60 s this takes up to 60 s');
    expect(cancelNeedText(91)).toBe('91 own orders are open; at 90 cancels in 60 s this takes up to 120 s');
  });
});

describe('sarraf resume', () => {
  test('ends a halt of a bot that runs', async () => {
    await startBot('closes');
    await sarraf('halt');
    expect(await sarraf('resume')).toEqual({ code: 0, out: 'trading goes on: as asked\n', error: '' });
    expect(haltOf()).toBeNull();
  });

  test('ends a halt for the next start where no bot runs', async () => {
    await sarraf('halt');
    expect(haltOf()).not.toBeNull();
    const { code, out } = await sarraf('resume', '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { wasHalted: true, isRunning: false }]);
    const next = new ControlInbox(folder);
    expect(next.isHalted()).toBeNull();
    expect(next.poll().map(({ command }) => command.kind)).toEqual(['resume']);
    next.close();
  });
});
