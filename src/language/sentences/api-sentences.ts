/** Answers of the control API in place of what was requested. */
export const API_SENTENCES = {
  'not-an-order': 'expected an order of this bot, was {found:text}',
  'not-an-open-order': 'expected an open order of this bot, was {found:text}',
  'not-our-market': 'expected a market of this bot, was {found:text}',
  'not-our-strategy': 'expected a strategy of this bot, was {found:text}',
  'not-an-alert': 'expected an alert of this bot, was {found:text}',
  'not-an-action': 'expected an action of this bot, was {found:text}',
  'not-a-market-name': 'expected a market such as BTCIRT, was {found:text}',
  'data-unreadable': 'the data can not be read just now ({reason:text}); {advice:said}',
  'try-again': 'try again',
  'locked-by-another': 'another process has it locked: try again',
} as const;
