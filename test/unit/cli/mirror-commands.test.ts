import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError, type Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CommandError } from '../../../src/cli/command-error.ts';
import { balancesCommand } from '../../../src/cli/commands/rows.ts';
import { intentsCommand } from '../../../src/cli/commands/rows.ts';
import { parse } from 'yaml';
import { runShape } from '../../../src/backtest/run-schema.ts';
import { qualityCommand } from '../../../src/cli/commands/quality.ts';
import { ordersCommand } from '../../../src/cli/commands/orders.ts';
import { statusCommand } from '../../../src/cli/commands/status.ts';
import { monotonicMs } from '../../../src/budget/process-owner.ts';
import { leaveRecord } from '../daemon/left-record.ts';
import { transfersNow } from '../../../src/mirror/read-reconciliation.ts';
import { tradesCommand } from '../../../src/cli/commands/rows.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { MirrorStore } from '../../../src/mirror/mirror-store.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import {
  journalLine,
  kept,
  replyRecord,
  fillChange,
  intentChange,
  MirrorFolder,
  orderChange,
} from '../mirror/mirror-fixture.ts';
import type { Side } from '../../../src/domain/order.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { orderIdOf, tradeIdOf, walletIdOf } from '../../../src/venues/read-records.ts';
import { folderOfAllTests, folderOfThisTest } from '../../support/temporary-folder.ts';
import { openMirror } from '../../support/open-mirror.ts';
import { newLedger, instanceJson } from '../../support/new-ledger.ts';
import { openLedger } from '../../support/ledger-worlds.ts';

const folder = folderOfAllTests();
/** A time in the past for any clock, so that ages are shown in days. */
const THEN_MS = Date.parse('2024-05-06T07:08:09Z');
const wallet = (currency: string, total: string, held: string): MirrorChange => ({
  kind: 'wallet',
  wallet: {
    currency,
    walletId: walletIdOf(1),
    total: parseUnits(total),
    held: parseUnits(held),
    tooFine: null,
  },
});

const LEDGER = newLedger();
const SEAT_JSON = instanceJson(LEDGER, { requests: 1, orders: 1 }, '{"level":3}');

const CHANGES: readonly MirrorChange[] = [
  orderChange({
    key: 'bot-grid-e001-1',
    strategy: 'grid',
    plannedAtMs: THEN_MS,
    sentAtMs: THEN_MS,
    state: 'filled',
    venueId: orderIdOf(9),
    venueStatus: 'Done',
    closedAtMs: THEN_MS,
  }),
  orderChange({
    key: 'bot-grid-e001-2',
    strategy: 'grid',
    state: 'open',
    venueId: orderIdOf(10),
    pairKey: 'bot-grid-e001-2/2',
  }),
  orderChange({
    key: 'bot-grid-e001-2/2',
    clientOrderId: null,
    strategy: 'grid',
    execution: 'stop_limit',
    stopPrice: parseUnits('12500000000'),
    state: 'unknown',
    pairKey: 'bot-grid-e001-2',
  }),
  orderChange({ key: 'bot-dca-e001-3', strategy: 'dca', market: 'ETHUSDT', state: 'open' }),
  fillChange({ orderKey: 'bot-grid-e001-1', strategy: 'grid', atMs: THEN_MS }),
  fillChange({
    tradeId: tradeIdOf(71),
    venueOrderId: orderIdOf(44),
    orderKey: null,
    strategy: null,
    atMs: THEN_MS,
  }),
  fillChange({
    tradeId: tradeIdOf(72),
    venueOrderId: orderIdOf(45),
    orderKey: null,
    strategy: null,
    atMs: THEN_MS,
  }),
  // Sorted by name these come in another order than they were written.
  intentChange({ id: 'b', strategy: 'grid', status: 'refused', reason: 'too large: 9 of 5' }),
  intentChange({ id: 'a', strategy: 'grid' }),
  journalLine('bot-grid-e001-1', '{"state":"sending"}'),
  journalLine('bot-grid-e001-1', '{"state":"filled"}'),
  { kind: 'reply', reply: replyRecord({ orderKey: 'bot-grid-e001-1', atMs: THEN_MS }) },
  {
    kind: 'reply',
    reply: replyRecord({
      orderKey: 'bot-grid-e001-1',
      atMs: THEN_MS + 1,
      httpStatus: 502,
      body: '<html>\u001B[2J',
      bodyLength: 5_000,
      problem: 'BAD_GATEWAY: no JSON',
    }),
  },
  wallet('rls', '126000000000000000000.0000000001', '0.0000000001'),
  wallet('doge', '0', '0'),
  kept('control', JSON.stringify({ halted: { reason: 'by hand', sinceMs: THEN_MS, wholeAccount: false } })),
  kept('cursors', '{"orders":9}'),
  {
    kind: 'strategy',
    strategy: { name: 'grid', status: 'paused', reason: 'onBook threw', json: SEAT_JSON, atMs: THEN_MS },
  },
  journalLine('grid', '{"text":"wider","fields":{"spread":"12"}}', 'log'),
  journalLine('dca', '{"text":"waits","fields":null}', 'log'),
  journalLine('manual-zyzjdpwh4g91', '{"venueId":"45"}', 'notice'),
];

