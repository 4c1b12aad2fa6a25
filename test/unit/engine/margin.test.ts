import { describe, expect, it } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { venueWalletId } from '../../../src/domain/order.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import type { VenueAnswer } from '../../../src/venues/port.ts';
import { EngineWorld, feedOf, FEEDS } from './engine-world.ts';

const MARGIN_FEEDS = [
  feedOf('pools', 'pools', 5_000),
  feedOf('margin-wallets', 'margin-wallets', 5_000),
  { ...feedOf('delegation-limit btc', 'delegation-limit', 5_000), currency: 'btc' },
];

/** Makes a strategy that records each margin event, and the margin data it can read then. */
function reader(seen: unknown[]): StrategyDefinition {
  return defineStrategy({
    name: 'one',
    data: ({ margin }) => ({
      pools: margin.pools(),
      wallets: margin.wallets(),
      limit: margin.delegationLimit('btc'),
    }),
    on: {
      pools: ({ nowMs }, { readAtMs, byCurrency }) =>
        void seen.push(['pools', nowMs - readAtMs, byCurrency['btc']]),
      wallets: (_, { byCurrency }) => void seen.push(['wallets', byCurrency['usdt']]),
      limit: ({ data }, { currency, limit, exact }) =>
        void seen.push(['limit', currency, limit, exact.limit, data.pools?.byCurrency['btc']?.capacity]),
    },
  });
}

const value = (of: Extract<VenueAnswer, { outcome: 'value' }>['value']): VenueAnswer => ({
  outcome: 'value',
  value: of,
});

function poolsOf(capacity: string): VenueAnswer {
  return value([
    {
      currency: 'btc',
      capacity: decimalText(capacity),
      filledCapacity: decimalText('0.1234567890123'),
      availableBalance: null,
    },
  ]);
}

const walletsOf = (total: string, held: string): VenueAnswer =>
  value([
    {
      currency: 'usdt',
      walletId: venueWalletId('9'),
      total: parseUnits(total),
      held: parseUnits(held),
      tooFine: null,
    },
  ]);

describe('what the exchange tells of margin', () => {
  it('reaches the strategy as events and as the last value, with every digit', () => {
    const seen: unknown[] = [];
    const world = EngineWorld.ready({ strategies: [reader(seen)], feeds: [...FEEDS, ...MARGIN_FEEDS] });
    world.answer('pools', poolsOf('10'));
    world.answer('margin-wallets', walletsOf('5', '1.5'));
    world.answer('delegation-limit', value(decimalText('0.30')));
    const pool = {
      currency: 'btc',
      capacity: 10,
      filledCapacity: 0.1234567890123,
      availableBalance: null,
      exact: { capacity: '10', filledCapacity: '0.1234567890123', availableBalance: null },
    };
    expect(seen).toEqual([
      ['pools', 0, pool],
      [
        'wallets',
        { currency: 'usdt', total: 5, held: 1.5, free: 3.5, exact: { total: '5', held: '1.5', free: '3.5' } },
      ],
      ['limit', 'btc', 0.3, '0.3', 10],
    ]);
    expect(world.made.filter(({ call }) => call.kind === 'delegation-limit')).toMatchObject([
      { call: { currency: 'btc' } },
    ]);
  });

  it.each([
    ['pools', poolsOf('-1'), /pools.*capacity of btc.*not below 0/],
    ['margin-wallets', walletsOf('1', '2'), /margin-wallets.*from 0 to the balance 1/],
    ['delegation-limit', value(decimalText('-2')), /delegation-limit btc.*not below 0/],
  ] as const)('is not used where it can not be right: %s', (kind, wrong, finding) => {
    const seen: unknown[] = [];
    const world = EngineWorld.ready({ strategies: [reader(seen)], feeds: [...FEEDS, ...MARGIN_FEEDS] });
    world.answer(kind, wrong);
    expect(seen).toEqual([]);
    expect([...world.messages('warning'), ...world.alarms()].join('\n')).toMatch(finding);
  });

  it('is reported where the exchange refuses it, twice at most, and when it is there again', () => {
    const seen: unknown[] = [];
    const world = EngineWorld.ready({ strategies: [reader(seen)], feeds: [...FEEDS, ...MARGIN_FEEDS] });
    for (let time = 0; time < 3; time += 1)
      world.refuse('delegation-limit', 'InvalidCurrency').advance(6_000);
    const said = 'delegation-limit btc: answer: expected a reading, the exchange said InvalidCurrency';
    expect(world.messages('warning').filter((line) => line.startsWith(said))).toHaveLength(2);
    world.give('delegation-limit', decimalText('1'));
    expect(world.messages('info')).toContain('delegation-limit btc: answer is right again');
    expect(seen).toHaveLength(1);
  });

  it('is asked for again after a failure, and nobody is told of it', () => {
    const seen: unknown[] = [];
    const world = EngineWorld.ready({ strategies: [reader(seen)], feeds: [...FEEDS, ...MARGIN_FEEDS] });
    world.answer('pools', {
      outcome: 'failed',
      code: 'TIMED_OUT',
      message: 'late',
      effect: 'none',
    });
    world.advance(6_000);
    world.answer('pools', poolsOf('10'));
    expect(seen).toHaveLength(1);
  });
});
