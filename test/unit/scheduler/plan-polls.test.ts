import type { Timeframe } from '../../../src/domain/candle.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlanInput, PlanBudget } from '../../../src/scheduler/plan-input.ts';
import { movesPerMinute, planPolls, type PollPlan } from '../../../src/scheduler/plan-polls.ts';
import {
  INTERFACE_PROFILE,
  NO_MARGIN_BY_KEY,
  NO_MARGIN_ON_PAPER,
  NO_MARGIN_RECORDED,
} from '../../../src/venues/interface-profile.ts';
import {
  book,
  candles,
  marginLimit,
  marginPools,
  marginWallets,
  stats,
  timer,
  trades,
  type Freshness,
} from '../../../src/strategy/subscriptions.ts';

/** Limits as the interface states them: name, requests, window in ms, reserve. */
const BUDGETS = `
  v2/orderbook 60 60000 0
  v2/trades 15 60000 0
  market/stats 100 60000 0
  market/udf/history 30 60000 0
  v2/options 30 60000 0
  orders/list 30 60000 3
  trades/list 30 60000 3
  v2/wallets 12 60000 0
  users/wallets/transactions/list 60 120000 0
  liquidity-pools/list 12 60000 0
  margin/delegation-limit 30 60000 0
  orders/add 300 600000 0
  orders/update-status 90 60000 9
  orders/status 300 60000 30
  orders/cancel-old 30 60000 3`
  .trim()
  .split('\n')
  .map((line): PlanBudget => {
    const [name = '', ...numbers] = line.trim().split(' ');
    const [limit = 0, windowMs = 0, reserve = 0] = numbers.map(Number);
    return { name, limit, windowMs, reserve };
  });

const MARKETS = Array.from({ length: 40 }, (_, index) => `C${index}IRT`);

/** Reads subscriptions such as `scalper book BTCIRT every=1000 max=5000`, one on each line. */
function subscriptionsOf(text: string): PlanInput['subscriptions'] {
  return text
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [strategy = '', kind = '', market = '', ...rest] = line.trim().split(/\s+/);
      const ages = rest.filter((word) => word.includes('=')).map((word) => word.split('='));
      const freshness: Freshness = Object.fromEntries(
        ages.map(([name, ms]) => [name === 'every' ? 'everyMs' : 'maxAgeMs', Number(ms)]),
      );
      switch (kind) {
        case 'book':
          return { strategy, subscription: book(market, freshness) };
        case 'trades':
          return { strategy, subscription: trades(market, freshness) };
        case 'stats':
          return { strategy, subscription: stats(market, freshness) };
        case 'candles':
          return { strategy, subscription: candles(market, rest[0] as Timeframe) };
        default:
          return { strategy, subscription: timer(market, '0 9 * * *') };
      }
    });
}

interface Situation {
  readonly subscriptions?: PlanInput['subscriptions'];
  readonly traded?: readonly string[];
  readonly bridged?: readonly string[];
  readonly usesAccount?: boolean;
  readonly scale?: number;
  readonly replyMs?: number;
  /** Fields of this exchange's profile that differ. */
  readonly venue?: Partial<PlanInput['venue']>;
}

function plan(situation: Situation): PollPlan {
  return planPolls({
    venue: { ...INTERFACE_PROFILE, ...situation.venue },
    subscriptions: situation.subscriptions ?? [],
    traded: (situation.traded ?? []).map((market) => ({ strategy: 'trader', market })),
    bridged: situation.bridged ?? [],
    budgets: BUDGETS.map((budget) => ({
      ...budget,
      limit: Math.round(budget.limit * (situation.scale ?? 1)),
    })),
    usesAccount: situation.usesAccount ?? false,
    replyMs: situation.replyMs ?? 500,
    restart: { orderPages: 2, tradePages: 2, arrivedAfterMs: 120_000 },
  });
}

const textOf = ({ feeds }: PollPlan): string[] =>
  feeds.map(
    ({ key, intervalMs, idleIntervalMs, worstAgeMs }) =>
      `${key}: ${intervalMs}/${idleIntervalMs} ${worstAgeMs}`,
  );

