import type { TranslationOf } from '../../../language/translate.ts';
import type { ENGLISH_WARNINGS } from './english-warnings.ts';

export const PERSIAN_WARNINGS: TranslationOf<typeof ENGLISH_WARNINGS> = {
  'warning.words': '{text}',
  'warning.gaps': '{market}: میان کندل‌ها {bars} کندل نیست؛ در آن زمان‌ها دادوستدی نشد',
  'warning.noDetail':
    '{market}: {bars} کندل از {all} کندل یک‌جا پیموده شد: کندل‌های {timeframe} سراسر آن‌ها را با همان قیمت‌های باز شدن، بیشترین، کمترین و بسته شدن نمی‌پوشانند',
  'warning.unvalued': 'حساب {assets} دارد که هیچ بازاری از این اجرا ارزش آن را نمی‌گوید: به حساب نمی‌آید',
  'warning.unvaluedAsset': 'هیچ بازار ضبط‌شده‌ای ارزش {asset} را به {quote} نمی‌گوید: به حساب نمی‌آید',
  'warning.emptyUniverse':
    '{universe}: در {rankings} رتبه‌بندی هیچ بازاری پذیرفته نشد؛ در آخرین رتبه‌بندی {why}',
  'warning.somePassed': 'برخی پذیرفته شدند',
  'warning.finePlan':
    'برنامه هر {every} به {what} {market} نگاه می‌کند، اما آن را نزدیک هر {gap} ضبط کرده‌اند: ربات بارها همان را می‌بیند، و آنچه در میان رخ داده معلوم نیست',
  'warning.book': 'دفتر سفارش‌های',
  'warning.tape': 'معامله‌های',
  'warning.oldBooks':
    'دفتر سفارش‌های {market} نزدیک هر {gap} ضبط شده است، اما {strategy} تنها با دفتری حداکثر {most} قدیمی به وقت صرافی دادوستد می‌کند: بیشتر سفارش‌هایش رد می‌شوند؛ {setting} آن را بیشتر کنید',
  'warning.signalsOutside': '{outside} سیگنال از {all} سیگنال بیرون از این اجراست',
  'warning.noSignals': '{strategy} سیگنال می‌خواهد و سیگنالی نگرفت: {option} فایل آن‌ها را نام می‌برد',
  'warning.nothingTraded': 'هیچ دادوستدی نشد: در این بازه معامله‌ای ثبت نشده است',
  'warning.unknownOrders': 'معلوم نیست {count} سفارش نزد صرافی هست یا نه',
  'warning.short':
    'رقم‌های سالانه (رشد مرکب، نوسان، شارپ، سورتینو، کالمار) نشان داده نمی‌شوند: اجرا {length} است و کمتر از ۳۰ روز دربارهٔ یک سال چیزی نمی‌گوید',
  'warning.stopped': '{strategy} در {market} پیش از پایان متوقف شد: {reason}',
  'warning.sold':
    '{strategy} در {market} مقدار {amount} فروخت که در این اجرا نخریده بود؛ چنین فروش‌هایی در هیچ دادوستدی نیستند.',
  'warning.soldByOther':
    'کسی دیگر در {market} مقدار {amount} فروخت که در این اجرا خریده نشده بود؛ چنین فروش‌هایی در هیچ دادوستدی نیستند.',
  'warning.moreLocks': '{more} قفل دیگر، افزون بر {listed} قفل این فهرست، برقرار بودند',
  'warning.moreMembers':
    '{more} بازار دیگر، افزون بر {listed} تغییر این فهرست، به مجموعه‌ها آمدند یا از آن‌ها رفتند',
  'warning.fewBars':
    'در {percent}٪ از زمان کندلی نیست: نوسان، شارپ و سورتینو با {bars} کندل موجود سالانه شده‌اند، و آنچه در هر وقفه رخ داده یک بازده است',
  'warning.noIntent': '{strategy} سفارشی نگذاشت: تصمیمی نداشت',
  'warning.noOrder': '{strategy} سفارشی نگذاشت: {intents} گرفت و هیچ‌یک سفارش نشد',
  'warning.allRefused': '{strategy} سفارشی نگذاشت: {intents} گرفت و رد شد: {reasons}',
  'warning.oneIntent': '{number} تصمیم',
  'warning.intents': '{number} تصمیم',
  'warning.refused':
    '{strategy}: {refused} سفارش از {attempts} سفارشی که می‌خواست رد شد ({percent}٪): {reasons}',
  'warning.notTold': 'به {strategy} گفته نشد: {reasons}',
  'warning.reason': '{number} بار {what} با قاعدهٔ {check} ({time}: {example})',
  'warning.moreReasons': 'و {number} دلیل دیگر',
  'warning.then': '{one}؛ {other}',
  'warning.and': '{one} و {other}',
};
