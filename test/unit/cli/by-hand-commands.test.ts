import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { closing } from '../../../src/domain/closing.ts';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { sarrafHere, failed, printed } from '../../support/sarraf-here.ts';
import { startNode, type SarrafProcess } from '../../support/sarraf-process.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';
import { cancelNeedText } from '../../../src/daemon/by-hand-text.ts';
import { ControlClient } from '../../../src/daemon/control-client.ts';
import type { Sentence } from '../../../src/language/sentence.ts';
import { bothTimesText } from '../../../src/domain/zone-time.ts';
import { storedForm } from '../../../src/domain/stored-json.ts';
import { NO_LOCKS } from '../../../src/engine/stored-records.ts';
import { UNTIL_RESUMED_MS, type Lock } from '../../../src/engine/lock.ts';
import type { FillRecord } from '../../../src/records/fill.ts';
import { fillRecord } from '../mirror/mirror-fixture.ts';
import { openMirror } from '../../support/open-mirror.ts';

const HOUR_MS = 3_600_000;

/** A lock that has not ended by any clock of these tests. */
const HELD: Lock = {
  name: 'stops',
  rule: 'stops',
  strategy: null,
  market: 'BTCIRT',
  reason: '3 stop-outs within 6 h, the rule is 3',
  beganAtMs: Date.UTC(2024, 0, 1),
  endsAtMs: Date.UTC(2100, 0, 1),
  entries: 'cancel',
};

function mirrorWith(locks: readonly Lock[], ...fills: readonly FillRecord[]): void {
  const store = openMirror(join(folder, 'mirror.sqlite'), HELD.beganAtMs);
  const json = JSON.stringify(storedForm({ ...NO_LOCKS, locks: [...locks] }));
  const changes = fills.map((fill) => ({ kind: 'fill' as const, fill }));
  store.apply([{ kind: 'kept', name: 'locks', json }, ...changes], { atMs: HELD.beganAtMs, isDurable: true });
  store.close();
}

describe('sarraf lock', () => {
  test('waits for the next start where no bot runs, and is shown', async () => {
    const beganMs = Date.now();
    const { code, out } = await sarraf('lock', 'btc-rls', '--for', '۲h', '--reason', 'news');
    const endedMs = Date.now();
    expect([code, out.trim()]).toEqual([0, 'no bot runs; its next start takes it before it places anything']);
    const shown = await sarraf('locks');
    expect(shown.out).toContain('Waits for the bot: lock hand of BTCIRT until ');
    const [command] = waiting() as [{ readonly untilMs: number }];
    expect(command).toMatchObject({
      kind: 'lock',
      name: 'hand',
      market: 'BTCIRT',
      strategy: null,
      reason: 'news',
      entries: 'cancel',
    });
    expect(command.untilMs - beganMs).toBeGreaterThanOrEqual(2 * HOUR_MS);
    expect(command.untilMs - endedMs).toBeLessThanOrEqual(2 * HOUR_MS);
  });

  test('takes an end in Jalali and a strategy', async () => {
    const untilMs = Date.now() + 5 * HOUR_MS;
    const [, text = ''] = /\((.*) in Tehran\)/.exec(bothTimesText(untilMs)) ?? [];
    const { code } = await sarraf('lock', '--strategy', 'grid', '--until', text, '--json');
    expect(code).toBe(0);
    expect(waiting()).toMatchObject([
      { strategy: 'grid', market: null, untilMs: Math.floor(untilMs / 60_000) * 60_000 },
    ]);
  });

  test('pauses one strategy until it is resumed, with who said so', async () => {
    expect((await sarraf('pause', 'grid', '--reason', 'news', '--entries', 'keep')).code).toBe(0);
    expect((await sarraf('locks')).out).toContain('lock pause of all markets for grid until it is resumed');
    expect((await sarraf('resume', 'grid')).code).toBe(0);
    expect(waiting()).toMatchObject([
      { kind: 'lock', name: 'pause', strategy: 'grid', market: null, pauses: true, entries: 'keep' },
      { kind: 'unlock', name: 'pause', strategy: 'grid', market: null, isAll: false },
    ]);
  });

  test.each([
    [['lock', 'BTCIRT'], 'expected --for such as 2h'],
    [['lock', '--for', '1h'], 'expected a market such as BTCIRT'],
    [['lock', 'BTCIRT', '--for', '0s'], 'expected a length of time from 1ms to 366d'],
    [['lock', 'BTCIRT', '--for', '100y'], 'expected a length of time from 1ms to 366d'],
    [['lock', 'BTCIRT', '--for', '400d'], 'expected a length of time from 1ms to 366d'],
    [['lock', 'BTCIRT', '--until', '1404/12/30'], 'a date that exists in the Jalali calendar'],
    [['lock', 'BTCIRT', '--until', '2020-01-01'], 'expected an end from now to 366 days on'],
    [['lock', 'BTC', '--for', '1h'], 'expected'],
    [['lock', 'BTCIRT', '--all', '--for', '1h'], 'expected --all, or a market'],
    [['lock', 'BTCIRT', '--for', '1h', '--name', 'My Lock'], 'lower-case letters'],
    [['unlock'], 'expected a market such as BTCIRT, --strategy or --all or --name'],
  ])('%j is refused, and nothing waits', async (args, part) => {
    expect(await sarraf(...args)).toEqual(failed(2, part));
    expect(waiting()).toEqual([]);
  });
});

