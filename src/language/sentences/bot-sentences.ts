/** Answers of the control API that refuse a request. */
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
  'apart-busy': 'expected at most {most:count} waiting answers, were {count:count}: try again',
  'apart-late': 'expected an answer within {bound:length}, was none: its process was ended',
  'apart-memory': 'expected at most {bound:count} MB of memory, was more: its process ended',
  'apart-ended': 'expected an answer, was the end of its process: {how:name}',
  'lab-no-strategy': 'expected a strategy of the list',
  'lab-no-exchange': 'expected an exchange to download from: begin the lab with --config',
  'lab-other-catalogue':
    'expected a catalogue in the data folder, was {path:text}: begin the lab without --catalogue',
  'lab-no-file': 'expected a file of the folder imports, was {found:text}',
  'lab-no-job': 'expected the id of a job, was {found:text}',
  'lab-queue-full': 'expected fewer waiting jobs, were {count:count}: cancel one, or wait',
  'lab-holdout-unconfirmed':
    'expected a confirmation: a hold-out is opened once, and nothing tests what is chosen after that',
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
  'apart-busy': '{count:count} پاسخ در صف است، حداکثر {most:count}: دوباره امتحان کنید',
  'apart-late': 'در {bound:length} پاسخی نیامد و فرایند آن پایان داده شد',
  'apart-memory': 'بیش از {bound:count} مگابایت حافظه خواست و پایان داده شد',
  'apart-ended': 'بی‌پاسخ پایان یافت: {how:name}',
  'lab-no-strategy': 'یکی از استراتژی‌های فهرست را انتخاب کنید',
  'lab-other-catalogue':
    'کاتالوگ {path:text} بیرون از پوشهٔ داده است: آزمایشگاه را بدون «--catalogue» شروع کنید',
  'lab-no-exchange': 'صرافی‌ای برای دریافت داده تنظیم نشده است: آزمایشگاه را با «--config» شروع کنید',
  'lab-no-file': 'در پوشهٔ «imports» فایلی به نام {found:text} نیست',
  'lab-no-job': 'کاری با شناسهٔ {found:text} نیست',
  'lab-queue-full': '{count:count} کار در صف است: یکی را لغو کنید یا صبر کنید',
  'lab-holdout-unconfirmed':
    'تأیید لازم است: دادهٔ کنارگذاشته فقط یک بار باز می‌شود و انتخاب‌های پس از آن آزموده نمی‌شود',
};

/** Reasons for a bot's state, and for when it may trade. */
export const BOT_SENTENCES = {
  'bot-stands': 'its process is there, and its loop stands still',
  'bot-unanswered': 'no answer from the exchange yet',
  'bot-ending': 'it is ending',
  'bot-killed': 'its process was ended from outside',
  'bot-halted': 'it is halted: {reason:said}',
  'begins-in': 'trading can begin in {wait:length}, by the ledger: {reason:sentence}',
  'begins-after-answer':
    "trading can begin {wait:length} after the exchange's first answer, in {latest:length} at the latest, by the ledger: {reason:sentence}",
  'begins-locked-out': 'the exchange has locked {budget:name} out',
  'begins-unknown': 'what was sent before is not known, so the limit of {budget:name} counts as used up',
  'begins-unless':
    '{begins:sentence}. The wait ends by {at:time}. If nothing was sent to the exchange lately, stop the bot and run "sarraf ledger new"',
  'outbox-gone': 'it was deleted, moved or replaced; it is made anew with the next start',
  'disk-was-full': 'the disk was full, so only cancels are written',
  'advice-token':
    "it has expired, was revoked or is mistyped: make a new token on the exchange's own page, put it into {place:said}, and restart the bot",
  'advice-key':
    "see on the exchange's own page whether the key is still there and allows this address, and whether this machine's clock is right; or make a new key, put it into {place:said}, and restart the bot",
  'advice-login':
    "a new log-in is tried once, then every ten minutes; if it stays refused, see whether name, password and one-time password still work on the exchange's own page, correct what is in {place:said}, and restart the bot",
  'credential-token': 'the token of exchange.credentials.token, from {place:said}',
  'credential-key': 'the API key of exchange.credentials.key, whose private part is from {place:said}',
  'credential-secret': 'the API key of exchange.credentials.apiKey, whose secret is from {place:said}',
  'credential-login': 'the log-in of exchange.credentials.username, whose password is from {place:said}',
  'credential-unnamed': 'the credential',
  'place-variable': 'the environment variable {variable:name}',
  'place-file': 'the file {path:text}',
  'place-configuration': 'the configuration',
  'place-configuration-file': 'the configuration {path:text}',
} as const;

export const BOT_IN_PERSIAN: Record<keyof typeof BOT_SENTENCES, string> = {
  'bot-stands': 'فرایند آن هست ولی حلقهٔ کارش ایستاده است',
  'bot-unanswered': 'هنوز پاسخی از صرافی نیامده است',
  'bot-ending': 'در حال پایان است',
  'bot-killed': 'فرایند آن از بیرون پایان داده شد',
  'bot-halted': 'متوقف است: {reason:said}',
  'begins-in': 'طبق شمارش درخواست‌ها، معامله {wait:length} دیگر می‌تواند آغاز شود: {reason:sentence}',
  'begins-after-answer':
    'طبق شمارش درخواست‌ها، معامله {wait:length} پس از نخستین پاسخ صرافی و حداکثر {latest:length} دیگر می‌تواند آغاز شود: {reason:sentence}',
  'begins-locked-out': 'صرافی درخواست‌های {budget:name} را بسته است',
  'begins-unknown': 'معلوم نیست پیش‌تر چه فرستاده شده است، پس سقف {budget:name} پر فرض می‌شود',
  'begins-unless':
    '{begins:sentence}. حداکثر تا {at:time}. اگر به‌تازگی چیزی به صرافی فرستاده نشده است، ربات را متوقف کنید و «sarraf ledger new» را اجرا کنید',
  'outbox-gone': 'پاک، جابه‌جا یا جایگزین شده است و با اجرای بعدی دوباره ساخته می‌شود',
  'disk-was-full': 'دیسک پر شد و فقط لغو سفارش‌ها نوشته می‌شود',
  'advice-token':
    'منقضی، باطل یا نادرست است: در صفحهٔ صرافی توکن تازه‌ای بسازید، در {place:said} بگذارید و ربات را از نو شروع کنید',
  'advice-key':
    'در صفحهٔ صرافی ببینید کلید هنوز هست و این نشانی را می‌پذیرد و ساعت این دستگاه درست است؛ یا کلید تازه‌ای در {place:said} بگذارید و ربات را از نو شروع کنید',
  'advice-login':
    'ورود هر ده دقیقه امتحان می‌شود؛ اگر پذیرفته نشد، {place:said} را درست کنید و ربات را از نو شروع کنید',
  'credential-token': 'توکن exchange.credentials.token از {place:said}',
  'credential-key': 'کلید exchange.credentials.key که بخش خصوصی آن از {place:said} است',
  'credential-secret': 'کلید exchange.credentials.apiKey که رمز آن از {place:said} است',
  'credential-login': 'ورود exchange.credentials.username که گذرواژهٔ آن از {place:said} است',
  'credential-unnamed': 'کلید',
  'place-variable': 'متغیر محیطی {variable:name}',
  'place-file': 'فایل {path:text}',
  'place-configuration': 'پیکربندی',
  'place-configuration-file': 'پیکربندی {path:text}',
};
