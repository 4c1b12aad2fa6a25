/** Reasons a strategy failed or does not run, if its author gave none. */
export const STRATEGY_SENTENCES = {
  'strategy-too-slow': 'expected an answer within {limit:ms} ms, was still at work; its thread was ended',
  'strategy-slow-load':
    'expected the file to be loaded within {limit:ms} ms, was still at work; its thread was ended',
  'strategy-thread-ended': 'its thread ended',
  'strategy-no-reason': 'it gave no reason',
  'strategy-no-message': 'failed without a message',
  'market-unlisted': 'the exchange does not list {market:symbol} any more',
  'strategy-left': 'it is not in the configuration any more',
  'strategy-left-coins':
    'it is not in the configuration any more, and its books have {coins:text}, which no strategy sells: put it back, or write under another one: {line:text}',
  expected: 'expected {expected:text}, was {found:text}',
} as const;