describe('sarraf locks', () => {
  test('shows what the mirror has while the bot is off, without what has ended', async () => {
    mirrorWith([HELD, { ...HELD, name: 'cooldown', endsAtMs: Date.UTC(2024, 0, 2) }]);
    const { code, out } = await sarraf('locks');
    expect(code).toBe(0);
    expect(out).toMatch(
      /stops +BTCIRT +\d+ d(?: \d+ h)? +2100-01-01T00:00:00Z \(1478\/10\/12 03:30 in Tehran\) +cancel +3 stop-outs/,
    );
    expect(out).not.toContain('cooldown');
    const { out: json } = await sarraf('locks', '--json');
    expect(JSON.parse(json)).toMatchObject({ locks: [HELD], nextChangeAtMs: null, waiting: [] });
    expect((await sarraf('status')).out).toContain(
      'locks   1 hold: stops of BTCIRT. "sarraf locks" shows them',
    );
  });

  test('shows a pause by whom and why', async () => {
    const pause = { ...HELD, name: 'pause', rule: null, strategy: 'grid', market: null, reason: 'a fork' };
    mirrorWith([{ ...pause, pauses: true, by: 'ali', endsAtMs: UNTIL_RESUMED_MS }]);
    const { out } = await sarraf('locks');
    expect(out).toMatch(/pause +all markets for grid +"sarraf resume" +cancel +a fork \(ali\)/);
  });

  test('refuses what another version has written', async () => {
    mirrorWith([]);
    const store = openMirror(join(folder, 'mirror.sqlite'), HELD.beganAtMs);
    const json = JSON.stringify({ ...NO_LOCKS, version: 9 });
    store.apply([{ kind: 'kept', name: 'locks', json }], { atMs: HELD.beganAtMs, isDurable: true });
    store.close();
    expect(await sarraf('locks')).toEqual(failed(1, 'expected version 1 of what is kept of locks'));
  });

  test('has nothing to show without a mirror', async () => {
    writeFileSync(join(folder, 'note'), '');
    expect((await sarraf('locks')).code).toBe(1);
  });
});

/** Runs the command with a line typed at the keyboard. */
const typed = async (line: string, ...args: string[]) =>
  sarrafHere(['halt', '--data', folder, ...args], line);

