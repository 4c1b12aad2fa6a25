import { timeframeMs } from '../domain/candle.ts';
import { invalidOptions } from '../domain/errors.ts';
import { otherMarketOf } from '../domain/market-symbol.ts';
import { marginTopic } from '../records/margin.ts';
import {
  type CandleSubscription,
  type MarginSubscription,
  type UniverseSubscription,
  candidateSubscription,
  routeOfSubscription,
} from '../strategy/subscriptions.ts';
import { weightOf, type ListScope } from '../venues/port.ts';
import {
  agesOf,
  OWN_AGES,
  LATEST_BAR_SHARE,
  strictest,
  type FeedAges,
  type Feed,
  type PlannedFeed,
} from './feed.ts';
import { type PlanInput, burstWaitMs, plannedRate, type PlannedBudget } from './plan-input.ts';

type FeedTarget = Pick<Feed, 'key' | 'kind' | 'market' | 'budget' | 'requestClass' | 'currency'>;
type FeedRules = Partial<Pick<Feed, 'cacheMs' | 'turns' | 'lists'>>;

/** Requests for each bar: one at its close, and one more if it is not there yet. */
const REQUESTS_PER_BAR = 2;

/**
 * Longest age of the statistics when a universe is ranked. Markets are ranked by the first statistics after
 * the ranking time, and a backtest on bars ranks at that very time.
 */
const LONGEST_RANKING_DELAY_MS = 60_000;

/** Returns all feeds of a bot, each once for all that request it: of markets, then of the account. */
export function collectFeeds(input: PlanInput): readonly Feed[] {
  const feeds = new Map<string, Feed>();
  const { budgets: budgetOf, bookCacheMs: cacheMs, marketNames } = input.venue;
  const { bridge, quotes } = marketNames;
  const want = (feed: Feed): void => {
    const known = feeds.get(feed.key);
    feeds.set(feed.key, known === undefined ? feed : bothWant(known, feed));
  };
  for (const { strategy, subscription } of input.subscriptions) {
    if ('isPooled' in subscription) continue;
    switch (subscription.kind) {
      case 'book':
        want(bookFeed(bookTarget(subscription.market, input.venue), agesOf(subscription), strategy));
        break;
      case 'trades':
        want(
          tradesFeed(
            { market: subscription.market, budget: budgetOf['public-trades'] },
            agesOf(subscription),
            strategy,
          ),
        );
        break;
      case 'stats':
        want(statsFeed(budgetOf.stats, agesOf(subscription), strategy));
        break;
      case 'candles':
        want(candlesFeed(subscription, budgetOf.candles, strategy));
        break;
      case 'universe': {
        const { refreshMs } = subscription.rules;
        const everyMs = Math.min(refreshMs, LONGEST_RANKING_DELAY_MS);
        const ages = agesOf({ everyMs, maxAgeMs: 2 * refreshMs });
        want(statsFeed(budgetOf.stats, ages, `${strategy}/${subscription.name}`));
        break;
      }
      case 'pools':
      case 'margin-wallets':
      case 'delegation-limit':
        want(marginFeed(subscription, budgetOf[subscription.kind], strategy));
        break;
      case 'timer':
      case 'signal':
        break;
    }
  }
  const subscribed = new Set(feeds.keys());
  for (const { strategy, market } of input.traded) {
    if (!subscribed.has(`book ${market}`))
      want(
        bookFeed({ market, budget: budgetOf.book, cacheMs }, OWN_AGES.collar, `price collar of ${strategy}`),
      );
  }
  for (const universe of universesOf(input)) {
    const asker = universe.key;
    for (const [market, template] of universeFeeds(universe, feeds)) {
      if (template.kind === 'book')
        want(bookFeed({ market, budget: budgetOf.book, cacheMs }, agesOf(template), asker));
      else want(candlesFeed({ ...template, market }, budgetOf.candles, asker));
    }
  }
  if (![...feeds.values()].some(({ kind, market }) => market === bridge.market && kind !== 'public-trades')) {
    for (const strategy of input.bridged ?? [])
      want(statsFeed(budgetOf.stats, OWN_AGES.bridge, `value of ${quotes[1].name} for ${strategy}`));
  }
  if (feeds.size > 0 || input.usesAccount) want(optionsFeed(budgetOf.options));
  if (input.usesAccount) accountFeeds(input).forEach(want);
  return [...feeds.values()].map((feed) => {
    const other = feed.market === null ? null : otherMarketOf(feed.market);
    const weight =
      other === null ? weightOf(input.venue, feed.kind) : input.venue.others?.get(other.venue)?.weight;
    return { ...feed, weight: weight ?? 1 };
  });
}

