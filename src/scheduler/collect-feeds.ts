import { timeframeMs } from '../domain/candle.ts';
import { marginTopic } from '../records/margin.ts';
import type { CandleSubscription, MarginSubscription } from '../strategy/subscriptions.ts';
import type { VenueProfile } from '../venues/port.ts';
import { agesOf, OWN_AGES, LATEST_BAR_SHARE, strictest, type FeedAges, type Feed } from './feed.ts';
import type { PlanInput } from './plan-input.ts';
import { universeFeeds, universesOf } from './pooled-feeds.ts';

type FeedTarget = Pick<Feed, 'key' | 'kind' | 'market' | 'budget' | 'requestClass' | 'currency'>;
type FeedRules = Partial<Pick<Feed, 'cacheMs' | 'turns'>>;

/** A bar is asked for at its close, and once more when it is not there yet. */
const REQUESTS_PER_BAR = 2;

/**
 * Markets are ranked by the first statistics after the moment for it. They are asked for so often that
 * this is soon: a backtest on bars ranks at that very moment.
 */
const LONGEST_RANKING_DELAY_MS = 60_000;

/**
 * Everything that has to be asked for, each once however many want it: the markets' data first, then the
 * account's.
 */
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
        want(
          bookFeed(
            { market: subscription.market, budget: budgetOf.book, cacheMs },
            agesOf(subscription),
            strategy,
          ),
        );
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
  if (input.usesAccount) accountFeeds(walletsOf(input), budgetOf).forEach(want);
  return [...feeds.values()];
}

/** One call for all books in place of one each: as fresh as the most demanding of them. */
export function allBooksFeed(books: readonly Feed[]): Feed {
  const [first, ...others] = books.map((feed): Feed => ({
    ...feed,
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
  { cacheMs = 0, turns = 1 }: FeedRules = {},
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
  };
}

function bookFeed(
  of: { readonly market: string; readonly budget: string; readonly cacheMs: number },
  ages: FeedAges,
  asker: string,
): Feed {
  const { market, budget, cacheMs } = of;
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

/** Returns the feeds of our account; `wallets` is the number with a history that is read. */
function accountFeeds(wallets: number, budgetOf: VenueProfile['budgets']): readonly Feed[] {
  const account = { market: null, requestClass: 'account' } as const;
  const asker = 'account';
  const transactions = { ...account, key: 'transactions', kind: 'transactions' } as const;
  return [
    feedOf(
      { ...account, key: 'orders', kind: 'orders', budget: budgetOf.orders },
      { ages: OWN_AGES.orders, asker },
    ),
    feedOf(
      { ...account, key: 'fills', kind: 'trades', budget: budgetOf.trades },
      { ages: OWN_AGES.fills, asker },
    ),
    feedOf(
      { ...account, key: 'wallets', kind: 'wallets', budget: budgetOf.wallets },
      { ages: OWN_AGES.wallets, asker },
    ),
    feedOf(
      { ...transactions, budget: budgetOf.transactions },
      { ages: OWN_AGES.transactions, asker: 'account, wallet by wallet' },
      { turns: Math.max(1, wallets) },
    ),
  ];
}

/**
 * Returns the number of currencies of the traded markets and the candidates of universes; for a universe with
 * unknown candidates, as many as it has places.
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
