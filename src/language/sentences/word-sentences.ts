/** Words within sentences: sides, states, and what joins two of them. */
export const WORD_SENTENCES = {
  buy: 'buy',
  sell: 'sell',
  buys: 'buys',
  sells: 'sells',
  above: 'above',
  below: 'below',
  'the-stop-price': 'the stop price',
  'the-best-price': 'the best price',
  planned: 'planned',
  sending: 'sending',
  unknown: 'unknown',
  open: 'open',
  cancelling: 'cancelling',
  settling: 'settling',
  both: '{first:sentence}; {rest:sentence}',
  listed: '{first:sentence}, {rest:sentence}',
} as const;
