import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  reconcileCommand,
  reportLines,
  changeLines,
  walletChanges,
} from '../../../src/cli/commands/reconcile.ts';
import { readMirror } from '../../../src/cli/read-mirror.ts';
import { readReconciliation, readMovements } from '../../../src/mirror/read-reconciliation.ts';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { BotLife, createEmbeddedWorld } from '../../support/embedded-bot.ts';
import { sarrafHere, failed } from '../../support/sarraf-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';
import type { WalletTransaction } from '../../../src/venues/port.ts';
import { placeholderIdOf, type FillRecord } from '../../../src/records/fill.ts';
import { DURABLE, fillRecord, MirrorFolder } from '../mirror/mirror-fixture.ts';
import { orderIdOf, tradeIdOf, transactionIdOf } from '../../../src/venues/read-records.ts';

const line = (id: number, atMs: number, text: string): WalletTransaction => {
  const [amount = '', currency = ''] = text.split(' ');
  return {
    id: transactionIdOf(id),
    currency,
    atMs,
    amount: parseUnits(amount),
    description: `line ${id}`,
    tooFine: null,
  };
};

/** Makes a trade of 2 BTC for 100 rial each, with a fee of 1 % of what is received. */
const trade = (tradeId: number, atMs: number, side: 'buy' | 'sell'): FillRecord =>
  fillRecord({
    tradeId: tradeIdOf(tradeId),
    cursor: tradeId,
    atMs,
    side,
    amount: parseUnits('2'),
    price: parseUnits('100'),
    total: parseUnits('200'),
    fee: parseUnits(side === 'buy' ? '0.02' : '2'),
  });

const at = (second: number): number => Date.parse('2026-01-05T12:00:00Z') + second * 1_000;

/** Writes each change as a line: time, wallet, amount, trade, line and what is missing. */
const shown = (
  fills: readonly FillRecord[],
  transactions: readonly WalletTransaction[],
  ...currencies: string[]
) =>
  walletChanges({ fills, transactions }, new Set(currencies)).map(
    (each) =>
      `${each.atMs} ${formatUnits(each.units)} ${each.currency} ${each.fill?.tradeId ?? '-'}/${each.line?.id ?? '-'} ${each.missing ?? 'ok'}`,
  );

describe('changes of wallets', () => {
  test('have a trade with its lines in both wallets, the fee in what was received', () => {
    const lines = [
      line(1, 10, '1.98 btc'),
      line(2, 10, '-200 rls'),
      line(3, 20, '-2 btc'),
      line(4, 20, '198 rls'),
    ];
    expect(shown([trade(70, 10, 'buy'), trade(71, 20, 'sell')], lines, 'btc', 'rls')).toEqual([
      '10 1.98 btc 70/1 ok',
      '10 -200 rls 70/2 ok',
      '20 -2 btc 71/3 ok',
      '20 198 rls 71/4 ok',
    ]);
  });

  test('are of the wallets that are asked for, and name a line without a trade', () => {
    expect(shown([trade(70, 10, 'buy')], [line(1, 5, '-50 rls'), line(2, 6, '9 usdt')], 'rls')).toEqual([
      '5 -50 rls -/1 trade',
      '10 -200 rls 70/- ok',
    ]);
  });

  test('miss a line only where the history of that wallet is known on both sides', () => {
    const fills = [trade(70, 10, 'buy'), trade(71, 20, 'buy'), trade(72, 30, 'buy')];
    const lines = [line(1, 15, '7 rls'), line(2, 25, '8 rls'), line(3, 5, '9 usdt'), line(4, 40, '9 usdt')];
    expect(shown(fills, lines, 'rls', 'usdt').filter((text) => text.includes('-200'))).toEqual([
      '10 -200 rls 70/- ok',
      '20 -200 rls 71/- line',
      '30 -200 rls 72/- ok',
    ]);
  });

  test('give each trade a line of its own, the nearest in time', () => {
    const fills = [trade(70, 10, 'buy'), trade(71, 100, 'buy')];
    const lines = [line(1, 101, '-200 rls'), line(2, 11, '-200 rls'), line(3, 50, '-200 rls')];
    expect(shown(fills, lines, 'rls')).toEqual([
      '10 -200 rls 70/2 ok',
      '50 -200 rls -/3 trade',
      '100 -200 rls 71/1 ok',
    ]);
  });

  test('have the lines of all trades that a placeholder stands for in it', () => {
    const placeholder = { ...trade(70, 90, 'sell'), tradeId: placeholderIdOf(orderIdOf(7)) };
    const lines = [line(1, 5, '-0.7 btc'), line(2, 6, '-1.3 btc'), line(3, 99, '-4 btc')];
    const expected = '90 -2 btc placeholder 7/- ok,99 -4 btc -/3 trade';
    expect(shown([placeholder], lines, 'btc').join()).toBe(expected);
  });

  test('leave out trades of a market that nobody knows', () => {
    expect(shown([fillRecord({ market: '?' })], [], 'btc', 'rls')).toEqual([]);
  });
});

