import { messageOf, SarrafError, invalidOptions } from '../domain/errors.ts';
import { parseUnits } from '../domain/money.ts';
import type { Market, FeeSchedule } from '../domain/market.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { CommitTimes } from '../budget/commit-times.ts';
import { BudgetLedger } from '../budget/ledger.ts';
import { RequestLimiter, type Limiter } from '../budget/limiter.ts';
import { MemoryLockouts } from '../budget/lockouts.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import type { Timeline } from '../virtual/virtual-time.ts';
import { secondText } from '../domain/time-text.ts';
import { FOLLOWING_USER, FollowedExchange } from './followed-exchange.ts';
import { DEFAULT_LIQUIDITY, type FollowedRules } from './fill-rules.ts';
import { profileOnPaper } from './interface-profile.ts';
import type { Venue } from './venue.ts';
import {
  askFirst,
  openRemoteExchange,
  readMarkets,
  type Opening,
  type RemoteExchange,
  type AnswerWait,
} from './live-venue.ts';
import type { ExchangeAccess } from './client-credentials.ts';
import { MARKET_CALLS, type VenueAnswer, type VenueCall, type VenueValues } from './port.ts';
import type { VenueCaller, VenueEnd } from './venue-caller.ts';
import type { AccountStore, AccountOrigin } from './account-reader.ts';
import { joinTrades, oldestFirst, type PublicTrade } from '../domain/trade.ts';
import { bookColumns, tradeColumns } from '../recording/records.ts';
import type { FollowedMarket } from './followed-market.ts';

/** Fill rules of paper trading: as a backtest on recorded books, but polled books hide our orders. */
const PAPER_RULES: FollowedRules = { ...DEFAULT_LIQUIDITY, own: 'hidden', tradesLagMs: 0 };

/** Configuration that paper trading needs. */
export interface PaperSettings {
  readonly exchange: Omit<ExchangeAccess, 'credentials'>;
  readonly paper: {
    /** Address of the public data; null for the address of the exchange. */
    readonly baseUrl: string | null;
    readonly balances: Readonly<Record<string, string>>;
    readonly fees: FeeSchedule;
  };
  /** Other venues, whose prices are in tether. */
  readonly venues?: Readonly<Record<string, unknown>>;
  /** Strategies to run. One without a market of its own was refused before. */
  readonly strategies: readonly { readonly market: string | null }[];
}

/**
 * Creates a venue for paper trading: public data of a real exchange, and orders to an exchange in this
 * process that follows it. Only public reads leave the process. The account continues from the store; without
 * a store it is new. Throws `INVALID_OPTIONS` without an address and for an account that follows another one,
 * `INVALID_MARKET` for a market that the real exchange does not have, and errors of the store.
 */
export async function createPaperVenue(
  config: PaperSettings,
  waiting: Opening,
  store: AccountStore | null = null,
): Promise<Venue> {
  const baseUrl = config.paper.baseUrl ?? config.exchange.baseUrl;
  if (baseUrl === null) throw invalidOptions('expected paper.baseUrl or exchange.baseUrl for the mode paper');
  expectSameExchange(store, baseUrl);
  const { wrap } = waiting;
  const remote = await openRemoteExchange({
    config,
    baseUrl,
    credentials: null,
    onProblem: (message) => waiting.onWait(message, 'warning'),
    onTrouble: waiting.onTrouble,
    ...(wrap === undefined ? {} : { wrap }),
  });
  try {
    const all = await readMarkets(remote, waiting);
    const traded = new Set([
      ...config.strategies.flatMap(({ market }) => market ?? []),
      ...(store?.symbols ?? []),
      // A strategy turns prices of other venues into those of its market with this one.
      ...(Object.keys(config.venues ?? {}).length === 0 ? [] : [remote.profile.marketNames.bridge.market]),
    ]);
    const markets = all.filter(({ symbol }) => traded.has(symbol));
    for (const symbol of traded) {
      if (markets.some((market) => market.symbol === symbol)) continue;
      throw new SarrafError('INVALID_MARKET', `expected a market of ${baseUrl}, was ${symbol}`);
    }
    const books = await readBooks(remote, markets, waiting);
    const origin = { baseUrl, balances: config.paper.balances };
    logOpening(store, origin, waiting);
    return paperVenueOf(remote, { config, markets, books, store, origin });
  } catch (error) {
    store?.close();
    await remote.close();
    throw error;
  }
}