let store: MirrorStore;

beforeAll(() => {
  store = openMirror(join(folder, 'mirror.sqlite'), THEN_MS);
  store.apply(CHANGES, { atMs: THEN_MS, isDurable: true });
});

afterAll(() => {
  store.close();
});

const COMMANDS: ReadonlyMap<string, () => Command> = new Map([
  ['status', statusCommand],
  ['orders', ordersCommand],
  ['trades', tradesCommand],
  ['balances', balancesCommand],
  ['intents', intentsCommand],
  ['quality', qualityCommand],
]);

/** Runs a command in this process, in a hundredth of the time that a process of its own takes. */
async function run(
  name: string,
  args: readonly string[],
): Promise<{ readonly out: string; readonly failure: unknown }> {
  const out: string[] = [];
  const take = (text: string): void => void out.push(text);
  const log = vi.spyOn(console, 'log').mockImplementation(take);
  const command = COMMANDS.get(name)!().exitOverride().configureOutput({ writeOut: take, writeErr: take });
  try {
    await command.parseAsync(args, { from: 'user' });
    return { out: out.join('\n'), failure: null };
  } catch (failure) {
    return { out: out.join('\n'), failure };
  } finally {
    log.mockRestore();
  }
}

const sarraf = async (
  name: string,
  ...args: string[]
): Promise<{ readonly out: string; readonly failure: unknown }> => run(name, [...args, '--data', folder]);

/** Returns one column of a printed table, without its title. */
const column = (out: string, index: number): string[] =>
  out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/)[index] ?? '');

const json = async (name: string, ...args: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await sarraf(name, ...args, '--json')).out) as Record<string, unknown>;

test.each([...COMMANDS.keys()])('%s finds the data folder by the configuration of a bot', async (name) => {
  const config = join(folder, 'bot.yaml');
  writeFileSync(config, 'data: { folder: . }\n');
  const { out } = await run(name, ['--config', config, '--json']);
  expect(JSON.parse(out)).toEqual(await json(name));
  expect((await sarraf(name, '--config', config)).failure).toMatchObject({
    message: expect.stringContaining('expected --config or --data, found both'),
  });
});

