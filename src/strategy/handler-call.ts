import { SarrafError } from '../domain/errors.ts';
import { checkedIntent, MOST_INTENTS, tooMany } from './check-intents.ts';
import type { MarketContext } from './context.ts';
import type { Intent } from './intents.ts';
import type { EngineView } from './strategy-event.ts';

const NO_INTENTS: readonly Intent[] = Object.freeze([]);

/** The ways to want something in a market. */
export type MarketIntents = Pick<
  MarketContext,
  'buy' | 'sell' | 'oco' | 'target' | 'quotes' | 'twap' | 'iceberg'
>;

/** One call of a strategy's handlers: what they may look at, and what they have wanted so far. */
export class HandlerCall {
  private now: EngineView | null = null;
  private wanted: Intent[] | null = null;
  private readonly knownMarkets: ReadonlySet<string> | undefined;

  constructor(knownMarkets: ReadonlySet<string> | undefined) {
    this.knownMarkets = knownMarkets;
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

  /** Functions that note what is wanted in a market; authors may take them apart. */
  intentsIn(market: string): MarketIntents {
    const { want } = this;
    return {
      buy: (wish) => want('buy', { kind: 'place', market, side: 'buy', ...wish }),
      sell: (wish) => want('sell', { kind: 'place', market, side: 'sell', ...wish }),
      oco: (side, wish) => want('oco', { kind: 'oco', market, side, ...wish }),
      target: (wish) => want('target', { kind: 'target', market, ...wish }),
      quotes: (quotes) => want('quotes', { kind: 'quotes', market, quotes }),
      twap: (side, wish) => want('twap', { kind: 'twap', market, side, ...wish }),
      iceberg: (side, wish) => want('iceberg', { kind: 'iceberg', market, side, ...wish }),
    };
  }

  /**
   * Notes an intent. Throws `INVALID_STRATEGY` that names the field where it is none: the stack shows the
   * author's line.
   */
  readonly want = (name: string, intent: unknown): void => {
    // Only during a call: an intent of another time would be lost.
    void this.view;
    const checked = this.checked(name, intent);
    this.wanted ??= [];
    if (this.wanted.length >= MOST_INTENTS) throw tooMany(this.wanted.length + 1);
    this.wanted.push(checked);
  };

  private checked(name: string, intent: unknown): Intent {
    try {
      return checkedIntent(intent, `ctx.${name}`, this.knownMarkets);
    } catch (error) {
      // A stack has ten frames, and ours would fill them: it begins with who called instead.
      if (error instanceof Error) Error.captureStackTrace(error, this.want);
      throw error;
    }
  }
}
