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

/** Reasons why no orders are accepted: the run, a halt, the books, the credential, transfers in flight. */
export const TRADING_SENTENCES = {
  'run-ending': 'the run is ending',
  halted: 'trading is halted: {reason:said}',
  'account-unread': 'the account is still being read',
  'books-broken': 'the books do not agree with the exchange: see "sarraf reconcile --explain"',
  'market-standstill':
    'the book of {market:name} stands still: it is of {since:time}, which is more than {limit:ms} ms ago, and {news:sentence}',
  'newer-trades': 'its trades are newer',
  'newer-stats': 'its statistics are newer',
  'newer-book': 'the list of all books has a newer one',
  'newer-other-books': 'other books are newer',
  'nothing-newer': 'nothing of the exchange is newer',
  'books-overdue':
    'the books could not be compared with the exchange for {minutes:count} minutes: {reason:said}',
  'books-uncompared': 'the books can not be compared with the exchange: {reason:said}',
  'books-no-end': 'no comparison came to its end',
  'exchange-contradicts': 'the exchange contradicts itself about {finding:said}',
  finding: '{subject:text}: {field:text}: expected {expected:text}, the exchange said {found:text}',
  'credential-fault': 'the exchange has refused {name:said} (401) for {seconds:count} s: {advice:said}',
  'credential-advice': 'see whether it is still valid, and put a new one in its place',
  'books-unread': 'the {what:said} could not be read for {seconds:count} s',
  wallets: 'wallets',
  trades: 'trades',
  'books-trades-came': 'trades came while it was compared',
  'books-history-came': 'the history of a wallet came while it was compared',
  'books-wallet-unread': 'the wallet of {currency:name} could not be read',
  'books-history-unread': 'the history of {currencies:names} is still to be read',
  'books-differing-unread': 'the history of {currencies:names}, which differs, is still to be read',
  'books-forgotten': '{currencies:names} differs, and more came in its wallet than the bot remembers',
  'books-difference': 'expected {expected:money}, the exchange has {found:decimal}',
  'books-impossible-fill':
    'the trade {trade:name} of {amount:decimal} is of {order:name}, which is {state:said} with {filled:decimal} of {whole:decimal} filled',
  'order-on-its-way': '{order:name} is on its way',
  'order-being-found': 'whether {order:name} arrived is being found out',
  'order-trades-missing':
    '{order:name} is closed with {matched:decimal} matched, and of its trades {filled:decimal} were read',
  'trade-unconfirmed':
    'trade {trade:name} of order {order:name} is read, but not yet confirmed, or its owner is not known yet',
  'transfer-on-its-way': 'the transfer of {amount:money} from {from:name} to {to:name} is on its way',
  'transfer-doubtful':
    'nobody knows whether the transfer of {amount:money} from {from:name} to {to:name} arrived: look at the wallets, and then "sarraf reconcile --accept"',
  'transfer-not-made':
    'the transfer of {amount:money} from {from:name} to {to:name} was not made: {reason:said}',
  'transfer-unknown': 'nobody knows whether it arrived: {reason:said}',
  'transfer-run-ended': 'the run ended before its answer',
  'transfer-accepted': 'accepted as the balances show it',
  transferred: 'transferred',
  'transfer-unserved': 'it can not be transferred: {reason:said}',
  'transfer-no-margin': 'a backtest has no margin wallets',
  'transfer-amount': 'expected a positive amount of at most {decimals:count} decimals',
  'transfer-most': '{count:count} transfers are at work already',
  'transfer-unfollowed': 'the books do not follow the spot wallet of {currency:name}, or not yet',
} as const;

