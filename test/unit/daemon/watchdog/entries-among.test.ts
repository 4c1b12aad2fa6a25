import { expect, test } from 'vitest';
import { parseUnits, type Units } from '../../../../src/domain/money.ts';
import type { VenueOrder } from '../../../../src/domain/order.ts';
import { sortOpenOrders } from '../../../../src/daemon/cancel-entries.ts';
import { MARKET_NAMES } from '../../../../src/exchange/market-names.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import { orderIn } from '../../../support/order-value.ts';

const units = (text: string): Units => parseUnits(text);

function own(name: string, changed: Partial<OrderRecord> = {}): OrderRecord {
  return orderIn('open', { key: name, clientOrderId: name, strategy: 'a', market: 'BTCIRT', ...changed });
}

function listedAs(...names: readonly (string | null)[]): readonly VenueOrder[] {
  return names.map((clientOrderId, index) => ({ id: String(index), clientOrderId }) as unknown as VenueOrder);
}

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