describe('odd changes', () => {
  const NOW_MS = Date.parse('2026-01-05T12:00:30Z');
  const differences = [{ currency: 'rls', expected: '1000', found: '950', difference: '-50' }];

  test('are shown with what is odd about them, the others are counted', () => {
    const fills = [
      trade(69, at(1), 'sell'),
      trade(70, at(3), 'buy'),
      trade(71, at(5), 'sell'),
      trade(72, at(9), 'buy'),
    ];
    const transactions = [line(1, at(2), '-50 rls'), line(2, at(3), '-200 rls'), line(3, at(7), '25 rls')];
    const changes = walletChanges({ fills, transactions }, new Set(['rls']));
    expect(changeLines(changes, { differences, nowMs: NOW_MS })).toEqual([
      'time (UTC)  currency  change  trade  line  what                     note',
      '12:00:02    rls          -50      -     1  line 1                   no trade, as large as the difference',
      '12:00:05    rls          198     71     -  sell 2 BTCIRT, ma-cross  no line',
      '12:00:07    rls           25      -     3  line 3                   no trade',
      'Besides: 1 with a trade and its line, 2 trades outside of the history that was read. --json lists them.',
    ]);
  });

  test('are none where nothing moved', () => {
    expect(changeLines([], { differences, nowMs: NOW_MS })).toEqual([
      'Nothing is known to have moved in these wallets since then.',
    ]);
  });
});

test('movements in the mirror are the newest of a time on, oldest first, whatever order they came in', () => {
  using mirror = new MirrorFolder();
  const store = mirror.open();
  store.apply(
    [
      ...[30, 10, 20, 5].map((atMs) => ({ kind: 'fill', fill: trade(atMs, atMs, 'buy') }) as const),
      ...[31, 11, 21, 6].map(
        (atMs) => ({ kind: 'transaction', transaction: line(atMs, atMs, '1.5 rls') }) as const,
      ),
    ],
    DURABLE,
  );
  const { fills, transactions } = readMovements(mirror.path, { fromMs: 10, last: 2 });
  expect(fills).toEqual([trade(20, 20, 'buy'), trade(30, 30, 'buy')]);
  expect(transactions).toEqual([line(21, 21, '1.5 rls'), line(31, 31, '1.5 rls')]);
  expect(readMovements(mirror.path, { fromMs: 10, last: 9 }).fills.map(({ atMs }) => atMs)).toEqual([
    10, 20, 30,
  ]);
});

const MINUTE_MS = 60_000;

/** Rial that the exchange loses, in money units of 1e-10; no trade has the same last digits. */
const LOST_UNITS = 12_345_678_901n;
const LOST = '-1.2345678901';

const GONE = expect.stringContaining('The last comparison found no difference any more');