export const TRADING_IN_PERSIAN: Record<keyof typeof TRADING_SENTENCES, string> = {
  'run-ending': 'ربات در حال پایان است',
  halted: 'معامله متوقف است: {reason:said}',
  'account-unread': 'حساب هنوز در حال خوانده شدن است',
  'books-broken': 'دفتر حساب با صرافی مغایرت دارد',
  'market-standstill':
    'دفتر سفارش‌های {market:name} ایستاده است: آخرین تغییرش {since:time} است که بیش از {limit:ms} پیش است و {news:sentence}',
  'newer-trades': 'معامله‌هایش تازه‌تر است',
  'newer-stats': 'آمارش تازه‌تر است',
  'newer-book': 'فهرست همهٔ دفترها تازه‌تر است',
  'newer-other-books': 'دفترهای دیگر تازه‌تر است',
  'nothing-newer': 'هیچ چیز تازه‌تری از صرافی نیست',
  'books-overdue': 'دفتر حساب {minutes:count} دقیقه است که با صرافی مقایسه نشده است: {reason:said}',
  'books-uncompared': 'دفتر حساب با صرافی مقایسه نمی‌شود: {reason:said}',
  'books-no-end': 'هیچ مقایسه‌ای به پایان نرسید',
  'exchange-contradicts': 'حرف‌های صرافی با هم نمی‌خواند: {finding:said}',
  finding: '{subject:text}، {field:text}: انتظار {expected:text}، گفتهٔ صرافی {found:text}',
  'credential-fault': 'صرافی {seconds:count} ثانیه است که {name:said} را نمی‌پذیرد (401). {advice:said}',
  'credential-advice': 'ببینید هنوز معتبر است یا نه و کلید تازه‌ای جای آن بگذارید',
  'books-unread': '{what:said} در {seconds:count} ثانیه خوانده نشد',
  wallets: 'کیف پول‌ها',
  trades: 'معامله‌ها',
  'books-trades-came': 'هنگام مقایسه معاملهٔ تازه‌ای آمد',
  'books-history-came': 'هنگام مقایسه گردش تازهٔ یک کیف پول خوانده شد',
  'books-wallet-unread': 'کیف پول {currency:name} خوانده نشد',
  'books-history-unread': 'گردش کیف پول {currencies:names} هنوز باید خوانده شود',
  'books-differing-unread': 'گردش کیف پول {currencies:names} که مغایرت دارد هنوز باید خوانده شود',
  'books-forgotten': '{currencies:names} مغایرت دارد و گردش کیف پولش بیش از آن است که ربات به یاد دارد',
  'books-difference': 'انتظار {expected:money} بود و صرافی {found:decimal} دارد',
  'books-impossible-fill':
    'معاملهٔ {trade:name} به مقدار {amount:decimal} از سفارش {order:name} است که {state:said} است و {filled:decimal} از {whole:decimal} آن انجام شده بود',
  'order-on-its-way': 'سفارش {order:name} در راه است',
  'order-being-found': 'ربات دارد روشن می‌کند که {order:name} رسیده است یا نه',
  'order-trades-missing':
    '{order:name} با {matched:decimal} انجام‌شده بسته شده و از معامله‌هایش {filled:decimal} خوانده شده است',
  'trade-unconfirmed':
    'معاملهٔ {trade:name} از سفارش {order:name} خوانده شده ولی هنوز تأیید نشده یا صاحبش معلوم نیست',
  'transfer-on-its-way': 'انتقال {amount:money} از {from:name} به {to:name} در راه است',
  'transfer-doubtful':
    'معلوم نیست انتقال {amount:money} از {from:name} به {to:name} رسیده است یا نه: کیف پول‌ها را ببینید و سپس «sarraf reconcile --accept»',
  'transfer-not-made': 'انتقال {amount:money} از {from:name} به {to:name} انجام نشد: {reason:said}',
  'transfer-unknown': 'معلوم نیست رسیده است یا نه: {reason:said}',
  'transfer-run-ended': 'ربات پیش از رسیدن پاسخ پایان یافت',
  'transfer-accepted': 'همان‌طور که مانده‌ها نشان می‌دهند پذیرفته شد',
  transferred: 'منتقل شد',
  'transfer-unserved': 'قابل انتقال نیست: {reason:said}',
  'transfer-no-margin': 'بک‌تست کیف پول تعهدی ندارد',
  'transfer-amount': 'مقدار باید مثبت و حداکثر با {decimals:count} رقم اعشار باشد',
  'transfer-most': 'هم‌اکنون {count:count} انتقال در جریان است',
  'transfer-unfollowed': 'دفتر حساب کیف پول {currency:name} را دنبال نمی‌کند، یا هنوز نه',
};
