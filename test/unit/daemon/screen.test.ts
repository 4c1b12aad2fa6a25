import { describe, expect, test } from 'vitest';
import { createScreen } from '../../../src/daemon/run/screen.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { EngineNotice } from '../../../src/engine/engine-event.ts';
import { EMPTY_FILL, type FillRecord } from '../../../src/records/fill.ts';
import type { OrderRecord, OrderState } from '../../../src/records/order.ts';
import { plannedOrder } from '../../support/order-value.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';
import { scenarios } from '../../support/scenarios.ts';

const NOON_MS = Date.UTC(2026, 0, 5, 12);

const ORDER = plannedOrder({
  key: 'bot-sample-x-1',
  strategy: 'sample',
  market: 'BTCIRT',
  price: parseUnits('12600000000'),
  amount: parseUnits('0.0015'),
  plannedAtMs: NOON_MS,
  sentAtMs: NOON_MS,
  attempts: 1,
  state: 'open',
  venueId: orderIdOf(42),
  venueStatus: 'Active',
});

const FILL: FillRecord = {
  ...EMPTY_FILL,
  tradeId: tradeIdOf(7),
  cursor: 7,
  venueOrderId: orderIdOf(42),
  orderKey: ORDER.key,
  strategy: 'sample',
  market: 'BTCIRT',
  side: 'buy',
  atMs: NOON_MS,
  price: parseUnits('12600000000'),
  amount: parseUnits('0.0015'),
  total: parseUnits('18900000'),
  fee: parseUnits('0.00000375'),
};

const order = (changes: Partial<OrderRecord> = {}): EngineNotice => ({
  kind: 'order',
  order: { ...ORDER, ...changes },
});
const fill = (changes: Partial<FillRecord> = {}): EngineNotice => ({
  kind: 'fill',
  fill: { ...FILL, ...changes },
});
const notice = (level: 'info' | 'warning' | 'error', message: string): EngineNotice => ({
  kind: 'notice',
  level,
  message,
  subject: 'sample',
});
const numbered = (count: number): readonly EngineNotice[] =>
  Array.from({ length: count }, (_, index) => notice('error', `no ${index}`));
const times = (count: number, one: EngineNotice): readonly EngineNotice[] =>
  Array.from({ length: count }, () => one);

function screenOf(json = false) {
  const lines: string[] = [];
  const wall = { nowMs: 0 };
  const screen = createScreen({ json, write: (line) => lines.push(line), wallMs: () => wall.nowMs });
  return { screen, lines, wall };
}

/** Returns the lines that the screen shows for one notice. */
function shown(one: EngineNotice): readonly string[] {
  const { screen, lines } = screenOf();
  screen.show([one], NOON_MS);
  return lines;
}