/** Returns one feed of all books in place of one for each market: as fresh as the most demanding of them. */
export function allBooksFeed(books: readonly Feed[], weight: number): Feed {
  const [first, ...others] = books.map((feed): Feed => ({
    ...feed,
    weight,
    key: 'books',
    kind: 'books',
    market: null,
  }));
  if (first === undefined) throw new RangeError('expected a book at least, was none');
  return others.reduce(bothWant, first);
}

function bothWant(left: Feed, right: Feed): Feed {
  const ages = strictest(agesGiven(left), agesGiven(right));
  return {
    ...left,
    wantedAgeMs: ages.wantedMs,
    longestAgeMs: ages.longestMs,
    idleAgeMs: ages.idleMs,
    askers: [...new Set([...left.askers, ...right.askers])],
  };
}

function agesGiven({ wantedAgeMs, longestAgeMs, idleAgeMs }: Feed): FeedAges {
  return { wantedMs: wantedAgeMs, longestMs: longestAgeMs, idleMs: idleAgeMs };
}

function feedOf(
  target: FeedTarget,
  wanted: { readonly ages: FeedAges; readonly asker: string },
  { cacheMs = 0, turns = 1, lists = 1 }: FeedRules = {},
): Feed {
  const { ages, asker } = wanted;
  return {
    ...target,
    wantedAgeMs: ages.wantedMs,
    longestAgeMs: ages.longestMs,
    idleAgeMs: ages.idleMs,
    askers: [asker],
    cacheMs,
    turns,
    lists,
    weight: 1,
  };
}

/** Returns the market of a book with the facts of its venue. Throws `INVALID_OPTIONS` for an unknown one. */
function bookTarget(market: string, { budgets, bookCacheMs, others }: PlanInput['venue']): BookTarget {
  const other = otherMarketOf(market);
  if (other === null) return { market, budget: budgets.book, cacheMs: bookCacheMs };
  const facts = others?.get(other.venue);
  if (facts !== undefined) return { market, budget: facts.limit.name, cacheMs: facts.bookCacheMs };
  const known = [...(others?.keys() ?? [])].join(', ') || 'it has none';
  throw invalidOptions(
    `book ${market}: expected one of the venues of the configuration (${known}), was ${other.venue}`,
  );
}

interface BookTarget {
  readonly market: string;
  readonly budget: string;
  readonly cacheMs: number;
}

function bookFeed({ market, budget, cacheMs }: BookTarget, ages: FeedAges, asker: string): Feed {
  // Asking again within the cache's time gives the same book.
  const wantedMs = Math.max(ages.wantedMs, Math.min(cacheMs, ages.longestMs));
  const target = {
    key: `book ${market}`,
    kind: 'book',
    market,
    budget,
    requestClass: 'market',
  } as const;
  const idleMs = Math.max(ages.idleMs, wantedMs);
  return feedOf(target, { ages: { ...ages, wantedMs, idleMs }, asker }, { cacheMs });
}

function tradesFeed(
  { market, budget }: { readonly market: string; readonly budget: string },
  ages: FeedAges,
  asker: string,
): Feed {
  const kind = 'public-trades';
  return feedOf({ key: `trades ${market}`, kind, market, budget, requestClass: 'market' }, { ages, asker });
}

function statsFeed(budget: string, ages: FeedAges, asker: string): Feed {
  const target = { key: 'stats', kind: 'stats', market: null, budget, requestClass: 'market' } as const;
  return feedOf(target, { ages, asker });
}

function marginFeed(wanted: MarginSubscription, budget: string, asker: string): Feed {
  const target = {
    key: marginTopic(wanted),
    kind: wanted.kind,
    market: null,
    budget,
    requestClass: 'market',
    ...(wanted.kind === 'delegation-limit' ? { currency: wanted.currency } : {}),
  } as const;
  return feedOf(target, { ages: agesOf(wanted), asker });
}

function candlesFeed({ market, timeframe }: CandleSubscription, budget: string, asker: string): Feed {
  const lengthMs = timeframeMs(timeframe);
  const longestMs = lengthMs * (1 + LATEST_BAR_SHARE);
  const target = {
    key: `candles ${market} ${timeframe}`,
    kind: 'candles',
    market,
    budget,
  } as const;
  return feedOf(
    { ...target, requestClass: 'market' },
    { ages: { wantedMs: lengthMs, longestMs, idleMs: lengthMs }, asker },
    { turns: REQUESTS_PER_BAR },
  );
}

