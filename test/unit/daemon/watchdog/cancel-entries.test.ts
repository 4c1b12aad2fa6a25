import { expect, test } from 'vitest';
import { NO_UNITS, parseUnits, type Units } from '../../../../src/domain/money.ts';
import {
  cancelEntries,
  type CanceledEntries,
  sortOpenOrders,
} from '../../../../src/daemon/cancel-entries.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import { INTERFACE_PROFILE } from '../../../../src/venues/interface-profile.ts';
import type { VenueAnswer, VenueCall } from '../../../../src/venues/port.ts';
import { orderIn } from '../../../support/order-value.ts';
import type { VenueOrder } from '../../../../src/domain/order.ts';
import { MARKET_NAMES } from '../../../../src/exchange/market-names.ts';

const LATE_MS = 120_000;

/** Cancels the entries of a bot with one buy order, listed or not; returns the result and the calls sent. */
async function canceled(
  state: OrderRecord['state'],
  of: { readonly isListed: boolean; readonly forMs: number; readonly backAfter?: number },
  cancelAnswer: object = { outcome: 'value', value: null },
): Promise<{ readonly result: CanceledEntries; readonly asked: readonly VenueCall['kind'][] }> {
  const asked: VenueCall['kind'][] = [];
  const items = of.isListed ? [{ id: '7', clientOrderId: 'mine' }] : [];
  const answer = ({ kind }: VenueCall): VenueAnswer =>
    (kind === 'orders'
      ? { outcome: 'value', value: { items, hasNext: false } }
      : cancelAnswer) as VenueAnswer;
  const order = orderIn(state, { key: 'mine', clientOrderId: 'mine', market: 'BTCIRT', side: 'buy' });
  const result = await cancelEntries({
    profile: INTERFACE_PROFILE,
    caller: {
      endpointOf: () => 'ordersList',
      budgetOf: ({ kind }) => INTERFACE_PROFILE.budgets[kind],
      credentialOf: () => 'with',
      timeoutMsOf: () => 1_000,
      send: (call, _, { onEnd }) => {
        asked.push(call.kind);
        onEnd({ answer: answer(call), error: null });
      },
    },
    // A limiter that admits every request at once.
    limiter: {
      submit: ({ send, handler }) =>
        send(new AbortController().signal, {
          onEnd: (value) => handler.onEnd({ sent: true, value }),
          onError: (error) => handler.onError(error),
        }),
      close: async () => undefined,
    },
    nowMs: () => 0,
    limiterMs: () => 0,
    instance: 'bot',
    lateArrivalMs: LATE_MS,
    readOwn: () => ({ orders: [order], heldOf: () => NO_UNITS }),
    forMs: of.forMs,
    isBack: () => asked.length >= (of.backAfter ?? Number.POSITIVE_INFINITY),
  });
  return { result, asked };
}

test('an entry that is listed is canceled', async () => {
  const { result, asked } = await canceled('open', { isListed: true, forMs: 60_000 });
  expect(result).toMatchObject({ canceled: ['mine'], left: [], unseen: [] });
  expect(asked).toEqual(['orders', 'cancel']);
});

test.each(['refused', 'failed'] as const)(
  'one whose cancel has %s is not said to be canceled',
  async (outcome) => {
    const listed = { isListed: true, forMs: 60_000 };
    const { result } = await canceled('open', listed, { outcome, code: 'CODE', message: 'why' });
    expect(result).toMatchObject({ canceled: [], left: [{ order: 'mine', reason: 'CODE: why' }] });
  },
);

test.each(['sending', 'unknown', 'open'] as const)(
  'one that is %s and not listed may turn up, until no request can arrive any more',
  async (state) => {
    const early = await canceled(state, { isListed: false, forMs: LATE_MS - 1 });
    expect(early.result).toMatchObject({ canceled: [], unseen: ['mine'] });
    const late = await canceled(state, { isListed: false, forMs: LATE_MS });
    expect(late.result.unseen).toEqual([]);
  },
);

