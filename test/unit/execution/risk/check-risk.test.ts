import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_UNITS, parseUnits } from '../../../../src/domain/money.ts';
import { checkRisk, RISK_CHECKS, type RiskApproved } from '../../../../src/engine/risk/check-risk.ts';
import {
  createRiskLimits,
  DEFAULT_RISK_LIMITS,
  type RiskLimits,
} from '../../../../src/engine/risk-limits.ts';
import type { WantedOrder } from '../../../../src/engine/risk/risk-view.ts';
import { limitsOf, NO_LIMITS, viewOf } from './risk-table.ts';
import { sentence } from '../../../../src/language/sentence.ts';

/** Takes what was checked, as everything that plans orders does. */
function plan(approved: RiskApproved<WantedOrder>): WantedOrder {
  return approved.value;
}

describe('checking an order', () => {
  test('approves the very order that it was asked about', () => {
    const view = viewOf('buy 1 at 100');
    const verdict = checkRisk(view, DEFAULT_RISK_LIMITS);
    expect(verdict.ok && plan(verdict.order)).toBe(view.order);
  });

  test('is the only way to an approved order', () => {
    const verdict = checkRisk(viewOf(''), NO_LIMITS);
    if (!verdict.ok) throw new Error('nothing is limited');
    const order = viewOf('buy 2 at 100').order;
    // @ts-expect-error an order that was not checked
    expect(() => plan(order)).not.toThrow();
    // @ts-expect-error a look-alike
    expect(() => plan({ value: order, isApproved: true })).not.toThrow();
    // oxlint-disable-next-line typescript/no-misused-spread -- this is the misuse
    const copy = { ...verdict.order, value: order };
    // @ts-expect-error a copy with another order
    expect(() => plan(copy)).not.toThrow();
    // @ts-expect-error an approved order is not changed
    verdict.order.value = order;
  });

  test('reports the first check that refuses, with its numbers', () => {
    const limits = limitsOf('maxOrderAmount btc=1, maxPosition btc=2');
    expect(checkRisk(viewOf('holds 1, buy 1.5 at 100'), limits)).toEqual({
      ok: false,
      refusal: {
        check: 'order-size',
        reason: sentence('risk-order-size', { amount: '1.5 BTC', limit: '1 BTC' }),
        numbers: { amount: '1.5', limit: '1' },
      },
    });
    expect(checkRisk(viewOf('holds 1.5, buy 1 at 100'), limits)).toMatchObject({
      refusal: {
        check: 'position-size',
        numbers: { amount: '1', position: '1.5', live: '0', worst: '2.5', limit: '2' },
      },
    });
  });

  test.each([
    ['data-age', 'maxBookAgeMs 10', 'read 11 ago'],
    ['order-size', 'maxOrderAmount btc=0', ''],
    ['price-collar', 'collarBps 0', 'buy 1 at 102'],
    ['order-value', 'maxOrderValue usdt=0', ''],
    ['order-rate', 'maxOrdersPerMinute 0', ''],
    ['open-orders', 'maxOpenOrdersInAll 0', ''],
    ['daily-loss', 'maxDailyLoss usdt=0', 'day -1'],
    ['drawdown', 'maxDrawdown usdt=0', 'peak 1'],
    ['loss-cooldown', 'lossCooldown losses=1 pauseMs=10', 'losses 1 ended 0 ago'],
    ['self-crossing', 'refuseSelfCrossing', 'live sell 1 at 100'],
    ['position-size', 'maxPosition btc=0', ''],
    ['market-exposure', 'maxMarketExposure usdt=0', ''],
    ['total-exposure', 'maxTotalExposure usdt=0', ''],
  ])('asks %s', (check, limits, situation) => {
    expect(checkRisk(viewOf(situation), NO_LIMITS).ok).toBe(true);
    expect(checkRisk(viewOf(situation), limitsOf(limits))).toMatchObject({ ok: false, refusal: { check } });
  });

  test.each([
    ['data-age', 'maxBookAgeMs 10', 'read 11 ago', true],
    ['order-size', 'maxOrderAmount btc=0', '', true],
    ['price-collar', 'collarBps 0', 'book 101 102', false],
    ['order-value', 'maxOrderValue usdt=0', '', true],
    ['order-rate', 'maxOrdersPerMinute 0', '', true],
    ['open-orders', 'maxOpenOrdersInAll 0', '', true],
    ['self-crossing', 'refuseSelfCrossing', 'live buy 1 at 100', false],
  ])('lets the exit of a bracket pass %s: %s', (check, limits, situation, passes) => {
    const view = viewOf(`${situation}, holds 1, sell 1 at 99 as exit`);
    expect(checkRisk(view, limitsOf(limits)).ok, check).toBe(passes);
    const besideASale = viewOf(`${situation}, holds 1, live sell 1 at 105, sell 1 at 99 as exit`);
    expect(checkRisk(besideASale, limitsOf(limits)).ok, check).toBe(passes);
  });

  test('asks the exit of a bracket about what it adds to the risk', () => {
    const limits = limitsOf('maxPosition btc=0');
    expect(checkRisk(viewOf('holds 1, sell 1 at 99 as exit'), limits).ok).toBe(true);
    expect(checkRisk(viewOf('holds 0.5, sell 1 at 99 as exit'), limits).ok).toBe(false);
  });

  test('has a case above for every check', () => {
    expect(RISK_CHECKS.size).toBe(13);
  });

  test('lets every way out pass whatever was lost and is held', () => {
    const limits = limitsOf(
      'maxPosition btc=0, maxMarketExposure usdt=0, maxTotalExposure usdt=0, maxDailyLoss usdt=0, maxDrawdown usdt=0, lossCooldown losses=1 pauseMs=1000',
    );
    const lost = 'day -50, peak 100, result -100, losses 5 ended 1 ago';
    expect(checkRisk(viewOf(`${lost}, holds 5, sell 5`), limits).ok).toBe(true);
    expect(checkRisk(viewOf(`${lost}, holds -5, buy 5`), limits).ok).toBe(true);
    expect(checkRisk(viewOf(`${lost}, holds 5, sell 5.01`), limits).ok).toBe(false);
  });

  test('by the defaults lets what ordinary strategies do pass', () => {
    for (const situation of [
      'buy 1',
      'sell 1',
      'buy 1 at 100',
      'sell 1 at 5000',
      'sell 1 at 55 stop 60',
      'live sell 1 at 100, buy 1 at 100',
      'day -1000000, peak 1000000, losses 50 ended 0 ago',
      'read 30000 ago',
    ]) {
      expect(checkRisk(viewOf(situation), DEFAULT_RISK_LIMITS), situation).toMatchObject({ ok: true });
    }
  });
});

