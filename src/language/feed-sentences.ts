/** Names of the data that is polled from the exchange. */
export const FEED_SENTENCES = {
  'feed-books': 'books',
  'feed-book': 'book {market:symbol}',
  'feed-trades': 'trades {market:symbol}',
  'feed-candles': 'candles {market:symbol} {timeframe:name}',
  'feed-stats': 'stats',
  'feed-options': 'options',
  'feed-transactions': 'transactions',
  'feed-orders': 'orders',
  'feed-fills': 'fills',
  'feed-pools': 'pools',
  'feed-margin-wallets': 'margin-wallets',
  'feed-delegation-limit': 'delegation-limit {market:name}',
} as const;

/** Returns the sentence for the name of a feed, such as `book BTCIRT`. */
export function feedSentence(feed: string): {
  readonly code: string;
  readonly facts: Readonly<Record<string, string>>;
} {
  const [kind = '', market, timeframe] = feed.split(' ');
  return {
    // Wallets have a sentence of their own, which reasons of the books use too.
    code: kind === 'wallets' ? kind : `feed-${kind}`,
    facts: { ...(market === undefined ? {} : { market }), ...(timeframe === undefined ? {} : { timeframe }) },
  };
}
