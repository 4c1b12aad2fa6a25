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

export const API_IN_PERSIAN: Record<keyof typeof API_SENTENCES, string> = {
  'not-an-order': 'این ربات سفارش {found:text} ندارد',
  'not-an-open-order': 'این ربات سفارش باز {found:text} ندارد',
  'not-our-market': 'این ربات بازار {found:text} ندارد',
  'not-our-strategy': 'این ربات استراتژی {found:text} ندارد',
  'not-an-alert': 'این ربات هشدار {found:text} ندارد',
  'not-an-action': 'این ربات کار {found:text} ندارد',
  'not-a-market-name': '{found:text} نام بازار نیست؛ نمونه: BTCIRT',
  'data-unreadable': 'داده‌ها اکنون خوانده نمی‌شوند ({reason:text})؛ {advice:said}',
  'try-again': 'دوباره امتحان کنید',
  'locked-by-another': 'برنامهٔ دیگری آن را قفل کرده است: دوباره امتحان کنید',
};
