import { describe, expect, test } from 'vitest';
import { planPolls, type PollPlan } from '../../../src/scheduler/plan-polls.ts';
import {
  type MemberTemplate,
  type UniverseSubscription,
  withUniverses,
} from '../../../src/strategy/subscriptions.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { budgetTable } from '../../../src/exchange/client-options.ts';

const CANDLES: MemberTemplate = { kind: 'candles', timeframe: '1h', warmUp: 100 };
const BOOK: MemberTemplate = { kind: 'book', everyMs: 10_000, maxAgeMs: 30_000 };
const MARKETS = Array.from({ length: 40 }, (_, index) => `C${index}IRT`);

function universe(
  take: number,
  of: { readonly templates?: readonly MemberTemplate[]; readonly candidates?: readonly string[] } = {},
): UniverseSubscription {
  const { templates = [CANDLES, BOOK], candidates = MARKETS } = of;
  const rules = {
    quote: 'rls',
    rankBy: 'volume24h',
    take,
    filters: {},
    refreshMs: 600_000,
    hysteresis: 0.2,
    reserve: 2,
  } as const;
  return { kind: 'universe', name: 'members', rules, candidates, templates };
}

function planOf(...universes: readonly UniverseSubscription[]): PollPlan {
  return planPolls({
    subscriptions: universes.flatMap((one, place) =>
      withUniverses([], [one]).map((subscription) => ({ strategy: `s${place}`, subscription })),
    ),
    traded: [],
    budgets: [...budgetTable({}, 0).values()].map(({ name, limit, windowMs }) => ({
      name,
      limit,
      windowMs,
      reserve: 0,
    })),
    venue: INTERFACE_PROFILE,
    usesAccount: false,
    replyMs: 500,
    restart: { orderPages: 1, tradePages: 1, arrivedAfterMs: 500 },
  });
}

const rateOf = (plan: PollPlan, name: string): number =>
  plan.budgets.find((budget) => budget.name === name)?.requestsPerMinute ?? 0;

describe('a plan with a universe', () => {
  test('has the feeds of each candidate, asleep until its market is followed', () => {
    const { feeds, problems } = planOf(universe(3));
    expect(problems).toEqual([]);
    const pooled = feeds.filter(({ isPooled }) => isPooled === true);
    expect(pooled).toHaveLength(2 * MARKETS.length);
    expect(feeds.map(({ key }) => key)).toContain('stats');
    expect(feeds.some(({ key }) => key.includes('member'))).toBe(false);
  });

  test('costs what its places do, however many markets there are', () => {
    const [few, many] = [planOf(universe(3, { candidates: MARKETS.slice(0, 6) })), planOf(universe(3))];
    const { candles, book } = INTERFACE_PROFILE.budgets;
    for (const name of [candles, book]) expect(rateOf(many, name)).toBe(rateOf(few, name));
    expect(rateOf(planOf(universe(6)), candles)).toBeGreaterThan(rateOf(many, candles));
  });

  test('is the same where the exchange is not asked for its markets', () => {
    const known = planOf(universe(3));
    const unknown = planOf(universe(3, { candidates: [] }));
    expect(unknown.budgets).toEqual(known.budgets);
    expect(unknown.newcomers).toEqual(known.newcomers);
  });

  test('asks a market at the quicker of the paces that two universes have', () => {
    const slow: MemberTemplate = { ...BOOK, everyMs: 30_000 };
    const { feeds } = planOf(universe(3, { templates: [slow] }), universe(3, { templates: [BOOK] }));
    const alone = planOf(universe(3, { templates: [BOOK] })).feeds.find(({ key }) => key === 'book C0IRT');
    expect(feeds.find(({ key }) => key === 'book C0IRT')?.wantedAgeMs).toBe(alone?.wantedAgeMs);
    expect(feeds.filter(({ key }) => key === 'book C0IRT')).toHaveLength(1);
  });

  test('says how long the bars of a newcomer take', () => {
    const [newcomer] = planOf(universe(3)).newcomers;
    expect(newcomer).toMatchObject({ universe: 's0/members', places: 5, requests: 1, oneMs: 500 });
    expect(newcomer?.allMs).toBeGreaterThan(500);
  });

  test('says with how many markets at once the limits can be kept', () => {
    const minutes: MemberTemplate = { kind: 'candles', timeframe: '1m', warmUp: 10 };
    const many = Array.from({ length: 150 }, (_, index) => `C${index}IRT`);
    const of = { templates: [minutes], candidates: many };
    const problem = planOf(universe(148, of)).problems.find((text) => text.startsWith('s0/members'));
    const fits = Number(/at most (\d+) markets/.exec(problem ?? '')?.[1]);
    expect(planOf(universe(fits - 2, of)).problems).toEqual([]);
    expect(planOf(universe(fits - 1, of)).problems).not.toEqual([]);
  });
});