describe('the plan of polls', () => {
  test.each([
    ['is read with the statistics', 'a candles BTCIRT 1m', true],
    ['is not read where nobody has rial and tether', 'a candles BTCIRT 1m', false],
    ['is not read twice', 'a book USDTIRT', true],
  ])('the price of tether %s', (_, subscriptions, isBridged) => {
    const { feeds } = plan({
      subscriptions: subscriptionsOf(subscriptions),
      bridged: isBridged ? ['a'] : [],
    });
    const stats = feeds.filter(({ kind }) => kind === 'stats').map(({ intervalMs }) => intervalMs);
    expect(stats).toEqual(isBridged && !subscriptions.includes('USDTIRT') ? [30_000] : []);
  });

  test('counts the units of each request where they have weights', () => {
    const charges = {
      book: [{ budget: INTERFACE_PROFILE.budgets.book, weight: 5 }],
      place: [
        { budget: INTERFACE_PROFILE.budgets.place, weight: 1 },
        { budget: INTERFACE_PROFILE.budgets.book, weight: 10 },
      ],
    };
    const subscriptions = subscriptionsOf('a book BTCIRT every=10000');
    const budgetOf = (venue: Partial<PlanInput['venue']>) =>
      plan({ subscriptions, venue }).budgets.find(({ name }) => name === INTERFACE_PROFILE.budgets.book);
    const [one, five] = [budgetOf({}), budgetOf({ charges })];
    expect([one?.requestsPerMinute, five?.requestsPerMinute]).toEqual([6, 30]);
    const heavy = { book: [{ budget: INTERFACE_PROFILE.budgets.book, weight: 9_999 }] };
    expect(plan({ subscriptions, venue: { charges: heavy } }).problems.join()).toMatch(
      /book BTCIRT: expected at most \d+ units of .*, a request takes 9999/,
    );
    const books = BUDGETS.filter(({ name }) => name === INTERFACE_PROFILE.budgets.book);
    const [book] = books;
    expect(movesPerMinute(books, { ...INTERFACE_PROFILE, charges })).toBe(
      ((((book?.limit ?? 0) - (book?.reserve ?? 0)) / (book?.windowMs ?? 1)) * 60_000) / 10,
    );
  });

  test('reads the own lists of each market in turn where the exchange has no list of all', () => {
    const { ownLists } = INTERFACE_PROFILE;
    const byMarket: typeof ownLists = {
      ...ownLists,
      orders: { ...ownLists.orders, scope: 'market', openScope: 'market' },
      trades: { ...ownLists.trades, scope: 'market' },
    };
    const traded = ['BTCIRT', 'ETHIRT', 'USDTIRT', 'BTCUSDT'];
    const [one, four] = [ownLists, byMarket].map((lists) =>
      plan({ traded, usesAccount: true, venue: { ownLists: lists } }),
    );
    const [fillsOfOne, fillsOfFour] = [one, four].map((of) => of?.feeds.find(({ key }) => key === 'fills'));
    expect(fillsOfOne).toMatchObject({ lists: 1, intervalMs: 3_000, askers: ['account'] });
    expect(fillsOfFour).toMatchObject({ lists: 4, askers: ['account, in each of 4 markets'] });
    const restarts = [one, four].map((of) => of?.restart.steps.map(({ requests }) => requests));
    expect(restarts).toEqual([
      [2, 3, 1, 4],
      [8, 12, 1, 4],
    ]);
    expect(four?.problems).toEqual([]);
    for (const { requestsPerMinute, limitPerMinute } of four?.budgets ?? [])
      expect(requestsPerMinute).toBeLessThanOrEqual(limitPerMinute);
  });

  test('asks for margin in the budgets of its calls, and for wallets in that of spot', () => {
    const wanted = [marginPools(), marginWallets(), marginLimit('btc'), marginLimit('usdt'), marginPools()];
    const given = plan({
      subscriptions: wanted.map((subscription) => ({ strategy: 'a', subscription })),
      usesAccount: true,
    });
    expect(given.problems).toEqual([]);
    const ofMargin = given.feeds.filter(({ key }) => /^(?:pools|margin|delegation)/.test(key));
    expect(
      ofMargin.map(({ key, budget, intervalMs, currency }) => [key, budget, intervalMs, currency]),
    ).toEqual([
      ['pools', 'liquidity-pools/list', 60_000, undefined],
      ['margin-wallets', 'v2/wallets', 30_000, undefined],
      ['delegation-limit btc', 'margin/delegation-limit', 300_000, 'btc'],
      ['delegation-limit usdt', 'margin/delegation-limit', 300_000, 'usdt'],
    ]);
  });

  test.each([
    ['recorded data', NO_MARGIN_RECORDED, marginPools(), /^pools: it can not be asked for a: recorded books/],
    ['paper', NO_MARGIN_ON_PAPER, marginWallets(), /^margin-wallets: it can not be asked for a: paper/],
    [
      'a key',
      NO_MARGIN_BY_KEY,
      marginPools(),
      /^pools: it can not be asked for a: the exchange answers it to a token/,
    ],
  ])('refuses margin on %s', (_, unserved, subscription, message) => {
    const { problems } = plan({ subscriptions: [{ strategy: 'a', subscription }], venue: { unserved } });
    expect(problems).toEqual([expect.stringMatching(message)]);
  });

  test('has a key read margin wallets and limits', () => {
    const { problems } = plan({
      subscriptions: [marginWallets(), marginLimit('btc')].map((subscription) => ({
        strategy: 'a',
        subscription,
      })),
      venue: { unserved: NO_MARGIN_BY_KEY },
    });
    expect(problems).toEqual([]);
  });

  test.each([
    ['a book as often as wanted', 'a book BTCIRT', ['book BTCIRT: 2000/2000 3500']],
    [
      'a book no oftener than the exchange renews it',
      'a book BTCIRT every=200',
      ['book BTCIRT: 1053/1053 2553'],
    ],
    [
      'the most demanding of several',
      'a book BTCIRT every=9000\nb book BTCIRT every=4000',
      ['book BTCIRT: 4000/4000 5500'],
    ],
    [
      'one call for all books where each alone would be slower',
      'a book BTCIRT\na book ETHIRT\na book XRPIRT',
      ['books: 2000/2000 3500'],
    ],
    [
      'a book each where all can have what they want',
      'a book BTCIRT every=3000\na book ETHIRT every=6000',
      ['book BTCIRT: 3000/3000 4500', 'book ETHIRT: 6000/6000 7500'],
    ],
    [
      'one call for the statistics of all markets',
      'a stats BTCIRT\nb stats ETHIRT',
      ['stats: 10000/10000 10500'],
    ],
    [
      'public trades within the limit of all markets',
      'a trades BTCIRT every=4000\na trades ETHIRT every=4000',
      ['trades BTCIRT: 8422/8422 8922', 'trades ETHIRT: 8422/8422 8922'],
    ],
    ['a bar once a bar', 'a candles BTCIRT 1m', ['candles BTCIRT 1m: 60000/60000 62500']],
    [
      'slow data as slowly as it is wanted',
      'a stats BTCIRT every=300000 max=600000',
      ['stats: 300000/300000 300500'],
    ],
    ['no requests for a timer', 'a timer daily', []],
  ])('gives %s', (_, text, feeds) => {
    const given = plan({ subscriptions: subscriptionsOf(text) });
    expect(given.problems).toEqual([]);
    expect(textOf(given).filter((line) => !line.startsWith('options'))).toEqual(feeds);
  });

  test('follows the account, slower while no order is open', () => {
    expect(textOf(plan({ usesAccount: true, traded: ['BTCIRT', 'ETHIRT'] }))).toEqual([
      'book BTCIRT: 10000/10000 11500',
      'book ETHIRT: 10000/10000 11500',
      'options: 600000/600000 600500',
      'orders: 3000/15000 3500',
      'fills: 3000/15000 3500',
      'wallets: 10000/10000 10500',
      // The histories of three wallets (two coins and the rial), one after another.
      'transactions: 20000/20000 60500',
    ]);
  });

  test('adds the book of a traded market that nobody looks at, and leaves a subscribed one as wanted', () => {
    const subscriptions = subscriptionsOf('a book BTCIRT every=20000');
    const { feeds } = plan({ subscriptions, traded: ['BTCIRT', 'ETHIRT'] });
    expect(
      feeds
        .filter(({ kind }) => kind === 'book')
        .map(({ key, intervalMs, askers }) => [key, intervalMs, askers]),
    ).toEqual([
      ['book BTCIRT', 20_000, ['a']],
      ['book ETHIRT', 10_000, ['price collar of trader']],
    ]);
  });

  test('says what is used of each budget and what is left for orders', () => {
    const { budgets } = plan({ usesAccount: true, traded: ['BTCIRT'] });
    const lines = budgets.map((budget) => {
      const { name, requestsPerMinute, idleRequestsPerMinute, limitPerMinute, reserve, leftPerMinute } =
        budget;
      return `${name} ${requestsPerMinute.toFixed(1)} idle ${idleRequestsPerMinute.toFixed(1)} of ${limitPerMinute} reserve ${reserve} left ${leftPerMinute.toFixed(1)}`;
    });
    expect(lines).toEqual([
      'v2/orderbook 6.0 idle 6.0 of 60 reserve 0 left 54.0',
      'v2/options 0.1 idle 0.1 of 30 reserve 0 left 29.9',
      'orders/list 20.0 idle 4.0 of 30 reserve 3 left 10.0',
      'trades/list 20.0 idle 4.0 of 30 reserve 3 left 10.0',
      'v2/wallets 6.0 idle 6.0 of 12 reserve 0 left 6.0',
      'users/wallets/transactions/list 2.0 idle 2.0 of 30 reserve 0 left 28.0',
      'orders/add 0.0 idle 0.0 of 30 reserve 0 left 30.0',
      'orders/update-status 0.0 idle 0.0 of 90 reserve 9 left 90.0',
      'orders/status 0.0 idle 0.0 of 300 reserve 30 left 300.0',
      'orders/cancel-old 0.0 idle 0.0 of 30 reserve 3 left 30.0',
    ]);
  });

  test('says how long reading the account takes after a restart, with free windows and with full ones', () => {
    const { restart } = plan({ usesAccount: true, traded: ['BTCIRT'] });
    // Two pages of orders, three of trades, the wallets, and the histories of two of them.
    expect(restart).toMatchObject({ requests: 8, soonestMs: 4_000, latestMs: 120_000 + 120_000 + 4_000 });
    expect(plan({ traded: ['BTCIRT'] }).restart).toEqual({
      steps: [],
      requests: 0,
      soonestMs: 0,
      latestMs: 0,
    });
  });

  test('waits for the windows that a restart needs', () => {
    const { restart } = plan({ usesAccount: true, traded: MARKETS, scale: 1 / 6 });
    // 41 wallets at ten in two minutes, and three pages of trades at two in each minute.
    expect(restart.soonestMs).toBe(47 * 500 + 4 * 120_501 + 60_501);
  });

  test('keeps the bars of many markets within the burst at their close', () => {
    const text = MARKETS.slice(0, 20).map((market) => `a candles ${market} 1h`);
    const given = plan({ subscriptions: subscriptionsOf(text.join('\n')) });
    expect(given.problems).toEqual([]);
    expect(given.feeds[0]).toMatchObject({ intervalMs: 3_600_000, latestAfterCloseMs: 2_000 + 60_501 + 500 });
  });

  test('asks for shorter bars before longer ones', () => {
    const text = ['a candles BTCIRT 1m', ...MARKETS.slice(0, 20).map((market) => `a candles ${market} 1h`)];
    const [short, long] = plan({ subscriptions: subscriptionsOf(text.join('\n')) }).feeds;
    expect([short?.latestAfterCloseMs, long?.latestAfterCloseMs]).toEqual([2_500, 63_001]);
  });

  test('gives a wait to paces that can meet', () => {
    const text = [2, 3, 4, 5]
      .map((seconds, index) => `a trades ${MARKETS[index]} every=${seconds}000`)
      .join('\n');
    const { feeds } = plan({ subscriptions: subscriptionsOf(text) });
    // 14 of 15 requests fill the window; with one more for each pace, three are too many.
    expect(feeds[0]!.worstAgeMs - feeds[0]!.intervalMs).toBe(Math.ceil(500 + 3 * (60_501 / 15)));
  });
});

