import { SarrafError, present } from '../../domain/errors.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import { isSide } from '../checks/intent-fields.ts';
import { MOST_INTENTS, noOrder, frozenIntent, tooMany } from '../check-intents.ts';
import type { Intent } from '../intents.ts';
import type { MarketIntents } from './market-intents.ts';
import type { StrategyContext } from '../context.ts';
import type { StrategyPlots } from '../plots.ts';
import type { EngineView } from '../strategy-event.ts';
import { textOfNumber } from '../decimal-input.ts';
import { isFields } from '../fields.ts';
import type { FillWith } from '../../records/fill.ts';

const NO_INTENTS: readonly Intent[] = Object.freeze([]);

/** One call of a strategy's handlers: what they can read, and the intents made so far. */
export class HandlerCall {
  private now: EngineView | null = null;
  private wanted: Intent[] | null = null;
  readonly marketNames: MarketNames;
  private readonly knownMarkets: ReadonlySet<string> | undefined;
  private readonly plots: StrategyPlots;

  constructor(
    marketNames: MarketNames,
    of: { readonly knownMarkets: ReadonlySet<string> | undefined; readonly plots: StrategyPlots },
  ) {
    this.marketNames = marketNames;
    this.knownMarkets = of.knownMarkets;
    this.plots = of.plots;
  }

  begin(view: EngineView): void {
    this.now = view;
    this.wanted = null;
  }

  /** Ends the call and returns its intents. */
  end(): readonly Intent[] {
    this.now = null;
    return this.wanted ?? NO_INTENTS;
  }

  /** State of the engine for this call. Throws outside of a call, since it is valid for one moment only. */
  get view(): EngineView {
    if (this.now === null) {
      throw new SarrafError(
        'INVALID_STRATEGY',
        'expected ctx to be used during its call only, it was asked later',
      );
    }
    return this.now;
  }

  /** Returns the function that plots with the bars of a market. */
  plotIn(market: string): StrategyContext['plot'] {
    return this.plots.plotIn(market, () => this.view);
  }

  /** Returns functions that add intents for a market. Each works alone, since authors destructure `ctx`. */
  intentsIn(market: string): MarketIntents {
    const { want } = this;
    const last = new LastQuotes();
    return {
      buy: (request) => want('buy', request, { kind: 'place', market, side: 'buy' }),
      sell: (request) => want('sell', request, { kind: 'place', market, side: 'sell' }),
      oco: (side, request) => want('oco', request, { kind: 'oco', market, side }),
      target: (request) => want('target', request, { kind: 'target', market }),
      quotes: (quotes) => {
        void this.view;
        const again = last.again(quotes);
        if (again === null) {
          want('quotes', { quotes }, { kind: 'quotes', market });
          last.remember(quotes, present(this.wanted?.at(-1), 'the intent that was noted'));
        } else this.note(again);
      },
      twap: (side, request) => want('twap', request, { kind: 'twap', market, side }),
      vwap: (side, request) => want('vwap', request, { kind: 'vwap', market, side }),
      ladder: (side, request) => want('ladder', request, { kind: 'ladder', market, side }),
      peg: (side, request) => want('peg', request, { kind: 'peg', market, side }),
      dca: (request) => want('dca', request, { kind: 'dca', market }),
      iceberg: (side, request) => want('iceberg', request, { kind: 'iceberg', market, side }),
      bracket: (request) => want('bracket', request, { kind: 'bracket', market }),
      protect: (request) => want('protect', request, { kind: 'protect', market }),
      exit: (...args: readonly [unknown?, unknown?]) => {
        const [first, second] = args;
        const isNamed = typeof first === 'string';
        const request = isNamed ? second : first;
        want('exit', request ?? {}, { kind: 'exit', market: isNamed ? first : market });
      },
    };
  }

  /**
   * Adds an intent, made of the author's request and the fields that `ctx` fills in. Throws
   * `INVALID_STRATEGY` that names the wrong field; its stack begins at the author's line.
   */
  readonly want = (name: string, request: unknown, filledIn: object): void => {
    // Throws outside of a call: an intent that is made later would be lost.
    void this.view;
    this.note(this.checked(name, request, filledIn));
  };

  private note(intent: Intent): void {
    this.wanted ??= [];
    if (this.wanted.length >= MOST_INTENTS) throw tooMany(this.wanted.length + 1);
    this.wanted.push(intent);
  }

  private checked(name: string, request: unknown, filledIn: object): Intent {
    try {
      const isOrder = typeof request === 'object' && request !== null;
      // An invalid side is reported by the later check.
      if (!isOrder && (!('side' in filledIn) || isSide(filledIn.side))) throw noOrder(`ctx.${name}`, request);
      // Quotes are a list in the field `quotes`, which gives the second part of the name.
      const place = name === 'quotes' ? 'ctx' : `ctx.${name}`;
      return frozenIntent({ ...filledIn, ...(isOrder ? request : null) }, place, this.knownMarkets);
    } catch (error) {
      // A stack has ten frames, and our own would fill them: it begins at the author's line instead.
      if (error instanceof Error) Error.captureStackTrace(error, this.want);
      throw error;
    }
  }
}

type QuotesIntent = Extract<Intent, { kind: 'quotes' }>;

/** A quote as its author gave it, in numbers, which can not change later. */
interface PlacedQuote extends Pick<FillWith<number>, 'price' | 'amount'> {
  readonly names: readonly string[];
  readonly side: unknown;
}

/**
 * The last quotes of a strategy in a market. Most handlers repeat the same quotes at every book, so that
 * checking and copying them again can be skipped.
 */
export class LastQuotes {
  private intent: QuotesIntent | null = null;
  private placed: readonly PlacedQuote[] = [];

  /** Returns the last intent if its quotes are equal to these, else null. */
  again(quotes: unknown): Intent | null {
    const { intent, placed } = this;
    if (intent === null || !Array.isArray(quotes) || quotes.length !== placed.length) return null;
    for (let index = 0; index < placed.length; index += 1) {
      const quote: unknown = quotes[index];
      const before = placed[index];
      if (before === undefined || !isFields(quote) || !isRepeated(quote, before)) return null;
    }
    return intent;
  }

  /** Stores the intent of a list of quotes if all its figures were given as numbers. */
  remember(quotes: unknown, intent: Intent): void {
    this.intent = null;
    if (intent.kind !== 'quotes' || !Array.isArray(quotes)) return;
    const placed: PlacedQuote[] = [];
    for (const [index, checked] of intent.quotes.entries()) {
      const quote: unknown = quotes[index];
      if (!isFields(quote)) return;
      const { side, price, amount } = quote;
      if (side !== checked.side || typeof price !== 'number' || typeof amount !== 'number') return;
      // The check read the fields before, and a getter may return another value each time.
      if (textOfNumber(price) !== checked.price || textOfNumber(amount) !== checked.amount) return;
      placed.push({ names: Object.keys(quote), side, price, amount });
    }
    this.intent = intent;
    this.placed = placed;
  }
}

function isRepeated(quote: Readonly<Record<string, unknown>>, before: PlacedQuote): boolean {
  if (quote['price'] !== before.price || quote['amount'] !== before.amount || quote['side'] !== before.side)
    return false;
  const names = Object.keys(quote);
  if (names.length !== before.names.length) return false;
  for (let index = 0; index < names.length; index += 1)
    if (names[index] !== before.names[index]) return false;
  return true;
}
