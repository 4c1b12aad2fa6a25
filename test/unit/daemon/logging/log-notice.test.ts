import { expect, test } from 'vitest';
import { logNotice } from '../../../../src/daemon/run/screen.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { EMPTY_FILL, type FillRecord } from '../../../../src/records/fill.ts';
import { plannedOrder } from '../../../support/order-value.ts';
import { captureLog } from './capture-log.ts';
import { orderIdOf, tradeIdOf } from '../../../../src/venues/read-records.ts';

const ORDER = plannedOrder({
  key: 'bot-ma-cross-ab12-1',
  intentId: 'i-1',
  strategy: 'ma-cross',
  market: 'BTCIRT',
  price: parseUnits('60000000000'),
  amount: parseUnits('0.0000000001'),
  state: 'open',
  venueId: orderIdOf(5),
  venueStatus: 'Active',
});

const FILL: FillRecord = {
  ...EMPTY_FILL,
  tradeId: tradeIdOf(9),
  cursor: 9,
  venueOrderId: orderIdOf(5),
  orderKey: ORDER.key,
  strategy: 'ma-cross',
  market: 'BTCIRT',
  side: 'sell',
  atMs: 1_000,
  price: parseUnits('60000000000'),
  amount: parseUnits('0.5'),
  total: parseUnits('30000000000'),
  fee: parseUnits('75000000'),
};

test('an order is logged with its intent and its decimals as texts', () => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'order', order: ORDER });
  expect(records()[0]).toMatchObject({
    level: 'info',
    event: 'order',
    order: 'bot-ma-cross-ab12-1',
    intent: 'i-1',
    strategy: 'ma-cross',
    amount: '0.0000000001',
    price: '60000000000',
    stopPrice: null,
    msg: 'BTCIRT buy 0.0000000001 at 60000000000 is open',
  });
});

test.each([
  ['planned', 'debug'],
  ['unknown', 'warn'],
  ['filled', 'info'],
  ['rejected', 'warn'],
] as const)('an order that is %s is logged at the level %s', (state, level) => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'order', order: { ...ORDER, state, price: null, reason: 'WHY' } });
  expect(records()[0]).toMatchObject({ level, msg: `BTCIRT buy 0.0000000001 is ${state} (WHY)` });
});

test('a fill is logged, and one that is not ours is marked so', () => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'fill', fill: FILL });
  logNotice(logger, { kind: 'fill', fill: { ...FILL, orderKey: null, strategy: null } });
  expect(records()).toMatchObject([
    { event: 'fill', order: ORDER.key, trade: '9', fee: '75000000', msg: 'BTCIRT sold 0.5 at 60000000000' },
    { order: null, msg: 'BTCIRT sold 0.5 at 60000000000, not ours' },
  ]);
});

test.each([
  ['info', 'info'],
  ['warning', 'warn'],
  ['error', 'error'],
] as const)('a notice of the level %s is a line of the level %s', (level, expected) => {
  const { logger, records } = captureLog();
  logNotice(logger, { kind: 'notice', level, message: 'so it is', subject: 'wallets' });
  logNotice(logger, { kind: 'notice', level, message: 'so it is', subject: null });
  expect(records()[0]).toMatchObject({ level: expected, subject: 'wallets', msg: 'so it is' });
  expect(records()[1]).not.toHaveProperty('subject');
});
