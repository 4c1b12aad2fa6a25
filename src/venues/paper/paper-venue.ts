import { SarrafError } from '../../domain/errors.ts';
import { MARKET_CALLS } from '../../venues/port.ts';
import { formatUnits } from '../../domain/money.ts';
import { decimalText } from '../../domain/decimal-text.ts';
import type { Market } from '../../domain/market.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import { joinTrades, oldestFirst } from '../../domain/trade-join.ts';
import type { PublicTrade } from '../../domain/trade.ts';
import type { VenueCall } from '../port.ts';
import { BudgetLedger } from '../../budget/ledger.ts';
import { RequestLimiter, type Limiter } from '../../budget/limiter.ts';
import { MemoryLockouts } from '../../budget/lockouts.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { ExchangeClient } from '../../exchange/client.ts';
import { LiveFlow } from '../../simulator/flow/live-flow.ts';
import { InProcessVenue } from '../../simulator/in-process-venue.ts';
import { readExchangeConfig, type ExchangeConfig } from '../../simulator/settings/exchange-config.ts';
import { createSimulation } from '../../simulator/simulation.ts';
import { profileOf } from '../interface-profile.ts';
import type { Venue } from '../venue.ts';
import {
  askFirst,
  openRemoteExchange,
  readMarkets,
  type Opening,
  type RemoteExchange,
  type WaitingCall,
} from '../live/live-venue.ts';
import type { ExchangeAccess } from '../live/exchange-access.ts';
import { createVenueCaller, type VenueCaller, type VenueEnd } from '../venue-caller.ts';

const PAPER_TOKEN = 'paper-bot-token';
const PAPER_NAME = 'paper-bot';
const PAPER_USER = 8_000_001;

/** What paper trading needs of the configuration. */
export interface PaperSettings {
  readonly exchange: Omit<ExchangeAccess, 'credentials'>;
  readonly paper: {
    /** Where the public data comes from; null for the address of the exchange. */
    readonly baseUrl: string | null;
    readonly balances: Readonly<Record<string, string>>;
    readonly fees: ExchangeConfig['fees'];
  };
  readonly strategies: readonly { readonly market: string }[];
}

/**
 * Paper trading: public data of a real exchange, orders to an exchange in this process that follows it. Nothing but public reads ever leaves. Throws
 * `INVALID_OPTIONS` without an address, `INVALID_MARKET` for a market that the real exchange does not have.
 */
export async function createPaperVenue(config: PaperSettings, waiting: Opening): Promise<Venue> {
  const baseUrl = config.paper.baseUrl ?? config.exchange.baseUrl;
  if (baseUrl === null) {
    throw new SarrafError('INVALID_OPTIONS', 'expected paper.baseUrl or exchange.baseUrl for the mode paper');
  }
  const { wrap } = waiting;
  const remote = openRemoteExchange({
    config,
    baseUrl,
    credentials: null,
    onTrouble: waiting.onTrouble,
    ...(wrap === undefined ? {} : { wrap }),
  });
  try {
    const all = await readMarkets(remote, waiting);
    const traded = new Set(config.strategies.map(({ market }) => market));
    const markets = all.filter(({ symbol }) => traded.has(symbol));
    for (const symbol of traded) {
      if (markets.some((market) => market.symbol === symbol)) continue;
      throw new SarrafError('INVALID_MARKET', `expected a market of ${baseUrl}, was ${symbol}`);
    }
    const books = await readBooks(remote, markets, waiting);
    return paperVenueOf(remote, { config, markets, books });
  } catch (error) {
    await remote.close();
    throw error;
  }
}

