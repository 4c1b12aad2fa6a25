import { describe, expect, test } from 'vitest';
import { planTrails } from '../../../src/scheduler/plan-input.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';

const budgets = new Map(
  [
    { name: 'orders/add', limit: 294, windowMs: 600_000, reserve: 0 },
    { name: 'orders/update-status', limit: 88, windowMs: 60_000, reserve: 8 },
  ].map((budget) => [budget.name, budget]),
);

describe('the plan of stops that follow the price', () => {
  test('gives them half of what the tightest budget has, and counts an order and a cancel a move', () => {
    const demands = [
      { strategy: 'one', most: 3, everyMs: 60_000 },
      { strategy: 'two', most: 2, everyMs: 3_600_000 },
    ];
    expect(planTrails(demands, budgets, INTERFACE_PROFILE)).toEqual({
      demands,
      movesPerMinute: 3 + 2 / 60,
      mostPerMinute: 14.7,
      budget: 'orders/add',
      problems: [],
    });
  });

  test('refuses more than that, with the number that fits', () => {
    const demands = [
      { strategy: 'one', most: 10, everyMs: 60_000 },
      { strategy: 'two', most: 20, everyMs: 120_000 },
    ];
    expect(planTrails(demands, budgets, INTERFACE_PROFILE).problems).toEqual([
      'orders/add: expected at most 14.7 moves of stops a minute (50 % of 294 in 10 min), found 20: 10 of one every 60 s, of which 10 fit; 20 of two every 120 s, of which 9 fit: lower trailing.most, or raise trailing.everyMs',
    ]);
  });

  test('asks nothing of who follows no price', () => {
    expect(planTrails([], new Map(), INTERFACE_PROFILE)).toMatchObject({ movesPerMinute: 0, problems: [] });
  });
});