describe('raising a limit', () => {
  const decimals = fc.integer({ min: -5_000, max: 5_000 }).map((hundredths) => String(hundredths / 100));
  const positives = fc.integer({ min: 1, max: 20_000 }).map((hundredths) => String(hundredths / 100));
  const sides = fc.constantFrom('buy', 'sell');
  const prices = fc.option(positives, { nil: null });
  const orders = fc
    .tuple(sides, positives, prices, fc.option(positives, { nil: null }))
    .map(([side, amount, price, stop]) =>
      [`${side} ${amount}`, price === null ? '' : ` at ${price}`, stop === null ? '' : ` stop ${stop}`].join(
        '',
      ),
    );
  const live = fc
    .tuple(
      orders,
      fc.constantFrom('open', 'unknown', 'planned', 'cancelling'),
      fc.constantFrom('mine', 'other'),
    )
    .map(([order, state, strategy]) => `live ${order} ${state} of ${strategy}`);
  const situations = fc
    .record({
      order: orders,
      live: fc.array(live, { maxLength: 4 }),
      held: decimals,
      price: fc.constantFrom('price 100', 'no price'),
      other: fc.constantFrom('ETHUSDT holds 1', 'ETHUSDT holds -1 price 50'),
      book: fc.constantFrom(
        'book 99 101',
        'book - 101',
        'book 99 -',
        'no book',
        'read 500 ago',
        'venue 500 ago',
      ),
      day: decimals,
      peak: positives,
      losses: fc.nat(4),
      planned: fc.constantFrom('', 'planned 70000 50000 10 ago'),
    })
    .map((s) =>
      [
        s.order,
        ...s.live,
        `holds ${s.held}`,
        s.price,
        s.other,
        s.book,
        `day ${s.day}`,
        `peak ${s.peak}`,
        `losses ${s.losses} ended 100 ago`,
        s.planned,
      ].join(', '),
    );
  const limitNames = [
    'maxOrderAmount',
    'maxOrderValue',
    'maxPosition',
    'maxMarketExposure',
    'maxTotalExposure',
    'maxOpenOrdersPerStrategy',
    'maxOpenOrdersInAll',
    'collarBps',
    'passiveCollarBps',
    'maxBookAgeMs',
    'maxBookVenueAgeMs',
    'maxDailyLoss',
    'maxDrawdown',
    'maxOrdersPerMinute',
    'maxOrdersPerHour',
    'lossCooldown',
  ] as const;

  function limitAt(name: (typeof limitNames)[number], level: number): Partial<RiskLimits> {
    const units = parseUnits(String(level));
    switch (name) {
      case 'maxOrderAmount':
      case 'maxPosition':
        return { [name]: { btc: units } };
      case 'maxOrderValue':
      case 'maxMarketExposure':
      case 'maxTotalExposure':
      case 'maxDailyLoss':
      case 'maxDrawdown':
        return { [name]: { rls: null, usdt: units } };
      case 'lossCooldown':
        return { lossCooldown: { losses: Math.ceil(level / 2_000), pauseMs: 1_000 } };
      case 'maxOpenOrdersPerStrategy':
      case 'maxOpenOrdersInAll':
      case 'maxOrdersPerMinute':
      case 'maxOrdersPerHour':
        return { [name]: level >> 10 };
      case 'collarBps':
      case 'passiveCollarBps':
      case 'maxBookAgeMs':
      case 'maxBookVenueAgeMs':
        return { [name]: level };
    }
  }

  test('never turns a pass into a refusal', () => {
    let passes = 0;
    let refusals = 0;
    const levels = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(
        situations,
        fc.constantFrom(...limitNames),
        levels,
        levels,
        (situation, name, one, other) => {
          const view = viewOf(situation);
          const low = checkRisk(view, { ...NO_LIMITS, ...limitAt(name, Math.min(one, other)) });
          const high = checkRisk(view, { ...NO_LIMITS, ...limitAt(name, Math.max(one, other)) });
          const none = checkRisk(view, NO_LIMITS);
          if (low.ok) passes += 1;
          else refusals += 1;
          return (!low.ok || high.ok) && none.ok;
        },
      ),
      { numRuns: 2_000 },
    );
    expect(Math.min(passes, refusals)).toBeGreaterThan(200);
  });
});