describe('sarraf status', () => {
  test('shows, while the bot runs, what it does and whether something is wrong', async () => {
    const { code, out } = await sarrafHere(['status', '--data', folder]);
    expect(code).toBe(0);
    expect(out).toContain('epoch e001: a bot is running');
    expect(out).toMatch(/^grid {6}paused {2,}0\.00 usdt .* \d+ days ago {2}onBook threw$/m);
    expect(out).toContain('3 open orders; 1 intent is at work.');
    expect(out).toMatch(/^halt {4}since 2024-05-06 07:08 UTC: by hand\. "sarraf resume" ends it$/m);
    expect(out).toMatch(/^books {3}not compared with the exchange yet$/m);
  });

  test('says by the ledger of the last run when an order could leave', async () => {
    const ledger = join(folder, 'ledger.sqlite');
    const store = openLedger(ledger);
    store.applyLimit('orders/list', { named: 12, isOwn: true }, monotonicMs());
    store.close();
    leaveRecord(folder, { ledger, subjects: ['here', 'us'] });
    const { out } = await sarraf('status');
    expect(out).toMatch(
      /^ledger {2}.*ledger\.sqlite: trading can begin 600 s after the exchange's first answer, in 7\d\d s at the latest, by the ledger: /m,
    );
    expect(out).toMatch(
      /^limit {3}LOWERED: the exchange has lowered orders\/list to 12: 11 are used instead of 29, for 24 h /m,
    );
    expect(await json('status')).toMatchObject({
      ledger: {
        ledger,
        tradingBegins: { waitMs: 600_000, budget: 'orders/add', why: 'unknown' },
        lowered: [{ budget: 'orders/list', named: 12, limit: 11, ownLimit: 29 }],
      },
    });
    leaveRecord(folder);
    expect(await json('status')).toMatchObject({ ledger: null });
  });

  test('does not say that an order could leave while this machine is too slow to send one', async () => {
    const ledger = join(folder, 'slow.sqlite');
    openLedger(ledger, { whenMissing: 'empty' }).close();
    leaveRecord(folder, { ledger, subjects: ['here', 'us'] });
    expect((await sarraf('status')).out).toMatch(/^ledger {2}.*slow\.sqlite: an order could leave at once$/m);
    const slow = kept('slow-machine', JSON.stringify({ sinceMs: THEN_MS }));
    store.apply([slow], { atMs: THEN_MS, isDurable: true });
    expect((await sarraf('status')).out).toMatch(
      /^ledger {2}.*slow\.sqlite: nothing but cancels leaves: this machine takes too long to get to each request /m,
    );
    store.apply([kept('slow-machine', '{"sinceMs":null}')], { atMs: THEN_MS, isDurable: true });
    leaveRecord(folder);
  });

  test('names a limit on losses that lets no new risk pass', async () => {
    expect((await sarraf('status')).out).not.toContain('no new risk');
    const limit = { strategy: 'grid', check: 'daily-loss', reason: 'the loss is 12 RLS', sinceMs: THEN_MS };
    store.apply([kept('loss-limits', JSON.stringify([limit]))], { atMs: THEN_MS, isDurable: true });
    expect((await sarraf('status')).out).toMatch(
      /^limit {3}no new risk of grid since 2024-05-06 07:08 UTC: the loss is 12 RLS$/m,
    );
    store.apply([kept('loss-limits', '[]')], { atMs: THEN_MS, isDurable: true });
  });

  test('shows a transfer under way, one that is unknown, and what to do', async () => {
    expect((await sarraf('status')).out).not.toContain('margin');
    const one = { id: 'c', strategy: 'collateral', amount: '12.5', sinceMs: THEN_MS };
    const transfers = [
      { ...one, currency: 'usdt', from: 'spot', state: 'unknown' },
      { ...one, id: 'd', currency: 'rls', from: 'margin', state: 'sending' },
    ];
    store.apply([kept('transfers', JSON.stringify(transfers))], { atMs: THEN_MS, isDurable: true });
    const { out } = await sarraf('status');
    expect(out).toMatch(
      /^UNKNOWN whether 12\.5 usdt went from spot to margin for collateral, since 2024-05-06 07:08 UTC \(\d+ days ago\)$/m,
    );
    expect(out).toMatch(
      /^moving {2}12\.5 rls from margin to spot for collateral, on its way since 2024-05-06/m,
    );
    expect(out).toMatch(/no other transfer of usdt is taken\. .*"sarraf reconcile --accept"/);
    expect(await json('status')).toMatchObject({
      transfers: [
        {
          strategy: 'collateral',
          currency: 'usdt',
          amount: '12.5',
          from: 'spot',
          to: 'margin',
          state: 'unknown',
        },
        { currency: 'rls', from: 'margin', to: 'spot', state: 'sending', sinceMs: THEN_MS },
      ],
    });
    store.apply([kept('transfers', '[]')], { atMs: THEN_MS, isDurable: true });
  });

  test('takes a transfer that was on its way when the bot ended for unknown', () => {
    const row = { strategy: 'collateral', currency: 'usdt', amount: '1', from: 'spot', state: 'sending' };
    const rows = [
      { name: 'transfers', json: JSON.stringify([{ id: 'c', sinceMs: THEN_MS, ...row }]), atMs: THEN_MS },
    ];
    const states = ([true, null, false] as const).map((isRunning) => transfersNow(rows, isRunning)[0]?.state);
    expect(states).toEqual(['sending', 'sending', 'unknown']);
  });

  test('gives programs everything', async () => {
    expect(await json('status')).toMatchObject({
      isRunning: true,
      epoch: 'e001',
      counts: { orders: 4, fills: 3, intents: 2, journal: 5 },
      lastSeen: { journal: THEN_MS, books: null },
      strategies: [{ name: 'grid', status: 'paused', profit: '0', state: { level: 3 } }],
      kept: {
        control: { value: { halted: { reason: 'by hand' } } },
        cursors: { atMs: THEN_MS, value: { orders: 9 } },
      },
    });
  });
});