describe('the screen', () => {
  test('obeys nothing that a strategy wrote', () => {
    expect(shown(notice('error', 'broken: \u001B[2J\u202Etxt'))).toEqual([
      '2026-01-05 12:00:00 ERROR: broken: ?[2J?txt',
    ]);
  });

  scenarios<EngineNotice>((line, one) => {
    expect(shown(one)).toEqual([line]);
  }, 'shows %s in one line')`
    an order ${order()}
      2026-01-05 12:00:00 sample       order     42  buy 0.0015 BTCIRT at 12,600,000,000  open
    an order that the exchange has not named ${order({ venueId: null, state: 'unknown' })}
      2026-01-05 12:00:00 sample       order      -  buy 0.0015 BTCIRT at 12,600,000,000  unknown
    a market order that has a bound ${order({ execution: 'market' })}
      2026-01-05 12:00:00 sample       order     42  buy 0.0015 BTCIRT at the market  open
    a stop ${order({ execution: 'stop_limit', side: 'sell', stopPrice: parseUnits('12500000000') })}
      2026-01-05 12:00:00 sample       order     42  sell 0.0015 BTCIRT at 12,600,000,000 once 12,500,000,000 is reached  open
    a refusal with its code ${order({ venueId: null, state: 'rejected', reason: 'OverValueOrder' })}
      2026-01-05 12:00:00 sample       order      -  buy 0.0015 BTCIRT at 12,600,000,000  rejected: OverValueOrder
    a fill with its fee ${fill()}
      2026-01-05 12:00:00 sample       FILL      42  buy 0.0015 BTCIRT at 12,600,000,000, fee 0.00000375 btc
    a word ${notice('info', 'goes on')}: 2026-01-05 12:00:00 goes on
    a warning ${notice('warning', 'looks odd')}: 2026-01-05 12:00:00 WARNING: looks odd
    an error ${notice('error', 'the disk is full')}: 2026-01-05 12:00:00 ERROR: the disk is full
    a name at its start ${notice('error', 'dip stopped')}: 2026-01-05 12:00:00 ERROR: dip stopped
  `;

  test.each<OrderState>(['planned', 'sending', 'cancelling', 'settling'])(
    'keeps an order to itself while %s',
    (state) => {
      expect(shown(order({ state }))).toEqual([]);
    },
  );

  test('keeps fills of others to itself', () => {
    expect(shown(fill({ orderKey: null, strategy: null }))).toEqual([]);
  });

  test('writes one JSON object a line for programs', () => {
    const { screen, lines } = screenOf(true);
    screen.show([order(), fill(), notice('error', 'the disk is full')], NOON_MS);
    screen.log('status', 'all is well', { open: 2 });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        event: 'order',
        marketTimeMs: NOON_MS,
        order: 'bot-sample-x-1',
        venueId: '42',
        state: 'open',
        status: 'Active',
        strategy: 'sample',
      },
      {
        event: 'fill',
        marketTimeMs: NOON_MS,
        order: 'bot-sample-x-1',
        tradeId: '7',
        side: 'buy',
        price: '12600000000',
        amount: '0.0015',
        total: '18900000',
        fee: '0.00000375',
      },
      { event: 'notice', level: 'error', subject: 'sample' },
      { event: 'status', open: 2, message: 'all is well' },
    ]);
  });

  test('keeps to a bound of lines in a second and says how many it left out', () => {
    const { screen, lines, wall } = screenOf();
    screen.show([...times(50, order()), ...times(50, fill())], NOON_MS);
    expect(lines).toHaveLength(25);
    screen.log('status', 'shown all the same');
    wall.nowMs = 1_000;
    screen.show([fill()], NOON_MS);
    expect(lines.slice(25)).toEqual([
      'shown all the same',
      '         … and 75 more orders and fills',
      expect.stringContaining('FILL'),
    ]);
  });

  test('counts a notice that repeats, and writes its number before another line and once a minute', () => {
    const { screen, lines, wall } = screenOf();
    const refusal = notice('warning', 'the book of BTCIRT is too old');
    screen.show(times(1_073, refusal), NOON_MS);
    expect(lines).toEqual(['2026-01-05 12:00:00 WARNING: the book of BTCIRT is too old']);
    wall.nowMs = 60_000;
    screen.show([refusal], NOON_MS);
    screen.show([refusal, notice('info', 'goes on'), refusal, refusal], NOON_MS);
    screen.log('status', 'all is well');
    expect(lines.slice(1)).toEqual([
      '         … 1,073 times more: the book of BTCIRT is too old',
      '         … 1 time more: the book of BTCIRT is too old',
      '2026-01-05 12:00:00 goes on',
      '2026-01-05 12:00:00 WARNING: the book of BTCIRT is too old',
      '         … 1 time more: the book of BTCIRT is too old',
      'all is well',
    ]);
  });

  test('shows a warning after any number of fills, and bounds warnings by themselves', () => {
    const { screen, lines, wall } = screenOf();
    screen.show([...times(100, fill()), ...numbered(30)], NOON_MS);
    expect(lines.filter((line) => line.includes('ERROR'))).toHaveLength(25);
    wall.nowMs = 1_000;
    screen.show([notice('warning', 'odd')], NOON_MS);
    expect(lines.slice(50)).toEqual([
      '         … and 5 more warnings and errors',
      '2026-01-05 12:00:00 WARNING: odd',
    ]);
  });
});
