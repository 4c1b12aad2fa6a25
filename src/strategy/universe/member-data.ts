import type { Timeframe } from '../../domain/candle.ts';
import { FRESHNESS, type Freshness, type MemberTemplate } from '../subscriptions.ts';
import type { UniverseRules } from '../universe-rules.ts';

/** Declared candles of each member. Indicators on them are separate for each member. */
export interface MemberCandles {
  readonly kind: 'member-candles';
  readonly of: UniverseData;
  readonly from: Extract<MemberTemplate, { kind: 'candles' }>;
}

/** Declared order book of each member. */
interface MemberBook {
  readonly kind: 'member-book';
  readonly of: UniverseData;
  readonly from: Extract<MemberTemplate, { kind: 'book' }>;
}

/** Declared best prices of each member. */
interface MemberTicker {
  readonly kind: 'member-ticker';
  readonly of: UniverseData;
  readonly from: MemberTemplate;
}

export type MemberData = MemberCandles | MemberBook | MemberTicker;

/** Markets that are chosen by a rule, with the data that can be declared for them. */
export interface UniverseData {
  readonly kind: 'universe';
  readonly from: UniverseRules;
  /** Set for a strategy of one market that runs in each member. */
  readonly isPerMember?: true;
  /**
   * Closed candles of each member, in order. With `history`, the last bars (at most 499) are in `ctx.history`
   * under the name of the data.
   */
  candles(timeframe: Timeframe, options?: { readonly history?: number }): MemberCandles;
  /** The order book of each member: polled every 2 s, at most 30 s old. */
  book(freshness?: Freshness): MemberBook;
  /** The best prices of each member, as `ticker` of a market. */
  ticker(options?: Freshness & { readonly timeframe?: Timeframe }): MemberTicker;
}

/** A value of each member, by market; null if the market is not followed, and before the first value. */
export interface OfMembers<Value> {
  readonly of: (market: string) => Value;
}

export function universeData(
  rules: UniverseRules,
  run: { readonly timeframe: Timeframe; readonly hasBooks: boolean; readonly isPerMember?: true },
): UniverseData {
  const data: UniverseData = {
    kind: 'universe',
    from: rules,
    ...(run.isPerMember === true ? { isPerMember: true } : {}),
    candles: (timeframe, { history = 0 } = {}) => ({
      kind: 'member-candles',
      of: data,
      from: { kind: 'candles', timeframe, warmUp: history },
    }),
    book: (freshness) => ({ kind: 'member-book', of: data, from: bookTemplate(freshness) }),
    ticker: ({ timeframe = run.timeframe, ...freshness } = {}) => ({
      kind: 'member-ticker',
      of: data,
      // The warm-up of one gives a price before the first live bar closes.
      from: run.hasBooks ? bookTemplate(freshness) : { kind: 'candles', timeframe, warmUp: 1 },
    }),
  };
  return data;
}

function bookTemplate(freshness: Freshness = {}): Extract<MemberTemplate, { kind: 'book' }> {
  return { kind: 'book', ...FRESHNESS.book, ...freshness };
}
