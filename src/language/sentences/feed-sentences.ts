/** What is read from the exchange again and again, by its name. */
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
} as const;
