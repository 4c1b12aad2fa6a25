import { parseMarket } from '../exchange/market-names.ts';
import { formatLength, formatDecimal, formatShare } from '../language/format-number.ts';
import { formatExact, formatMoney, unitName } from '../language/format-money.ts';
import { formatTime } from '../language/format-time.ts';
import type { Locale } from '../language/locale.ts';
import { sentenceIn } from '../language/sentence-in.ts';
import { translateInto, type Translate, type TranslationOf } from '../language/translate.ts';
import type { ChatButton } from './channels/channel.ts';
import type { AlertFacts, WaitingApproval } from './core/alert-facts.ts';
import { PERSIAN_TERMS as terms } from '../language/persian-terms.ts';
import { stored, type Sentence } from '../language/sentence.ts';
import { feedSentence } from '../language/feed-sentences.ts';

/** Texts of all alerts, in English. */
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
  approvalWaiting: '{entry} waits for you until {until}',
  approvalApproved: '{entry} was approved',
  approvalRefused: '{entry} was approved, and did not begin',
  approvalDeclined: '{entry} was declined',
  approvalExpired: '{entry} has expired',
  approvalWithdrawn: '{entry} was dropped',
  approvalBy: '{text} ({by})',
  approval: '{text}: {strategy} buys in {market} by {kind}',
  approvalWanted: '{text}: {strategy} wanted to buy in {market} by {kind}',
  approvalAmount: '{text}, about {amount}',
  approvalMoney: '{text}, for {value}',
  approvalBound: '{text}, at {bound} at most',
  approvalWhy: '{text}: {reason}',
  approve: 'Approve {entry}',
  decline: 'Decline {entry}',
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
  shadowAhead: 'The shadow {shadow} has earned {amount} more than {strategy}',
  shadowBehind: 'The shadow {shadow} has earned {amount} less than {strategy}',
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
  approvalWaiting: '{entry} تا {until} منتظر شماست',
  approvalApproved: '{entry} تأیید شد',
  approvalRefused: '{entry} تأیید شد ولی آغاز نشد',
  approvalDeclined: '{entry} رد شد',
  approvalExpired: 'مهلت {entry} گذشت',
  approvalWithdrawn: '{entry} کنار گذاشته شد',
  approvalBy: '{text} ({by})',
  approval: `{text}: ${terms.strategy} {strategy} در {market} با {kind} می‌خرد`,
  approvalWanted: `{text}: ${terms.strategy} {strategy} می‌خواست در {market} با {kind} بخرد`,
  approvalAmount: '{text}، حدود {amount}',
  approvalMoney: '{text}، به ارزش {value}',
  approvalBound: '{text}، حداکثر با قیمت {bound}',
  approvalWhy: '{text}: {reason}',
  approve: 'تأیید {entry}',
  decline: 'رد {entry}',
  noData: `دیگر چیزی از ${terms.exchange} خوانده نمی‌شود؛ آخرین بار {at} بود`,
  noDataEver: `هنوز چیزی از ${terms.exchange} خوانده نشده است`,
  noDataOf: '{feed} دیگر خوانده نمی‌شود؛ آخرین بار {at} بود',
  noDataOfEver: '{feed} هنوز خوانده نشده است',
  drawdown: `${terms.equity} به {currency} به اندازهٔ {share} پایین‌تر از اوج خود است؛ حد آن {limit} است`,
  dailyLoss: `${terms.equity} به {currency} امروز {share} کم شد؛ حد آن {limit} است`,
  unprotected: `{amount} {asset} از {strategy} در {market} هیچ ${terms.stopLoss} یا خروجی در ${terms.exchange} ندارد`,
  unprotectedWhy: `{amount} {asset} از {strategy} در {market} هیچ ${terms.stopLoss} یا خروجی در ${terms.exchange} ندارد: {reason}`,
  exitCanceled: `کس دیگری ${terms.order} خروج {amount} {asset} از {strategy} در {market} را لغو کرد. ربات تا وقتی نگویید چه بر سر آن آمده است سفارش خروج ثبت نمی‌کند`,
  coinsLeft: `حساب کمتر از آنچه ${terms.strategies} دارند {asset} دارد و {amount} {asset} از {strategy} در {market} خروجی ندارد. ربات تا وقتی نگویید چه بر سر آن آمده است سفارش خروج ثبت نمی‌کند`,
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
  shadowAhead: 'سایهٔ {shadow} به اندازهٔ {amount} بیشتر از {strategy} سود داده است',
  shadowBehind: 'سایهٔ {shadow} به اندازهٔ {amount} کمتر از {strategy} سود داده است',
  bigBuy: '{amount} {asset} در {market} به ارزش {value} خریده شد، با قیمت {price}',
  bigSell: '{amount} {asset} در {market} به ارزش {value} فروخته شد، با قیمت {price}',
  silent: `از ربات خبری نیست: آخرین نشانهٔ فعالیت آن {at} بود؛ سفارش‌های باز آن در ${terms.exchange} می‌ماند و ممکن است معامله شود`,
  silentEver: 'از ربات خبری نیست: هنوز چیزی ننوشته است',
  endedWithError: 'ربات با خطا پایان یافت: {reason}',
  entries:
    'سفارش‌های باز رباتی که از آن خبری نیست: {canceled} سفارش ورود لغو شد، {kept} سفارش خروج ماند، {left} سفارش لغو نشد',
  entriesFailed: 'سفارش‌های ورود رباتی که از آن خبری نیست لغو نشد: {reason}',
  outbox: 'هشدارها فقط در حافظه می‌مانند، چون فایل آن‌ها نوشتنی نیست: {reason}',
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
type AlertText = Translate<typeof ENGLISH_ALERTS>;

