import { PERSIAN_TERMS as TERMS } from '../../../language/persian-terms.ts';
import type { TranslationOf } from '../../../language/translate.ts';

export const PERSIAN_FIDELITY: TranslationOf<typeof ENGLISH_FIDELITY> = {
  'bars.arrival': 'رسیدن سفارش‌ها',
  'bars.arrival.next-open': 'با باز شدن نخستین کندلی که پیش از سفارش آغاز نشده است',
  'bars.arrival.this-close': 'با بسته شدن آخرین کندل',
  'bars.inside': 'سفارش‌هایی که میان یک کندل می‌رسند',
  'bars.inside.rule':
    'سفارشی که بی‌درنگ معامله می‌شود، به قیمت باز شدن همان کندل معامله می‌شود، تا وقتی که چیز تازه‌تری دانسته نباشد: نه بسته شدنی، نه معامله‌ای میان کندل، نه سیگنالی؛ بقیه از کندل بعدی شرکت دارند؛ حد ضرری که از آغاز کندل باز بوده، پیش از لغو لمس‌شده به شمار می‌آید، سفارش محدود تنها وقتی که چیزی تازه‌تر از قیمت باز شدن دانسته باشد',
  'bars.detail': 'کندل‌های ریزتر درون یک کندل',
  'bars.detail.rule':
    'هر کندل روی کندل‌های {timeframe} پیموده می‌شود که سراسر آن را با همان قیمت‌های باز شدن، بیشترین، کمترین و بسته شدن می‌پوشانند: برای سفارش‌ها، زمان‌سنج‌ها و سیگنال‌ها هر قاعدهٔ این فهرست دربارهٔ آن‌هاست، و استراتژی‌ها آن‌ها را نمی‌بینند؛ کندلی که آن‌ها را ندارد یک‌جا پیموده می‌شود',
  'bars.market': 'سفارش‌های بازار',
  'bars.market.next-open': 'به قیمت باز شدن، در نقش تیکر؛ باقی‌مانده به قیمت‌های باز شدن بعدی',
  'bars.market.this-close': 'به قیمت بسته شدن، در نقش تیکر؛ باقی‌مانده به قیمت‌های باز شدن بعدی',
  'bars.price': 'قیمت سفارش‌های تیکر',
  'bars.price.rule':
    'بدتر، به اندازهٔ نیمی از اسپرد {spread} صدم درصدی و {slippage}؛ به زیان سفارش به گام قیمت گرد می‌شود، دست‌کم یک گام، و شاید بیرون از دامنهٔ کندل باشد',
  'bars.slippage.bps': '{bps} صدم درصد قیمت',
  'bars.slippage.range': '{share}٪ از فاصلهٔ بیشترین و کمترین قیمت کندل',
  'bars.band': 'مرز قیمت سفارش‌های بازار',
  'bars.band.none': 'بی‌مرز؛ خرید آنجا پایان می‌یابد که پول آزاد همان لحظه تمام شود',
  'bars.band.exchange':
    'یک درصد فراتر از قیمت فعال‌سازی پایان می‌یابد، یا اگر قیمت فعال‌سازی ندارد، یک درصد فراتر از آخرین قیمت بسته شدنی که ربات دیده است؛ خرید آنجا پایان می‌یابد که پول آزاد همان لحظه تمام شود',
  'bars.limit': 'سفارش‌های محدود',
  'bars.limit.through': 'به قیمت خودشان، در نقش میکر، وقتی قیمت کندل از آن بگذرد',
  'bars.limit.touch': 'به قیمت خودشان، در نقش میکر، وقتی قیمت کندل به آن برسد',
  'bars.beyond': 'سفارش‌های محدودی که هنگام رسیدن، بازار از قیمتشان گذشته است',
  'bars.beyond.through':
    'مانند سفارش بازار، نه بدتر از قیمت خودشان، تا وقتی که قیمت باز شدن دیگر از قیمتشان نگذشته باشد',
  'bars.beyond.touch':
    'مانند سفارش بازار، در خود آن قیمت هم، نه بدتر از قیمت خودشان، تا وقتی که قیمت باز شدن دیگر از قیمتشان نگذشته باشد',
  'bars.gap': 'سفارش‌های محدود، هنگام شکاف قیمت',
  'bars.gap.open': 'به قیمت باز شدن، روی گامی به زیان سفارش، در نقش میکر',
  'bars.gap.own-price': 'به قیمت خودشان، در نقش میکر',
  'bars.stops.through':
    'وقتی کندل به قیمت فعال‌سازی برسد فعال می‌شوند، هنگام شکاف قیمت در باز شدن کندل؛ سپس به همان قیمت در نقش تیکر معامله می‌شوند؛ سفارش حد ضرر محدود تنها جایی که آن قیمت بهتر از قیمت محدودش باشد و با هزینه‌ها هم بدتر از آن نشود، وگرنه در دفتر می‌ماند',
  'bars.stops.touch':
    'وقتی کندل به قیمت فعال‌سازی برسد فعال می‌شوند، هنگام شکاف قیمت در باز شدن کندل؛ سپس به همان قیمت در نقش تیکر معامله می‌شوند؛ سفارش حد ضرر محدود تنها جایی که آن قیمت بدتر از قیمت محدودش نباشد و با هزینه‌ها هم بدتر از آن نشود، وگرنه در دفتر می‌ماند',
  'bars.oco': 'سفارش دوتایی (OCO)',
  'bars.oco.rule': 'معامله شدن یک پایه، یا فعال شدن حد ضرر، پایهٔ دیگر را لغو می‌کند',
  'bars.path': 'مسیر قیمت درون کندل',
  'bars.path.worst-first':
    'نخست بدترین حالت: در سفارش دوتایی، هر جا که معامله شدن هر دو پایه ممکن باشد، حد ضرر پیش از پایهٔ محدود می‌آید؛ سفارش حد ضرر محدودی که پس از فعال شدن درون کندل در دفتر می‌ماند، در همان کندل تنها وقتی معامله می‌شود که قیمت بسته شدن از قیمت محدودش گذشته باشد',
  'bars.path.open-high-low-close': 'باز، بیشترین، کمترین، بسته',
  'bars.path.open-low-high-close': 'باز، کمترین، بیشترین، بسته',
  'bars.path.nearest-first':
    'باز، سپس از بیشترین و کمترین آن که به باز نزدیک‌تر است (اگر به یک اندازه نزدیک‌اند، کمترین)، سپس دیگری، بسته',
  'bars.volume': 'حجم',
  'bars.volume.none': 'بی‌مرز',
  'bars.volume.worst-first':
    'همهٔ سفارش‌های یک بازار با هم حداکثر {share}٪ از حجم کندل؛ بقیه باز می‌ماند؛ نخست آنچه در باز شدن معامله می‌شود، سپس حد ضررها، سپس سفارش‌های محدود، و از هر کدام قدیمی‌تر زودتر',
  'bars.volume.by-path':
    'همهٔ سفارش‌های یک بازار با هم حداکثر {share}٪ از حجم کندل؛ بقیه باز می‌ماند؛ نخست آنچه در باز شدن معامله می‌شود، سپس به ترتیبی که مسیر قیمت به آن‌ها می‌رسد، در یک قیمت حد ضررها و سپس سفارش‌های محدود، و از هر کدام قدیمی‌تر زودتر',
  'bars.seen': 'زمانی که ربات معامله را می‌بیند',
  'bars.seen.rule':
    'معامله‌های باز شدن را با آغاز کندل، همهٔ معامله‌های دیگر را یک میلی‌ثانیه پیش از پایان آن، هر یک را پیش از بعدی؛ سفارشی که پاسخ یکی از آن‌هاست در ادامهٔ مسیر شرکت دارد، و اگر مسیری فرض نشده باشد در راه رسیدن به قیمت بسته شدن',
  'bars.age': 'تازگی قیمت‌ها',
  'bars.age.rule':
    'قیمت باز شدن کندل جاری، یا آخرین قیمت بسته شدن، تا زمان بسته شدن کندل بعدی دفتر سفارش تازه به شمار می‌آید؛ اگر آن کندل نیاید، از آن پس کهنه می‌شود',
  'bars.time': 'زمان معامله',
  'bars.time.next-open': 'آغاز کندل، اگر در باز شدن باشد؛ وگرنه یک میلی‌ثانیه پیش از پایان آن',
  'bars.time.this-close':
    'آغاز کندل، اگر در باز شدن باشد؛ زمان سفارش، اگر در بسته شدن باشد؛ وگرنه یک میلی‌ثانیه پیش از پایان کندل',

  'bars.unknown.order':
    'کندل نمی‌گوید که قیمت‌هایش به چه ترتیبی آمده‌اند، و نه اینکه دفتر سفارش‌ها چگونه بوده است.',
  'bars.unknown.impact':
    'سفارش‌ها قیمت را جابه‌جا نمی‌کنند: فرض این است که بی آن‌ها هم همین اندازه در کندل معامله می‌شد.',
  'bars.unknown.queue':
    'از صف چیزی معلوم نیست: سفارش محدود چنان معامله می‌شود که گویی در قیمت خود نفر نخست است.',
  'bars.unknown.delay':
    'تأخیر و محدودیت درخواست در کار نیست: ربات هر کندل را همان دم که بسته می‌شود می‌بیند و سفارش‌هایش همان دم به صرافی می‌رسند.',
  'bars.unknown.volume':
    'اینکه چه مقدار از یک سفارش در باز شدن معامله می‌شود، از حجم کل کندل به دست می‌آید که آن هنگام معلوم نبود.',
  'bars.unknown.costs': 'سفارش‌های تیکر نه اسپرد می‌پردازند و نه لغزش قیمت: معامله‌های واقعی بدترند.',
  'bars.unknown.touch':
    'رسیدن قیمت به قیمت سفارش محدود معامله به شمار می‌آید، که برای بیشتر سفارش‌ها خوش‌بینانه است.',
  'bars.unknown.gap':
    'سفارش محدودی که در دفتر مانده است، هنگام شکاف قیمت به قیمت باز شدن معامله می‌شود که از قیمت خودش بهتر است؛ در واقعیت به قیمت خودش معامله می‌شود.',
  'bars.unknown.close':
    'سفارش‌ها به همان قیمت بسته شدنی معامله می‌شوند که بر پایهٔ آن تصمیم گرفته شده‌اند؛ این در عمل ممکن نیست.',
  'bars.unknown.path':
    'مسیر قیمت درون کندل فرض شده است؛ این فرض می‌تواند به سود حد ضرر و سفارش محدودی باشد که در یک کندل‌اند.',
  'bars.unknown.size': 'سفارش با هر اندازه‌ای کامل معامله می‌شود، هر چه معامله شده باشد.',
  'bars.unknown.band':
    'صرافی سفارش بازار را یک درصد فراتر از قیمتش رها می‌کند؛ اینجا با هر شکاف قیمتی معامله می‌شود.',

  stops: 'سفارش‌های حد ضرر',
  fees: TERMS.fee,
  'fees.rule':
    'به نزدیک‌ترین رقم، و نیمه به رقم زوج گرد می‌شود؛ به ارزی که دریافت می‌شود؛ بر پایهٔ اینکه معامله میکر است یا تیکر',

  'poll.bot': 'ربات',
  'poll.bot.rule': 'همان ربات زنده: برنامهٔ درخواست‌ها، سهمیه‌ها، محدودیت‌های ریسک و سفارش‌ها، در زمان مجازی',
  'poll.changes': 'تغییر بازار',
  'poll.changes.rule':
    'در زمانی که صرافی گفته است، وگرنه وقتی که دیده شد؛ در یک زمان، معامله‌ها پیش از دفتر سفارش‌ها',
  'poll.bars': 'کندل‌ها',
  'poll.bars.rule':
    'کندل‌های ضبط‌شده، از بسته شدنشان به بعد؛ جایی که ضبط نشده‌اند، از معامله‌ها ساخته می‌شوند، وگرنه از میانهٔ دفتر سفارش‌ها',
  'poll.statistics': 'آمار بازار',
  'poll.statistics.rule':
    'آخرین آمار ضبط‌شده، از وقتی که دیده شد؛ پیش از نخستین آمار، از آنچه گذشته است ساخته می‌شود',
  'poll.latency': 'تأخیر',
  'poll.latency.constant': '{out} میلی‌ثانیه تا صرافی، {back} میلی‌ثانیه تا بازگشت',
  'poll.latency.replayed': 'همان که هر درخواست آن اجرا طول کشید؛ درخواست‌های دیگر: {further}',
  'poll.latency.drawn': 'برای هر درخواست به تصادف از {trips}؛ نیمی از آن در هر سو، بذر تصادفی {seed}',
  'poll.latency.drawnOfOrders':
    'برای هر درخواست به تصادف از {trips}، برای سفارش‌ها از {ofOrders}؛ نیمی از آن در هر سو، بذر تصادفی {seed}',
  'poll.oneTrip': '{number} رفت‌وبرگشت ضبط‌شده، از {least} تا {most} میلی‌ثانیه (میانه {median} میلی‌ثانیه)',
  'poll.trips': '{number} رفت‌وبرگشت ضبط‌شده، از {least} تا {most} میلی‌ثانیه (میانه {median} میلی‌ثانیه)',
  'poll.lag': 'آمدن معامله‌های خود ما در فهرست',
  'poll.lag.none': 'بی‌درنگ',
  'poll.lag.some': '{lag} میلی‌ثانیه دیرتر',
  'poll.takes': 'سفارش‌های تیکر',
  'poll.takes.rule': 'آنچه آخرین دفتر ضبط‌شده سطح به سطح عرضه می‌کند، منهای آنچه از آن پس آنجا معامله شده است',
  'poll.taken': 'آنچه برداشته شد',
  'poll.taken.until-change': 'نیست، تا وقتی که دفتر ضبط‌شده‌ای در آن قیمت مقدار دیگری نشان دهد',
  'poll.taken.next-book': 'نیست، تا دفتر ضبط‌شدهٔ بعدی',
  'poll.rests': 'سفارش‌های مانده در دفتر',
  'poll.rests.rule':
    '{queue}؛ تنها با معامله‌های ضبط‌شده در آن قیمت جلو می‌رود، و هرگز پشت بیش از آنچه دفتر هنوز آنجا نشان می‌دهد نیست',
  'poll.queue.front': 'جلوی همهٔ آنچه دفتر در آن قیمت نشان می‌دهد',
  'poll.queue.back': 'پشت همهٔ آنچه دفتر در آن قیمت نشان می‌دهد',
  'poll.queue.share': 'پشت {share}٪ از آنچه دفتر در آن قیمت نشان می‌دهد',
  'poll.unreached': 'سفارش‌های مانده در قیمتی که دفتر به آن نرسیده است',
  'poll.unreached.rule':
    'پشت آنچه دفتر آنجا نشان می‌دهد، وقتی که نشان دهد؛ تا آن هنگام تنها با معامله‌ای فراتر از قیمتشان معامله می‌شوند',
  'poll.through': 'بازار از سفارش مانده در دفتر می‌گذرد',
  'poll.through.whole':
    'با یک معاملهٔ ضبط‌شده فراتر از قیمت سفارش، یا دفتری که سوی دیگرش به آن برسد، همهٔ سفارش به قیمت خودش معامله می‌شود',
  'poll.through.volume':
    'با یک معاملهٔ ضبط‌شده فراتر از قیمت سفارش، یا دفتری که سوی دیگرش به آن برسد، به اندازهٔ آنچه معامله یا عرضه شد، به قیمت خودش معامله می‌شود',
  'poll.stops.rule': 'با آخرین معاملهٔ ضبط‌شده فعال می‌شوند، سپس مانند دیگر سفارش‌های تیکر معامله می‌شوند',
  'poll.own': 'دفتری که ربات می‌خواند',
  'poll.own.shown': 'دفتر ضبط‌شده، منهای آنچه برداشته‌ایم، با سفارش‌های خود ما',
  'poll.own.hidden': 'دفتر ضبط‌شده: دیگران سفارش‌های ما را نمی‌بینند',
  'poll.value': 'ارزش حساب',
  'poll.value.rule': 'با آخرین قیمت نزد صرافی، چه ربات آن را دیده باشد و چه نه',

  'poll.unknown.reaction': 'بازار ضبط‌شده واکنشی نشان نمی‌دهد: هیچ مظنه‌ای به خاطر سفارش‌های ما جابه‌جا نمی‌شود.',
  'poll.unknown.between':
    'دفتر سفارش‌ها میان دو دفتر ضبط‌شده ثابت می‌ماند؛ آنچه در این میان آمده و رفته است معلوم نیست.',
  'poll.unknown.canceled':
    'سفارش‌هایی که جلوی ما بودند و لغو شدند، تا وقتی که دفتر همان اندازه را نشان دهد هنوز در صف به شمار می‌آیند.',
  'poll.unknown.recording':
    'خود ضبط هم با پرسیدن انجام شده است: هر تغییر از زمانی به حساب می‌آید که ضبط شد، و جایی که صرافی زمانی نگفته باشد، این تا یک فاصلهٔ پرسیدن دیر است.',
  'poll.unknown.faults':
    'هیچ پاسخی گم نمی‌شود و صرافی جز به قاعده‌های خود چیزی را رد نمی‌کند؛ آزمون تصادفی (fuzz) هر دو را می‌آزماید.',
  'poll.unknown.whole':
    'سفارشی که بازار از آن می‌گذرد کامل معامله می‌شود، هر اندازه هم که معامله فراتر از آن کم باشد.',

  'mirror.fills': 'معامله‌ها، کارمزدها، سفارش‌ها',
  'mirror.fills.rule': 'همان‌ها که نزد صرافی‌اند و ربات خوانده است',
  'mirror.account': 'حساب',
  'mirror.account.books': 'پول حساب طبق دفتر و سکه‌های استراتژی‌ها، منهای آنچه هر معامله آورده و برده است',
  'mirror.account.balances':
    'پول حساب طبق آخرین مانده‌ها و سکه‌های استراتژی‌ها، منهای آنچه هر معامله آورده و برده است',
  'mirror.account.capital': 'سرمایهٔ استراتژی‌ها و سکه‌های آن‌ها، منهای آنچه هر معامله آورده و برده است',
  'mirror.account.nothing': 'تنها معامله‌ها: در دادهٔ ذخیره‌شده مانده‌ای نیست، پس از هیچ آغاز می‌شود',
  'mirror.prices': 'قیمت‌ها',
  'mirror.prices.rule':
    'قیمت بسته شدن آخرین کندل ذخیره‌شده، یا معامله یا خواندنی پس از آن؛ پیش از نخستین کندل، قیمت یک معامله',
  'mirror.candles': 'کندل‌ها',
  'mirror.candles.none': 'هیچ',
  'mirror.candles.some': '{series}',
  'mirror.series': '{market} {timeframe}',
  'mirror.plots': 'نمودارهای استراتژی‌ها',
  'mirror.plots.rule': 'آخرین مقدار هر دقیقه، به همان تعداد که ربات کندل نگه می‌دارد',
  'mirror.pauses': 'زمان‌هایی که ربات اجرا نمی‌شد',
  'mirror.pauses.rule': 'از آخرین نشانهٔ کار، که ربات هر چند ثانیه می‌نویسد، تا شروع دوبارهٔ استراتژی‌ها',

  'mirror.removed.fills':
    'نگهداری محدود داده‌ها {count} معامله را پاک کرده است؛ قدیمی‌ترین معاملهٔ مانده از {time} است. ارزش کل از آنجا آغاز می‌شود، و آنچه پیش از آن خریده شده اینجا قیمت خریدی ندارد.',
  'mirror.removed.orders':
    'نگهداری محدود داده‌ها {count} سفارش را پاک کرده است؛ قدیمی‌ترین سفارش مانده از {time} است.',
  'mirror.removed.intents':
    'نگهداری محدود داده‌ها {count} تصمیم را پاک کرده است؛ قدیمی‌ترین تصمیم مانده از {time} است.',
  'mirror.removed.journal':
    'نگهداری محدود داده‌ها {count} سطر از رویدادها را پاک کرده است؛ قدیمی‌ترین سطر مانده از {time} است.',
  'mirror.moreFills': '{count} معاملهٔ قدیمی‌تر نیامده است، چون گزارش بیش از این جا ندارد.',
  'mirror.moreOrders': '{count} سفارش قدیمی‌تر نیامده است، چون گزارش بیش از این جا ندارد.',
  'mirror.unknown.candles':
    'در دادهٔ ذخیره‌شده کندلی نیست: ربات میان معامله‌های خود نمی‌داند که هر چیز چه قیمتی داشته است.',
  'mirror.unknown.candlesBefore':
    'کندل‌های {market} از {time} آغاز می‌شود: پیش از آن، قیمتش همان قیمت معامله‌هایش است.',
  'mirror.unknown.value':
    'حساب {currencies} دارد که هیچ بازاری از این اجرا ارزش آن را نمی‌گوید: به حساب نمی‌آید.',
  'mirror.unknown.values':
    'حساب {currencies} و {more} ارز دیگر دارد که هیچ بازاری از این اجرا ارزش آن‌ها را نمی‌گوید: به حساب نمی‌آیند.',
  'mirror.unknown.transfers':
    'واریز و برداشت سود نیست: ارزش کل چنان حساب می‌شود که گویی از آغاز آنجا بوده‌اند.',
  'mirror.unknown.refused':
    'تصمیم‌هایی که پیش از آنکه کاری شوند رد شدند (به خاطر وضعیت معامله، گام‌های بازار یا خواستهٔ نادرست) و لغوها در دادهٔ ذخیره‌شده نیستند و تنها در گزارش رویدادهای ربات‌اند؛ پس تصمیم‌ها و ردشده‌ها شاید کمتر از یک بک‌تست باشند.',
  'mirror.unknown.rest':
    'ارزش کل، ارزش هنگام بسته شدن کندل‌هاست. عضوهای مجموعه‌ها، خواندن‌ها (درخواست‌هایی که نه سفارش‌اند و نه لغو) و مسدودی‌های سهمیهٔ درخواست در دادهٔ ذخیره‌شده نیستند؛ «{command}» مسدودی‌ها را نشان می‌دهد.',
  'mirror.unknown.params':
    'پارامترهای استراتژی‌ها در دادهٔ ذخیره‌شده نیست: با {option} پیکربندی را نام ببرید تا اینجا بیایند.',

  'universe.survivorship':
    'سوگیری بقا: مجموعه‌ها از میان {markets} بازار این داده برمی‌گزینند. بازارهایی که صرافی از آن پس برداشته است، اگر کسی ضبطشان نکرده باشد، نیستند، و نتیجه از این بابت بهتر به نظر می‌رسد.',
  'universe.byStatistics': 'بازارهای مجموعه‌ها با آمار ضبط‌شدهٔ هر لحظه رتبه‌بندی شده‌اند.',
  'universe.byBars':
    'بازارهای مجموعه‌ها با کندل‌های یک روز پیش از هر لحظه رتبه‌بندی شده‌اند، و نه با آمار صرافی.',
  'universe.noSpread': 'کندل‌ها اسپرد را نشان نمی‌دهند، پس {setting} هیچ بازاری را کنار نگذاشت.',
};