const many = (kind: string, rest = '') => MARKETS.map((market) => `a ${kind} ${market} ${rest}`).join('\n');

describe('what does not fit', () => {
  test.each([
    [
      'too many markets of public trades',
      many('trades'),
      /^v2\/trades: expected at most 14\.25 requests a minute \(95 % of 15 in 60 s\), found 40\.34 for trades C0IRT at most 60 s old \(a\), .* and 32 more: ask for fewer markets/,
    ],
    [
      'data younger than the exchange gives it',
      'a book BTCIRT max=1400',
      /^book BTCIRT: expected a longest age above 1\.5 s, found 1\.4 s for a: an answer takes up to 0\.5 s and the exchange repeats it for 1 s; raise maxAgeMs$/,
    ],
    [
      'more bars than requests',
      many('candles', '1m'),
      /^market\/udf\/history: expected at most 28\.5 requests a minute \(95 % of 30 in 60 s\), found 80 for candles C0IRT 1m at every close \(a\)/,
    ],
    [
      'bars that come too late',
      many('candles', '5m'),
      /^candles C0IRT 5m: expected at most 150 s after the close for a, found up to 245 s: market\/udf\/history answers 18 in 60 s, and bars/,
    ],
  ])('is refused: %s', (_, text, message) => {
    const scale = text.includes('5m') ? 0.6 : 1;
    const { problems } = plan({ subscriptions: subscriptionsOf(text), scale });
    expect(problems[0]).toMatch(message);
  });

  test('asks for a book as often as the budget lets it where the exchange makes each answer anew', () => {
    const subscriptions = subscriptionsOf('a book BTCIRT every=200');
    const [wanted] = plan({ subscriptions, scale: 10, venue: { bookCacheMs: 0 } }).feeds;
    const [cached] = plan({ subscriptions, scale: 10 }).feeds;
    expect([wanted?.intervalMs, wanted?.worstAgeMs]).toEqual([200, 700]);
    expect([cached?.intervalMs, cached?.worstAgeMs]).toEqual([1_000, 2_500]);
  });

  test('tells of candles of a timeframe that the exchange does not have, and for whom', () => {
    const venue = { timeframes: new Set(['1m', '1h'] as const) };
    const { problems } = plan({
      subscriptions: subscriptionsOf('a candles BTCIRT 1h\nb candles ETHIRT 3h'),
      venue,
    });
    expect(problems).toEqual([
      'candles ETHIRT 3h: expected one of the timeframes that the exchange has (1m, 1h), found 3h for b; ask for another one',
    ]);
  });

  test('tells of a reserve that leaves nothing', () => {
    const input = { subscriptions: [], traded: [], usesAccount: true, replyMs: 500 };
    const restart = { orderPages: 1, tradePages: 1, arrivedAfterMs: 0 };
    const budgets = BUDGETS.map((budget) =>
      budget.name === 'orders/list' ? { ...budget, reserve: 30 } : budget,
    );
    const given = planPolls({ ...input, venue: INTERFACE_PROFILE, budgets, restart });
    expect(given.problems).toHaveLength(1);
    expect(given.problems[0]).toContain('orders/list: expected at most 0 requests a minute');
    expect(given.feeds.find(({ key }) => key === 'orders')?.intervalMs).toBe(Infinity);
  });

  test('refuses a budget that is not there', () => {
    const input = { subscriptions: [], traded: [], budgets: [], usesAccount: true, replyMs: 500 };
    const restart = { orderPages: 1, tradePages: 1, arrivedAfterMs: 0 };
    expect(() => planPolls({ ...input, venue: INTERFACE_PROFILE, restart })).toThrow(
      'expected a budget named v2/options',
    );
  });
});

