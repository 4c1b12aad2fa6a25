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

export const STRATEGY_IN_PERSIAN: Record<keyof typeof STRATEGY_SENTENCES, string> = {
  'strategy-too-slow': 'پاسخ باید در {limit:ms} می‌آمد و هنوز در کار بود؛ رشتهٔ آن پایان داده شد',
  'strategy-slow-load': 'فایل باید در {limit:ms} بار می‌شد و هنوز در کار بود؛ رشتهٔ آن پایان داده شد',
  'strategy-thread-ended': 'رشتهٔ آن پایان یافت',
  'strategy-no-reason': 'دلیلی نداد',
  'strategy-no-message': 'بدون پیام از کار افتاد',
  'market-unlisted': 'صرافی دیگر بازار {market:symbol} را ندارد',
  'strategy-left': 'دیگر در پیکربندی نیست',
  'strategy-left-coins':
    'دیگر در پیکربندی نیست و در دفترش {coins:text} هست که هیچ استراتژی‌ای نمی‌فروشد: آن را برگردانید، یا زیر استراتژی دیگری بنویسید: {line:text}',
  expected: 'انتظار: {expected:text}؛ داده‌شده: {found:text}',
};