function haltOf(): { readonly reason: Sentence; readonly wholeAccount: boolean } | null {
  using client = new ControlClient(folder);
  return client.isHalted();
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
    expect(await sarraf('halt', '--config', config)).toEqual(
      printed('no bot runs, and its exchange ended with it'),
    );
    const next = new ControlInbox(folder);
    expect(next.isHalted()).toMatchObject({ reason: 'by hand' });
    expect(next.poll()).toEqual([]);
    next.close();
  });

  test('does nothing to the whole account unless the word is typed, or --yes given', async () => {
    expect(await typed('yes\n', '--whole-account')).toEqual(failed(2, 'EVERY order'));
    expect(await typed('', '--whole-account')).toEqual(failed(2, 'nothing was done'));
    expect(haltOf()).toBeNull();
    await startBot('closes');
    expect(await typed('halt\n', '--whole-account')).toEqual(printed('canceled'));
    expect(haltOf()).toMatchObject({ wholeAccount: true });
    expect(await sarraf('halt', '--whole-account', '--yes')).toMatchObject({ code: 0 });
  });

  test('refuses a folder that is none, and makes none', async () => {
    const missing = join(folder, 'missing');
    expect(await sarrafHere(['halt', '--data', missing])).toMatchObject({
      code: 1,
      error: `expected the data folder of a bot at ${missing}, found none: name it with --data\n`,
    });
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

async function startBot(manner: 'closes' | 'leaves' | 'dies'): Promise<SarrafProcess> {
  const bot = startNode([HALTING_BOT, folder, manner]);
  bots.push(bot);
  await bot.line((line) => line === 'runs');
  return bot;
}

const sarraf = async (...args: readonly string[]) => sarrafHere([...args, '--data', folder]);

/** Returns the commands that the next start of a bot would take from its inbox. */
function waiting(): readonly unknown[] {
  if (!existsSync(join(folder, 'control.sqlite'))) return [];
  using inbox = closing(new ControlInbox(folder));
  return inbox.poll().map(({ command }) => command);
}

describe('commands for the running bot', () => {
  test.each([
    [['cancel'], 'expected an order, or --strategy and --market, or --all: one of them'],
    [['cancel', 'one', '--all'], 'one of them'],
    [['cancel', '--all', '--key', 'no spaces'], '--key: expected at most 100 letters'],
    [['close', 'grid', 'BTC'], 'expected'],
    [['note', 'k1'], 'expected a text or --tag, or --remove'],
    [['note', 'k1', 'text', '--remove'], 'or --remove without them'],
    [['note', 'k1', 'a\nb'], 'text: expected one line of text'],
    [['note', 'k1', '--tag', 'a,b'], 'expected a tag without a comma'],
    [[...PLACE, '--config', 'bot.yaml'], '--config: expected none beside --strategy'],
    [[...PLACE, '--market'], '--price: expected none beside --market and --strategy'],
    [[...PLACE, '--stop', '4', '--stop-limit', '3'], '--stop-limit: expected none beside --strategy'],
  ])('%j is refused, and nothing waits', async (args, part) => {
    expect(await sarraf(...args)).toEqual(failed(2, part));
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
    expect(no).toEqual(failed(2, 'cancels their orders'));
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

  test('do not ask about an entry that does not wait', async () => {
    mirrorWith([]);
    await startBot('closes');
    expect(await sarrafHere(['approve', 'i9', '--data', folder], 'yes\n')).toEqual(
      failed(1, 'no entry i9 waits for an approval'),
    );
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
    mirrorWith([], fillRecord({ orderKey: 'bot-grid-k3v9-12' }));
    const approvals = /```sh\n(.*?)```/s.exec(readFileSync('docs/approvals.md', 'utf8'))?.[1] ?? '';
    lines.push(
      ...approvals
        .trim()
        .split('\n')
        .map((line) => line.replace('data data', 'data /data').replace(/approve .*/, '$& --yes')),
      ...(/### Notes on trades\n[^`]*(?:`[^`\n]+`[^`]*)*```sh\n(.*?)```/s.exec(page)?.[1] ?? '')
        .trim()
        .split('\n'),
    );
    expect(lines).toHaveLength(10);
    for (const line of lines) {
      const words = [...line.replace('/data', folder).matchAll(/"([^"]*)"|(\S+)/g)];
      const [, ...args] = words.map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect({ line, ...(await sarrafHere(args)) }).toMatchObject({ line, code: 0, error: '' });
    }
    const kinds = ['lock', 'cancel', 'close', 'place', 'unlock', 'note'];
    for (const kind of kinds) await bot.line((text) => text.startsWith(`{"kind":"${kind}"`));
  });

  test('say what the next start does when the bot ends amid them', async () => {
    await startBot('dies');
    expect(await sarraf(...PLACE, '--yes', '--key', 'once')).toMatchObject({
      code: 1,
      error:
        'the bot ended with it. Its next start says whether the order was placed, and does not place it again: the same command with --key once answers with its result\n',
    });
  });
});