describe('every plan', () => {
  const ages = fc.record({
    everyMs: fc.integer({ min: 100, max: 120_000 }),
    maxAgeMs: fc.integer({ min: 100, max: 240_000 }),
  });
  const market = fc.constantFrom(...MARKETS);
  const timeframe = fc.constantFrom('1m' as const, '15m' as const, '1h' as const);
  const subscription = fc.oneof(
    fc
      .tuple(fc.constantFrom(book, trades, stats), market, ages)
      .map(([want, symbol, rest]) => want(symbol, rest)),
    fc.tuple(market, timeframe).map(([symbol, length]) => candles(symbol, length)),
  );
  const situation = fc.record({
    subscriptions: fc
      .array(subscription, { maxLength: 60 })
      .map((list) => list.map((wanted, index) => ({ strategy: `s${index % 3}`, subscription: wanted }))),
    traded: fc.array(market, { maxLength: 5 }),
    usesAccount: fc.boolean(),
    replyMs: fc.integer({ min: 0, max: 5_000 }),
  });
  const scale = fc.double({ min: 0.2, max: 5, noNaN: true });

  test('stays within its share of every budget, and within every longest age, unless a problem says so', () => {
    let fitting = 0;
    fc.assert(
      fc.property(situation, scale, (given, factor) => {
        const { feeds, budgets, problems } = plan({ ...given, scale: factor });
        for (const { name, requestsPerMinute, limitPerMinute, limit, reserve } of budgets) {
          if (
            problems.some((problem) => problem.startsWith(`${name}: `) && problem.includes('at every close'))
          )
            continue;
          expect(requestsPerMinute).toBeLessThanOrEqual(
            0.95 * limitPerMinute * ((limit - reserve) / limit) + 1e-9,
          );
        }
        if (problems.length > 0) return;
        fitting += 1;
        for (const { worstAgeMs, longestAgeMs } of feeds)
          expect(worstAgeMs).toBeLessThanOrEqual(longestAgeMs);
      }),
      { numRuns: 300 },
    );
    expect(fitting).toBeGreaterThan(30);
  });

  test('that fits stretches nobody more when every budget is larger, and still fits', () => {
    let fitting = 0;
    fc.assert(
      fc.property(situation, scale, scale, (given, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map((factor) =>
          plan({ ...given, scale: factor }),
        );
        // A plan that does not fit is skipped, since how far it is from fitting is given in whole ms only.
        if (less!.problems.length > 0) return;
        fitting += 1;
        expect(more!.problems).toEqual([]);
        expect(more!.largestStretch).toBeLessThanOrEqual(less!.largestStretch * (1 + 1e-9));
      }),
      { numRuns: 300 },
    );
    expect(fitting).toBeGreaterThan(20);
  });

  test('asks for all books at once where they can not have the ages they want one by one, and only there', () => {
    const wanted = fc.dictionary(market, fc.integer({ min: 1_000, max: 100_000 }), { minKeys: 2 });
    fc.assert(
      fc.property(wanted, (byMarket) => {
        const subscriptions = Object.entries(byMarket).map(([symbol, everyMs]) => ({
          strategy: 's',
          subscription: book(symbol, { everyMs, maxAgeMs: 200_000 }),
        }));
        const { feeds, problems } = plan({ subscriptions });
        const intervals = feeds
          .filter(({ budget }) => budget === 'v2/orderbook')
          .map(({ intervalMs }) => intervalMs);
        const fits = Object.values(byMarket).reduce((sum, everyMs) => sum + 60_000 / everyMs, 0) <= 57;
        expect(problems).toEqual([]);
        expect(intervals).toEqual(
          fits ? Object.values(byMarket) : [Math.max(1_053, Math.min(...Object.values(byMarket)))],
        );
      }),
    );
  });
});
