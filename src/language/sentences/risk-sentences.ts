import { PERSIAN_TERMS as TERMS } from '../persian-terms.ts';

/** Messages of pre-trade risk, and reasons why an order does not fit its market or the available money. */
export const RISK_SENTENCES = {
  'risk-order-size': 'the order of {amount:money} is above the limit of {limit:money} for one order',
  'risk-order-unpriced':
    'the order of {amount:money} has no price, and the book has none to value it with; one order may have at most {limit:money}',
  'risk-order-value':
    'the order of {amount:money} at {price:money} has a value of {value:money}, above the limit of {limit:money} for one order',
  'risk-order-rate': 'the limit is {limit:count} orders within {span:length}, and it is used up',
  'risk-order-rate-until':
    'the limit is {limit:count} orders within {span:length}, and it is used up; the next may follow in {wait:ms} ms',
  'risk-open-orders-of':
    'strategy {strategy:name} has {open:count} open orders and one more would exceed the limit of {limit:count}',
  'risk-open-orders':
    'the bot has {open:count} open orders and one more would exceed the limit of {limit:count}',
  'risk-no-book': 'no book of {market:name} is there to measure the price against',
  'risk-nobody': 'nobody {side:said} in the last book of {market:name}, and the order takes any price',
  'risk-collar-above':
    'the price of {price:money} is more than {bps:count} bps above {what:said} of {from:money}',
  'risk-collar-below':
    'the price of {price:money} is more than {bps:count} bps below {what:said} of {from:money}',
  'risk-passive-collar':
    'the order would wait at {price:money}, more than {bps:count} bps {direction:said} the best price of {best:money}',
  'risk-book-unread': 'no book of {market:name} was read yet, and it may be at most {limit:ms} ms old',
  'risk-book-old': 'the book of {market:name} was read {age:ms} ms ago, above the limit of {limit:ms} ms',
  'risk-book-old-there':
    'the exchange says that the book of {market:name} is {age:ms} ms old, above the limit of {limit:ms} ms',
  'risk-bar-late':
    'the bar of {market:name} that was due {age:ms} ms ago is missing, above the limit of {limit:ms} ms',
  'risk-daily-loss':
    'the loss of the day is {loss:money}, above the limit of {limit:money}; only orders that reduce the position pass until 00:00 UTC',
  'risk-drawdown':
    'the result has fallen by {fall:money} from its highest of {peak:money}, above the limit of {limit:money}; only orders that reduce the position pass',
  'risk-loss-cooldown':
    '{losses:count} round trips in a row lost money, the limit is {limit:count}; only orders that reduce the position pass for the next {wait:ms} ms',
  'risk-result-unknown':
    'the result in {quote:name} is not known: {assets:text} no price in {currency:name} before {market:name} was seen, so the bot has to follow it; only orders that reduce the position pass',
  'risk-self-crossing':
    'the {side:said} of {amount:money} at {price:price} could trade with the own {otherSide:said} {other:name} of strategy {strategy:name} at {otherPrice:price}',
  'risk-position':
    'the order of {amount:money} would make a position of {worst:money}, above the limit of {limit:money}',
  'risk-short-position':
    'the order of {amount:money} would make a short position of {worst:money}, above the limit of {limit:money}',
  'risk-position-unknown':
    'the order of {amount:money} would come on top of a live market order without a price, of which nobody knows how much {coin:name} it trades; the limit is {limit:money}: try again when that order has ended',
  'risk-market-exposure':
    'the order of {amount:money} would make an exposure of {exposure:money} in {market:name}, and the limit is {limit:money}',
  'risk-exposure-unpriced':
    'the order of {amount:money} has no price to value it with, and the limit is {limit:money}',
  'risk-total-exposure':
    'the order of {amount:money} would make an exposure of {exposure:money} in all, above the limit of {limit:money}',
  'risk-market-unpriced':
    '{market:name} has no price to value it with; the exposure of all markets may be at most {limit:money}',
  'no-such-orders': 'the exchange takes no {kind:name} orders',
  'post-only-terms': 'expected a limit price for postOnly, and no stopPrice',
  'post-only-crosses':
    'expected a price {direction:said} {best:decimal} for postOnly, was {price:decimal}, which would trade at once',
  'amount-below-step': 'expected an amount of at least one step of {step:decimal}, was {amount:decimal}',
  'price-below-step': 'expected a price of at least one step of {step:decimal}',
  'value-below-least': 'expected a value above {least:money}, was {value:decimal}',
  'price-needed': 'expected a price of {market:name} to turn a value into an amount, none is known yet',
  'equity-needed': 'expected a known equity in {currency:name}, a price is missing',
  'equity-positive': 'expected an equity above 0 {currency:name}, was {equity:decimal}',
  'size-missing': 'expected one of amount, value, equityShare, was none',
  'decimals-needed': 'expected positive decimals for amounts and prices',
  funds: 'expected at most {spendable:money} to be spent, was {needed:decimal}: {parts:said}',
  'funds-account': 'the account has {amount:decimal}',
  'funds-capital': 'the capital of {strategy:name} is {amount:decimal}',
  'funds-coins': '{strategy:name} owns {amount:decimal} by its purchases and its inventory',
  'funds-inventory':
    '{missing:decimal} are missing, and it sells no coins of the account that it was not given; this gives it more: {line:text}',
  'funds-others': "{amount:decimal} is held for what is not this bot's",
  'funds-gone': '{amount:decimal} has gone',
  'funds-unknown': '{strategy:name} has a market order that nobody knows the price of',
  'funds-reserved': '{strategy:name} has reserved {amount:decimal}',
  'funds-leaving': '{amount:decimal} may be on its way to the margin wallet',
  'funds-bought': 'other strategies own {amount:decimal}',
  'funds-margin':
    'expected at most {free:decimal} {currency:name}, which is free in the margin wallet, was {amount:decimal}',
} as const;