describe('sarraf orders', () => {
  test('lists those that are not at their end, in their order', async () => {
    const { failure, out } = await sarraf('orders');
    expect([failure, column(out, 1)]).toEqual([
      null,
      ['bot-grid-e001-2', 'bot-grid-e001-2/2', 'bot-dca-e001-3'],
    ]);
  });

  test.each([
    [
      ['--state', 'all'],
      ['bot-grid-e001-1', 'bot-grid-e001-2', 'bot-grid-e001-2/2', 'bot-dca-e001-3'],
    ],
    [['--state', 'filled'], ['bot-grid-e001-1']],
    [['--strategy', 'dca'], ['bot-dca-e001-3']],
    [['--market', 'eth-usdt'], ['bot-dca-e001-3']],
    [['--last', '1'], ['bot-dca-e001-3']],
  ])('takes %s', async (args, keys) => {
    expect(column((await sarraf('orders', ...args)).out, 1)).toEqual(keys);
  });

  test('shows one with its trades and its journal', async () => {
    const { out } = await sarraf('orders', 'bot-grid-e001-1');
    expect(out).toMatch(/^what +buy 0\.000001 BTCIRT, limit$/m);
    expect(out).toMatch(/^at the exchange +9 Done$/m);
    expect(out).toMatch(/^2024-05-06 07:08 +70 +grid /m);
    expect(out).toMatch(/^2024-05-06 07:08 +2 +order +\{"state":"filled"\}$/m);
  });

  test('shows what the exchange said of one as it came, without what a terminal obeys', async () => {
    const { out } = await sarraf('orders', 'bot-grid-e001-1', '--replies');
    expect(out).toMatch(
      /place {2}addOrder, HTTP 200\n\{\n {2}"status": "ok",\n.*\n.*\n {4}"price": "12600000000\.00"/,
    );
    expect(out).toContain('HTTP 502, not used: BAD_GATEWAY: no JSON\n<html>?[2J\n… of 5000 characters\n');
    expect((await sarraf('orders', 'bot-grid-e001-1')).out).not.toContain('<html>');
    expect((await sarraf('orders', '--replies')).failure).toMatchObject({ exitCode: 2 });
    const { orders } = await json('orders', 'bot-grid-e001-1');
    expect(orders).toMatchObject([{ replies: [{ httpStatus: 200 }, { body: '<html>\u001B[2J' }] }]);
  });

  test('finds one by the id of the exchange too, with the other leg of its pair', async () => {
    const { orders } = await json('orders', '10');
    expect(orders).toMatchObject([
      { key: 'bot-grid-e001-2', price: '12600000000', trades: [] },
      { key: 'bot-grid-e001-2/2', stopPrice: '12500000000' },
    ]);
  });

  test('says in one line that there is no such order', async () => {
    const { failure } = await sarraf('orders', 'nope');
    expect(failure).toBeInstanceOf(CommandError);
    expect(failure).toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^expected an order nope [^\n]+$/),
    });
  });
});

test('sarraf trades lists those of other hands too', async () => {
  const { failure, out } = await sarraf('trades');
  expect([failure, column(out, 2)]).toEqual([null, ['grid', '(foreign)', '(manual)']]);
  expect(column(out, 9)[2]).toBe('manual-zyzjdpwh4g91');
  expect(await json('trades', '--strategy', 'grid')).toMatchObject({
    trades: [{ tradeId: '70', total: '12600', fee: '0.0000000025' }],
  });
});

test('sarraf balances shows what is free to the last digit, and empty wallets when asked', async () => {
  const { out } = await sarraf('balances');
  expect(out).toMatch(
    /^rls +126000000000000000000\.0000000001 +0\.0000000001 +126000000000000000000 +\d+ days ago$/m,
  );
  expect(out).toContain('and 1 empty wallet');
  expect(column((await sarraf('balances', '--all')).out, 0)).toEqual(['doge', 'rls']);
});

test('sarraf intents lists them as they came, with the reasons of refusals', async () => {
  const { out } = await sarraf('intents');
  expect([column(out, 1), column(out, 6)]).toEqual([
    ['b', 'a'],
    ['too large: 9 of 5', ''],
  ]);
  expect(await json('intents', '--state', 'working')).toMatchObject({
    intents: [{ id: 'a', intent: { kind: 'place' } }],
  });
});

