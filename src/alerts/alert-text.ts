import { parseMarket } from '../exchange/market-names.ts';
import { formatLength, formatDecimal, formatShare } from '../language/format-number.ts';
import { formatExact, formatMoney, unitName } from '../language/format-money.ts';
import { formatTime } from '../language/format-time.ts';
import type { Locale } from '../language/locale.ts';
import { saidIn } from '../language/said-in.ts';
import { translateInto, type Translate, type TranslationOf } from '../language/translate.ts';
import type { AlertFacts, PeriodFigures } from './core/alert-facts.ts';
import { PERSIAN_TERMS as terms } from '../language/persian-terms.ts';
import { stored, type Sentence } from '../language/sentence.ts';
import { feedSentence } from '../language/feed-sentences.ts';

/** Everything that alerts say, in English. */
const ENGLISH_ALERTS = {
  lockout: 'Locked out of {budget}: the exchange takes no such request until {until}',
  lockoutOpen: 'Locked out of {budget}: the exchange takes no such request',
  credential: 'The exchange refuses the credential (401): nothing is read, placed or canceled. {advice}',
  unknownOrder: 'What became of the order {order} of {strategy} in {market} is unknown since {since}',
  break: 'The books do not agree with the exchange, so no new orders are placed: {rows}',
  breakRow: '{currency}: expected {expected}, found {found}',
  noOrders: 'No new orders are placed until this is over: {reason}',
  refused: 'Orders of the strategy {strategy} in {market} were refused three times alike: {code}',
  riskLimit: 'The strategy {strategy} can take no new risk: {reason}',
  standstill: 'No order goes to a market until it moves again: {reason}',
  halted: 'Trading is halted: {reason}',
  noData: 'Nothing is read from the exchange any more; the last was at {at}',
  noDataEver: 'Nothing was read from the exchange yet',
  noDataOf: '{feed} is not read any more; the last was at {at}',
  noDataOfEver: '{feed} was not read yet',
  drawdown: 'Equity in {currency} is {share} below its peak; the limit is {limit}',
  dailyLoss: 'Equity in {currency} fell by {share} today; the limit is {limit}',
  unprotected: '{amount} {asset} of {strategy} in {market} have no exit at the exchange',
  unprotectedWhy: '{amount} {asset} of {strategy} in {market} have no exit at the exchange: {reason}',
  exitCanceled:
    'Somebody else canceled the exit of {amount} {asset} of {strategy} in {market}. The bot places none until you say what became of them',
  coinsLeft:
    'The account has less {asset} than its strategies hold, so {amount} {asset} of {strategy} in {market} have no exit. The bot places none until you say what became of them',
  unclearChoice:
    'Still there: sarraf position adopt {strategy} {market}. Sold or moved by hand: sarraf position write-off {strategy} {market}. Of another strategy: sarraf position move {strategy} TO {market}',
  coinsMissing: 'Strategies hold {amount} {asset} more than the account has: somebody sold or moved them',
  coinsMissingChoice:
    'To take them out of the books of a strategy: sarraf position write-off STRATEGY MARKET AMOUNT',
  strategyPaused: 'The strategy {strategy} failed and pauses: {reason}',
  strategyStopped: 'The strategy {strategy} failed and is stopped: {reason}',
  diskLow: 'The disk of the data folder has {megabytes} MB left',
  diskFault: 'The data folder can not be written: {fault}',
  clockAhead: "This machine's clock is {length} ahead of the exchange's",
  clockBehind: "This machine's clock is {length} behind the exchange's",
  newDevice: 'The bot logged in as a new device: withdrawals are closed for an hour',
  bigBuy: 'Bought {amount} {asset} in {market} for {value}, at {price}',
  bigSell: 'Sold {amount} {asset} in {market} for {value}, at {price}',
  silent:
    'The bot is silent: its last sign of life was at {at}; its open orders stay at the exchange and can fill',
  silentEver: 'The bot is silent: it has written nothing down yet',
  endedWithError: 'The bot has ended with an error: {reason}',
  entries:
    'Open orders of the silent bot: {canceled} entries canceled, {kept} exits kept, {left} could not be canceled',
  entriesFailed: 'The entries of the silent bot could not be canceled: {reason}',
  outbox: 'Alerts are kept in memory only, as their file can not be written: {reason}',
  test: 'This is a test. Alerts of this bot arrive here',
  day: 'The day until {until}',
  week: 'The week until {until}',
  summaryEquity: 'Equity: {now}, {change}',
  summaryFall: 'Worst fall: {share}',
  summaryTrades: { one: '{count} trade', other: '{count} trades' },
  summaryFees: 'Fees: {fees}',
  noFees: 'none',
  summaryLockouts: { one: '{count} lockout', other: '{count} lockouts' },
  noFigures: 'No figures of equity are there yet',
  ended: 'Over after {length}: {text}',
  escalated: 'Nobody has acknowledged for {length}: {text}',
  reminder: 'Still, for {length}: {text}',
  more: { one: 'and {count} more', other: 'and {count} more' },
  title: '{bot}: {text}',
  titleMany: { one: '{bot}: {count} alert', other: '{bot}: {count} alerts' },
  footer: 'message {id}, {time}',
  acknowledge: 'Acknowledge',
  mute: 'Mute 1 h',
} as const;