function optionsFeed(budget: string): Feed {
  const target = {
    key: 'options',
    kind: 'options',
    market: null,
    budget,
    requestClass: 'market',
  } as const;
  return feedOf(target, { ages: OWN_AGES.options, asker: 'steps of the markets' });
}

/** Numbers of lists that one reading of our open orders, and one of our trades, has. */
export interface OwnListCounts {
  readonly orders: number;
  readonly trades: number;
}

/**
 * Counts the own lists: one, or one of each market in which a strategy trades. The members of a universe may
 * all have orders; open orders are looked for in all of its candidates.
 */
export function ownListsOf(input: PlanInput): OwnListCounts {
  const named = new Set(input.traded.map(({ market }) => market));
  const universes = universesOf(input);
  const members = universes.reduce((sum, { places }) => sum + places, named.size);
  const candidates = new Set([...named, ...universes.flatMap(({ wanted }) => wanted.candidates)]);
  const { orders, trades } = input.venue.ownLists;
  return {
    orders: listsIn(orders.openScope, Math.max(members, candidates.size)),
    trades: listsIn(trades.scope, members),
  };
}

const listsIn = (scope: ListScope, markets: number): number => (scope === 'venue' ? 1 : Math.max(1, markets));

const listAskers = (lists: number): string =>
  lists === 1 ? 'account' : `account, in each of ${lists} markets`;

/** Returns the feeds of our account. */
function accountFeeds(input: PlanInput): readonly Feed[] {
  const { budgets: budgetOf } = input.venue;
  const lists = ownListsOf(input);
  const account = { market: null, requestClass: 'account' } as const;
  const transactions = { ...account, key: 'transactions', kind: 'transactions' } as const;
  return [
    feedOf(
      { ...account, key: 'orders', kind: 'orders', budget: budgetOf.orders },
      { ages: OWN_AGES.orders, asker: listAskers(lists.orders) },
      { lists: lists.orders },
    ),
    feedOf(
      { ...account, key: 'fills', kind: 'trades', budget: budgetOf.trades },
      { ages: OWN_AGES.fills, asker: listAskers(lists.trades) },
      { lists: lists.trades },
    ),
    feedOf(
      { ...account, key: 'wallets', kind: 'wallets', budget: budgetOf.wallets },
      { ages: OWN_AGES.wallets, asker: 'account' },
    ),
    ...(input.venue.ownLists.transactions === null
      ? []
      : [
          feedOf(
            { ...transactions, budget: budgetOf.transactions },
            { ages: OWN_AGES.transactions, asker: 'account, wallet by wallet' },
            { turns: Math.max(1, walletsOf(input)) },
          ),
        ]),
  ];
}

/**
 * Returns the number of currencies of the traded markets and the candidates of universes. A universe with
 * unknown candidates counts one for each of its places.
 */
export function walletsOf(input: PlanInput): number {
  const { parseMarket } = input.venue.marketNames;
  const universes = universesOf(input);
  const markets = [
    ...input.traded.map(({ market }) => market),
    ...universes.flatMap(({ wanted }) => wanted.candidates),
  ];
  const known = new Set(markets.map(parseMarket).flatMap(({ base, quote }) => [base, quote])).size;
  return universes.reduce(
    (sum, { wanted, places }) => (wanted.candidates.length === 0 ? sum + places : sum),
    known,
  );
}

/** A universe of one strategy, in the form for a plan. */
export interface PlannedUniverse {
  /** Key such as `alpha/members`. */
  readonly key: string;
  readonly wanted: UniverseSubscription;
  /** Maximum number of markets that are followed at once: members, and former members that are still held. */
  readonly places: number;
}

/** Requests and time that a new member of a universe costs. */
export interface NewcomerPlan {
  readonly universe: string;
  /** Maximum number of markets that are followed at once. */
  readonly places: number;
  /** Feeds of each market that is followed. */
  readonly feeds: readonly PlannedFeed[];
  /** Requests for the past bars of one market. */
  readonly requests: number;
  /** Time in ms from its choice to its first event: for one newcomer, and for all members of the start. */
  readonly oneMs: number;
  readonly allMs: number;
}

