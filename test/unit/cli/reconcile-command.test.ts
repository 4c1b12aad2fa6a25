import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { reconcileCommand, reportLines } from '../../../src/cli/commands/reconcile.ts';
import { readMirror } from '../../../src/cli/read-mirror.ts';
import { readReconciliation } from '../../../src/mirror/read-reconciliation.ts';
import { ControlInbox } from '../../../src/daemon/control/control-inbox.ts';
import { claimDataFolder } from '../../../src/daemon/process-locks.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import { BotLife, createEmbeddedWorld } from '../../support/embedded-bot.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

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
    expect(asked).toMatchObject({ code: 2, error: expect.stringContaining('nothing was done') });
    expect(asked.error).toContain(LOST);
    const { code, out } = await sarrafHere(['reconcile', '--accept', '--yes', '--data', folder]);
    expect([code, out]).toEqual([0, 'accepted: the books start again from the balances of the exchange\n']);
    await life.run(3 * MINUTE_MS);
    expect((await sarraf()).out).toMatch(/^The books and the exchange agree\.$/m);
  } finally {
    deafen();
    inbox.close();
    lock.release();
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
