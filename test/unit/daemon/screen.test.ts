import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../src/domain/market.ts';
import type { Amount, Price } from '../../../src/domain/money.ts';
import { createScreen } from '../../../src/daemon/screen.ts';
import type { OwnOrder } from '../../../src/execution/own-order.ts';

const market = createMarket({ market: 'BTCIRT', priceStep: '10', amountStep: '0.000001' });
const NOON_MS = Date.UTC(2026, 0, 5, 12);

const order: OwnOrder = {
  clientOrderId: 'bot-sample-x-1',
  strategy: 'sample',
  market: 'BTCIRT',
  side: 'buy',
  execution: 'limit',
  price: 1_260_000_000 as Price,
  amount: 1_500 as Amount,
  plannedAtMs: 0,
  stage: 'open',
  venueId: 42,
  status: 'Active',
  matched: 0 as Amount,
  filled: 0 as Amount,
  isCancelling: false,
};

const fill = {
  tradeId: 7,
  order,
  timeMs: NOON_MS,
  price: decimalText('12600000000'),
  amount: decimalText('0.0015'),
  total: decimalText('18900000'),
  fee: decimalText('0.00000375'),
};

function screenOf(json = false) {
  const lines: string[] = [];
  const wall = { nowMs: 0 };
  const screen = createScreen({
    markets: new Map([['BTCIRT', market]]),
    json,
    write: (line) => lines.push(line),
    wallMs: () => wall.nowMs,
  });
  return { screen, lines, wall };
}

describe('the screen', () => {
  test('shows an order and a fill in one line each, with all that matters', () => {
    const { screen, lines } = screenOf();
    screen.onOrder(order, NOON_MS);
    screen.onFill(fill);
    expect(lines).toHaveLength(2);
    for (const part of ['2026-01-05 12:00:00', 'sample', '42', 'buy 0.0015 BTCIRT at 12600000000', 'Active']) {
      expect(lines[0]).toContain(part);
    }
    for (const part of ['FILL', '0.0015 BTCIRT at 12600000000', 'fee 0.00000375']) expect(lines[1]).toContain(part);
  });

  test('tells the code of a refusal, and that a market order has no price', () => {
    const { screen, lines } = screenOf();
    screen.onOrder({ ...order, stage: 'refused', status: 'OverValueOrder', venueId: null }, NOON_MS);
    screen.onOrder({ ...order, execution: 'market' }, NOON_MS);
    expect(lines[0]).toContain('refused: OverValueOrder');
    expect(lines[1]).toContain('buy 0.0015 BTCIRT at the market');
  });

  test('writes one JSON object a line for programs', () => {
    const { screen, lines } = screenOf(true);
    screen.onOrder(order, NOON_MS);
    screen.onFill(fill);
    screen.say('status', 'all is well', { open: 2 });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { event: 'order', marketTimeMs: NOON_MS, clientOrderId: 'bot-sample-x-1', venueId: 42, status: 'Active' },
      { event: 'fill', tradeId: 7, side: 'buy', price: '12600000000', amount: '0.0015', fee: '0.00000375' },
      { event: 'status', open: 2, message: 'all is well' },
    ]);
  });

  test('keeps to a bound of lines in a second and says how many it left out', () => {
    const { screen, lines, wall } = screenOf();
    for (let count = 0; count < 100; count += 1) screen.onFill(fill);
    expect(lines).toHaveLength(25);
    screen.say('status', 'shown all the same');
    wall.nowMs = 1_000;
    screen.onFill(fill);
    expect(lines.slice(25)).toEqual([
      'shown all the same',
      expect.stringContaining('75 more'),
      expect.stringContaining('FILL'),
    ]);
  });
});
