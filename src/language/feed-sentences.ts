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

export const FEED_IN_PERSIAN: Record<keyof typeof FEED_SENTENCES, string> = {
  'feed-books': 'دفترهای سفارش',
  'feed-book': 'دفتر سفارش‌های {market:symbol}',
  'feed-trades': 'معامله‌های بازار {market:symbol}',
  'feed-candles': 'کندل‌های {timeframe:name} {market:symbol}',
  'feed-stats': 'آمار بازارها',
  'feed-options': 'تنظیمات بازارها',
  'feed-transactions': 'گردش کیف پول',
  'feed-orders': 'سفارش‌های حساب',
  'feed-fills': 'معامله‌های حساب',
  'feed-pools': 'استخرهای تعهد',
  'feed-margin-wallets': 'کیف پول‌های تعهدی',
  'feed-delegation-limit': 'سقف تعهد {market:name}',
};

/** Returns the sentence for the name of a feed, such as `book BTCIRT`. */
export function feedSentence(feed: string): {
  readonly code: string;
  readonly facts: Readonly<Record<string, string>>;
} {
  const [kind = '', market, timeframe] = feed.split(' ');
  return {
    // Wallets have their own sentence, which reasons of the books also use.
    code: kind === 'wallets' ? kind : `feed-${kind}`,
    facts: { ...(market === undefined ? {} : { market }), ...(timeframe === undefined ? {} : { timeframe }) },
  };
}
