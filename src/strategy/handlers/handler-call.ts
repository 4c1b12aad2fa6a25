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

/** One call of a strategy's handlers: what they may look at, and what they have wanted so far. */
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

  /** Answers what was wanted. */
  end(): readonly Intent[] {
    this.now = null;
    return this.wanted ?? NO_INTENTS;
  }

  /** Throws where no handler is at work: what it shows is of one moment. */
  get view(): EngineView {
    if (this.now === null) {
      throw new SarrafError(
        'INVALID_STRATEGY',
        'expected ctx to be used during its call only, it was asked later',
      );
    }
    return this.now;
  }

  /** The function that draws with the bars of a market. */
  plotIn(market: string): StrategyContext['plot'] {
    return this.plots.plotIn(market, () => this.view);
  }

  /** Functions that note what is wanted in a market; authors may take them apart. */
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
   * Notes an intent: what the author wishes, and what `ctx` fills in. Throws `INVALID_STRATEGY` that names
   * the field where it is none: the stack shows the author's line.
   */
  readonly want = (name: string, request: unknown, filledIn: object): void => {
    // Only during a call: an intent of another time would be lost.
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
      // Of a side that is none the check tells.
      if (!isOrder && (!('side' in filledIn) || isSide(filledIn.side))) throw noOrder(`ctx.${name}`, request);
      // Quotes are a list in a field of their own name.
      const place = name === 'quotes' ? 'ctx' : `ctx.${name}`;
      return frozenIntent({ ...filledIn, ...(isOrder ? request : null) }, place, this.knownMarkets);
    } catch (error) {
      // A stack has ten frames, and ours would fill them: it begins with who called instead.
      if (error instanceof Error) Error.captureStackTrace(error, this.want);
      throw error;
    }
  }
}

type QuotesIntent = Extract<Intent, { kind: 'quotes' }>;

/** A quote as its author said it: with numbers, which can not change later. */
interface PlacedQuote extends Pick<FillWith<number>, 'price' | 'amount'> {
  readonly names: readonly string[];
  readonly side: unknown;
}

/**
 * The quotes that a strategy wanted last in a market. Most handlers say the same ones again at every book,
 * and what was checked once need not be checked, copied and written as text again.
 */
export class LastQuotes {
  private intent: QuotesIntent | null = null;
  private placed: readonly PlacedQuote[] = [];

  /** The intent of the same quotes; null where these are others. */
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

  /** Remembers what came of a list of quotes, where all of it was said in numbers. */
  remember(quotes: unknown, intent: Intent): void {
    this.intent = null;
    if (intent.kind !== 'quotes' || !Array.isArray(quotes)) return;
    const placed: PlacedQuote[] = [];
    for (const [index, checked] of intent.quotes.entries()) {
      const quote: unknown = quotes[index];
      if (!isFields(quote)) return;
      const { side, price, amount } = quote;
      if (side !== checked.side || typeof price !== 'number' || typeof amount !== 'number') return;
      // What was checked was read before, and its author may answer otherwise each time.
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