function paperVenueOf(
  remote: RemoteExchange,
  of: {
    readonly config: PaperSettings;
    readonly markets: readonly Market[];
    readonly books: ReadonlyMap<string, OrderBook>;
  },
): Venue {
  const { config, markets, books } = of;
  const { time } = remote;
  const settings = readExchangeConfig({
    markets: markets.map((market) => ({
      symbol: market.symbol,
      priceStep: formatUnits(market.priceStep),
      amountStep: formatUnits(market.amountStep),
      initialPrice: middleOf(books.get(market.symbol), market),
    })),
    users: [{ username: PAPER_NAME, id: PAPER_USER, tokens: [PAPER_TOKEN], balances: config.paper.balances }],
    flow: { kind: 'none' },
  });
  const { exchange, door } = createSimulation({
    config: { ...settings, fees: config.paper.fees },
    startMs: time.now(),
    seed: 1,
  });
  const flows = new Map(
    markets.map(({ symbol }, index) => [symbol as string, new LiveFlow({ exchange, market: symbol, index })]),
  );
  for (const [symbol, book] of books) flows.get(symbol)?.show(book, time.now());
  const client = new ExchangeClient({
    transport: new InProcessVenue({ door, now: () => time.now(), sleep: (durationMs) => time.sleep(durationMs) }),
    credentials: { kind: 'token', token: PAPER_TOKEN },
    nowMs: () => time.now(),
    limits: config.exchange.limits,
    headroom: config.exchange.headroom,
  });
  const tapes = new Map<string, readonly PublicTrade[]>();
  const follow = (call: VenueCall, { answer }: VenueEnd): void => {
    if (answer.outcome !== 'value') return;
    const nowMs = time.now();
    exchange.advance(nowMs);
    if (call.kind === 'book') flows.get(call.market)?.show(answer.value as OrderBook, nowMs);
    else if (call.kind === 'books') {
      for (const [symbol, book] of Object.entries(answer.value as Readonly<Record<string, OrderBook>>)) {
        flows.get(symbol)?.show(book, nowMs);
      }
    } else if (call.kind === 'public-trades') {
      const page = oldestFirst(answer.value as readonly PublicTrade[]);
      const before = tapes.get(call.market) ?? null;
      tapes.set(call.market, page);
      // The first page is the past.
      if (before !== null) flows.get(call.market)?.trade(joinTrades(before, page).fresh, nowMs);
    }
  };
  return {
    profile: profileOf(remote.caller),
    time,
    caller: splitCaller(remote.caller, createVenueCaller(client), follow),
    limiter: splitLimiter(remote.limiter, [...client.budgets.values()]),
    limiterMs: monotonicMs,
    budgets: remote.client.budgets,
    canLogIn: false,
    accountReader: null,
    ledgerSubjects: [],
    markets,
    isNew: true,
    pollStretch: 1,
    mostOccupied: () => new Map(),
    namedLimits: () => remote.ledger.namedLimits(monotonicMs()),
    isOver: () => false,
    ledgerFile: remote.ledgerFile,
    close: async () => remote.close(),
  };
}

/** Public calls go to the real exchange and move the one in this process; all others go to the latter. */
function splitCaller(
  real: VenueCaller,
  paper: VenueCaller,
  follow: (call: VenueCall, end: VenueEnd) => void,
): VenueCaller {
  return {
    ...real,
    async send(call, signal) {
      if (!MARKET_CALLS.has(call.kind)) return paper.send(call, signal);
      const end = await real.send(call, signal);
      follow(call, end);
      return end;
    },
  };
}

/** Nobody else asks the exchange in this process: its limits are kept by a ledger of its own, which begins empty. */
function splitLimiter(real: Limiter, budgets: ConstructorParameters<typeof RequestLimiter>[0]['budgets']): Limiter {
  const ledger = new BudgetLedger(budgets);
  const paper = new RequestLimiter({ budgets, ledger, lockouts: new MemoryLockouts(), nowMs: monotonicMs });
  return {
    run: async (call) => (call.credential === 'none' ? real.run(call) : paper.run(call)),
    close: async () => void (await Promise.all([real.close(), paper.close()])),
  };
}

/** One book of each market, so that the exchange in this process begins where the real one is. */
async function readBooks(
  remote: RemoteExchange,
  markets: readonly Market[],
  waiting: WaitingCall,
): Promise<ReadonlyMap<string, OrderBook>> {
  const books = new Map<string, OrderBook>();
  for (const { symbol } of markets) {
    const answer = await askFirst(remote, { kind: 'book', market: symbol }, waiting);
    if (answer.outcome === 'value') books.set(symbol, answer.value as OrderBook);
  }
  return books;
}

function middleOf(book: OrderBook | undefined, market: Market): string {
  const best = book?.bids[0]?.[0] ?? book?.asks[0]?.[0];
  if (best !== undefined) return decimalText(best);
  throw new SarrafError('SERVER_ERROR', `expected a book of ${market.symbol} to begin with, was none`);
}