describe('limits', () => {
  test('are the defaults where nothing is wanted', () => {
    expect(createRiskLimits()).toEqual(DEFAULT_RISK_LIMITS);
    expect(createRiskLimits({ collarBps: 50 })).toEqual({ ...DEFAULT_RISK_LIMITS, collarBps: 50 });
    expect(
      createRiskLimits({ maxPosition: { btc: NO_UNITS }, lossCooldown: { losses: 1, pauseMs: 0 } }),
    ).toMatchObject({
      maxPosition: { btc: 0n },
    });
  });

  test.each([
    [
      { collarBps: 12.5 },
      'expected collarBps to be a whole number from 0 to 10000, or null for no limit, was 12.5',
    ],
    [{ collarBps: 10_001 }, 'expected collarBps'],
    [{ passiveCollarBps: -1 }, 'expected passiveCollarBps'],
    [{ maxBookAgeMs: Number.NaN }, 'expected maxBookAgeMs'],
    [{ maxOrdersPerMinute: Infinity }, 'expected maxOrdersPerMinute'],
    [{ lossCooldown: { losses: 0, pauseMs: 1 } }, 'expected lossCooldown.losses to be a whole number from 1'],
    [{ lossCooldown: { losses: 1, pauseMs: 0.5 } }, 'expected lossCooldown.pauseMs'],
    [
      { maxDailyLoss: { rls: null, usdt: parseUnits('-1') } },
      'expected maxDailyLoss.usdt to be zero or more',
    ],
    [{ maxPosition: { btc: parseUnits('-0.5') } }, 'or null for no limit, was -0.5'],
  ])('refuse %o', (wanted, message) => {
    expect(() => createRiskLimits(wanted)).toThrow(message);
  });
});

describe('the page for operators', () => {
  const page = readFileSync('docs/risk.md', 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  test('has the checks in the order in which they are asked', () => {
    expect(rows.map((row) => /`([a-z-]+)`/.exec(row)?.[1])).toEqual([...RISK_CHECKS.keys()]);
  });

  test('names every limit', () => {
    const named = new Set([...rows.join('\n').matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name]) => name));
    named.delete('pauseMs');
    expect(named).toEqual(new Set(Object.keys(DEFAULT_RISK_LIMITS)));
  });
});
