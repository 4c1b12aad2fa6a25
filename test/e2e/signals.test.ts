import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ControlClient } from '../../src/daemon/control-client.ts';
import { Operator } from '../../src/daemon/run/operator.ts';
import { claimDataFolder } from '../../src/daemon/process-locks.ts';
import type { SignalCommand } from '../../src/engine/engine-event.ts';
import { BotLife, createEmbeddedWorld, type EmbeddedWorld } from '../support/embedded-bot.ts';
import { DashboardHere } from '../support/dashboard-here.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const MINUTE_MS = 60_000;
const PATIENT = { timeout: 60_000, interval: 20 };

const folder = folderOfEachTest();
let world: EmbeddedWorld;
const endings: (() => void)[] = [];
beforeEach(() => {
  world = createEmbeddedWorld({
    seed: 7,
    config: {
      strategies: [{ plugin: join(process.cwd(), 'test/support/plugins/listener.ts'), market: 'BTCIRT' }],
      'data.folder': folder,
    },
  });
  const lock = claimDataFolder(folder);
  endings.push(() => lock[Symbol.dispose]());
});
afterEach(() => {
  for (const end of endings.splice(0).toReversed()) end();
});

/** Starts a life of the bot with its operator, which reads the commands of the folder. */
async function begin(): Promise<BotLife & { readonly operator: Operator }> {
  const life = await BotLife.prepare(world, join(folder, 'embedded.sqlite'));
  const operator = life.createOperator();
  endings.push(() => operator.end());
  life.bot.shell.start();
  operator.begin();
  return Object.assign(life, { operator });
}

const command = (id: string): SignalCommand => ({
  kind: 'signal',
  strategy: 'listener',
  name: 'alert',
  id,
  payload: { side: 'buy', amount: '0.002' },
  sentAtMs: null,
  source: 'test',
});

const toldBy = ({ bot }: BotLife): unknown =>
  (JSON.parse(bot.engine.instances[0]?.runner.stateJson() ?? 'null') as { readonly told?: unknown }).told;

const signal = async (payload: unknown, ...more: readonly string[]) =>
  sarrafHere([
    'signal',
    'listener',
    'alert',
    '--payload',
    JSON.stringify(payload),
    '--data',
    folder,
    ...more,
  ]);

test('a signal by the command is told, once for its id, and its order is placed', async () => {
  const life = await begin();
  await life.run(MINUTE_MS);
  const buy = { side: 'buy', amount: '0.002' };
  expect(await signal(buy, '--id', 'first')).toEqual({ code: 0, out: 'told to the strategy\n', error: '' });
  expect(await signal(buy, '--id', 'first', '--json')).toMatchObject({
    code: 0,
    out: '{"id":"first","outcome":"told","code":"told","message":"told to the strategy"}\n',
  });
  await life.run(MINUTE_MS);
  expect(toldBy(life)).toEqual(['first']);
  expect(life.bot.engine.instances[0]).toMatchObject({ orders: 1, fills: 1 });
  expect(await signal({ ...buy, amount: '1' }, '--id', 'first')).toMatchObject({
    code: 2,
    error: expect.stringContaining('for one command alone') as string,
  });
  expect(await signal({ side: 'hold' })).toMatchObject({
    code: 1,
    error: expect.stringContaining(
      'refused: payload.side: Invalid option: expected one of "buy"|"sell"',
    ) as string,
  });
  expect(await signal(buy, '--sent-at', '2026-01-05')).toMatchObject({
    code: 1,
    error: expect.stringContaining('refused: expected a signal of the last 60 s') as string,
  });
  expect(toldBy(life)).toEqual(['first']);
});

test('a signal that came while a bot starts or was killed is told once, when it runs', async () => {
  const client = new ControlClient(folder);
  endings.push(() => client.close());
  const early = client.post(command('early'));
  const first = await begin();
  expect(client.read(early)).toMatchObject({ takenAtMs: expect.any(Number) as number, result: null });
  await first.run(MINUTE_MS);
  await expect.poll(() => client.read(early)?.result, PATIENT).toMatchObject({ ok: true });
  expect(toldBy(first)).toEqual(['early']);
  // Killed before it was written down that the strategy had got the signal.
  first.bot.shell.control({ ...command('late') });
  const late = client.post(command('late'));
  first.operator.end();
  await first.drop();

  const second = await begin();
  await second.run(MINUTE_MS);
  await expect
    .poll(() => client.read(late)?.result, PATIENT)
    .toMatchObject({
      ok: true,
      signal: { outcome: 'told', code: 'repeated' },
    });
  expect(toldBy(second)).toEqual(['early', 'late']);
});

/** Code blocks of a page in a language. */
const blocksOf = (page: string, language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1] ?? '',
  );