test('sarraf intents --log lists what strategies logged, as it came', async () => {
  const { out } = await sarraf('intents', '--log');
  expect([column(out, 1), column(out, 2)]).toEqual([
    ['grid', 'dca'],
    ['wider', 'waits'],
  ]);
  expect(await json('intents', '--log', '--strategy', 'grid')).toEqual({
    log: [{ atMs: THEN_MS, strategy: 'grid', text: 'wider', fields: { spread: '12' } }],
  });
  expect((await sarraf('intents', '--log', '--market', 'BTCIRT')).failure).toMatchObject({ exitCode: 2 });
});

describe('every command', () => {
  const NAMES = [...COMMANDS.keys()];

  test.each(NAMES)('%s has help with an example', async (name) => {
    const { out, failure } = await run(name, ['--help']);
    expect(failure).toMatchObject({ exitCode: 0 });
    expect(out).toContain(`\n  sarraf ${name}\n`);
  });

  test.each(NAMES)('%s says in one line what to run where there is no mirror', async (name) => {
    const { failure } = await run(name, ['--data', join(folder, 'missing')]);
    expect(failure).toMatchObject({
      code: 'DATA_UNUSABLE',
      message: expect.stringMatching(
        /missing\/mirror\.sqlite, found nothing: start the bot with "sarraf run"[^\n]+$/,
      ),
    });
  });

  test.each([
    ['orders', '--state', 'lost'],
    ['trades', '--last', '0'],
    ['balances', '--strategy', 'grid'],
  ])('%s refuses %s %s', async (name, ...args) => {
    expect((await sarraf(name, ...args)).failure).toBeInstanceOf(CommanderError);
  });

  test('refuses what is no market as wrong input', async () => {
    expect((await sarraf('intents', '--market', 'x')).failure).toMatchObject({ exitCode: 2 });
  });

  test('ends with 1 where there is no mirror, and with 2 for a wrong option', async () => {
    const missing = await sarrafHere(['status', '--data', join(folder, 'missing')]);
    expect([missing.code, missing.error.trim().split('\n').length]).toEqual([1, 1]);
    expect((await sarrafHere(['orders', '--state', 'lost'])).code).toBe(2);
  });

  test.each(['embedded', 'paper'])(
    'reads the mirror of the mode %s where there is no other',
    async (mode) => {
      const other = folderOfThisTest();
      const path = join(other, `${mode}.sqlite`);
      openMirror(path, 0, 'abcd').close();
      const { out } = await run('status', ['--data', other]);
      expect(out).toContain('epoch abcd: no bot is running');
      renameSync(path, join(other, 'mirror.sqlite'));
      expect((await run('status', ['--data', other])).failure).toBeNull();
    },
  );
});

const at = (minutes: number): number => THEN_MS + minutes * 60_000;
const order = (key: string, minutes: number, changed: Partial<OrderRecord>): MirrorChange =>
  orderChange({
    key,
    strategy: 'grid',
    market: 'BTCUSDT',
    amount: parseUnits('0.1'),
    arrivalBid: parseUnits('59990'),
    arrivalAsk: parseUnits('60010'),
    plannedAtMs: at(minutes),
    sentAtMs: at(minutes),
    closedAtMs: at(minutes + 1),
    state: 'filled',
    ...changed,
  });
const traded = (total: string, fee: string, amount = '0.1') => ({
  filled: parseUnits(amount),
  filledTotal: parseUnits(total),
  fee: parseUnits(fee),
});
const fill = (number: number, orderKey: string, atMs: number): MirrorChange =>
  fillChange({ tradeId: tradeIdOf(number), cursor: number, orderKey, market: 'BTCUSDT', atMs });
const candle = (minutes: number, close: string): MirrorChange => {
  const text = decimalText(close);
  const prices = { open: text, high: text, low: text, close: text, volume: text };
  return {
    kind: 'candle',
    market: 'BTCUSDT',
    timeframe: '1m',
    candle: { openTimeMs: at(minutes), ...prices },
  };
};
const taken = (market: string, length: number): readonly MirrorChange[] =>
  Array.from({ length }, (_, index) =>
    order(`${market}${index}`, index, { market, execution: 'market', ...traded('6001.5', '0.0001') }),
  );