/** Returns the universes of a plan. One without known candidates is planned for its number of places. */
export function universesOf({ subscriptions }: Pick<PlanInput, 'subscriptions'>): readonly PlannedUniverse[] {
  return subscriptions.flatMap(({ strategy, subscription: wanted }) => {
    if (wanted.kind !== 'universe') return [];
    const { take, reserve } = wanted.rules;
    const most = wanted.candidates.length === 0 ? Infinity : wanted.candidates.length;
    return [{ key: `${strategy}/${wanted.name}`, wanted, places: Math.min(take + reserve, most) }];
  });
}

/** Returns a market name that stands in a plan for any market in a place of a universe. */
const placeholderOf = (universe: PlannedUniverse, place: number): string =>
  `member ${place + 1} of ${universe.key}`;

/**
 * Returns the feeds of a plan with those of each candidate in place of the placeholders. A candidate's feeds
 * are requested while its market is followed, so never for more markets than were planned.
 */
export function withCandidates(
  feeds: readonly PlannedFeed[],
  universes: readonly PlannedUniverse[],
): readonly PlannedFeed[] {
  if (universes.length === 0) return feeds;
  const byKey = new Map(feeds.map((feed) => [feed.key, feed]));
  const pooled = new Map<string, PlannedFeed>();
  for (const universe of universes) {
    for (const template of universe.wanted.templates) {
      const planned = byKey.get(
        routeOfSubscription(candidateSubscription(placeholderOf(universe, 0), template)),
      );
      // One call for all books gives those of every market.
      if (planned === undefined) continue;
      for (const market of universe.wanted.candidates) {
        const key = routeOfSubscription(candidateSubscription(market, template));
        if (byKey.has(key)) continue;
        const other = pooled.get(key);
        const feed: PlannedFeed = { ...planned, key, market, isPooled: true };
        pooled.set(key, other === undefined || feed.intervalMs < other.intervalMs ? feed : other);
      }
    }
  }
  const placeholders = new Set(universes.flatMap((universe) => placeholdersOf(universe)));
  return [...feeds.filter(({ market }) => market === null || !placeholders.has(market)), ...pooled.values()];
}

/** Returns the cost of newcomers of each universe. */
export function newcomersOf(
  feeds: readonly PlannedFeed[],
  universes: readonly PlannedUniverse[],
  of: { readonly candles: PlannedBudget | undefined } & Pick<PlanInput, 'replyMs' | 'venue'>,
): readonly NewcomerPlan[] {
  return universes.map((universe) => {
    const { templates, rules } = universe.wanted;
    const requests = templates.reduce(
      (sum, template) =>
        template.kind === 'candles'
          ? sum + Math.ceil((template.warmUp + 2) / of.venue.pageSizes.candles)
          : sum,
      0,
    );
    const first = placeholderOf(universe, 0);
    return {
      universe: universe.key,
      places: universe.places,
      feeds: feeds.filter(({ market }) => market === first),
      requests,
      oneMs: warmUpMs(requests, of),
      allMs: warmUpMs(requests * Math.min(rules.take, universe.places), of),
    };
  });
}

/** Returns the time of warm-up requests in ms, by what polls of bars leave of their budget. */
function warmUpMs(
  requests: number,
  {
    candles,
    replyMs,
    venue,
  }: { readonly candles: PlannedBudget | undefined } & Pick<PlanInput, 'replyMs' | 'venue'>,
): number {
  if (requests === 0 || candles === undefined) return 0;
  const leftPerMs = plannedRate(candles) - candles.requestsPerMinute / 60_000;
  if (leftPerMs <= 0) return Infinity;
  const weight = weightOf(venue, 'candles');
  const burst = { requests: requests * weight, replyMs };
  const waitMs = Math.max(burstWaitMs(candles, burst), ((requests - 1) * weight) / leftPerMs);
  return Math.ceil(waitMs + replyMs);
}

/** Returns the data that a universe requests, each once: its places, and markets polled anyway. */
function universeFeeds(
  universe: PlannedUniverse,
  known: ReadonlyMap<string, Feed>,
): readonly (readonly [market: string, template: UniverseSubscription['templates'][number]])[] {
  const { templates, candidates } = universe.wanted;
  return templates.flatMap((template) => {
    const polled = candidates.filter((market) =>
      known.has(routeOfSubscription(candidateSubscription(market, template))),
    );
    return [...placeholdersOf(universe), ...polled].map((market) => [market, template] as const);
  });
}

const placeholdersOf = (universe: PlannedUniverse): readonly string[] =>
  Array.from({ length: universe.places }, (_, place) => placeholderOf(universe, place));