function expectSameExchange(store: AccountStore | null, baseUrl: string): void {
  const followed = store?.origin?.baseUrl ?? baseUrl;
  if (followed === baseUrl) return;
  store?.close();
  throw invalidOptions(
    `expected ${followed}, which the paper account of this data folder follows, was ${baseUrl}: begin a new account with "sarraf run --new-account", or name another data folder`,
  );
}

function logOpening(store: AccountStore | null, { balances }: AccountOrigin, waiting: Opening): void {
  if (store === null || store.origin === null || store.beganAtMs === null) return;
  waiting.onWait(`The paper account goes on, which began at ${secondText(store.beganAtMs)} UTC.`);
  const began = sortedText(store.origin.balances);
  const wanted = sortedText(balances);
  if (began === wanted) return;
  waiting.onWait(
    `paper.balances is ${wanted}, but the paper account began with ${began} and goes on with what it has; "sarraf run --new-account" begins a new one`,
    'warning',
  );
}

function sortedText(balances: AccountOrigin['balances']): string {
  const parts = Object.entries(balances).map(([currency, amount]) => `${amount} ${currency}`);
  return parts.toSorted().join(' and ');
}

function paperVenueOf(
  remote: RemoteExchange,
  of: Pick<PaperAccount, 'config' | 'markets' | 'books' | 'store' | 'origin'>,
): Venue {
  const { caller, limiter, connection, ledger, ...rest } = remote;
  return venueOnPaper(
    {
      ...rest,
      caller,
      budgets: connection.budgets,
      isNew: of.store?.isNew ?? true,
      pollStretch: 1,
      limiterMs: monotonicMs,
      namedLimits: () => ledger.admittance.namedLimits(monotonicMs()),
      isOver: () => false,
    },
    {
      ...of,
      limiter: splitLimiter(limiter, { ...remote, budgets: [...connection.budgets.values()] }),
    },
  );
}

/** Parts of a venue on paper that are those of the exchange it follows. */
type FollowedVenue = Pick<
  Venue,
  | 'profile'
  | 'time'
  | 'caller'
  | 'commits'
  | 'limiterMs'
  | 'budgets'
  | 'isNew'
  | 'pollStretch'
  | 'namedLimits'
  | 'isOver'
  | 'ledgerFile'
  | 'close'
>;

interface PaperAccount {
  readonly config: Pick<PaperSettings, 'paper'> & {
    readonly exchange: Pick<PaperSettings['exchange'], 'limits'>;
  };
  readonly markets: readonly Market[];
  /** A book of each market to begin with. */
  readonly books: ReadonlyMap<string, OrderBook>;
  /** Store of the account; null: it ends with the run. */
  readonly store: AccountStore | null;
  readonly origin: AccountOrigin;
  readonly limiter: Limiter;
}

/** Creates a venue with the public data of another, and orders to an exchange in this process. */
export function venueOnPaper(
  { caller, ...followed }: FollowedVenue,
  { config, markets, books, store, origin, limiter }: PaperAccount,
): Venue {
  const { time } = followed;
  const exchange = new FollowedExchange({
    // Bars come from the followed exchange.
    markets: markets.map((market) => ({ market, hasTrades: false })),
    fees: config.paper.fees,
    balances: Object.fromEntries(
      Object.entries(origin.balances).map(([currency, text]) => [currency, parseUnits(text)]),
    ),
    limits: config.exchange.limits,
    startMs: time.now(),
    rules: PAPER_RULES,
    restore: (fresh) => store?.restore(fresh, time.now()),
    onEvent: (event) => store?.apply(event),
    onMade: (made) => store?.begin(made, { userId: FOLLOWING_USER, origin, nowMs: time.now() }),
  });
  const follower = new MarketFollower(exchange.markets);
  for (const [symbol, book] of books) follower.showBook(symbol, book, time.now());
  for (const market of exchange.markets) market.standAgain();
  return {
    ...followed,
    profile: profileOnPaper(followed.profile),
    caller: splitCaller(caller, { exchange, follower, time, store }),
    limiter,
    canLogIn: false,
    accountReader: null,
    ledgerSubjects: [],
    markets,
    mostOccupied: () => new Map(),
    close: async () => {
      store?.close();
      await followed.close();
    },
  };
}

