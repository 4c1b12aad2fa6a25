/** The exchange's refusals of an order, by its codes. */
export const REFUSAL_SENTENCES = {
  'refused-alike':
    'the exchange refused the like at {at:time} ({code:said}): it is not sent again until {awaited:sentence}',
  'awaited-price': 'the best prices have changed',
  'awaited-band': 'its price is nearer to that of the market',
  'awaited-rule': 'the rules of the market have changed, or it is worth more',
  'awaited-funds': 'the balance has changed, or it needs less',
  'awaited-elsewhere': 'some time is over',
  'refused-invalid-order-price': 'InvalidOrderPrice',
  'refused-bad-price': 'BadPrice',
  'refused-price-condition-failed': 'PriceConditionFailed',
  'refused-over-value-order': 'OverValueOrder',
  'refused-small-order': 'SmallOrder',
  'refused-duplicate-order': 'DuplicateOrder',
  'refused-invalid-market-pair': 'InvalidMarketPair',
  'refused-market-closed': 'MarketClosed',
  'refused-trading-unavailable': 'TradingUnavailable',
  'refused-feature-unavailable': 'FeatureUnavailable',
  'refused-duplicate-client-order-id': 'DuplicateClientOrderId',
  'refused-null-id-and-client-order-id': 'NullIdAndClientOrderId',
  'refused-unexpected-market-price': 'UnexpectedMarketPrice',
  'refused-trade-limitation': 'TradeLimitation',
  'refused-parse-error': 'ParseError',
  'refused-invalid-amount': 'InvalidAmount',
  'refused-same-destination': 'SameDestination',
  'refused-wallet-not-found': 'WalletNotFound',
  'refused-insufficient-balance': 'InsufficientBalance',
  'refused-not-found': 'NotFound',
  'refused-bad-request': 'BadRequest',
  'refused-failed': 'Failed',
  'refused-unauthorized': 'UNAUTHORIZED',
  'refused-forbidden': 'FORBIDDEN',
  'refused-rate-limited': 'RATE_LIMITED',
} as const;

export const REFUSAL_IN_PERSIAN: Record<keyof typeof REFUSAL_SENTENCES, string> = {
  'refused-alike':
    'صرافی در {at:time} سفارشی مانند آن را رد کرد ({code:said}): دوباره فرستاده نمی‌شود تا {awaited:sentence}',
  'awaited-price': 'بهترین قیمت‌ها عوض شوند',
  'awaited-band': 'قیمتش به قیمت بازار نزدیک‌تر شود',
  'awaited-rule': 'قاعده‌های بازار عوض شوند یا ارزش آن بیشتر شود',
  'awaited-funds': 'موجودی عوض شود یا کمتر لازم باشد',
  'awaited-elsewhere': 'زمانی بگذرد',
  'refused-invalid-order-price': 'قیمت سفارش نیست یا نادرست است (InvalidOrderPrice)',
  'refused-bad-price': 'قیمت از قیمت بازار خیلی دور است (BadPrice)',
  'refused-price-condition-failed': 'قیمت‌های سفارش با نوع آن و قیمت بازار نمی‌خواند (PriceConditionFailed)',
  'refused-over-value-order': 'ارزش سفارش از ماندهٔ آزاد بیشتر است (OverValueOrder)',
  'refused-small-order': 'ارزش سفارش از حداقل بازار کمتر است (SmallOrder)',
  'refused-duplicate-order': 'سفارش یکسانی در ده ثانیهٔ گذشته آمده است (DuplicateOrder)',
  'refused-invalid-market-pair': 'چنین بازاری نیست (InvalidMarketPair)',
  'refused-market-closed': 'بازار فعلاً بسته است (MarketClosed)',
  'refused-trading-unavailable': 'این حساب اجازهٔ معامله ندارد (TradingUnavailable)',
  'refused-feature-unavailable': 'این حساب اجازهٔ این کار را ندارد (FeatureUnavailable)',
  'refused-duplicate-client-order-id': 'سفارش باز دیگری همین شناسه را دارد (DuplicateClientOrderId)',
  'refused-null-id-and-client-order-id': 'شناسه‌ای فرستاده نشد (NullIdAndClientOrderId)',
  'refused-unexpected-market-price': 'صرافی اکنون قیمت قابل استفاده‌ای ندارد (UnexpectedMarketPrice)',
  'refused-trade-limitation': 'سقف معاملهٔ این حساب پر شده است (TradeLimitation)',
  'refused-parse-error': 'یک فیلد نیست یا خوانده نمی‌شود (ParseError)',
  'refused-invalid-amount': 'مقدار نادرست است (InvalidAmount)',
  'refused-same-destination': 'مبدأ و مقصد یکی است (SameDestination)',
  'refused-wallet-not-found': 'چنین کیف پولی نیست (WalletNotFound)',
  'refused-insufficient-balance': 'ماندهٔ آزاد کافی نیست (InsufficientBalance)',
  'refused-not-found': 'چنین چیزی نیست (NotFound)',
  'refused-bad-request': 'درخواست نادرست است (BadRequest)',
  'refused-failed': 'صرافی بدون ذکر علت رد کرد (Failed)',
  'refused-unauthorized': 'کلید پذیرفته نشد (UNAUTHORIZED)',
  'refused-forbidden': 'کلید اجازهٔ این کار را ندارد (FORBIDDEN)',
  'refused-rate-limited': 'سقف درخواست‌ها پر شد (RATE_LIMITED)',
};