const gap = (fromMs: number, toMs: number): MirrorChange =>
  journalLine('BTCUSDT', JSON.stringify({ missing: { fromMs, toMs } }), 'notice');
/** Trades of the tape, as minute, side of the taker, price and amount. */
const tape = (...rows: readonly string[]): MirrorChange => ({
  kind: 'public-trades',
  market: 'BTCUSDT',
  trades: rows.map((row) => {
    const [minute, side, price, amount] = row.split(' ') as [string, Side, string, string];
    return { timeMs: at(Number(minute)), side, price: decimalText(price), amount: decimalText(amount) };
  }),
});
const argsOf = (line: string): string[] => line.replace('npx sarraf ', '').split(' ');

describe('sarraf quality', () => {
  const page = readFileSync('docs/execution-quality.md', 'utf8');
  const block = (kind: string): string => new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';
  const [first = '', ...further] = block('sh').trim().split('\n');

  const ORDERS: readonly MirrorChange[] = [
    order('a', 0, { execution: 'market', ...traded('6001.5', '0.0001') }),
    order('b', 10, { price: parseUnits('59980'), ...traded('5998', '0.0001') }),
    order('c', 20, { price: parseUnits('59950'), state: 'cancelled' }),
    // The middle of the book at its plan is the price at the end of the order before.
    order('d', 21, {
      side: 'sell',
      exit: 'decision',
      execution: 'market',
      arrivalBid: parseUnits('60090'),
      arrivalAsk: parseUnits('60110'),
      ...traded('6008', '6.008'),
    }),
    order('e', 22, { arrivalBid: null, arrivalAsk: null, ...traded('6000', '0.0001') }),
    order('f', 23, { state: 'open', closedAtMs: null }),
    fill(91, 'a', at(0) + 400),
    fill(92, 'b', at(12)),
    fill(93, 'b', at(14)),
    fill(94, 'd', at(21) + 600),
    // Before and after b rested are others; takers who bought did not sell to it; 59,980 is a better price than c's.
    tape('9 sell 59980 7', '11 buy 59980 3', '12 sell 59980 0.2', '14 sell 59970 0.3', '15 sell 59980 7'),
    tape('20.5 sell 59980 0.1', '40 buy 60000 1'),
    journalLine('b', '{"state":"planned","ahead":"0.24"}'),
    journalLine('c', '{"state":"planned","ahead":null}'),
  ];

  test('prints what its page shows', async () => {
    using place = new MirrorFolder();
    place.write(ORDERS);
    const run = async (line: string) => sarrafHere([...argsOf(line), '--data', place.folder]);
    const { code, out } = await run(first);
    expect([code, out.trim()]).toEqual([0, block('text').trim()]);
    expect(further.length).toBeGreaterThan(1);
    for (const line of further) expect([line, (await run(line)).code]).toEqual([line, 0]);
  });

  test('sums exact money, and leaves out what has no price', async () => {
    using place = new MirrorFolder();
    place.write(ORDERS);
    const { out } = await sarrafHere(['quality', '--json', '--data', place.folder]);
    expect(JSON.parse(out)).toMatchObject({
      by: 'market',
      standing: 1,
      groups: [
        {
          key: 'BTCUSDT',
          currency: 'usdt',
          orders: 5,
          priced: 4,
          valued: 4,
          // 1.5 - 2 + 0 + 2 and fees of 6.0015, 5.998, 6.008 and 6; 0.1 coins missed a rise of 100.
          slippage: '1.5',
          fees: '24.0075',
          unfilledCost: '10',
          shortfall: '29.5075',
        },
      ],
    });
    const since = new Date(at(20)).toISOString();
    const later = await sarrafHere([
      'quality',
      '--since',
      since,
      '--by',
      'order',
      '--json',
      '--data',
      place.folder,
    ]);
    const { groups } = JSON.parse(later.out) as { groups: readonly { key: string }[] };
    expect(groups.map(({ key }) => key)).toEqual(['c', 'd', 'e']);
  });

  test('knows the volume at a price only where no trade can be missing', async () => {
    const rested = order('b', 10, { price: parseUnits('59980'), ...traded('2999', '0.00005', '0.05') });
    const volumeOf = async (...changes: readonly MirrorChange[]): Promise<unknown> => {
      using place = new MirrorFolder();
      place.write([rested, fill(92, 'b', at(12)), ...changes]);
      const { out } = await sarrafHere(['quality', '--json', '--data', place.folder]);
      const { groups } = JSON.parse(out) as { groups: readonly Record<string, unknown>[] };
      return groups.map(({ rested: count, placed, shared, ahead, queueShare }) =>
        [count, placed, shared, ahead, queueShare].join(' '),
      );
    };
    const [known, unknown] = [['1 0 1  0.5'], ['1 0 0  ']];
    const own = '12 sell 59980 0.1';
    expect(await volumeOf()).toEqual(unknown);
    expect(await volumeOf(tape('9 buy 60000 1', own))).toEqual(known);
    expect(await volumeOf(tape('11 buy 60000 1', own))).toEqual(unknown);
    expect(await volumeOf(tape('9 buy 60000 1', '11 sell 59980 1'))).toEqual(unknown);
    // Less than its own fills cannot be all.
    expect(await volumeOf(tape('9 buy 60000 1', '12 sell 59980 0.01'))).toEqual(unknown);
    // The first page after a restart repeats trades.
    expect(await volumeOf(tape('9 buy 60000 1', own), tape('9 buy 60000 1', own))).toEqual(known);
    expect(await volumeOf(tape('9 buy 60000 1', own), gap(at(11), at(12)))).toEqual(unknown);
    expect(await volumeOf(tape('9 buy 60000 1', own), gap(at(13), at(14)))).toEqual(known);
    const start = journalLine('start', JSON.stringify({ aliveUntilMs: at(11) }), 'control');
    expect(await volumeOf(tape('9 buy 60000 1', own), start)).toEqual(unknown);
  });

  test('values what did not trade at the close of a candle, but not of one that may not be over', async () => {
    const unfilled = { price: parseUnits('59000'), state: 'cancelled' } as const;
    const costOf = async (...changes: readonly MirrorChange[]): Promise<unknown> => {
      using place = new MirrorFolder();
      place.write([order('g', 0, { ...unfilled, closedAtMs: at(30) }), ...changes]);
      const { out } = await sarrafHere(['quality', '--json', '--data', place.folder]);
      const { groups } = JSON.parse(out) as { groups: readonly { valued: number; unfilledCost: string }[] };
      return groups.map(({ valued, unfilledCost }) => [valued, unfilledCost]);
    };
    expect(await costOf()).toEqual([[0, '0']]);
    expect(await costOf(candle(29, '61000'))).toEqual([[0, '0']]);
    expect(await costOf(candle(29, '61000'), candle(30, '1'))).toEqual([[1, '100']]);
    // More than ten minutes before the end.
    expect(await costOf(candle(18, '61000'), candle(19, '1'))).toEqual([[0, '0']]);
  });

  test('prints rules that a backtest takes, with the orders and the error that they rest on', async () => {
    using place = new MirrorFolder();
    place.write([...taken('BTCUSDT', 20), ...taken('ETHUSDT', 19)]);
    const { out } = await sarrafHere(['quality', '--calibrate', '--data', place.folder]);
    expect(out).toContain('# BTCUSDT: fitted to 10 orders. Mean error of the cost of 10 later orders');
    expect(out).toContain('# Orders of markets with fewer than 20, which fit nothing: 19.');
    expect(out).toContain('# 2.50 by the default rules, 0.00 by these.');
    const { rules } = parse(out) as { rules: { spreadBps: number; slippageBps: number } };
    // Of 20 at 60,000, and 1.5 of 6,000 beyond the middle.
    expect(rules).toEqual({ spreadBps: 3.33, slippageBps: 0.84 });
    expect(runShape.rules.safeParse(rules).success).toBe(true);
  });

  test('says plainly that no order has ended, and what is wrong with an option', async () => {
    using place = new MirrorFolder();
    place.write([]);
    const run = async (...args: string[]) => sarrafHere(['quality', ...args, '--data', place.folder]);
    expect(await run()).toMatchObject({
      code: 0,
      out: expect.stringContaining('No order was sent and ended yet.'),
    });
    expect((await run('--by', 'moon')).code).toBe(2);
    expect(await run('--calibrate')).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /expected at least 20 orders .* took from the book to fit rules to, found 0: /,
      ),
    });
    expect((await run('--session', join(place.folder, 'none'))).code).toBe(2);
    expect((await run('--since', 'yesterday')).code).toBe(2);
    expect((await sarrafHere(['quality', '--data', join(place.folder, 'none')])).code).toBe(1);
  });
});