/** Warnings that a reader of the figures must know first. */
export const ENGLISH_WARNINGS = {
  /** Text that is not translated, such as a currency. */
  'warning.words': '{text}',
  'warning.gaps': '{market}: {bars} bars are missing between the others; nothing was traded in them',
  'warning.noDetail':
    '{market}: {bars} of {all} bars were walked whole: no bars of {timeframe} reach through them with the same open, high, low and close',
  'warning.unvalued': 'the account has {assets}, which no market of the run values: it counts for nothing',
  'warning.unvaluedAsset': 'no recorded market values {asset} in {quote}: it counts for nothing',
  'warning.emptyUniverse': '{universe}: no market passed in {rankings} rankings; at the last one {why}',
  'warning.somePassed': 'some did',
  'warning.finePlan':
    'the plan looks at the {what} of {market} every {every}, but it was recorded about every {gap}: the bot sees the same again and again, and what happened between is not known',
  'warning.book': 'book',
  'warning.tape': 'tape',
  'warning.oldBooks':
    "books of {market} were recorded about every {gap}, but {strategy} may only trade on books of at most {most} by the exchange's time: most of its orders are refused; set its {setting} higher",
  'warning.signalsOutside': '{outside} of {all} signals are outside of the run',
  'warning.noSignals': '{strategy} declares signals, and was given none: {option} names a file of them',
  'warning.nothingTraded': 'nothing was traded: the mirror has no fill within the range',
  'warning.unknownOrders': {
    one: 'of {count} order it is not known whether the exchange has it',
    other: 'of {count} orders it is not known whether the exchange has it',
  },
  'warning.short':
    'no figure of a year (CAGR, volatility, Sharpe, Sortino, Calmar) is shown: the run is {length} long, and less than 30 days say nothing of a year',
  'warning.stopped': '{strategy} on {market} stopped before the end: {reason}',
  'warning.sold':
    '{strategy} sold {amount} on {market} that no buy of it had brought in this run; such sales are in no trade.',
  'warning.soldByOther':
    'Another hand sold {amount} on {market} that no buy of it had brought in this run; such sales are in no trade.',
  'warning.moreLocks': '{more} more locks held than the {listed} that are listed',
  'warning.moreMembers':
    '{more} more markets entered or left universes than the {listed} changes that are listed',
  'warning.fewBars':
    '{percent} % of the time has no bars: volatility, Sharpe and Sortino are annualised by the {bars} bars there are, and what happened in a gap is one return',
  'warning.noIntent': '{strategy} placed no order: it had no intent',
  'warning.shortOfBars':
    '{strategy}: the run is too short for {indicators}, without a value to its end: {bars} candles are needed for the first; give it more of them, or a shorter length',
  'warning.noOrder': '{strategy} placed no order: it made {intents}, none of which became an order',
  'warning.allRefused': '{strategy} placed no order: it made {intents}, and was refused: {reasons}',
  'warning.oneIntent': '{number} intent',
  'warning.intents': '{number} intents',
  'warning.refused':
    '{strategy}: {refused} of {attempts} orders that it wanted were refused ({percent} %): {reasons}',
  'warning.notTold': '{strategy} was not told: {reasons}',
  'warning.reason': '{number} {what} by {check} ({time}: {example})',
  'warning.moreReasons': 'and {number} more reasons',
  'warning.then': '{one}; {other}',
  'warning.and': '{one} and {other}',
} as const;

