import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_UNITS, parseUnits } from '../../../../src/domain/money.ts';
import {
  checkDataAge,
  checkOpenOrders,
  checkOrderRate,
  checkOrderSize,
  checkOrderValue,
  checkRisk,
  RISK_CHECKS,
  type RiskApproved,
} from '../../../../src/engine/risk/check-risk.ts';
import {
  createRiskLimits,
  DEFAULT_RISK_LIMITS,
  RISK_LIMITS,
  type LimitKind,
  type LimitName,
} from '../../../../src/engine/risk-limits.ts';
import type { WantedOrder } from '../../../../src/engine/risk/risk-view.ts';
import { limitsOf, NO_LIMITS, runTable, viewOf } from './risk-table.ts';
import { sentence } from '../../../../src/language/sentence.ts';
import { scenarios } from '../../../support/scenarios.ts';

/** Accepts only a checked order, as everything that plans orders does. */
const plan = (approved: RiskApproved<WantedOrder>): WantedOrder => approved.value;

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
    expect(RISK_CHECKS).toHaveLength(13);
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

describe('the size of an order', () => {
  test('is held to the limit of its source currency', () =>
    runTable(checkOrderSize)(`
      maxOrderAmount btc=1 | buy 1 at 100 => passes
      maxOrderAmount btc=1 | buy 1.0000000001 at 100 => refuses: the order of 1.0000000001 BTC is above the limit of 1 BTC for one order
      maxOrderAmount btc=1 | sell 2 => refuses: the order of 2 BTC
      maxOrderAmount eth=1 | buy 2 at 100 => passes
      maxOrderAmount btc=0 | buy 0.000001 at 100 => refuses
      | buy 1000000 at 100 => passes
    `));

  test('is held to it on the way out too', () =>
    runTable(checkOrderSize)('maxOrderAmount btc=1 | holds 5, sell 2 at 100 => refuses'));
});

describe('the value of an order', () => {
  scenarios(runTable(checkOrderValue))`
    is held to the limit of its quote currency
      maxOrderValue usdt=100 | buy 1 at 100 => passes
      maxOrderValue usdt=100 | buy 1 at 100.0000000001 => refuses: the order of 1 BTC at 100.0000000001 USDT has a value of 100.0000000001 USDT, above the limit of 100 USDT for one order
      maxOrderValue usdt=100 | buy 1.000001 at 100 => refuses
      maxOrderValue rls=100 | buy 1000 at 100 => passes
      maxOrderValue usdt=100 rls=5000 | buy 50 at 100.01 in BTCIRT => refuses: above the limit of 5000 RLS
      | buy 1000000 at 100 => passes

    is worked out with the highest price that the order may trade at
      maxOrderValue usdt=101 | buy 1 => passes
      maxOrderValue usdt=100 | buy 1 => refuses: at 101 USDT
      maxOrderValue usdt=99 | sell 1 => passes
      maxOrderValue usdt=98 | sell 1 => refuses: at 99 USDT
      maxOrderValue usdt=98 | sell 1 at 1 => refuses: at 99 USDT
      maxOrderValue usdt=98 | sell 1 at 120 => refuses: at 120 USDT
      maxOrderValue usdt=109 | buy 1 stop 110 => refuses: at 110 USDT
      maxOrderValue usdt=111 | buy 1 at 112 stop 110 => refuses: at 112 USDT
      maxOrderValue usdt=112 | buy 1 at 112 stop 110 => passes

    is refused where there is no price
      maxOrderValue usdt=1000 | no book, buy 1 => refuses: has no price, and the book has none
      maxOrderValue usdt=1000 | book 99 -, buy 1 => refuses
      maxOrderValue usdt=1000 | book - 101, sell 1 => refuses
      maxOrderValue usdt=1000 | no book, buy 1 at 100 => passes
  `;

  test('is rounded up', () =>
    runTable(checkOrderValue)(
      'maxOrderValue usdt=100 | buy 0.9999999999 at 100.0000000101 => refuses: of 100.0000000001 USDT',
    ));
});

