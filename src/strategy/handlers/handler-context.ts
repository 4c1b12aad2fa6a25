import { bookOf } from '../book.ts';
import type { DataEntry } from '../checks/check-data.ts';
import { expectedMarket } from '../decimal-input.ts';
import { SarrafError, invalidStrategy } from '../../domain/errors.ts';
import type { DataAges, MarketContext, StrategyContext } from '../context.ts';
import type { HandlerCall } from './handler-call.ts';
import { marginTopic } from '../../records/margin.ts';
import { marketDayOf } from '../data/data.ts';
import { MarketIntentFields } from './market-intents.ts';
import { decimalText, ZERO, type DecimalText } from '../../domain/decimal-text.ts';
import {
  orderOf,
  rulesOf,
  type MarketRules,
  type Order,
  type Rules,
  type ShownLock,
} from '../strategy-event.ts';
import type { StrategyState } from '../strategy-state.ts';
import { marginOf } from '../data/shown-margin.ts';
import { isOfMargin } from '../subscriptions.ts';
import { tickerOfBar, tickerOfBook, type Bar } from '../data/bar.ts';
import type { MemberSet, MemberFeed } from '../universe/member-set.ts';
import type { OfMembers } from '../universe/member-data.ts';
import { universeOf } from '../shown-universe.ts';

/**
 * A market as handlers see it. Reads from the engine only what handlers read. Methods are separate functions,
 * since authors destructure a context. Nothing that it returns can be changed.
 */
class MarketHandle extends MarketIntentFields implements MarketContext {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  readonly ages: DataAges;
  readonly exact: MarketContext['exact'];
  readonly isTradable: MarketContext['isTradable'];
  readonly plot: MarketContext['plot'];
  readonly #call: HandlerCall;
  /** The engine's rules at the last read, and what was made of them. */
  #seenRules: MarketRules | null = null;
  #rules: Rules | null = null;

  constructor(call: HandlerCall, market: string) {
    super(call.intentsIn(market));
    const { base, quote } = call.marketNames.parseMarket(market);
    this.#call = call;
    this.market = market;
    this.base = base;
    this.quote = quote;
    this.ages = new MarketAges(call, market);
    this.exact = new ExactNumbers(call, { market, base, quote });
    this.isTradable = (amount, price) => {
      const { amountStep, minOrderValue } = this.rules;
      return amount >= amountStep && amount * price > minOrderValue;
    };
    this.plot = call.plotIn(market);
    if (new.target === MarketHandle) Object.freeze(this);
  }

  get position(): number {
    return this.#call.view.positionNumber(this.market);
  }

