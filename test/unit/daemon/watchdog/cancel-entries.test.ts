import { expect, test } from 'vitest';
import { NO_UNITS } from '../../../../src/domain/money.ts';
import { cancelEntries, type CanceledEntries } from '../../../../src/daemon/cancel-entries.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import { INTERFACE_PROFILE } from '../../../../src/venues/interface-profile.ts';
import type { VenueAnswer, VenueCall } from '../../../../src/venues/port.ts';
import { orderIn } from '../../../support/order-value.ts';

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