const PERSIAN_ALERTS: TranslationOf<typeof ENGLISH_ALERTS> = {
  lockout: `${terms.lockout} از {budget}: ${terms.exchange} تا {until} چنین درخواستی نمی‌پذیرد`,
  lockoutOpen: `${terms.lockout} از {budget}: ${terms.exchange} چنین درخواستی نمی‌پذیرد`,
  credential: `${terms.exchange} کلید را نمی‌پذیرد (401): چیزی خوانده، ثبت یا لغو نمی‌شود. {advice}`,
  unknownOrder: `سرنوشت ${terms.order} {order} از {strategy} در {market} از {since} نامعلوم است`,
  break: `${terms.books} با ${terms.exchange} نمی‌خواند و ${terms.order} تازه‌ای ثبت نمی‌شود: {rows}`,
  breakRow: '{currency}: انتظار {expected}، یافته {found}',
  noOrders: `تا این مشکل برطرف نشود ${terms.order} تازه‌ای ثبت نمی‌شود: {reason}`,
  refused: `سفارش‌های ${terms.strategy} {strategy} در {market} سه بار یکسان رد شد: {code}`,
  riskLimit: `${terms.strategy} {strategy} نمی‌تواند ریسک تازه بگیرد: {reason}`,
  standstill: `تا این بازار دوباره حرکت نکند ${terms.order} تازه‌ای در آن ثبت نمی‌شود: {reason}`,
  halted: 'معامله متوقف است: {reason}',
  noData: `دیگر چیزی از ${terms.exchange} خوانده نمی‌شود؛ آخرین بار {at} بود`,
  noDataEver: `هنوز چیزی از ${terms.exchange} خوانده نشده است`,
  noDataOf: '{feed} دیگر خوانده نمی‌شود؛ آخرین بار {at} بود',
  noDataOfEver: '{feed} هنوز خوانده نشده است',
  drawdown: `${terms.equity} به {currency} به اندازهٔ {share} پایین‌تر از اوج خود است؛ حد آن {limit} است`,
  dailyLoss: `${terms.equity} به {currency} امروز {share} کم شد؛ حد آن {limit} است`,
  unprotected: `{amount} {asset} از {strategy} در {market} هیچ ${terms.stopLoss} یا خروجی در ${terms.exchange} ندارد`,
  unprotectedWhy: `{amount} {asset} از {strategy} در {market} هیچ ${terms.stopLoss} یا خروجی در ${terms.exchange} ندارد: {reason}`,
  exitCanceled: `کس دیگری ${terms.order} خروج {amount} {asset} از {strategy} در {market} را لغو کرد. ربات تا وقتی نگویید چه بر سر آن آمده است خروجی نمی‌گذارد`,
  coinsLeft: `حساب کمتر از آنچه ${terms.strategies} دارند {asset} دارد و {amount} {asset} از {strategy} در {market} خروجی ندارد. ربات تا وقتی نگویید چه بر سر آن آمده است خروجی نمی‌گذارد`,
  unclearChoice:
    'هنوز هست: sarraf position adopt {strategy} {market}. دستی فروخته یا جابه‌جا شد: sarraf position write-off {strategy} {market}. از استراتژی دیگری است: sarraf position move {strategy} TO {market}',
  coinsMissing: `${terms.strategies} {amount} {asset} بیشتر از حساب دارند: کسی آن را فروخته یا جابه‌جا کرده است`,
  coinsMissingChoice: `برای برداشتن آن از دفتر یک ${terms.strategy}: sarraf position write-off STRATEGY MARKET AMOUNT`,
  strategyPaused: `${terms.strategy} {strategy} با خطا روبه‌رو شد و موقتاً می‌ایستد: {reason}`,
  strategyStopped: `${terms.strategy} {strategy} با خطا روبه‌رو شد و متوقف است: {reason}`,
  diskLow: 'از دیسک پوشهٔ داده {megabytes} مگابایت مانده است',
  diskFault: 'پوشهٔ داده نوشتنی نیست: {fault}',
  clockAhead: `ساعت این دستگاه {length} از ساعت ${terms.exchange} جلوتر است`,
  clockBehind: `ساعت این دستگاه {length} از ساعت ${terms.exchange} عقب‌تر است`,
  newDevice: 'ربات با دستگاهی تازه وارد شد: برداشت تا یک ساعت بسته است',
  bigBuy: '{amount} {asset} در {market} به ارزش {value} خریده شد، با قیمت {price}',
  bigSell: '{amount} {asset} در {market} به ارزش {value} فروخته شد، با قیمت {price}',
  silent: `از ربات خبری نیست: آخرین نشانهٔ فعالیت آن {at} بود؛ سفارش‌های باز آن در ${terms.exchange} می‌ماند و ممکن است معامله شود`,
  silentEver: 'از ربات خبری نیست: هنوز چیزی ننوشته است',
  endedWithError: 'ربات با خطا پایان یافت: {reason}',
  entries:
    'سفارش‌های باز رباتی که از آن خبری نیست: {canceled} سفارش ورود لغو شد، {kept} سفارش خروج ماند، {left} سفارش لغو نشد',
  entriesFailed: 'سفارش‌های ورود رباتی که از آن خبری نیست لغو نشد: {reason}',
  outbox: 'هشدارها فقط در حافظه می‌مانند، چون پروندهٔ آن‌ها نوشتنی نیست: {reason}',
  test: 'این یک آزمایش است. هشدارهای این ربات به اینجا می‌رسد',
  day: 'یک روز تا {until}',
  week: 'یک هفته تا {until}',
  summaryEquity: `${terms.equity}: {now}، {change}`,
  summaryFall: 'بیشترین افت: {share}',
  summaryTrades: { one: `{count} ${terms.fill}`, other: `{count} ${terms.fill}` },
  summaryFees: `${terms.fee}: {fees}`,
  noFees: 'هیچ',
  summaryLockouts: { one: `{count} ${terms.lockout}`, other: `{count} ${terms.lockout}` },
  noFigures: `هنوز رقمی از ${terms.equity} در دست نیست`,
  ended: 'پس از {length} تمام شد: {text}',
  escalated: '{length} است که کسی تأیید نکرده: {text}',
  reminder: 'همچنان، از {length} پیش: {text}',
  more: { one: 'و {count} مورد دیگر', other: 'و {count} مورد دیگر' },
  title: '{bot}: {text}',
  titleMany: { one: `{bot}: {count} ${terms.alert}`, other: `{bot}: {count} ${terms.alert}` },
  footer: 'پیام {id}، {time}',
  acknowledge: 'دیدم',
  mute: 'یک ساعت بی‌صدا',
};