/** Reasons an order was not sent or placed. */
export const ORDER_SENTENCES = {
  'order-cancelled': 'Cancelled',
  'order-restarted': 'Restarted',
  'order-halted': 'Halted',
  'order-ending': 'Ending',
  'order-never-arrived': 'NeverArrived',
  'order-canceled-by-others': 'CanceledByOthers',
  'order-not-sent': 'NotSent: {reason:said}',
  'order-risk': 'Risk: {reason:said}',
  'order-lock': 'lock {lock:lock}: {reason:said}',
  'order-post-only': 'PostOnly: {reason:said}',
  'rejected-limit':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at {price:decimal}',
  'rejected-limit-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at {price:decimal} once {stop:decimal} is reached',
  'rejected-market':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market',
  'rejected-market-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market once {stop:decimal} is reached',
  'rejected-bound':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market, no worse than {price:decimal}',
  'rejected-bound-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} in {market:symbol} at the market, no worse than {price:decimal} once {stop:decimal} is reached',
  'order-identical':
    '{code:name}: {other:name} has the same terms, and was sent so lately that the exchange would take this one for its repetition; waited {waited:ms} ms, the limit is {limit:ms} ms; it may be repeated {free:said}; with allowIdentical it goes at once',
  'identical-free-in': 'in {wait:ms} ms, at {at:count}',
  'identical-free-after': '{wait:ms} ms after it is known what became of that',
  expired: 'expired',
  'locked-out': 'locked out',
  'credential-refused': 'credential refused',
  'machine-too-slow': 'this machine is too slow',
  'machine-slow':
    'nothing but cancels leaves: this machine takes too long to get to each request once it is in the ledger, and then it is not sent; see what loads the machine',
  'disk-slow':
    'a commit took {took:length}: {orders:count} open orders could not be canceled within drain.within, {within:length}',
  'mirror-unwritable': 'the mirror can not be written',
  'disk-full': 'the disk is full',
  'orders-used-up': 'the limit for orders is used up for {seconds:count} s more',
  'orders-locked-out': 'the exchange has locked orders out, for {seconds:count} s more',
  'orders-stuck': 'orders do not leave, and are tried again in {seconds:count} s: {reason:said}',
} as const;

export const ORDER_IN_PERSIAN: Record<keyof typeof ORDER_SENTENCES, string> = {
  'order-cancelled': 'لغو شد',
  'order-restarted': 'ربات پیش از ارسال آن از نو شروع شد',
  'order-halted': 'معامله متوقف شد',
  'order-ending': 'ربات در حال پایان بود',
  'order-never-arrived': 'به صرافی نرسید',
  'order-canceled-by-others': 'کس دیگری آن را لغو کرد',
  'order-not-sent': 'ارسال نشد: {reason:said}',
  'order-risk': 'محدودیت ریسک: {reason:said}',
  'order-lock': 'قفل {lock:lock}: {reason:said}',
  'order-post-only': 'فقط ثبت در دفتر: {reason:said}',
  'rejected-limit':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} در {market:symbol} به قیمت {price:decimal}',
  'rejected-limit-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} در {market:symbol} به قیمت {price:decimal}، وقتی قیمت به {stop:decimal} برسد',
  'rejected-market':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} در {market:symbol} به قیمت بازار',
  'rejected-market-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} در {market:symbol} به قیمت بازار، وقتی قیمت به {stop:decimal} برسد',
  'rejected-bound':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} در {market:symbol} به قیمت بازار، نه بدتر از {price:decimal}',
  'rejected-bound-once':
    '{order:name}: {reason:said}: {side:side} {amount:decimal} در {market:symbol} به قیمت بازار، نه بدتر از {price:decimal}، وقتی قیمت به {stop:decimal} برسد',
  'order-identical':
    'سفارش {other:name} همین شرایط را دارد و تازه فرستاده شده است؛ صرافی این یکی را تکرار آن می‌شمرد. {waited:ms} از {limit:ms} صبر شد؛ تکرار {free:said}. با allowIdentical فوراً می‌رود',
  'identical-free-in': '{wait:ms} دیگر ممکن است',
  'identical-free-after': '{wait:ms} پس از روشن شدن سرنوشت آن ممکن است',
  expired: 'نوبتش در سهمیهٔ درخواست نرسید',
  'locked-out': 'صرافی این درخواست‌ها را بسته است',
  'credential-refused': 'صرافی کلید را نمی‌پذیرد',
  'machine-too-slow': 'این دستگاه بیش از حد کند است',
  'machine-slow':
    'جز لغو هیچ درخواستی فرستاده نمی‌شود: این دستگاه پس از ثبت هر درخواست در دفتر درخواست‌ها دیر به آن می‌رسد و دیگر آن را نمی‌فرستد؛ ببینید چه چیزی دستگاه را مشغول کرده است',
  'disk-slow':
    'یک نوشتن روی دیسک {took:length} طول کشید: {orders:count} سفارش باز در مهلت پایان اجرا، {within:length}، لغو نمی‌شد',
  'mirror-unwritable': 'فایل دادهٔ ربات نوشته نمی‌شود',
  'disk-full': 'دیسک پر است',
  'orders-used-up': 'سهمیهٔ سفارش تا {seconds:count} ثانیهٔ دیگر پر است',
  'orders-locked-out': 'صرافی تا {seconds:count} ثانیهٔ دیگر سفارش نمی‌پذیرد',
  'orders-stuck': 'سفارش‌ها فرستاده نمی‌شوند و {seconds:count} ثانیهٔ دیگر دوباره امتحان می‌شود: {reason:said}',
};