  get inventory(): number {
    return Number(this.#call.view.inventory(this.market));
  }

  get freeBase(): number {
    return this.#call.view.freeNumber(this.base);
  }

  get freeQuote(): number {
    return this.#call.view.freeNumber(this.quote);
  }

  get equity(): number | null {
    const { equity } = this.exact;
    return equity === null ? null : Number(equity);
  }

  get locks(): readonly ShownLock[] {
    return this.#call.view.locks(this.market);
  }

  get rules(): Rules {
    const rules = this.#call.view.rules(this.market);
    if (rules !== null && rules === this.#seenRules && this.#rules !== null) return this.#rules;
    if (rules === null) throw invalidStrategy(`expected a market that the bot follows, was ${this.market}`);
    this.#seenRules = rules;
    this.#rules = rulesOf(rules);
    return this.#rules;
  }
}

/** Caches a currency's free amount for a record of all free amounts, a new one after each change. */
class LastFree {
  #all: Readonly<Record<string, DecimalText>> | null = null;
  #text: DecimalText = ZERO;

  of(all: Readonly<Record<string, DecimalText>>, currency: string): DecimalText {
    if (all === this.#all) return this.#text;
    const text = all[currency];
    // An account has no entry for a currency that it never had.
    this.#text = text === undefined ? ZERO : decimalText(text);
    this.#all = all;
    return this.#text;
  }
}

/** Exact amounts of the strategy's holdings, as decimal texts. */
class ExactNumbers {
  readonly #call: HandlerCall;
  readonly #of: { readonly market: string; readonly base: string; readonly quote: string };
  readonly #freeBase = new LastFree();
  readonly #freeQuote = new LastFree();

  constructor(
    call: HandlerCall,
    of: { readonly market: string; readonly base: string; readonly quote: string },
  ) {
    this.#call = call;
    this.#of = of;
    Object.freeze(this);
  }

  get position(): DecimalText {
    return this.#call.view.position(this.#of.market);
  }

  get freeBase(): DecimalText {
    return this.#freeBase.of(this.#call.view.free(), this.#of.base);
  }

  get freeQuote(): DecimalText {
    return this.#freeQuote.of(this.#call.view.free(), this.#of.quote);
  }

  get equity(): DecimalText | null {
    return this.#call.view.equity(this.#of.market);
  }
}

class MarketAges implements DataAges {
  readonly #call: HandlerCall;
  readonly #market: string;

  constructor(call: HandlerCall, market: string) {
    this.#call = call;
    this.#market = market;
    Object.freeze(this);
  }

  get book(): number | null {
    return this.#call.view.ageMs('book', this.#market);
  }

  get stats(): number | null {
    return this.#call.view.ageMs('stats', this.#market);
  }

  get trades(): number | null {
    return this.#call.view.ageMs('trades', this.#market);
  }

  get candles(): number | null {
    return this.#call.view.ageMs('candles', this.#market);
  }

  get orders(): number | null {
    return this.#call.view.accountAgeMs('orders');
  }

  get fills(): number | null {
    return this.#call.view.accountAgeMs('fills');
  }

  get balances(): number | null {
    return this.#call.view.accountAgeMs('balances');
  }
}

// All strategies of a process share these classes: none may change a market of the others.
for (const shared of [MarketHandle, ExactNumbers, MarketAges]) {
  Object.freeze(shared.prototype);
  Object.freeze(shared);
}

const NO_ORDERS: readonly Order[] = Object.freeze([]);
const NO_VALUES: readonly never[] = Object.freeze([]);

/** Parts of a context that are the same in every call. */
interface ContextSetup {
  readonly market: string;
  readonly params: unknown;
  readonly state: StrategyState;
  readonly entries: readonly DataEntry[];
  readonly universes: readonly MemberSet[];
  readonly emptyLists: readonly string[];
  readonly indicators: object;
  readonly call: HandlerCall;
  readonly log: StrategyContext['log'];
  readonly knownMarkets: ReadonlySet<string> | undefined;
}

/** The context of all calls of one strategy: its own market, and what is the same in all markets. */
export class HandlerContext extends MarketHandle implements StrategyContext {
  readonly params: unknown;
  readonly data: StrategyContext['data'];
  readonly history: StrategyContext['history'];
  readonly indicators: unknown;
  readonly setState: StrategyContext['setState'];
  readonly markets: StrategyContext['markets'];
  readonly cancel: StrategyContext['cancel'];
  readonly cancelAll: StrategyContext['cancelAll'];
  readonly replace: StrategyContext['replace'];
  readonly targets: StrategyContext['targets'];
  readonly transfer: StrategyContext['transfer'];
  readonly log: StrategyContext['log'];
  readonly #call: HandlerCall;
  readonly #state: StrategyState;

  constructor(setup: ContextSetup) {
    const { market, params, state, entries, indicators, call, log, knownMarkets } = setup;
    super(call, market);
    this.#call = call;
    this.#state = state;
    this.params = params;
    this.indicators = indicators;
    const ofMembers = memberReaders(setup.universes, call);
    const empty = setup.emptyLists.map((name) => [name, { value: NO_VALUES }] as const);
    const others = new Map([...ofMembers.data, ...empty]);
    this.data = shown(entries, (entry) => lastOf(entry, call), others, call);
    this.history = shown(
      entries,
      ({ kind, series, isListed }) => (kind === 'candles' && !isListed ? () => series?.history : null),
      ofMembers.history,
      call,
    );
    this.setState = (change) => {
      void call.view;
      state.change(change);
    };
    this.markets = Object.freeze({ of: marketsOf(this, call, knownMarkets) });
    this.cancel = (clientOrderId) => call.want('cancel', { clientOrderId }, { kind: 'cancel' });
    this.cancelAll = (only) =>
      call.want('cancelAll', only === undefined ? {} : { market: only }, { kind: 'cancel-all' });
    this.replace = (clientOrderId, change) =>
      call.want('replace', change, { kind: 'replace', clientOrderId });
    this.targets = (shares, options = {}) =>
      call.want('targets', { ...options, shares }, { kind: 'targets', market: firstOf(shares) ?? market });
    this.transfer = (request) => call.want('transfer', request, { kind: 'transfer' });
    this.log = Object.freeze((text: string, fields?: Readonly<Record<string, unknown>>) => {
      void call.view;
      log(text, fields);
    });
    Object.freeze(this);
  }

  get state(): unknown {
    void this.#call.view;
    return this.#state.value;
  }

  get nowMs(): number {
    return this.#call.view.nowMs;
  }

  get orders(): readonly Order[] {
    const orders = this.#call.view.orders();
    // There are mostly no orders, and freezing a list would take most of the time of a read.
    return orders.length === 0 ? NO_ORDERS : Object.freeze(orders.map(orderOf));
  }
}

Object.freeze(HandlerContext.prototype);
Object.freeze(HandlerContext);

/** Returns the first market of the given shares, which may be anything: types of plugins are not trusted. */
const firstOf = (shares: unknown): string | undefined =>
  typeof shares === 'object' && shares !== null ? Object.keys(shares)[0] : undefined;

/** Returns contexts of other markets, each made once; for its own market, the context itself. */
function marketsOf(
  own: MarketContext,
  call: HandlerCall,
  knownMarkets: ReadonlySet<string> | undefined,
): (symbol: string) => MarketContext {
  const handles = new Map<string, MarketContext>([[own.market, own]]);
  return (symbol) => {
    void call.view;
    const known = handles.get(symbol);
    if (known !== undefined) return known;
    if (knownMarkets?.has(symbol) === false)
      throw invalidStrategy(
        `ctx.markets.of: ${expectedMarket(symbol, knownMarkets)}: declare data of a market, and the bot follows it`,
      );
    const handle = new MarketHandle(call, symbol);
    handles.set(symbol, handle);
    return handle;
  };
}

/** Returns an object with the values of declared data, by its names. */
function shown<Value>(
  entries: readonly DataEntry[],
  readerFor: (entry: DataEntry) => (() => Value) | null,
  more: ReadonlyMap<string, FieldReader<Value>>,
  call: HandlerCall,
): Readonly<Record<string, Value | readonly Value[]>> {
  const fields = new Map<string, FieldReader<Value | readonly Value[]>>(more);
  for (const name of new Set(entries.map((entry) => entry.name))) {
    const all = entries.filter((entry) => entry.name === name);
    const readers = all.flatMap((entry) => readerFor(entry) ?? []);
    const [first] = readers;
    if (first === undefined) continue;
    const isListed = all[0]?.isListed === true;
    fields.set(
      name,
      isListed ? readerOf(() => Object.freeze(readers.map((read) => read()))) : readerOf(first),
    );
  }
  return readOnlyFields(fields, call);
}

function readerOf<Value>(read: () => Value): FieldReader<Value> {
  return {
    get value() {
      return read();
    },
  };
}

/** Returns a reader of the last value of some data; null for data that has no value after its event. */
function lastOf({ kind, subscription, series }: DataEntry, call: HandlerCall): (() => unknown) | null {
  if (subscription.kind === 'timer' || subscription.kind === 'signal') return null;
  if (kind === 'timer' || kind === 'signal' || kind === 'trades') return null;
  if (isOfMargin(subscription)) return lastMargin(marginTopic(subscription), call);
  const { market } = subscription;
  switch (kind) {
    case 'candles':
      return () => series?.bar ?? null;
    case 'book':
      return () => {
        const book = call.view.book(market);
        return book === null ? null : bookOf(market, book);
      };
    case 'ticker':
      return () => {
        if (series !== null) return series.bar === null ? null : tickerOfBar(series.bar);
        const book = call.view.book(market);
        return book === null ? null : tickerOfBook(market, book);
      };
    case 'stats':
      return () => {
        const stats = call.view.stats(market);
        return stats === null ? null : marketDayOf(stats);
      };
    case 'pools':
    case 'margin-wallets':
    case 'delegation-limit':
      throw new SarrafError(
        'INVARIANT',
        `expected a subscription of margin for ${kind}, was ${subscription.kind}`,
      );
  }
}

function lastMargin(topic: string, call: HandlerCall): () => unknown {
  return () => {
    const seen = call.view.margin(topic);
    return seen === null ? null : marginOf(seen);
  };
}

const NO_BARS: readonly Bar[] = Object.freeze([]);

type FieldReaders = ReadonlyMap<string, FieldReader<unknown>>;

/** Returns readers of universes and of their members' data, by the names of the data. */
function memberReaders(
  universes: readonly MemberSet[],
  call: HandlerCall,
): { readonly data: FieldReaders; readonly history: FieldReaders } {
  const data = new Map<string, FieldReader<unknown>>();
  const history = new Map<string, FieldReader<unknown>>();
  for (const { name, feeds } of universes) {
    data.set(name, {
      get value() {
        return universeOf(call.view.universe(name));
      },
    });
    for (const feed of feeds) {
      data.set(feed.name, { value: ofMembers(call, (market) => lastOfMember(feed, market, call)) });
      if (feed.kind === 'candles')
        history.set(feed.name, {
          value: ofMembers(call, (market) => feed.candlesOf(market)?.history ?? NO_BARS),
        });
    }
  }
  return { data, history };
}

/** Returns the values of each member's indicators, by the names of the indicators. */
export const memberValues = ({ values }: MemberFeed, call: HandlerCall): FieldReaders =>
  new Map(values.map(([name, of]) => [name, { value: ofMembers(call, of) }] as const));

/** Returns access to a value of each member, during the call only. */
function ofMembers<Value>(call: HandlerCall, of: (market: string) => Value): OfMembers<Value> {
  return Object.freeze({
    of: (market: string) => {
      void call.view;
      return of(market);
    },
  });
}

function lastOfMember(feed: MemberFeed, market: string, call: HandlerCall): unknown {
  if (!feed.set.isFollowed(market)) return null;
  const bar = feed.candlesOf(market)?.bar ?? null;
  if (feed.kind === 'candles') return bar;
  if (feed.data.from.kind === 'candles') return bar === null ? null : tickerOfBar(bar);
  const book = call.view.book(market);
  if (book === null) return null;
  return feed.kind === 'book' ? bookOf(market, book) : tickerOfBook(market, book);
}

/** Getter of a field: the value is computed at each read. */
export interface FieldReader<Value> {
  readonly value: Value;
}

type Getter = (this: ReadOnlyFields) => unknown;

/**
 * Objects whose fields are computed when they are read. Fields at the same position share a getter, so that
 * later runs in a process have the same hidden class for V8 and are as fast as the first.
 */
class ReadOnlyFields {
  /** Getters by the index of the field. */
  static readonly #getters: Getter[] = [];
  readonly #readers: readonly FieldReader<unknown>[];
  readonly #call: Pick<HandlerCall, 'view'> | null;

  constructor(readers: ReadonlyMap<string, FieldReader<unknown>>, call: Pick<HandlerCall, 'view'> | null) {
    this.#call = call;
    this.#readers = [...readers.values()];
    for (const [place, name] of [...readers.keys()].entries())
      Object.defineProperty(this, name, { get: ReadOnlyFields.#getter(place), enumerable: true });
    Object.freeze(this);
  }

  static #getter(place: number): Getter {
    return (ReadOnlyFields.#getters[place] ??= function read() {
      void this.#call?.view;
      return this.#readers[place]?.value;
    });
  }
}

Object.freeze(ReadOnlyFields.prototype);
Object.freeze(ReadOnlyFields);

/**
 * Returns an object whose fields are computed when they are read, and that can not be changed. Reading throws
 * outside of `call`; without `call`, only if a reader itself throws.
 */
export function readOnlyFields<Value>(
  readers: ReadonlyMap<string, FieldReader<Value>>,
  call: Pick<HandlerCall, 'view'> | null,
): Readonly<Record<string, Value>> {
  // Each name got a getter of a value above.
  return new ReadOnlyFields(readers, call) as unknown as Readonly<Record<string, Value>>;
}