export const RISK_IN_PERSIAN: Record<keyof typeof RISK_SENTENCES, string> = {
  'risk-order-size': 'مقدار سفارش، {amount:money}، از سقف هر سفارش یعنی {limit:money} بیشتر است',
  'risk-order-unpriced':
    'سفارش {amount:money} قیمت ندارد و در دفتر سفارش‌ها هم قیمتی برای سنجیدن آن نیست؛ ارزش هر سفارش حداکثر {limit:money} است',
  'risk-order-value':
    'ارزش سفارش {amount:money} به قیمت {price:money}، {value:money} است؛ بیشتر از سقف هر سفارش یعنی {limit:money}',
  'risk-order-rate': 'سقف {limit:count} سفارش در {span:length} پر شده است',
  'risk-order-rate-until':
    'سقف {limit:count} سفارش در {span:length} پر شده است؛ سفارش بعدی {wait:ms} دیگر ممکن است',
  'risk-open-orders-of':
    'استراتژی {strategy:name}، {open:count} سفارش باز دارد و یکی دیگر از سقف {limit:count} می‌گذرد',
  'risk-open-orders': 'ربات {open:count} سفارش باز دارد و یکی دیگر از سقف {limit:count} می‌گذرد',
  'risk-no-book': 'دفتر سفارش‌های {market:name} نیست تا قیمت با آن سنجیده شود',
  'risk-nobody': 'در آخرین دفتر سفارش‌های {market:name} {side:said} نیست و سفارش هر قیمتی را می‌پذیرد',
  'risk-collar-above':
    'قیمت {price:money} بیش از {bps:count} صدم درصد بالاتر از {what:said}، {from:money}، است',
  'risk-collar-below':
    'قیمت {price:money} بیش از {bps:count} صدم درصد پایین‌تر از {what:said}، {from:money}، است',
  'risk-passive-collar':
    'سفارش در {price:money} منتظر می‌ماند؛ بیش از {bps:count} صدم درصد {direction:said} بهترین قیمت، {best:money}',
  'risk-book-unread': 'دفتر سفارش‌های {market:name} هنوز خوانده نشده است؛ عمر آن حداکثر {limit:ms} است',
  'risk-book-old': 'دفتر سفارش‌های {market:name} {age:ms} پیش خوانده شده است؛ بیشتر از سقف {limit:ms}',
  'risk-book-old-there':
    'به گفتهٔ صرافی عمر دفتر سفارش‌های {market:name}، {age:ms} است؛ بیشتر از سقف {limit:ms}',
  'risk-bar-late': 'کندل {market:name} که باید {age:ms} پیش می‌آمد نیامده است؛ بیشتر از سقف {limit:ms}',
  'risk-daily-loss':
    'زیان امروز {loss:money} است؛ بیشتر از سقف {limit:money}. تا نیمه‌شب UTC فقط سفارش‌هایی که موقعیت را کم می‌کنند پذیرفته می‌شوند',
  'risk-drawdown':
    'نتیجه از بیشترین مقدارش، {peak:money}، {fall:money} افت کرده است؛ بیشتر از سقف {limit:money}. فقط سفارش‌هایی که موقعیت را کم می‌کنند پذیرفته می‌شوند',
  'risk-loss-cooldown':
    '{losses:count} معامله پشت سر هم زیان داد و سقف آن {limit:count} است؛ تا {wait:ms} دیگر فقط سفارش‌هایی که موقعیت را کم می‌کنند پذیرفته می‌شوند',
  'risk-result-unknown':
    'نتیجه به {quote:name} معلوم نیست؛ ربات باید {market:name} را هم دنبال کند. فقط سفارش‌هایی که موقعیت را کم می‌کنند پذیرفته می‌شوند',
  'risk-self-crossing':
    '{side:said} {amount:money} به {price:price} ممکن است با {otherSide:said} خودمان، {other:name} از استراتژی {strategy:name} به {otherPrice:price}، معامله شود',
  'risk-position': 'سفارش {amount:money} موقعیت را به {worst:money} می‌رساند؛ بیشتر از سقف {limit:money}',
  'risk-short-position':
    'سفارش {amount:money} موقعیت فروش را به {worst:money} می‌رساند؛ بیشتر از سقف {limit:money}',
  'risk-position-unknown':
    'سفارش {amount:money} روی سفارش بازار دیگری می‌آید که معلوم نیست چقدر {coin:name} معامله می‌کند؛ سقف {limit:money} است. پس از پایان آن دوباره امتحان کنید',
  'risk-market-exposure':
    'سفارش {amount:money} دارایی درگیر در {market:name} را به {exposure:money} می‌رساند و سقف {limit:money} است',
  'risk-exposure-unpriced': 'سفارش {amount:money} قیمتی برای سنجیدن ارزشش ندارد و سقف {limit:money} است',
  'risk-total-exposure':
    'سفارش {amount:money} کل دارایی درگیر را به {exposure:money} می‌رساند؛ بیشتر از سقف {limit:money}',
  'risk-market-unpriced':
    '{market:name} قیمتی برای سنجیدن ارزشش ندارد؛ کل دارایی درگیر حداکثر {limit:money} است',
  'no-such-orders': 'صرافی سفارش {kind:name} نمی‌پذیرد',
  'post-only-terms': 'سفارش postOnly قیمت محدود می‌خواهد و قیمت فعال‌سازی نمی‌پذیرد',
  'post-only-crosses':
    'قیمت سفارش postOnly باید {direction:said} {best:decimal} باشد؛ {price:decimal} است و فوراً معامله می‌شد',
  'amount-below-step': 'مقدار باید دست‌کم یک گام {step:decimal} باشد؛ {amount:decimal} است',
  'price-below-step': 'قیمت باید دست‌کم یک گام {step:decimal} باشد',
  'value-below-least': 'ارزش سفارش باید بیشتر از {least:money} باشد؛ {value:decimal} است',
  'price-needed': 'برای تبدیل ارزش به مقدار، قیمت {market:name} لازم است و هنوز معلوم نیست',
  'equity-needed': 'ارزش کل دارایی به {currency:name} معلوم نیست، چون یک قیمت کم است',
  'equity-positive': 'ارزش کل دارایی باید بیشتر از صفر {currency:name} باشد؛ {equity:decimal} است',
  'size-missing': 'یکی از amount، value یا equityShare لازم است و هیچ‌کدام نبود',
  'decimals-needed': 'مقدار و قیمت باید عدد مثبت باشند',
  funds: 'حداکثر {spendable:money} را می‌توان خرج کرد و {needed:decimal} خواسته شد: {parts:said}',
  'funds-account': 'حساب {amount:decimal} دارد',
  'funds-capital': 'سرمایهٔ {strategy:name}، {amount:decimal} است',
  'funds-coins': '{strategy:name} از خریدها و موجودی داده‌شده‌اش {amount:decimal} دارد',
  'funds-inventory':
    '{missing:decimal} کم است و آنچه از حساب به آن داده نشده باشد فروخته نمی‌شود؛ با این خط بیشتر به آن می‌دهید: {line:text}',
  'funds-others': '{amount:decimal} برای چیزی جز این ربات نگه داشته شده است',
  'funds-gone': '{amount:decimal} رفته است',
  'funds-unknown': '{strategy:name} سفارش بازاری دارد که قیمتش معلوم نیست',
  'funds-reserved': '{strategy:name}، {amount:decimal} را رزرو کرده است',
  'funds-leaving': '{amount:decimal} شاید در راه کیف پول تعهدی است',
  'funds-bought': '{amount:decimal} از آنِ استراتژی‌های دیگر است',
  'funds-margin':
    'حداکثر {free:decimal} {currency:name} در کیف پول تعهدی آزاد است و {amount:decimal} خواسته شد',
};