export function alertTexts({ language }: Locale): AlertText {
  return translateInto<typeof ENGLISH_ALERTS>(language, language === 'fa' ? PERSIAN_ALERTS : ENGLISH_ALERTS);
}

/** Formats for the parts of alerts in one language. */
class AlertWords {
  readonly t: AlertText;
  readonly locale: Locale;
  readonly isPersian: boolean;

  constructor(locale: Locale) {
    this.locale = locale;
    this.t = alertTexts(locale);
    this.isPersian = locale.language === 'fa';
  }

  readonly at = (atMs: number | null): string => formatTime(atMs, this.locale);
  readonly words = (text: Sentence): string => sentenceIn(text, this.locale, tamed);
  readonly share = (share: number): string => formatShare(this.locale.language, share, { decimals: 1 });
  readonly decimal = (text: string | number): string => formatDecimal(this.locale.language, String(text));
  readonly unit = (currency: string): string => unitName(currency, this.locale);
  readonly money = (text: string, currency: string, isSigned = false): string =>
    formatMoney(text, currency, this.locale, { isSigned });
}

const OUTCOMES = {
  approved: 'approvalApproved',
  refused: 'approvalRefused',
  declined: 'approvalDeclined',
  expired: 'approvalExpired',
  withdrawn: 'approvalWithdrawn',
} as const;

/** Returns the text on an entry that waits for a person, or on what became of it. */
export function approvalLine(entry: WaitingApproval, locale: Locale): string {
  const { t, at, words, money } = new AlertWords(locale);
  const { id, strategy, kind, market, amount = null, value, bound, expiresAtMs, outcome = null } = entry;
  const { base, quote } = market === null ? { base: '', quote: '' } : parseMarket(market);
  const { by = null, reason = null } = outcome ?? {};
  let text =
    outcome === null
      ? t('approvalWaiting', { entry: id, until: at(expiresAtMs) })
      : t(OUTCOMES[outcome.kind], { entry: id });
  if (by !== null) text = t('approvalBy', { text, by: words(by) });
  const does = outcome === null || outcome.kind === 'approved' ? 'approval' : 'approvalWanted';
  text = t(does, { text, strategy, market: market ?? '', kind: words(kind) });
  if (amount !== null) text = t('approvalAmount', { text, amount: formatExact(amount, base, locale) });
  if (value !== null) text = t('approvalMoney', { text, value: money(value, quote) });
  if (bound !== null) text = t('approvalBound', { text, bound: formatExact(bound, quote, locale) });
  return reason === null ? text : t('approvalWhy', { text, reason: words(reason) });
}

