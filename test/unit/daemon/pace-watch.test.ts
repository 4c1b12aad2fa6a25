import type { Budget } from '../../../src/domain/rate-limit.ts';
import { expect, test } from 'vitest';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { QUIET_MS } from '../../../src/budget/admission.ts';
import { planInputOf } from '../../../src/daemon/create-plan.ts';
import { PaceWatch } from '../../../src/daemon/run/create-bot.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';
import type { FeedPace } from '../../../src/scheduler/poll-queue.ts';
import { planPolls } from '../../../src/scheduler/plan-polls.ts';
import { VirtualTime } from '../../../src/virtual/virtual-time.ts';

const plan = (of: Iterable<Budget>) => planPolls(planInputOf([], of)).feeds;
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