const folder = folderOfAllTests();
const world = createEmbeddedWorld({ seed: 11 });
const { accounts } = world.venue.simulation.exchange;
let life: BotLife;

const rials = () => accounts.walletsOf(world.userId).find(({ currency }) => currency === 'rls')!;

/** Takes money from the bot's wallet without a line in its history, which no exchange should do. */
function loseMoney(): void {
  rials().total -= LOST_UNITS;
  accounts.houseOf('rls').outside += LOST_UNITS;
}

/** Runs the command in this process, in a hundredth of the time that a process of its own takes. */
async function sarraf(...args: string[]): Promise<{ readonly out: string; readonly failure: unknown }> {
  const out: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text));
  try {
    await reconcileCommand()
      .exitOverride()
      .parseAsync([...args, '--data', folder], { from: 'user' });
    return { out: out.join('\n'), failure: null };
  } catch (failure) {
    return { out: out.join('\n'), failure };
  } finally {
    log.mockRestore();
  }
}

beforeAll(async () => {
  life = await BotLife.prepare(world, join(folder, 'mirror.sqlite'));
  life.bot.shell.start();
  await life.run(4 * MINUTE_MS);
  // After a halt the last trade has been read, and the compared values stay the same.
  life.bot.shell.control({ kind: 'halt', reason: 'to look', wholeAccount: false });
  await life.run(2 * MINUTE_MS);
});
afterAll(async () => {
  await life.drop();
});

describe('sarraf reconcile, of books that agree', () => {
  test('says so, and since when', async () => {
    const { out, failure } = await sarraf();
    expect(failure).toBeNull();
    expect(out).toMatch(
      /^The books and the exchange agree\.\ncompared {2}\d+ times, last 2026-01-05 12:\d\d UTC/,
    );
    expect(out).toContain('No bot is running');
  });

  test('shows what they have to the last digit', async () => {
    const { out } = await sarraf('--explain');
    expect(out).toMatch(/^btc +\d+\.\d+$/m);
    const { books } = JSON.parse((await sarraf('--json')).out) as { books: Record<string, string> };
    expect(books['rls']).toBe(formatUnits(rials().total));
  });

  test('has nothing to accept', async () => {
    expect(await sarraf('--accept')).toEqual({
      out: 'There is no difference to accept; nothing was done.',
      failure: null,
    });
  });
});

describe('sarraf reconcile, of a break', () => {
  beforeAll(async () => {
    loseMoney();
    await life.run(5 * MINUTE_MS);
  });

  test('shows the difference, and fails', async () => {
    const { out, failure } = await sarraf();
    expect(failure).toMatchObject({ exitCode: 1, message: 'the books do not agree with the exchange' });
    expect(out).toMatch(/^BREAK: /);
    expect(out).toMatch(/^why {7}expected \S+ rls, the exchange has \S+$/m);
    expect(out).toMatch(new RegExp(`^rls +\\d+\\.\\d+ +\\d+\\.\\d+ +${LOST}$`, 'm'));
  });

  test('says when it is gone again', () => {
    const report = readMirror({ data: folder }, readReconciliation);
    expect(reportLines(report, 0)).not.toContainEqual(GONE);
    expect(reportLines({ ...report, isGone: true }, 0)).toContainEqual(GONE);
  });

  test('explains what moved in the wallet, and what to do', async () => {
    const { out } = await sarraf('--explain');
    expect(out).toMatch(/^Besides: [1-9]\d* with a trade and its line, \d+ trades outside of the history/m);
    expect(out).toContain('"sarraf reconcile --accept" takes it over');
  });

  test('lists every change for programs, of that wallet alone', async () => {
    const { out } = await sarraf('--explain', '--json');
    const { state, differences, changes } = JSON.parse(out) as {
      state: string;
      differences: object[];
      changes: { currency: string; amount: string; fill: object | null; line: { amount: string } | null }[];
    };
    expect([state, differences]).toMatchObject(['broken', [{ currency: 'rls', difference: LOST }]]);
    expect(new Set(changes.map(({ currency }) => currency))).toEqual(new Set(['rls']));
    const paired = changes.filter(({ fill, line }) => fill !== null && line !== null);
    expect(paired.length).toBeGreaterThan(10);
    for (const { amount, line } of paired) expect(line?.amount).toBe(amount);
  });

  test('accepts nothing where no bot runs', async () => {
    const { failure } = await sarraf('--accept', '--yes');
    expect(failure).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('start it with "sarraf run"'),
    });
    expect(life.bot.engine.reconciler.break).not.toBeNull();
  });

  test('refuses to explain and accept at once', async () => {
    expect((await sarraf('--explain', '--accept')).failure).toMatchObject({ exitCode: 2 });
  });
});