/** Returns the buttons that approve and decline an entry. */
export function approvalButtons(entry: string, locale: Locale): readonly ChatButton[] {
  const t = alertTexts(locale);
  return (['approve', 'decline'] as const).map((kind) => ({
    label: t(kind, { entry }),
    data: `${kind}:${entry}`,
  }));
}

/** Returns the text of an alert: one sentence without a full stop; for a summary several lines. */
export function alertText(facts: AlertFacts, locale: Locale): string {
  const linesOf = FACT_LINES[facts.rule] as (facts: AlertFacts, words: AlertWords) => FactLines;
  const lines = linesOf(facts, new AlertWords(locale));
  return typeof lines === 'string' ? lines : lines.join('\n');
}

type FactLines = string | readonly string[];

const FACT_LINES: {
  readonly [Rule in AlertFacts['rule']]: (
    facts: Extract<AlertFacts, { rule: Rule }>,
    words: AlertWords,
  ) => FactLines;
} = {
  lockout: ({ budget, endsAtMs }, { t, at }) =>
    endsAtMs === null ? t('lockoutOpen', { budget }) : t('lockout', { budget, until: at(endsAtMs) }),
  credential: ({ advice }, { t, words }) => t('credential', { advice: words(advice) }),
  'unknown-order': ({ order, strategy, market, sinceMs }, { t, at }) =>
    t('unknownOrder', { order, strategy, market, since: at(sinceMs) }),
  break(facts, { t, unit, decimal, isPersian }) {
    const rows = facts.rows
      .slice(0, MOST_ROWS)
      .map(({ currency, expected, found }) =>
        t('breakRow', { currency: unit(currency), expected: decimal(expected), found: decimal(found) }),
      );
    return t('break', { rows: rows.join(isPersian ? '؛ ' : '; ') });
  },
  'no-orders': ({ reason }, { t, words }) => t('noOrders', { reason: words(reason) }),
  'risk-limit': ({ strategy, reason }, { t, words }) => t('riskLimit', { strategy, reason: words(reason) }),
  refused: ({ strategy, market, code }, { t, words }) =>
    t('refused', { strategy, market, code: words(code) }),
  standstill: ({ reason }, { t, words }) => t('standstill', { reason: words(reason) }),
  halted: ({ reason }, { t, words }) => t('halted', { reason: words(reason) }),
  approval: (entry, { locale }) => approvalLine(entry, locale),
  'no-data'({ feed, readAtMs }, { t, at, words }) {
    if (feed === null) return readAtMs === null ? t('noDataEver') : t('noData', { at: at(readAtMs) });
    const name = words(stored(feedSentence(feed)));
    return readAtMs === null
      ? t('noDataOfEver', { feed: name })
      : t('noDataOf', { feed: name, at: at(readAtMs) });
  },
  drawdown: ({ currency, share, limit }, words) =>
    words.t('drawdown', {
      currency: words.unit(currency),
      share: words.share(share),
      limit: words.share(limit),
    }),
  'daily-loss': ({ currency, share, limit }, words) =>
    words.t('dailyLoss', {
      currency: words.unit(currency),
      share: words.share(share),
      limit: words.share(limit),
    }),
  unprotected({ strategy, market, asset, amount, reason }, { t, words, unit, decimal }) {
    const values = { strategy, market, asset: unit(asset), amount: decimal(amount) };
    return reason === null
      ? t('unprotected', values)
      : t('unprotectedWhy', { ...values, reason: words(reason) });
  },
  unclear({ of, why, asset, amount }, { t, unit, decimal }) {
    const values = { asset: unit(asset), amount: decimal(amount) };
    if (of === null) return [t('coinsMissing', values), t('coinsMissingChoice')];
    const what = t(why === 'exit-canceled' ? 'exitCanceled' : 'coinsLeft', { ...values, ...of });
    return [what, t('unclearChoice', { ...of })];
  },
  strategy: ({ strategy, status, reason }, { t, words }) =>
    t(status === 'paused' ? 'strategyPaused' : 'strategyStopped', { strategy, reason: words(reason) }),
  disk: ({ freeBytes, fault }, { t, words }) =>
    fault === null
      ? t('diskLow', { megabytes: Math.floor((freeBytes ?? 0) / MEGABYTE) })
      : t('diskFault', { fault: words(fault) }),
  clock: ({ aheadMs }, { t, locale }) =>
    t(aheadMs > 0 ? 'clockAhead' : 'clockBehind', {
      length: formatLength(locale.language, Math.abs(aheadMs)),
    }),
  'new-device': (_facts, { t }) => t('newDevice'),
  'big-fill': ({ market, side, amount, price, value, currency }, { t, unit, decimal, money, locale }) =>
    t(side === 'buy' ? 'bigBuy' : 'bigSell', {
      amount: decimal(amount),
      asset: unit(parseMarket(market).base),
      market,
      value: money(value, currency),
      price: formatExact(price, currency, locale),
    }),
  shadow: ({ shadow, strategy, currency, ahead }, { t, money }) =>
    t(ahead.startsWith('-') ? 'shadowBehind' : 'shadowAhead', {
      shadow,
      strategy,
      amount: money(ahead.replace('-', ''), currency),
    }),
  ended: ({ reason }, { t, words }) => t('endedWithError', { reason: words(reason) }),
  entries: ({ canceled, kept, left }, { t, decimal }) =>
    t('entries', { canceled: decimal(canceled), kept: decimal(kept), left: decimal(left) }),
  'entries-failed': ({ reason }, { t, words }) => t('entriesFailed', { reason: words(reason) }),
  silent: ({ lastSignMs }, { t, at }) =>
    lastSignMs === null ? t('silentEver') : t('silent', { at: at(lastSignMs) }),
  outbox: ({ reason }, { t, words }) => t('outbox', { reason: words(reason) }),
  test: (_facts, { t }) => t('test'),
  summary({ period, figures: { toMs, equity, trades, fees, lockouts } }, words) {
    const { t, at, money, share, isPersian } = words;
    const spent = fees.map(({ currency, amount }) => money(amount, currency));
    return [
      t(period, { until: at(toMs) }),
      ...(equity.length === 0 ? [t('noFigures')] : []),
      ...equity.flatMap(({ currency, now, change, drawdown }) => [
        t('summaryEquity', { now: money(now, currency), change: money(change, currency, true) }),
        t('summaryFall', { share: share(drawdown) }),
      ]),
      t('summaryTrades', { count: trades }),
      t('summaryFees', { fees: spent.length === 0 ? t('noFees') : spent.join(isPersian ? '، ' : ', ') }),
      t('summaryLockouts', { count: lockouts }),
    ];
  },
};

const MOST_ROWS = 5;
const MEGABYTE = 1_000_000;

/** Matches characters that end lines, are invisible, or change the direction of the text after them. */
const CONTROLS = /[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

/**
 * Returns the beginning of a text, without half a character at its end: services refuse a whole message for
 * it, which would hold up all later ones.
 */
export function cutOff(text: string, longest: number): string {
  return text.slice(0, longest).toWellFormed();
}

/** Returns a foreign text on one line: without control characters, and cut to the longest length. */
export function tamed(text: string, longest = 500): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(CONTROLS, '').trim();
  return line.length <= longest ? line.toWellFormed() : `${cutOff(line, longest - 1)}…`;
}

/** Escapes a text for the HTML that Telegram reads. */
export function escapeForTelegram(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const INVISIBLE = '\u{2060}';

/**
 * Breaks Markdown for services that read every text as Markdown and have no escapes: an invisible character
 * after each mark stops it from being one.
 */
export function breakMarkdown(text: string): string {
  return text.replaceAll(/[*_~`[\]()|#>]/g, (mark) => `${mark}${INVISIBLE}`);
}

/** Escapes a text for Markdown with escapes, such as Discord's. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*_~`[\]()|#>@:-]/g, String.raw`\$&`);
}
