import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { expect, test } from 'vitest';
import { DataWatch, PaceWatch } from '../../../src/daemon/run/create-bot.ts';
import type { DataAge } from '../../../src/daemon/health-source.ts';
import type { VenueAnswer } from '../../../src/venues/port.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';
import type { Budget } from '../../../src/domain/rate-limit.ts';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { QUIET_MS } from '../../../src/budget/admission.ts';
import { planInputOf } from '../../../src/daemon/create-plan.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';
import type { FeedPace } from '../../../src/scheduler/poll-queue.ts';
import { planPolls } from '../../../src/scheduler/plan-polls.ts';

const plan = (of: Iterable<Budget>) => planPolls(planInputOf([], of, INTERFACE_PROFILE)).feeds;
const intervalOf = (of: readonly FeedPace[] | undefined): number =>
  of?.find(({ key }) => key === 'orders')?.intervalMs ?? 0;

test('a limit that the exchange lowers is said once and stretches what is polled by it, until 24 hours are quiet', async () => {
  const time = new VirtualTime(0);
  const budgets = budgetTable();
  const ledger = new BudgetLedger(budgets.values());
  const feeds = plan(budgets.values());
  const paces: (readonly FeedPace[])[] = [];
  const notices: string[] = [];
  const watch = new PaceWatch({
    time,
    budgets,
    namedLimits: () => ledger.namedLimits(time.now()),
    feeds,
    plan,
    onPace: (given) => paces.push(given),
    onNotice: (notice) => notices.push(notice.kind === 'notice' ? `${notice.level}: ${notice.message}` : ''),
  });
  watch.begin();
  await time.run(60_000);
  expect([paces, notices]).toEqual([[], []]);
  expect(ledger.applyLimit('orders/list', { named: 3, isOwn: true }, 60_000)).toBe('lowered');
  await time.run(120_000);
  expect(intervalOf(paces[0])).toBeGreaterThan(4 * intervalOf(feeds));
  expect(notices).toEqual([
    expect.stringMatching(/^error: the exchange has lowered the limit of orders\/list from 30 to 3: /),
  ]);
  await time.run(QUIET_MS + 120_000);
  expect(intervalOf(paces[1])).toBe(intervalOf(feeds));
  expect(notices[1]).toMatch(/^info: the limit of orders\/list is 30 again/);
  expect([paces.length, notices.length]).toEqual([2, 2]);
  watch.end();
});

const failed = (message: string): VenueAnswer => ({
  outcome: 'failed',
  code: 'HTML_REPLY',
  message,
  effect: 'none',
});
const VALUE = { outcome: 'value', value: [] } as unknown as VenueAnswer;
const UNSENT: VenueAnswer = { outcome: 'unsent', reason: 'a newer one took its place' };

/** Watches feeds, given by name with the time of their last read (null: never). The longest age is 30 s. */
const watched = (readAtMs: Readonly<Record<string, number | null>>) => {
  const time = new VirtualTime(0);
  const read: Record<string, number | null> = { ...readAtMs };
  const said: string[] = [];
  const dataAges = (): readonly DataAge[] =>
    Object.entries(read).map(([feed, atMs]) => ({
      feed,
      ageMs: atMs === null ? null : time.now() - atMs,
      longestAgeMs: 30_000,
    }));
  const watch = new DataWatch({
    time,
    dataAges,
    onNotice: (notice) => said.push(notice.kind === 'notice' ? `${notice.level}: ${notice.message}` : ''),
  });
  watch.begin();
  return { time, read, said, watch };
};

test('feeds that are not read are said once, with why, and when they are read again', async () => {
  const { time, read, said, watch } = watched({ orders: 0, fills: 0, wallets: 0 });
  read['wallets'] = 1_000_000;
  watch.note({ dedupe: 'orders' }, failed('ordersList: expected JSON, was a web page (HTTP 200)'));
  watch.note({ dedupe: 'orders' }, UNSENT);
  watch.note({ dedupe: null }, failed('of an order'));
  await time.run(30_000);
  expect(said).toEqual([]);
  await time.run(300_000);
  expect(said).toEqual([
    'warning: orders, fills: nothing was read for 40 s: ordersList: expected JSON, was a web page (HTTP 200)',
  ]);
  read['orders'] = 1_000_000;
  await time.run(310_000);
  read['fills'] = 1_000_000;
  await time.run(320_000);
  expect(said.slice(1)).toEqual(['info: orders: read again', 'info: fills: read again']);
  watch.end();
});

test('data that is old for a moment, as after a stop of the process, is not worth a word', async () => {
  const { time, read, said, watch } = watched({ orders: 0 });
  await time.run(36_000);
  read['orders'] = 36_000;
  await time.run(60_000);
  expect(said).toEqual([]);
  watch.end();
});

test('what was never read, a failure that is over, and what others wrote are said as they are', async () => {
  const { time, said, watch } = watched({ book: null });
  watch.note({ dedupe: 'book' }, failed('long ago'));
  watch.note({ dedupe: 'book' }, VALUE);
  watch.note(
    { dedupe: 'book' },
    {
      outcome: 'refused',
      code: 'Closed',
      message: `a\u001B[31m\n${'b'.repeat(999)}`,
      effect: 'none',
      status: null,
      order: null,
    },
  );
  await time.run(60_000);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^warning: book: nothing was read for 40 s: Closed: a \[31m b+$/);
  expect(said[0]?.length).toBeLessThan(400);
  watch.end();
});

test('of many feeds a few are named', async () => {
  const { time, said, watch } = watched(Object.fromEntries('abcdefgh'.split('').map((name) => [name, 0])));
  await time.run(60_000);
  expect(said).toEqual(['warning: a, b, c, d, e and 3 more: nothing was read for 40 s: no answer came']);
  watch.end();
});