/** Function that returns the texts of alerts in a language. */
type SayAlert = Translate<typeof ENGLISH_ALERTS>;

export function alertTexts({ language }: Locale): SayAlert {
  return translateInto<typeof ENGLISH_ALERTS>(language, language === 'fa' ? PERSIAN_ALERTS : ENGLISH_ALERTS);
}

/** Returns the text of an alert: one sentence without a full stop; for a summary several lines. */
export function alertText(facts: AlertFacts, locale: Locale): string {
  return factLines(facts, alertTexts(locale), locale).join('\n');
}

function factLines(facts: AlertFacts, say: SayAlert, locale: Locale): readonly string[] {
  const { language } = locale;
  const at = (atMs: number | null): string => formatTime(atMs, locale);
  const said = (text: Sentence): string => saidIn(text, locale, tamed);
  const share = (value: number): string => formatShare(language, value, { decimals: 1 });
  switch (facts.rule) {
    case 'lockout': {
      const { budget, endsAtMs } = facts;
      return [
        endsAtMs === null ? say('lockoutOpen', { budget }) : say('lockout', { budget, until: at(endsAtMs) }),
      ];
    }
    case 'credential':
      return [say('credential', { advice: said(facts.advice) })];
    case 'unknown-order': {
      const { order, strategy, market, sinceMs } = facts;
      return [say('unknownOrder', { order, strategy, market, since: at(sinceMs) })];
    }
    case 'break': {
      const rows = facts.rows.slice(0, MOST_ROWS).map(({ currency, expected, found }) =>
        say('breakRow', {
          currency: unitName(currency, locale),
          expected: formatDecimal(language, expected),
          found: formatDecimal(language, found),
        }),
      );
      return [say('break', { rows: rows.join(language === 'fa' ? '؛ ' : '; ') })];
    }
    case 'no-orders':
      return [say('noOrders', { reason: said(facts.reason) })];
    case 'risk-limit':
      return [say('riskLimit', { strategy: facts.strategy, reason: said(facts.reason) })];
    case 'refused': {
      const { strategy, market, code } = facts;
      return [say('refused', { strategy, market, code: said(code) })];
    }
    case 'standstill':
      return [say('standstill', { reason: said(facts.reason) })];
    case 'halted':
      return [say('halted', { reason: said(facts.reason) })];
    case 'no-data': {
      const { feed, readAtMs } = facts;
      if (feed === null) return [readAtMs === null ? say('noDataEver') : say('noData', { at: at(readAtMs) })];
      return [
        readAtMs === null
          ? say('noDataOfEver', { feed: said(stored(feedSentence(feed))) })
          : say('noDataOf', { feed: said(stored(feedSentence(feed))), at: at(readAtMs) }),
      ];
    }
    case 'drawdown':
    case 'daily-loss': {
      const key = facts.rule === 'drawdown' ? 'drawdown' : 'dailyLoss';
      const currency = unitName(facts.currency, locale);
      return [say(key, { currency, share: share(facts.share), limit: share(facts.limit) })];
    }
    case 'unprotected': {
      const { strategy, market, asset, amount, reason } = facts;
      const values = {
        strategy,
        market,
        asset: unitName(asset, locale),
        amount: formatDecimal(language, amount),
      };
      return [
        reason === null
          ? say('unprotected', values)
          : say('unprotectedWhy', { ...values, reason: said(reason) }),
      ];
    }
    case 'unclear': {
      const { of, why, asset } = facts;
      const values = { asset: unitName(asset, locale), amount: formatDecimal(language, facts.amount) };
      if (of === null) return [say('coinsMissing', values), say('coinsMissingChoice')];
      return [
        say(why === 'exit-canceled' ? 'exitCanceled' : 'coinsLeft', { ...values, ...of }),
        say('unclearChoice', { ...of }),
      ];
    }
    case 'strategy': {
      const { strategy, status, reason } = facts;
      return [
        say(status === 'paused' ? 'strategyPaused' : 'strategyStopped', { strategy, reason: said(reason) }),
      ];
    }
    case 'disk': {
      const { freeBytes, fault } = facts;
      if (fault !== null) return [say('diskFault', { fault: said(fault) })];
      return [say('diskLow', { megabytes: Math.floor((freeBytes ?? 0) / MEGABYTE) })];
    }
    case 'clock': {
      const { aheadMs } = facts;
      const length = formatLength(language, Math.abs(aheadMs));
      return [aheadMs > 0 ? say('clockAhead', { length }) : say('clockBehind', { length })];
    }
    case 'new-device':
      return [say('newDevice')];
    case 'big-fill': {
      const { market, side, amount, price, value, currency } = facts;
      const values = {
        amount: formatDecimal(language, amount),
        asset: unitName(parseMarket(market).base, locale),
        market,
        value: formatMoney(value, currency, locale),
        price: formatExact(price, currency, locale),
      };
      return [side === 'buy' ? say('bigBuy', values) : say('bigSell', values)];
    }
    case 'ended':
      return [say('endedWithError', { reason: said(facts.reason) })];
    case 'entries': {
      const count = (of: number): string => formatDecimal(language, String(of));
      const { canceled, kept, left } = facts;
      return [say('entries', { canceled: count(canceled), kept: count(kept), left: count(left) })];
    }
    case 'entries-failed':
      return [say('entriesFailed', { reason: said(facts.reason) })];
    case 'silent': {
      const { lastSignMs } = facts;
      return [lastSignMs === null ? say('silentEver') : say('silent', { at: at(lastSignMs) })];
    }
    case 'outbox':
      return [say('outbox', { reason: said(facts.reason) })];
    case 'test':
      return [say('test')];
    case 'summary':
      return [
        say(facts.period === 'day' ? 'day' : 'week', { until: at(facts.figures.toMs) }),
        ...summaryLines(facts.figures, say, locale),
      ];
  }
}