describe('the age of the book', () => {
  scenarios(runTable(checkDataAge))`
    is counted from when it was read
      maxBookAgeMs 5000 | read 5000 ago => passes
      maxBookAgeMs 5000 | read 5001 ago => refuses: the book of BTCUSDT was read 5001 ms ago, above the limit of 5000 ms
      maxBookAgeMs 5000 | read -100 ago => passes
      maxBookAgeMs 5000 | read 5001 ago, holds 1, sell 1 => refuses
      | read 999999 ago => passes

    is counted by the word of the exchange where it has one
      maxBookVenueAgeMs 5000 | venue 5000 ago => passes
      maxBookVenueAgeMs 5000 | venue 5001 ago => refuses: the exchange says that the book of BTCUSDT is 5001 ms old
      maxBookVenueAgeMs 5000 | read 9000 ago => passes
      maxBookAgeMs 5000 | venue 9000 ago => passes

    is counted from when the next bar was due, where bars come in place of books
      maxBookAgeMs 5000 | read 60000 ago, bar due 5000 ago => passes
      maxBookAgeMs 5000 | read 60000 ago, bar due -30000 ago => passes
      maxBookAgeMs 5000 | read 60000 ago, bar due 5001 ago => refuses: the bar of BTCUSDT that was due 5001 ms ago is missing, above the limit of 5000 ms
      maxBookVenueAgeMs 5000 | venue 60000 ago, bar due 5001 ago => refuses: the bar of BTCUSDT that was due 5001 ms ago
      maxBookVenueAgeMs 5000 | venue 60000 ago, bar due 100 ago => passes
      | bar due 999999 ago => passes

    is beyond any limit before the first book
      maxBookAgeMs 5000 | no book => refuses: no book of BTCUSDT was read yet
      maxBookVenueAgeMs 5000 | no book => refuses: no book of BTCUSDT was read yet
      | no book => passes
  `;
});

describe('open orders', () => {
  scenarios(runTable(checkOpenOrders))`
    are counted per strategy and in all
      maxOpenOrdersPerStrategy 2 | live buy 1 at 90 => passes
      maxOpenOrdersPerStrategy 2 | live buy 1 at 90, live sell 1 at 110 in ETHUSDT => refuses: strategy mine has 2 open orders and one more would exceed the limit of 2
      maxOpenOrdersPerStrategy 2 | live buy 1 at 90, live sell 1 at 110 of other => passes
      maxOpenOrdersInAll 2 | live buy 1 at 90, live sell 1 at 110 of other => refuses: the bot has 2 open orders
      maxOpenOrdersInAll 3 | live buy 1 at 90, live sell 1 at 110 of other => passes
      maxOpenOrdersPerStrategy 0 | => refuses
      maxOpenOrdersInAll 0 | => refuses
      | live buy 1 at 90, live buy 1 at 90 => passes

    are those that are planned or may still trade
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 planned => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 sending => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 unknown => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 cancelling => refuses
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 settling => passes
      maxOpenOrdersPerStrategy 1 | live buy 1 at 90 filled => passes
  `;
});

test('the rate of orders is counted within 60 seconds and 60 minutes', () =>
  runTable(checkOrderRate)(`
      maxOrdersPerMinute 2 | planned 30000 ago => passes
      maxOrdersPerMinute 2 | planned 59999 10 ago => refuses: the limit is 2 orders within 60 seconds, and it is used up; the next may follow in 1 ms
      maxOrdersPerMinute 2 | planned 60000 10 ago => passes
      maxOrdersPerMinute 2 | planned 59000 20 10 ago => refuses: in 59980 ms
      maxOrdersPerHour 2 | planned 3599999 10 ago => refuses: within 60 minutes
      maxOrdersPerHour 2 | planned 3600000 10 ago => passes
      maxOrdersPerMinute 5, maxOrdersPerHour 2 | planned 70000 65000 ago => refuses: within 60 minutes
      maxOrdersPerMinute 0 | => refuses
      | planned 3 2 1 ago => passes
    `));

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
  /** Makes a value for each kind of limit; a flag has no higher value. */
  const LEVELS: Readonly<Record<Exclude<LimitKind, 'flag'>, (level: number) => unknown>> = {
    amounts: (level) => ({ btc: parseUnits(String(level)) }),
    values: (level) => ({ rls: null, usdt: parseUnits(String(level)) }),
    cooldown: (level) => ({ losses: Math.ceil(level / 2_000), pauseMs: 1_000 }),
    count: (level) => level >> 10,
    bps: (level) => level,
    time: (level) => level,
  };
  const limitNames = (Object.keys(RISK_LIMITS) as LimitName[]).filter(
    (name) => RISK_LIMITS[name].kind !== 'flag',
  );
  const limitAt = (name: LimitName, level: number): object => {
    const { kind } = RISK_LIMITS[name];
    return kind === 'flag' ? {} : { [name]: LEVELS[kind](level) };
  };

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
    expect(rows.map((row) => /`([a-z-]+)`/.exec(row)?.[1])).toEqual(RISK_CHECKS.map(({ name }) => name));
  });

  test('names every limit', () => {
    const named = new Set([...rows.join('\n').matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name]) => name));
    named.delete('pauseMs');
    expect(named).toEqual(new Set(Object.keys(DEFAULT_RISK_LIMITS)));
  });
});