test('sarraf reconcile --accept, with a bot that runs asks, and then lets the bot begin its books anew', async () => {
  const lock = claimDataFolder(folder);
  const inbox = new ControlInbox(folder);
  const deafen = inbox.listen(
    ({ id, command }) => {
      life.bot.shell.control(command);
      inbox.done(id, {
        ok: true,
        message: 'the books start again from the balances of the exchange',
        left: [],
      });
    },
    (error) => {
      throw error;
    },
  );
  try {
    const asked = await sarrafHere(['reconcile', '--accept', '--data', folder], 'yes\n');
    expect(asked).toEqual(failed(2, 'nothing was done'));
    expect(asked.error).toContain(LOST);
    const { code, out } = await sarrafHere(['reconcile', '--accept', '--yes', '--data', folder]);
    expect([code, out]).toEqual([0, 'accepted: the books start again from the balances of the exchange\n']);
    await life.run(3 * MINUTE_MS);
    expect((await sarraf()).out).toMatch(/^The books and the exchange agree\.$/m);
  } finally {
    deafen();
    inbox.close();
    lock[Symbol.dispose]();
  }
});

describe('the report of a comparison', () => {
  const NOW_MS = Date.parse('2026-01-05T12:00:30Z');
  const REPORT = {
    state: 'waiting',
    comparedAtMs: null,
    comparisons: 0,
    sinceMs: null,
    brokenAtMs: null,
    isGone: false,
    why: null,
    differences: [],
    blockedBy: null,
    findings: [],
    unknownTransfers: [],
    books: {},
  } as const;

  test('says that there was none yet', () => {
    expect(reportLines(REPORT, NOW_MS)).toEqual([
      'The books have not begun: the first reading of the wallets is still to come.',
      'compared  never',
    ]);
  });

  test('never says that they agree while new orders wait', () => {
    const because = 'bot-one-e001-1 is closed with 0.8 matched, and of its trades 0 were read';
    const [head, ...rest] = reportLines({ ...REPORT, state: 'blocked', blockedBy: because }, NOW_MS);
    expect(head).toMatch(/^BLOCKED: whether the books and the exchange agree is not known/);
    expect(rest).toContain(`because   no comparison says anything: ${because}`);
  });

  test('distinguishes a difference that may go away from a break', () => {
    const differences = [{ currency: 'usdt', expected: '10', found: '10.5', difference: '0.5' }];
    const sinceMs = NOW_MS - 10_000;
    const suspected = {
      ...REPORT,
      state: 'suspected',
      comparedAtMs: sinceMs,
      comparisons: 1,
      sinceMs,
      differences,
    } as const;
    expect(reportLines(suspected, NOW_MS)).toEqual([
      'The last comparison found a difference. It may be a list that lags; if it stays, it is a break and new orders stop.',
      'compared  once, last 12:00:20 UTC (10 s ago)',
      'since     12:00:20 UTC (10 s ago)',
      '',
      'currency  expected  found  difference',
      'usdt            10   10.5         0.5',
    ]);
  });
});
