import { invariant, invalidStrategy } from '../../domain/errors.ts';
import type { MarketContext, StrategyContext } from '../context.ts';
import { fieldsOf, isFields } from '../fields.ts';
import { MarketIntentFields } from '../handlers/market-intents.ts';
import type { Order } from '../strategy-event.ts';
import { readOnlyFields, type FieldReader } from '../handlers/handler-context.ts';
import { checkedChange } from '../strategy-state.ts';

/** Name of the universe's data in a strategy that runs in each member. */
export const UNIVERSE_NAME = 'members';

/** Which parts of a strategy each member has for itself, and which all members share. */
export interface MemberParts {
  /** Names of data and of indicators that each member has for itself. */
  readonly data: ReadonlySet<string>;
  readonly indicators: ReadonlySet<string>;
  /** State of a member before its first change. */
  readonly firstState: unknown;
  readonly hasState: boolean;
  /** Called if a member names an order that it does not have: the later refusal names no market. */
  readonly onUnknownOrder: (clientOrderId: string, market: string) => void;
}

/** Context of a one-market strategy in one member of its universe, the only market that it trades in. */
export class MemberContext extends MarketIntentFields implements StrategyContext {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  readonly params: unknown;
  readonly ages: MarketContext['ages'];
  readonly exact: MarketContext['exact'];
  readonly isTradable: MarketContext['isTradable'];
  readonly plot: MarketContext['plot'];
  readonly data: StrategyContext['data'];
  readonly history: StrategyContext['history'];
  readonly indicators: Readonly<Record<string, unknown>>;
  readonly setState: StrategyContext['setState'];
  readonly markets: StrategyContext['markets'];
  readonly cancel: StrategyContext['cancel'];
  readonly cancelAll: StrategyContext['cancelAll'];
  readonly replace: StrategyContext['replace'];
  readonly targets: StrategyContext['targets'];
  readonly transfer: StrategyContext['transfer'];
  readonly log: StrategyContext['log'];
  readonly #ctx: StrategyContext;
  readonly #place: MarketContext;
  readonly #firstState: unknown;

  constructor(ctx: StrategyContext, market: string, parts: MemberParts) {
    const place = ctx.markets.of(market);
    super(place);
    this.#ctx = ctx;
    this.#place = place;
    this.#firstState = parts.firstState;
    this.market = market;
    this.base = place.base;
    this.quote = place.quote;
    this.params = ctx.params;
    this.ages = place.ages;
    this.exact = place.exact;
    this.isTradable = place.isTradable;
    this.plot = place.plot;
    const readers = readersOf(ctx.data, parts.data, market);
    // The universe itself is not data of the strategy.
    readers.delete(UNIVERSE_NAME);
    this.data = readOnlyFields(readers, null);
    this.history = readOnlyFields(readersOf(ctx.history, parts.data, market), null);
    this.indicators = readOnlyFields(readersOf(ctx.indicators, parts.indicators, market), null);
    this.setState = (change) => {
      void ctx.nowMs;
      const fields = checkedChange(change, parts.hasState);
      ctx.setState({ [market]: { ...fieldsOf(this.state), ...fields } });
    };
    this.markets = Object.freeze({ of: (symbol: string) => this.#own(symbol, 'ctx.markets.of') });
    this.cancel = (clientOrderId) => {
      this.#ask(clientOrderId, 'ctx.cancel', parts);
      ctx.cancel(clientOrderId);
    };
    this.cancelAll = (only = market) => ctx.cancelAll(this.#own(only, 'ctx.cancelAll').market);
    this.replace = (clientOrderId, change) => {
      this.#ask(clientOrderId, 'ctx.replace', parts);
      ctx.replace(clientOrderId, change);
    };
    this.targets = (shares, options) => {
      for (const symbol of Object.keys(fieldsOf(shares))) this.#own(symbol, 'ctx.targets');
      ctx.targets(shares, options);
    };
    this.transfer = () => {
      void ctx.nowMs;
      throw invalidStrategy(
        'ctx.transfer: expected a strategy that moves money once, was one that is declared per member, where each market would move it: write it with universe(...)',
      );
    };
    this.log = Object.freeze((text: string, fields?: Readonly<Record<string, unknown>>) =>
      ctx.log(text, isFields(fields) ? { market, ...fields } : { market }),
    );
    Object.freeze(this);
  }

  get position(): number {
    return this.#place.position;
  }

  get inventory(): number {
    return this.#place.inventory;
  }

  get freeBase(): number {
    return this.#place.freeBase;
  }

  get freeQuote(): number {
    return this.#place.freeQuote;
  }

  get equity(): number | null {
    return this.#place.equity;
  }

  get locks(): MarketContext['locks'] {
    return this.#place.locks;
  }

  get rules(): MarketContext['rules'] {
    return this.#place.rules;
  }

  get nowMs(): number {
    return this.#ctx.nowMs;
  }

  get state(): unknown {
    return fieldsOf(this.#ctx.state)[this.market] ?? this.#firstState;
  }

  get orders(): readonly Order[] {
    const { orders } = this.#ctx;
    return orders.length === 0
      ? orders
      : Object.freeze(orders.filter(({ market }) => market === this.market));
  }

  /** Returns this context for its own market; another market throws `INVALID_STRATEGY`. */
  #own(symbol: string, place: string): MarketContext {
    void this.nowMs;
    if (symbol === this.market) return this;
    throw invalidStrategy(
      `${place}: expected ${this.market}, was ${JSON.stringify(symbol)}: a strategy that is declared per member trades in one market at a time; to trade in several, write it with universe(...)`,
    );
  }

  /** Checks that an order is not of another member. */
  #ask(clientOrderId: string, place: string, { onUnknownOrder }: MemberParts): void {
    const order = this.#ctx.orders.find((one) => one.clientOrderId === clientOrderId);
    if (order === undefined) onUnknownOrder(clientOrderId, this.market);
    else this.#own(order.market, place);
  }
}

Object.freeze(MemberContext.prototype);
Object.freeze(MemberContext);

/** Returns readers of fields; fields in `own` have a value for each member. */
function readersOf(
  fields: unknown,
  own: ReadonlySet<string>,
  market: string,
): Map<string, FieldReader<unknown>> {
  const readers = new Map<string, FieldReader<unknown>>();
  for (const name of Object.keys(fieldsOf(fields))) {
    const isOwn = own.has(name);
    readers.set(name, {
      get value() {
        const field = fieldsOf(fields)[name];
        return isOwn ? ofMember(field, market) : field;
      },
    });
  }
  return readers;
}

/** Returns a field's value for one member. */
function ofMember(field: unknown, market: string): unknown {
  const { of } = fieldsOf(field);
  invariant(typeof of === 'function', 'expected something of each member, found something else');
  return Reflect.apply(of, field, [market]);
}
