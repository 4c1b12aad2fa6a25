import { describe, expect, test } from 'vitest';
import { size } from '../../../src/strategy/sdk/size.ts';
import { scenarios } from '../../support/scenarios.ts';

describe('a size', () => {
  test('is what it says, where it says how much', () => {
    expect(size.fixed('0.5')).toEqual({ amount: '0.5' });
    expect(size.value(100)).toEqual({ value: 100 });
    expect(size.equityShare(0.1)).toEqual({ equityShare: 0.1 });
  });

  test('by risk loses that share of the equity at the stop', () => {
    // Van Tharp's example: 2 % of 50,000 with a stop 10 below the entry are 100 units.
    expect(size.riskPerTrade({ equity: 50_000, share: 0.02, stopDistance: 10 })).toEqual({ amount: 100 });
  });

  test('by volatility is the ratio of the two, and never more than the most', () => {
    expect(size.volatilityTarget({ volatility: 0.6, target: 0.15 })).toEqual({ equityShare: 0.25 });
    expect(size.volatilityTarget({ volatility: 0.1, target: 0.15 })).toEqual({ equityShare: 1 });
    expect(size.volatilityTarget({ volatility: 0.3, target: 0.15, most: 0.2 })).toEqual({ equityShare: 0.2 });
  });

  test('by Kelly is the published share of a coin of 60 % at even money, and a part of it', () => {
    expect(size.kelly({ winRate: 0.6, payoff: 1, part: 1, most: 1 })?.equityShare).toBeCloseTo(0.2, 12);
    expect(size.kelly({ winRate: 0.6, payoff: 1 })?.equityShare).toBeCloseTo(0.1, 12);
    expect(size.kelly({ winRate: 0.9, payoff: 2 })).toEqual({ equityShare: 0.25 });
  });

  test('by Kelly is none without an edge', () => {
    expect(size.kelly({ winRate: 0.5, payoff: 1 })).toBeNull();
    expect(size.kelly({ winRate: 0, payoff: 10 })).toBeNull();
  });

  scenarios<() => unknown>((message, make) => {
    expect(make).toThrow(message);
  }, 'is refused with %s')`
    no equity ${() => size.riskPerTrade({ equity: 0, share: 0.01, stopDistance: 1 })}
      equity: expected a number above 0, was 0
    a risk of all and more ${() => size.riskPerTrade({ equity: 1, share: 1.5, stopDistance: 1 })}
      share: expected a number above 0, and at most 1, was 1.5
    an average range that is not warm
      ${() => size.riskPerTrade({ equity: 1, share: 0.01, stopDistance: Number.NaN })}
      stopDistance: expected a number above 0, was NaN
    no volatility ${() => size.volatilityTarget({ volatility: 0, target: 1 })}
      volatility: expected a number above 0, was 0
    a win rate in percent ${() => size.kelly({ winRate: 60, payoff: 1 })}
      winRate: expected a number from 0 to 1, was 60
  `;
});