test.each([
  [0, []],
  [1, ['orders']],
])('of a bot that is back after %i requests nothing more is asked', async (backAfter, kinds) => {
  const { result, asked } = await canceled('open', { isListed: true, forMs: 60_000, backAfter });
  expect(result).toMatchObject({ canceled: [], isBack: true });
  expect(asked).toEqual(kinds);
});

const units = (text: string): Units => parseUnits(text);

const own = (name: string, changed: Partial<OrderRecord> = {}): OrderRecord =>
  orderIn('open', { key: name, clientOrderId: name, strategy: 'a', market: 'BTCIRT', ...changed });

const listedAs = (...names: readonly (string | null)[]): readonly VenueOrder[] =>
  names.map((clientOrderId, index) => ({ id: String(index), clientOrderId }) as unknown as VenueOrder);

function sorted(
  orders: readonly OrderRecord[],
  { held = '0', listed = listedAs(...orders.map(({ clientOrderId }) => clientOrderId)) } = {},
): { readonly [list in 'entries' | 'exits' | 'strange' | 'unseen']: readonly string[] } {
  const { entries, exits, strange, unseen } = sortOpenOrders({
    listed,
    own: orders,
    heldOf: () => units(held),
    marketNames: MARKET_NAMES,
    instance: 'bot',
  });
  const keys = (of: typeof entries): readonly string[] => of.map(({ order }) => order.key);
  return {
    entries: keys(entries),
    exits: keys(exits),
    strange: strange.map(({ clientOrderId }) => clientOrderId ?? ''),
    unseen: unseen.map(({ key }) => key),
  };
}

test('a purchase is an entry, and a sale of what is held an exit', () => {
  const orders = [
    own('buy', { side: 'buy', amount: units('1') }),
    own('sell', { side: 'sell', amount: units('1') }),
  ];
  expect(sorted(orders, { held: '1' })).toMatchObject({ entries: ['buy'], exits: ['sell'] });
});

test('a sale of more than is held is an entry, but for the exit of a bracket, which the mirror may lag behind', () => {
  const orders = [
    own('quote', { side: 'sell', amount: units('2') }),
    own('stop', { side: 'sell', amount: units('2'), exit: 'stop-loss' }),
  ];
  expect(sorted(orders, { held: '0' })).toMatchObject({ entries: ['quote'], exits: ['stop'] });
});

test('both legs of an OCO stay together, though only one has an id of ours', () => {
  const orders = [
    own('oco', { side: 'sell', amount: units('1'), pairKey: 'oco/2' }),
    own('oco/2', {
      clientOrderId: null,
      side: 'sell',
      amount: units('1'),
      stopPrice: units('5'),
      pairKey: 'oco',
    }),
  ];
  expect(sorted(orders, { held: '1' })).toMatchObject({ entries: [], exits: ['oco'] });
});

test('orders of people and of other bots are none of its business, nor what is not open any more', () => {
  const orders = [own('mine', { side: 'buy' }), own('gone', { side: 'buy' })];
  const listed = listedAs('mine', 'other-bot-e001-1', null);
  expect(sorted(orders, { listed })).toMatchObject({ entries: ['mine'], exits: [] });
});

test('an order with a name of the bot that is not in its records is strange', () => {
  const listed = listedAs('bot-a-e001-1', 'other-a-e001-1', 'by-hand');
  expect(sorted([], { listed })).toMatchObject({ entries: [], exits: [], strange: ['bot-a-e001-1'] });
});

test('an entry that is not listed may still turn up, but for one that was never asked for', () => {
  const orders = [
    own('sent', { state: 'sending' }),
    own('doubtful', { state: 'unknown' }),
    own('placed', { state: 'open' }),
    own('thought-of', { state: 'planned' }),
    own('stop', { state: 'open', exit: 'stop-loss' }),
  ];
  expect(sorted(orders, { listed: [] }).unseen).toEqual(['sent', 'doubtful', 'placed']);
});
