import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOrder, type FindOrderOptions } from '../../../../src/cli/api/find-order.ts';
import { orderCommand } from '../../../../src/cli/commands/order.ts';
import type { Caller } from '../../../../src/exchange/paging.ts';
import { FaultPlan } from '../../../../src/simulator-server/fault-plan.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { at, runCommand, type Ended } from './run-command.ts';

const SENT_MS = Date.UTC(2026, 0, 5, 10, 20);
const HOUR_MS = 3_600_000;

interface Lists {
  readonly orders?: readonly object[];
  readonly trades?: readonly object[];
  /** Answers of `orderStatus`, by id or name. */
  readonly single?: Readonly<Record<string, object>>;
}

/** Makes an account with these lists; a name that is not in `single` is not found. */
function accountOf(lists: Lists): Caller & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    call: async (name, request) => {
      asked.push(name);
      if (name === 'orderStatus') {
        const { id, clientOrderId } = request as { id?: string; clientOrderId?: string };
        const value = lists.single?.[id ?? clientOrderId ?? ''];
        const refusal = { ok: false, code: 'NotFound', message: 'none', retry: 'never', outcome: 'none' };
        return (value === undefined ? refusal : { ok: true, value }) as never;
      }
      const items = (name === 'ordersList' ? lists.orders : lists.trades) ?? [];
      return { ok: true, value: { items, hasNext: false } } as never;
    },
  };
}

const order = (id: number, clientOrderId: string | null, createdAtMs = SENT_MS) => ({
  id,
  clientOrderId,
  createdAtMs,
});
const trade = (id: number, orderId: number | null, timeMs = SENT_MS) => ({
  id,
  orderId,
  timeMs,
  side: 'buy',
  amount: '0.1',
  market: null,
});

const find = async (lists: Lists, of: Partial<FindOrderOptions> = {}) =>
  findOrder({
    caller: accountOf(lists),
    wanted: { clientOrderId: 'mine' },
    sentAtMs: SENT_MS,
    lateArrivalMs: 120_000,
    absencePassesApartMs: 0,
    nowMs: () => SENT_MS + HOUR_MS,
    ...of,
  });

describe('an order whose answer was lost', () => {
  test.each<[string, Lists]>([
    ['the open orders', { single: { mine: order(7, 'mine') } }],
    ['all orders', { orders: [order(8, 'other'), order(7, 'mine')] }],
    [
      'a trade of an order that the list does not have yet',
      { orders: [order(5, 'other')], trades: [trade(1, 7)], single: { 7: order(7, 'mine') } },
    ],
  ])('is found in %s', async (_, lists) => {
    expect(await find(lists)).toEqual({ outcome: 'found', order: order(7, 'mine') });
  });

  test('is absent when two readings after its last possible arrival lack it', async () => {
    const caller = accountOf({ orders: [order(5, 'other')], trades: [trade(1, 5)] });
    const readAtMs = [SENT_MS + HOUR_MS, SENT_MS + HOUR_MS];
    expect(await find({}, { caller })).toEqual({
      outcome: 'absent',
      sinceMs: SENT_MS - 24 * HOUR_MS,
      readAtMs,
    });
    expect(caller.asked).toEqual(['orderStatus', 'ordersList', 'tradesList', 'ordersList', 'tradesList']);
  });

  test.each<[string, Lists, Partial<FindOrderOptions>, RegExp]>([
    ['may still arrive', {}, { nowMs: () => SENT_MS + 119_000 }, /may still arrive/],
    ['was sent nobody knows when', {}, { sentAtMs: null }, /say so with --sent/],
    ['may be one without a name', { orders: [order(7, null)] }, {}, /shows no names of orders/],
    ['may have traded', { trades: [trade(1, null)] }, {}, /trade 1 .* names no order/],
    ['may be what a trade is of', { trades: [trade(1, 9)] }, {}, /order 9, which is in no list/],
  ])('is not yet known while it %s', async (_, lists, of, why) => {
    const found = await find(lists, of);
    expect(found).toMatchObject({ outcome: 'not-yet-known', why: expect.stringMatching(why) });
  });

  test('is not mistaken for older orders whose trades are listed', async () => {
    const lists = {
      orders: [order(5, 'other'), order(4, 'old', SENT_MS - 48 * HOUR_MS)],
      trades: [trade(1, 3), trade(2, 90, SENT_MS - 48 * HOUR_MS)],
    };
    expect(await find(lists)).toMatchObject({ outcome: 'absent' });
  });
});

describe('sarraf order find', () => {
  let served: ServedAccount;
  beforeAll(async () => {
    served = await serveAccount();
  });
  afterAll(() => served.close());

  const sarraf = (args: readonly string[], token = PANEL_TOKEN): Promise<Ended> =>
    runCommand(orderCommand, [...args, ...at(served)], { environment: { SARRAF_TOKEN: token } });

  test('finds a market order that has filled, whose answer was lost, by the command that the message names', async () => {
    await sarraf(['place', 'sell', 'BTCIRT', '0.001', '--price', '50000000000', '--yes'], 'other-token');
    served.simulation.faulty.plan = new FaultPlan({
      seed: 1,
      rules: [{ kind: 'reset', endpoints: ['addOrder'], isHandled: true }],
    });
    const lost = await sarraf(['place', 'buy', 'BTCIRT', '0.001', '--market', '--yes']);
    served.simulation.faulty.plan = new FaultPlan({ seed: 1, rules: [] });
    expect(lost.code).toBe(1);
    const [, words = ''] = /look with "(?:npx )?sarraf order (find [^"]+)" before/.exec(lost.error) ?? [];
    expect(words).toMatch(/^find manual-\w{12} --sent \S+Z --url http:\S+ --ledger-folder \S+$/);
    const found = await runCommand(orderCommand, words.split(' '), {
      environment: { SARRAF_TOKEN: PANEL_TOKEN },
    });
    expect(found).toMatchObject({ code: 0, error: '' });
    expect(found.out).toMatch(
      /^found: manual-\w+ is the order \d+, buy 0.001 BTCIRT.*, placed by hand\nIt is Done, filled 0.001 of 0.001. Do not send it again.$/,
    );
  });

  test('says of one that never arrived that it is not known yet, and later that it is absent', async () => {
    const sent = new Date().toISOString();
    const early = await sarraf(['find', 'manual-000000000000', '--sent', sent]);
    expect(early.code).toBe(4);
    expect(early.error).toMatch(
      /^not yet known: .*may still arrive\nDo not send it again. Look again after \S+ \S+ UTC: (?:npx )?sarraf order find manual-0+ --sent \S+ --url/,
    );
    const config = join(served.folder, 'bot.yaml');
    const settings = {
      mode: 'live',
      exchange: {
        baseUrl: served.baseUrl,
        ledgerFolder: served.ledgerFolder,
        credentials: { token: PANEL_TOKEN },
      },
      execution: { absencePassesApart: '1s' },
      strategies: [{ plugin: 'ma-cross', market: 'BTCIRT' }],
    };
    writeFileSync(config, JSON.stringify(settings));
    const before = new Date(Date.now() - HOUR_MS).toISOString();
    const args = ['find', 'manual-000000000000', '--sent', before, '--config', config, '--json'];
    const late = await runCommand(orderCommand, args);
    expect(late.code).toBe(3);
    expect(JSON.parse(late.out)).toMatchObject({
      outcome: 'absent',
      readAtMs: [expect.any(Number), expect.any(Number)],
    });
  });
});
