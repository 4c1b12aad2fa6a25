import type { Timeframe } from '../../domain/candle.ts';
import { FRESHNESS, type Freshness, type MemberTemplate } from '../subscriptions.ts';
import type { UniverseRules } from '../universe-rules.ts';

/** Closed candles of each member; indicators are declared on them, and each member has its own. */
export interface MemberCandles {
  readonly kind: 'member-candles';
  readonly of: UniverseData;
  readonly from: Extract<MemberTemplate, { kind: 'candles' }>;
}

/** The order book of each member. */
interface MemberBook {
  readonly kind: 'member-book';
  readonly of: UniverseData;
  readonly from: Extract<MemberTemplate, { kind: 'book' }>;
}

/** The best prices of each member. */
interface MemberTicker {
  readonly kind: 'member-ticker';
  readonly of: UniverseData;
  readonly from: MemberTemplate;
}

export type MemberData = MemberCandles | MemberBook | MemberTicker;

/** Markets that are chosen by a rule, where data is declared. */
export interface UniverseData {
  readonly kind: 'universe';
  readonly from: UniverseRules;
  /** Of a strategy that is written for one market, and runs in each member. */
  readonly isPerMember?: true;
  /**
   * Closed candles of each member, in order. With `history` the last so many bars (at most 499) are in
   * `ctx.history` under the same name.
   */
  candles(timeframe: Timeframe, options?: { readonly history?: number }): MemberCandles;
  /** The order book of each member: wanted every 2 s, at most 30 s old. */
  book(freshness?: Freshness): MemberBook;
  /** The best prices of each member, as `ticker` of a market. */
  ticker(options?: Freshness & { readonly timeframe?: Timeframe }): MemberTicker;
}

/** Something of each member, by its market; null for one that is not followed, and before the first. */
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
      // The close before the first bar is a price, too.
      from: run.hasBooks ? bookTemplate(freshness) : { kind: 'candles', timeframe, warmUp: 1 },
    }),
  };
  return data;
}

function bookTemplate(freshness: Freshness = {}): Extract<MemberTemplate, { kind: 'book' }> {
  return { kind: 'book', ...FRESHNESS.book, ...freshness };
}
