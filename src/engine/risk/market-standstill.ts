import { bothTimesText } from '../../domain/zone-time.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';

/** Data that is newer than a book that stands still. */
export type MarketNews = 'newer-trades' | 'newer-stats' | 'newer-book' | 'newer-other-books';

/** A book whose own time does not move though it is read, and what shows that the market went on. */
export interface MarketStandstill {
  readonly market: string;
  /** By the exchange's own time. */
  readonly sinceMs: number;
  readonly ageMs: number;
  /** Null where nothing of the exchange moves. */
  readonly news: MarketNews | null;
}

/** Returns the reason no order is placed on it, in a sentence that stays the same while it lasts. */
export function standstillText({ market, sinceMs, news }: MarketStandstill, limitMs: number): Sentence {
  return sentence('market-standstill', {
    market,
    since: bothTimesText(sinceMs),
    limit: limitMs,
    news: sentence(news ?? 'nothing-newer'),
  });
}
