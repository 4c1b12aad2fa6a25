import { describe, expect, test } from 'vitest';
import { SarrafError } from '../../../../src/domain/errors.ts';
import type { HttpRequest, HttpResponse } from '../../../../src/exchange/transport.ts';
import type { FaultRule } from '../../../../src/simulator-server/fault-plan.ts';
import { InProcessVenue } from '../../../../src/simulator-server/in-process-venue.ts';
import { createSimulation, type Simulation } from '../../../../src/simulator-server/simulation.ts';
import { readExchangeConfig } from '../../../../src/simulator-server/exchange-config.ts';
import { ALI, ask, BUY, createVenue, place, START_MS } from '../wire/fixture.ts';

/** A clock that moves only while all wait: it goes on to the time of the earliest sleeper. */
class VirtualClock {
  nowMs = START_MS;
  private sleepers: { readonly dueMs: number; readonly wake: () => void }[] = [];

  readonly sleep = (durationMs: number): Promise<void> =>
    new Promise((wake) => this.sleepers.push({ dueMs: this.nowMs + durationMs, wake }));

  /** Runs the clock until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const settled = work.finally(() => {
      isOver = true;
    });
    settled.catch(() => undefined);
    for (let turn = 0; turn < 1000; turn += 1) {
      for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
      this.sleepers.sort((left, right) => left.dueMs - right.dueMs);
      const next = this.sleepers.shift();
      if (next === undefined) {
        if (isOver) return settled;
        continue;
      }
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.wake();
    }
    return settled;
  }
}

const ADD: HttpRequest = {
  method: 'POST',
  path: '/market/orders/add',
  headers: { Authorization: 'Token ali-token' },
  body: JSON.stringify({ ...BUY, clientOrderId: 'mine' }),
  timeoutMs: 20_000,
};
const list = (path: string): HttpRequest => ({ ...ADD, method: 'GET', path, body: null });

interface Run {
  readonly venue: Simulation;
  readonly clock: VirtualClock;
  readonly transport: InProcessVenue;
  readonly send: (request?: HttpRequest) => Promise<HttpResponse | SarrafError>;
  readonly orders: () => number;
}

function run(rules: readonly FaultRule[], clockSkewMs = 0): Run {
  const venue = createVenue({ faults: { rules: [...rules] as never, clockSkewMs } });
  const clock = new VirtualClock();
  const transport = new InProcessVenue({ adapter: venue.faulty, now: () => clock.nowMs, sleep: clock.sleep });
  const send = (request = ADD) =>
    clock.run(transport.send(request).catch((error: unknown) => error as SarrafError));
  return { venue, clock, transport, send, orders: () => venue.exchange.trading.trader(ALI).orders.length };
}

const failure = async (answer: Promise<HttpResponse | SarrafError>): Promise<SarrafError> => {
  const got = await answer;
  expect(got).toBeInstanceOf(SarrafError);
  return got as SarrafError;
};
const reply = async (answer: Promise<HttpResponse | SarrafError>): Promise<HttpResponse> => {
  const got = await answer;
  expect(got).not.toBeInstanceOf(SarrafError);
  return got as HttpResponse;
};

test('without faults the reply comes at once', async () => {
  const { send, clock, orders } = run([]);
  expect((await reply(send())).status).toBe(200);
  expect([clock.nowMs - START_MS, orders()]).toEqual([0, 1]);
});

test('a delay within the time-out brings the reply later', async () => {
  const { send, clock, orders } = run([{ kind: 'delay', delayMs: 7_000 }]);
  expect((await reply(send())).status).toBe(200);
  expect([clock.nowMs - START_MS, orders()]).toEqual([7_000, 1]);
});

test('a delay of 100 seconds is a time-out, although the order is there', async () => {
  const { send, clock, orders } = run([{ kind: 'delay', delayMs: 100_000 }]);
  expect(await failure(send())).toMatchObject({ code: 'TIMED_OUT', outcome: 'unknown' });
  expect([clock.nowMs - START_MS, orders()]).toEqual([20_000, 1]);
});

test('a request handled late arrives after its sender gave up', async () => {
  const { venue, clock, transport } = run([{ kind: 'late', delayMs: 50_000, endpoints: ['addOrder'] }]);
  let seenAtTimeOut = -1;
  const sent = transport.send(ADD).catch((error: unknown) => {
    seenAtTimeOut = venue.exchange.trading.trader(ALI).orders.length;
    return error;
  });
  expect(await clock.run(sent)).toMatchObject({ code: 'TIMED_OUT', outcome: 'unknown' });
  expect(seenAtTimeOut).toBe(0);
  await clock.run(Promise.resolve());
  expect(venue.exchange.trading.trader(ALI).orders.at(0)?.createdAtMs).toBe(START_MS + 50_000);
});

test('a lost request never arrives', async () => {
  const { send, orders, venue } = run([{ kind: 'lost' }]);
  expect(await failure(send())).toMatchObject({ code: 'TIMED_OUT', outcome: 'unknown' });
  expect([orders(), venue.adapter.log.count]).toEqual([0, 0]);
});

test('a lost reply leaves the order', async () => {
  const { send, orders } = run([{ kind: 'reply-lost' }]);
  expect(await failure(send())).toMatchObject({ code: 'TIMED_OUT' });
  expect(orders()).toBe(1);
});

test.each([
  [undefined, 1],
  [false, 0],
])('a reset with isHandled %s leaves %i orders', async (isHandled, expected) => {
  const { send, orders } = run([{ kind: 'reset', isHandled }]);
  expect(await failure(send())).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' });
  expect(orders()).toBe(expected);
});

test.each([
  ['server-error', 500, /InternalError/, 0],
  ['bad-gateway', 502, /^<html>/, 1],
  ['forbidden', 403, /detail/, 0],
  ['unauthorized', 401, /detail/, 0],
  ['too-many-requests', 429, /"backOff":12/, 0],
] as const)('%s is a %i', async (kind, status, body, expected) => {
  const { send, orders } = run([{ kind }]);
  const answer = await reply(send());
  expect(answer.status).toBe(status);
  expect(answer.body).toMatch(body);
  expect(orders()).toBe(expected);
});

test('a truncated reply is no JSON', async () => {
  const { send, orders } = run([{ kind: 'truncated' }]);
  const { status, body } = await reply(send());
  expect(status).toBe(200);
  expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
  expect(orders()).toBe(1);
});

/** Lets an order of one user trade with three of the other. */
function tradeThrice(venue: Simulation): void {
  place(venue, { ...BUY, type: 'sell', amount: '0.1', price: '50000000000' }, { token: 'sara-token' });
  for (const amount of ['0.001', '0.002', '0.003']) place(venue, { ...BUY, amount, price: '50000000000' });
}

/** Returns the rows of a list by their ids, in the order in which it has them. */
async function idsIn(answer: Promise<HttpResponse | SarrafError>, field: string): Promise<readonly number[]> {
  const rows = JSON.parse((await reply(answer)).body) as Readonly<Record<string, readonly { id: number }[]>>;
  return (rows[field] ?? []).map(({ id }) => id);
}

describe('lists', () => {
  test('lag behind by the seconds of the fault', async () => {
    const { venue, clock, send } = run([
      { kind: 'lagging-lists', lagMs: 5_000, endpoints: ['ordersList', 'tradesList'] },
    ]);
    place(venue, { ...BUY, type: 'sell', price: '50000000000' }, { token: 'sara-token' });
    place(venue, { ...BUY, price: '50000000000' });
    const count = async (path: string, field: string): Promise<number> =>
      (await idsIn(send(list(path)), field)).length;
    clock.nowMs += 4_999;
    expect(await count('/market/orders/list?status=all', 'orders')).toBe(0);
    expect(await count('/market/trades/list', 'trades')).toBe(0);
    clock.nowMs += 1;
    expect(await count('/market/orders/list?status=all', 'orders')).toBe(1);
    expect(await count('/market/trades/list', 'trades')).toBe(1);
  });

  test('that lag unevenly show every second trade before those between', async () => {
    const { venue, clock, send } = run([{ kind: 'lagging-lists', lagMs: 5_000, isUneven: true }]);
    tradeThrice(venue);
    const ids = () => idsIn(send(list('/market/trades/list?tradeOrder=asc')), 'trades');
    expect(await ids()).toEqual([2]);
    clock.nowMs += 5_000;
    expect(await ids()).toEqual([1, 2, 3]);
  });

  test('of lines of a wallet lag as those of trades do', async () => {
    const { venue, clock, send } = run([{ kind: 'lagging-lists', lagMs: 5_000, isUneven: true }]);
    tradeThrice(venue);
    const wallets = JSON.parse((await reply(send(list('/users/wallets/list')))).body) as {
      wallets: { id: number; currency: string }[];
    };
    const { id: wallet } = wallets.wallets.find(({ currency }) => currency === 'btc') ?? { id: 0 };
    const ids = () => idsIn(send(list(`/users/wallets/transactions/list?wallet=${wallet}`)), 'transactions');
    const early = await ids();
    clock.nowMs += 5_000;
    const all = await ids();
    expect(all.length).toBeGreaterThan(early.length);
    expect(early.every((id) => all.includes(id))).toBe(true);
    expect(all.filter((id) => !early.includes(id)).every((id) => id % 2 === 1)).toBe(true);
  });

  test('of trades come in another order than their ids', async () => {
    const { venue, send } = run([{ kind: 'shuffled-trades' }]);
    tradeThrice(venue);
    expect(await idsIn(send(list('/market/trades/list?tradeOrder=asc')), 'trades')).toEqual([2, 1, 3]);
  });

  test('miss fields or have unknown ones', async () => {
    const { venue, send } = run([
      { kind: 'missing-fields', requests: [1] },
      { kind: 'unknown-fields', requests: [2] },
    ]);
    place(venue, BUY);
    const { body: missing } = await reply(send(list('/market/orders/list')));
    const { body: unknown } = await reply(send(list('/market/orders/list')));
    expect(missing).not.toContain('hasNext');
    expect(missing).not.toContain('"market"');
    expect(unknown).toContain('"isMyOrder":true');
    expect(ask(venue, '/market/orders/list').raw).not.toContain('isMyOrder');
  });
});

test('a skewed clock shows in every time of the exchange, and time never goes back', async () => {
  const { venue, send, transport } = run([], 45_000);
  await reply(send());
  expect(venue.exchange.trading.trader(ALI).orders.at(0)?.createdAtMs).toBe(START_MS + 45_000);
  transport.faulty.plan = createSimulation({ config: readExchangeConfig(), startMs: START_MS }).faulty.plan;
  expect(transport.timeMs).toBe(START_MS + 45_000);
});

test('an aborted wait is unknown, an abort before is not', async () => {
  const { clock, transport } = run([{ kind: 'delay', delayMs: 10_000 }]);
  const controller = new AbortController();
  const waiting = transport.send({ ...ADD, signal: controller.signal }).catch((error: unknown) => error);
  controller.abort();
  expect(await clock.run(waiting)).toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
  await expect(transport.send({ ...ADD, signal: controller.signal })).rejects.toMatchObject({
    code: 'ABORTED',
    outcome: 'none',
  });
});

test('a closed venue sends nothing', async () => {
  const { transport } = run([]);
  await transport.close();
  await expect(transport.send(ADD)).rejects.toMatchObject({ code: 'CLOSED', outcome: 'none' });
});