/**
 * Texts on how the fills of a run came about, rule by rule, and on their limits. The bare key of a rule is
 * its name; the keys below it are its possible settings.
 */
export const ENGLISH_FIDELITY = {
  'bars.arrival': 'orders arrive',
  'bars.arrival.next-open': 'as the first bar opens that begins no earlier than the order',
  'bars.arrival.this-close': 'at the close of the last bar',
  'bars.inside': 'orders that arrive inside a bar',
  'bars.inside.rule':
    'what takes does so at the open of that bar, while nothing newer is known: no close, no fill inside a bar, no signal; all else has part from the next bar on; a stop that was there as the bar began counts as touched before a cancel, a limit order only where something newer than the open is known',
  'bars.detail': 'finer bars inside a bar',
  'bars.detail.rule':
    'each bar is walked on those of {timeframe} that reach through it with the same open, high, low and close: for orders, timers and signals every rule here is about those, and strategies do not see them; a bar without them is walked whole',
  'bars.market': 'market orders',
  'bars.market.next-open': 'the open, as taker; what is left, at the opens that follow',
  'bars.market.this-close': 'the close, as taker; what is left, at the opens that follow',
  'bars.price': 'price of what takes',
  'bars.price.rule':
    'worse by half of a spread of {spread} bps, and {slippage}; rounded to the price step against the order, at least one step, and not held within the bar',
  'bars.slippage.bps': '{bps} bps of the price',
  'bars.slippage.range': "{share} % of the bar's high less low",
  'bars.band': 'market orders, bound',
  'bars.band.none': 'no bound; a buy ends where the free money of its moment does',
  'bars.band.exchange':
    'ends one percent beyond its stop price, or without one the last close that the bot was shown; a buy ends where the free money of its moment does',
  'bars.limit': 'limit orders',
  'bars.limit.through': 'their own price, as maker, once the bar trades beyond it',
  'bars.limit.touch': 'their own price, as maker, once the bar touches it',
  'bars.beyond': 'limit orders, already beyond their price as they arrive',
  'bars.beyond.through': 'as a market order, no worse than their own price, until an open is not beyond it',
  'bars.beyond.touch':
    'as a market order, at their very price too, no worse than their own price, until an open is not beyond it',
  'bars.gap': 'limit orders, gap',
  'bars.gap.open': 'the open, on a step against the order, as maker',
  'bars.gap.own-price': 'their own price, as maker',
  'bars.stops.through':
    'trigger when the bar reaches the stop price, at a gap at the open; then take at that price, a stop-limit order only where that is better than its limit and with costs no worse than that, else it rests',
  'bars.stops.touch':
    'trigger when the bar reaches the stop price, at a gap at the open; then take at that price, a stop-limit order only where that is no worse than its limit and with costs no worse than that, else it rests',
  'bars.oco': 'OCO',
  'bars.oco.rule': 'a fill of one leg, or the trigger of the stop, cancels the other',
  'bars.path': 'path inside a bar',
  'bars.path.worst-first':
    'worst first: of an OCO the stop comes before the limit leg wherever both could fill; a stop-limit order that rests after it triggered inside a bar fills in that bar only if the close is beyond its limit',
  'bars.path.open-high-low-close': 'open, high, low, close',
  'bars.path.open-low-high-close': 'open, low, high, close',
  'bars.path.nearest-first':
    'open, the extreme nearer to it (the low if both are as near), the other extreme, close',
  'bars.volume': 'volume',
  'bars.volume.none': 'no bound',
  'bars.volume.worst-first':
    'all orders of a market together at most {share} % of the volume of a bar; the rest stays open; first at the open, then stops, then limits, of which the older first',
  'bars.volume.by-path':
    'all orders of a market together at most {share} % of the volume of a bar; the rest stays open; first at the open, then as the path comes to them, at one price stops, then limits, of which the older first',
  'bars.seen': 'when the bot sees it',
  'bars.seen.rule':
    'fills at an open as the bar begins, all others a millisecond before it ends, each before the next; an order that answers one of them has part in the rest of the path, where none is assumed in the way to the close',
  'bars.age': 'age of prices',
  'bars.age.rule':
    'the open of the current bar, or the last close, counts as a fresh book until the next bar is due to close; in a gap it ages from then on',
  'bars.time': 'time of a fill',
  'bars.time.next-open': 'the bar begins, at an open; one millisecond before it ends, elsewhere',
  'bars.time.this-close':
    'the bar begins, at an open; the order does, at a close; one millisecond before it ends, elsewhere',

  'bars.unknown.order': 'A bar does not say in which order its prices came, nor what the book looked like.',
  'bars.unknown.impact':
    'Orders move no price: what was traded in a bar would have been traded without them too.',
  'bars.unknown.queue':
    'Nothing is known of the queue: a limit order fills as if it were first at its price.',
  'bars.unknown.delay':
    'There is no delay and no limit on requests: the bot sees each bar as it closes and its orders are there at once.',
  'bars.unknown.volume':
    'How much of an order fills at an open follows from the volume of the whole bar, which was not known then.',
  'bars.unknown.costs': 'What takes pays neither spread nor slippage: real fills are worse.',
  'bars.unknown.touch': 'A touched limit price counts as a fill, which is too good for most orders.',
  'bars.unknown.gap':
    'A resting limit order fills at the open of a gap, which is better than its own price; a real one fills at its own.',
  'bars.unknown.close':
    'Orders fill at the close on which they were decided, which is not possible in practice.',
  'bars.unknown.path': 'The path inside a bar is assumed; it can favour a stop and a limit order in one bar.',
  'bars.unknown.size': 'Orders of any size fill whole, whatever was traded.',
  'bars.unknown.band':
    'The exchange gives up a market order one percent beyond its price; here a gap of any size fills it.',

  stops: 'stop orders',
  fees: 'fees',
  'fees.rule': 'half-even, in the currency received, by the fill being maker or taker',

  'poll.bot': 'the bot',
  'poll.bot.rule': 'the live one: poll plan, budgets, risk checks and orders, in virtual time',
  'poll.changes': 'the market changes',
  'poll.changes.rule':
    'at the time that the exchange gave, else when it was seen; at the same time trades before books',
  'poll.bars': 'bars',
  'poll.bars.rule':
    'the recorded ones, from their close on; where none was recorded, made of trades, else of the middles of books',
  'poll.statistics': 'statistics',
  'poll.statistics.rule':
    'what was recorded last, from when it was seen; before the first, made of what went by',
  'poll.latency': 'latency',
  'poll.latency.constant': '{out} ms to the exchange, {back} ms back',
  'poll.latency.replayed': 'what each call of the session took; further ones are {further}',
  'poll.latency.drawn': 'drawn for each request from {trips}; half of it each way, seed {seed}',
  'poll.latency.drawnOfOrders':
    'drawn for each request from {trips}, for orders from {ofOrders}; half of it each way, seed {seed}',
  'poll.oneTrip': '{number} recorded round trip of {least} to {most} ms (median {median} ms)',
  'poll.trips': '{number} recorded round trips of {least} to {most} ms (median {median} ms)',
  'poll.lag': 'own trades are listed',
  'poll.lag.none': 'at once',
  'poll.lag.some': '{lag} ms late',
  'poll.takes': 'orders that take',
  'poll.takes.rule': 'what the last recorded book offers, level by level, less what was traded there since',
  'poll.taken': 'what was taken',
  'poll.taken.until-change': 'is missing until a recorded book shows another amount at that price',
  'poll.taken.next-book': 'is missing until the next recorded book',
  'poll.rests': 'orders that rest',
  'poll.rests.rule':
    '{queue}; forward only by recorded trades at that price, and never behind more than the book still shows there',
  'poll.queue.front': 'before all that the book shows at its price',
  'poll.queue.back': 'behind all that the book shows at its price',
  'poll.queue.share': 'behind {share} % of what the book shows at its price',
  'poll.unreached': 'orders that rest at a price the book did not reach',
  'poll.unreached.rule':
    'behind what it shows there once it does; until then only a trade beyond their price fills them',
  'poll.through': 'the market goes through a resting order',
  'poll.through.whole':
    'a recorded trade beyond its price, or a book whose other side reaches it, fills all of it at its own price',
  'poll.through.volume':
    'a recorded trade beyond its price, or a book whose other side reaches it, fills as much as was traded or offered, at its own price',
  'poll.stops.rule': 'trigger by the last recorded trade, then take as others do',
  'poll.own': 'the book that is polled',
  'poll.own.shown': 'the recorded one, less what we took, with our own orders in it',
  'poll.own.hidden': 'the recorded one: others do not see our orders',
  'poll.value': 'value of the account',
  'poll.value.rule': 'the last price at the exchange, whether the bot had seen it or not',

  'poll.unknown.reaction': 'The recorded market does not react: no quote moves because of our orders.',
  'poll.unknown.between':
    'Between two recorded books the book stands still; what came and went between them is not known.',
  'poll.unknown.canceled':
    'What stood before us and was canceled counts as still there, as long as the book shows as much.',
  'poll.unknown.recording':
    'The recording was itself made by asking: a change counts from when it was recorded to have been, which is late by up to one of its polls where the exchange gave no time.',
  'poll.unknown.faults':
    'Replies are never lost, and the exchange refuses nothing but by its rules; a run of the fuzzer does both.',
  'poll.unknown.whole':
    'An order that the market goes through fills whole, however little was traded beyond it.',

  'mirror.fills': 'fills, fees, orders',
  'mirror.fills.rule': 'those of the exchange, as the bot read them',
  'mirror.account': 'the account',
  'mirror.account.books':
    'its money by the books, and the coins of its strategies, less what each fill brought and took',
  'mirror.account.balances':
    'its money by the last balances, and the coins of its strategies, less what each fill brought and took',
  'mirror.account.capital':
    'the capital of its strategies and the coins that they own, less what each fill brought and took',
  'mirror.account.nothing': 'fills alone: the mirror has no balance, so that it begins with nothing',
  'mirror.prices': 'prices',
  'mirror.prices.rule':
    'the close of the last candle that the mirror has, or a trade or reading after it; before the first candle the price of a fill',
  'mirror.candles': 'candles',
  'mirror.candles.none': 'none',
  'mirror.candles.some': '{series}',
  'mirror.series': '{market} {timeframe}',
  'mirror.plots': 'plots',
  'mirror.plots.rule': 'the last value of each minute, as many as the bot keeps candles',
  'mirror.pauses': 'when the bot did not run',
  'mirror.pauses.rule':
    'from its last sign of life, which it writes every few seconds, to when strategies began again',

  'mirror.removed.fills': {
    one: 'Retention has removed {count} fill; the oldest that is left is of {time} UTC. Equity begins there, and what was bought before has no cost here.',
    other:
      'Retention has removed {count} fills; the oldest that is left is of {time} UTC. Equity begins there, and what was bought before has no cost here.',
  },
  'mirror.removed.orders': {
    one: 'Retention has removed {count} order; the oldest that is left is of {time} UTC.',
    other: 'Retention has removed {count} orders; the oldest that is left is of {time} UTC.',
  },
  'mirror.removed.intents': {
    one: 'Retention has removed {count} intent; the oldest that is left is of {time} UTC.',
    other: 'Retention has removed {count} intents; the oldest that is left is of {time} UTC.',
  },
  'mirror.removed.journal': {
    one: 'Retention has removed {count} line of the journal; the oldest that is left is of {time} UTC.',
    other: 'Retention has removed {count} lines of the journal; the oldest that is left is of {time} UTC.',
  },
  'mirror.moreFills': {
    one: '{count} older fill is left out, as a report has room for no more.',
    other: '{count} older fills are left out, as a report has room for no more.',
  },
  'mirror.moreOrders': {
    one: '{count} older order is left out, as a report has room for no more.',
    other: '{count} older orders are left out, as a report has room for no more.',
  },
  'mirror.unknown.candles':
    'The mirror has no candles: between its own fills the bot does not know what anything cost.',
  'mirror.unknown.candlesBefore':
    'Candles of {market} begin at {time} UTC: before it, its price is that of its fills.',
  'mirror.unknown.value':
    'The account has {currencies}, which no market of the session values: it counts for nothing.',
  'mirror.unknown.values':
    'The account has {currencies} and {more} more, which no market of the session values: it counts for nothing.',
  'mirror.unknown.transfers':
    'Deposits and withdrawals are no profit: the equity counts them as if they had been there from the beginning on.',
  'mirror.unknown.refused':
    'Intents that were refused before they became work (by the state of trading, the steps of the market, a malformed request) and cancels are not in the mirror, only in the log of the bot; so intents and refusals may be fewer than those of a backtest.',
  'mirror.unknown.rest':
    'The equity is that at the closes of candles. Members of universes, readings (requests that are no order or cancel) and lockouts of request budgets are not in the mirror; "{command}" shows lockouts.',
  'mirror.unknown.params':
    'The mirror has no params of strategies: name the configuration with {option} to see them here.',

  'universe.survivorship':
    'Survivorship: universes choose among the {markets} markets of this data set. Those that the exchange has taken off since are missing if nobody recorded them, and the result looks better by that.',
  'universe.byStatistics': 'The markets of universes were ranked by the recorded statistics of each moment.',
  'universe.byBars':
    'The markets of universes were ranked by their bars of the last day before each moment, and not by the statistics of the exchange.',
  'universe.noSpread': 'Bars show no spread, so {setting} kept no market out.',
} as const;
