import { decimalText, ZERO, type DecimalText } from '../../domain/decimal-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { DataAges, MarketContext } from '../context.ts';
import type { HandlerCall } from './handler-call.ts';
import { MarketIntentFields } from './market-intents.ts';
import { type ShownLock, rulesOf, type MarketRules, type Rules } from '../strategy-event.ts';

/**
 * A market as handlers see it. Reads from the engine only what handlers read. Methods are separate functions,
 * since authors destructure a context. Nothing that it returns can be changed.
 */
export class MarketHandle extends MarketIntentFields implements MarketContext {
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
    if (rules === null) {
      throw new SarrafError('INVALID_STRATEGY', `expected a market that the bot follows, was ${this.market}`);
    }
    this.#seenRules = rules;
    this.#rules = rulesOf(rules);
    return this.#rules;
  }
}

/**
 * Caches a currency's free amount for a record of all free amounts, which stays the same object until one of
 * them changes.
 */
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