/** Names of the checks of pre-trade risk. */
export const CHECK_SENTENCES = {
  'check-data-age': 'data-age',
  'check-order-size': 'order-size',
  'check-price-collar': 'price-collar',
  'check-order-value': 'order-value',
  'check-order-rate': 'order-rate',
  'check-open-orders': 'open-orders',
  'check-daily-loss': 'daily-loss',
  'check-drawdown': 'drawdown',
  'check-loss-cooldown': 'loss-cooldown',
  'check-self-crossing': 'self-crossing',
  'check-position-size': 'position-size',
  'check-market-exposure': 'market-exposure',
  'check-total-exposure': 'total-exposure',
} as const;

export const CHECK_IN_PERSIAN: Record<keyof typeof CHECK_SENTENCES, string> = {
  'check-data-age': 'تازگی داده‌ها',
  'check-order-size': 'مقدار هر سفارش',
  'check-price-collar': 'فاصله از قیمت بازار',
  'check-order-value': 'ارزش هر سفارش',
  'check-order-rate': 'تعداد سفارش در زمان',
  'check-open-orders': 'تعداد سفارش‌های باز',
  'check-daily-loss': 'زیان روزانه',
  'check-drawdown': TERMS.drawdown,
  'check-loss-cooldown': 'زیان‌های پشت سر هم',
  'check-self-crossing': 'معامله با خود',
  'check-position-size': 'اندازهٔ موقعیت',
  'check-market-exposure': 'دارایی درگیر در یک بازار',
  'check-total-exposure': 'کل دارایی درگیر',
};