const MOST_ROWS = 5;
const MEGABYTE = 1_000_000;

function summaryLines(figures: PeriodFigures, say: SayAlert, locale: Locale): readonly string[] {
  const { language } = locale;
  const { equity, trades, fees, lockouts } = figures;
  const spent = fees.map(({ currency, amount }) => formatMoney(amount, currency, locale));
  const comma = language === 'fa' ? '، ' : ', ';
  return [
    ...(equity.length === 0 ? [say('noFigures')] : []),
    ...equity.flatMap(({ currency, now, change, drawdown }) => [
      say('summaryEquity', {
        now: formatMoney(now, currency, locale),
        change: formatMoney(change, currency, locale, { isSigned: true }),
      }),
      say('summaryFall', { share: formatShare(language, drawdown, { decimals: 1 }) }),
    ]),
    say('summaryTrades', { count: trades }),
    say('summaryFees', { fees: spent.length === 0 ? say('noFees') : spent.join(comma) }),
    say('summaryLockouts', { count: lockouts }),
  ];
}

/** Characters that end lines, are shown as nothing, or turn the direction of what follows. */
const CONTROLS = /[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/**
 * The beginning of a text, without the half of a character that was cut through: services refuse a whole
 * message for it, which would hold up all that come after.
 */
export function cutOff(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed();
}

/** A text of somebody else on one line: no control character, and not longer than it may be. */
export function tamed(text: string, longest = 500): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(CONTROLS, '').trim();
  return line.length <= longest ? line.toWellFormed() : `${cutOff(line, longest - 1)}…`;
}

/** For the HTML that Telegram reads. */
export function escapeForTelegram(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const INVISIBLE = '\u{2060}';

/**
 * For services that read every text as Markdown and know no escapes: an invisible character after each mark
 * keeps it from being one.
 */
export function breakMarkdown(text: string): string {
  return text.replaceAll(/[*_~`[\]()|#>]/g, (mark) => `${mark}${INVISIBLE}`);
}

/** For Markdown with escapes, such as Discord's. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*_~`[\]()|#>@:-]/g, String.raw`\$&`);
}