/** Sends the request that the page shows: signed as TradingView does, or with a token in the header. */
async function overHttp(page: string, token: string): Promise<void> {
  const server = await new DashboardHere(folder).listen();
  endings.push(() => void server.close());
  const module = join(folder, 'tell.mjs');
  writeFileSync(module, blocksOf(page, 'js')[0] ?? '');
  const { tell } = (await import(module)) as {
    readonly tell: (address: string, of: object) => Promise<Response>;
  };
  const path = '/api/v1/signals/follow/alert';
  const body = { payload: { side: 'buy' }, id: 'signed' };
  await expect
    .poll(async () => {
      const signed = await tell(server.address, { name: 'chart', token, path, body });
      return { status: signed.status, ...((await signed.json()) as object) };
    }, PATIENT)
    .toMatchObject({ status: 202, outcome: 'told' });
  const other = await tell(server.address, { name: 'chart', token: 'other', path, body });
  expect(other.status).toBe(401);
  const alert = (blocksOf(page, 'json')[0] ?? '')
    .replace('THE-TOKEN', token)
    .replaceAll('{{timenow}}', new Date().toISOString())
    .replace('{{ticker}}', 'BTCUSDT')
    .replace('{{strategy.order.action}}', 'hold');
  await expect
    .poll(async () => {
      const { status, json } = await server.api('/signals/follow/alert', alert, {});
      return { status, message: String(json['error']?.message) };
    }, PATIENT)
    .toMatchObject({
      status: 422,
      message: expect.stringContaining('payload.side: Invalid option') as string,
    });
}

test('the page shows a strategy, commands that tell it something, and backtests of it', async () => {
  const page = readFileSync('docs/signals.md', 'utf8');
  const follow = join(folder, 'follow.ts');
  writeFileSync(follow, blocksOf(page, 'ts')[0] ?? '');
  writeFileSync(join(folder, 'alerts.csv'), blocksOf(page, 'csv')[0] ?? '');
  const strategies = [{ plugin: follow, market: 'BTCUSDT' }];
  world = createEmbeddedWorld({ seed: 7, config: { strategies, 'data.folder': folder } });
  const life = await begin();
  await life.run(MINUTE_MS);
  const [send = '', ...others] = blocksOf(page, 'sh');
  const said: string[] = [];
  for (const line of [send, ...others].join('').trim().split('\n')) {
    // Study commands start threads: test/process/study-page.process.ts runs them.
    if (line.startsWith('sarraf study')) continue;
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const args = words
      .slice(1)
      .map((word) =>
        word === 'data' ? folder : /^(?:follow\.ts|\w+\.csv)$/.test(word) ? join(folder, word) : word,
      );
    if (line.startsWith('sarraf signals')) life.mirror.flush();
    const { code, out, error } = await sarrafHere(args);
    expect({ line, code, error }).toEqual({ line, code: 0, error: '' });
    said.push(out);
    await life.run(MINUTE_MS / 2);
  }
  const [first, second, third, token = '', onCandles = '', onBooks = '', listed = '', written, again = ''] =
    said;
  expect([first, second]).toEqual(['told to the strategy\n', 'told to the strategy\n']);
  expect(third).toBe(second);
  expect(life.bot.engine.instances[0]).toMatchObject({ orders: 2, fills: 2 });
  expect(listed).toMatch(/follow +alert +2026-01-05-open +command +\{"side":"buy"\} +told/);
  expect(written).toBe(`2 signals to ${join(folder, 'signals.csv')}\n`);
  expect(onCandles).toMatch(/Fills +4\b/);
  expect(onBooks).toMatch(/Fills +2\b/);
  // Live, both came within one candle; on candles the first purchase is there only at the next open.
  expect(again).toMatch(/Fills +1\b/);
  expect(onBooks).toContain('2 of 4 signals are outside of the run');
  await overHttp(page, token.split('\n', 1)[0] ?? '');
  await life.run(MINUTE_MS / 2);
  expect(life.bot.engine.instances[0]).toMatchObject({ orders: 3, fills: 3 });
});

test.each([
  ['no JSON', ['--payload', '{side}'], 2, "expected JSON such as '"],
  ['an odd id', ['--payload', '1', '--id', 'no spaces'], 2, '--id: expected 1 to 64 letters'],
  [
    'a long payload',
    ['--payload', JSON.stringify('x'.repeat(9_000))],
    2,
    'payload: expected at most 8192 characters',
  ],
] as const)('%s is a wrong option', async (_, args, code, part) => {
  const finished = await sarrafHere(['signal', 'listener', 'alert', ...args, '--data', folder]);
  expect(finished).toMatchObject({ code, error: expect.stringContaining(part) as string });
});

test('without a bot nothing is sent', async () => {
  for (const end of endings.splice(0)) end();
  expect(await signal(1)).toMatchObject({
    code: 1,
    error: expect.stringContaining(`no bot runs with ${folder}, so nothing was sent`) as string,
  });
});