/** Returns a caller: public calls go to the real exchange and move the local one; others go to that. */
function splitCaller(
  real: VenueCaller,
  paper: {
    readonly exchange: FollowedExchange;
    readonly follower: MarketFollower;
    readonly time: Timeline;
    readonly store: AccountStore | null;
  },
): VenueCaller {
  const { exchange, follower, time, store } = paper;
  return {
    ...real,
    send(call, signal, { onEnd, onError }) {
      if (!MARKET_CALLS.has(call.kind)) {
        onEnd(persistedFirst(store, () => exchange.answer(call, time.now())));
        return;
      }
      const applied = (end: VenueEnd): void => {
        follower.apply(call, end.answer, time.now());
        onEnd(end);
      };
      real.send(call, signal, { onEnd: applied, onError });
    },
  };
}

/** Saves the account before it answers. If that fails, the bot gets no clear answer and asks again. */
function persistedFirst(store: AccountStore | null, answerOf: () => VenueAnswer): VenueEnd {
  const answer = answerOf();
  try {
    store?.save();
    return { answer, error: null };
  } catch (error) {
    const message = messageOf(error);
    return { answer: { outcome: 'failed', code: 'SERVER_ERROR', message, effect: 'unknown' }, error: null };
  }
}

/** Returns a limiter of two: this bot's requests here have an empty ledger of their own. */
function splitLimiter(
  real: Limiter,
  { budgets, commits }: { readonly budgets: readonly RateLimit[]; readonly commits: CommitTimes },
): Limiter {
  const ledger = new BudgetLedger(budgets);
  const paper = new RequestLimiter({
    budgets,
    ledger,
    lockouts: new MemoryLockouts(),
    nowMs: monotonicMs,
    commits,
    areAtOnce: true,
  });
  return {
    submit: (call) => (call.credential === 'none' ? real.submit(call) : paper.submit(call)),
    close: async () => void (await Promise.all([real.close(), paper.close()])),
  };
}

/** Reads a book of each market, so that the exchange in this process begins where the real one is. */
async function readBooks(
  remote: RemoteExchange,
  markets: readonly Market[],
  waiting: AnswerWait,
): Promise<ReadonlyMap<string, OrderBook>> {
  const books = new Map<string, OrderBook>();
  for (const { symbol } of markets) {
    const answer = await askFirst(remote, { kind: 'book', market: symbol }, waiting);
    const book = answer.outcome === 'value' ? (answer.value as OrderBook) : null;
    if (book === null || book.bids.length + book.asks.length === 0)
      throw new SarrafError('SERVER_ERROR', `expected a book of ${symbol} to begin with, was none`);
    books.set(symbol, book);
  }
  return books;
}

/** Applies the answers of a real exchange to the markets in this process. */
export class MarketFollower {
  private readonly markets: ReadonlyMap<string, FollowedMarket>;
  /** The last page of each public tape, oldest first. */
  private readonly tapes = new Map<string, readonly PublicTrade[]>();

  constructor(markets: readonly FollowedMarket[]) {
    this.markets = new Map(markets.map((market) => [market.state.rules.symbol, market]));
  }

  /** Applies an answer. One that is not about the books and trades of these markets changes nothing. */
  apply(call: VenueCall, answer: VenueAnswer, nowMs: number): void {
    if (answer.outcome !== 'value') return;
    if (call.kind === 'book') this.showBook(call.market, answer.value as VenueValues['book'], nowMs);
    else if (call.kind === 'books') {
      for (const [symbol, book] of Object.entries(answer.value as VenueValues['books']))
        this.showBook(symbol, book, nowMs);
    } else if (call.kind === 'public-trades') {
      this.applyTape(call.market, answer.value as VenueValues['public-trades'], nowMs);
    }
  }

  showBook(symbol: string, { bids, asks, updatedAtMs }: OrderBook, nowMs: number): void {
    const book = { bids, asks, venueTimeMs: updatedAtMs, seenMs: nowMs };
    this.markets.get(symbol)?.onBook(bookColumns([book]), 0, nowMs);
  }

  private applyTape(symbol: string, newest: readonly PublicTrade[], nowMs: number): void {
    const page = oldestFirst(newest);
    const before = this.tapes.get(symbol);
    this.tapes.set(symbol, page);
    // The first page has the trades from before the start.
    if (before === undefined) return;
    const market = this.markets.get(symbol);
    const fresh = tradeColumns(joinTrades(before, page).fresh.map((trade) => ({ ...trade, seenMs: nowMs })));
    for (let row = 0; row < fresh.length; row += 1) market?.onTrade(fresh, row, nowMs);
  }
}
