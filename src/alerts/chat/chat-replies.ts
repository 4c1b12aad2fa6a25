import { formatExact, formatMoney, unitName } from '../../language/format-money.ts';
import { formatDecimal, numberFormat } from '../../language/format-number.ts';
import { formatTime } from '../../language/format-time.ts';
import type { Locale } from '../../language/locale.ts';
import { inPersian } from '../../language/persian-sentences.ts';
import { sentenceIn } from '../../language/sentence-in.ts';
import { translateInto, type Translate, type TranslationOf } from '../../language/translate.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { cutOff, tamed } from '../alert-text.ts';
import type { RuleAnswer } from '../../daemon/answers-apart.ts';
import type { BotView, ChatView } from './chat-update.ts';
import { PERSIAN_TERMS as terms } from '../../language/persian-terms.ts';

/** Texts of all answers by chat, in English. */
const ENGLISH_CHAT = {
  named: '{bot}: {text}',
  help: 'Commands: /status /profit /positions /orders /why /budget /locks /halt /resume /pause /approve /decline /mute /help',
  helpWhy:
    '/why grid: what a strategy waits for, and its last decisions. /pause grid, /resume grid: one strategy alone',
  helpMute: '/mute 30: only what is critical for 30 minutes. /mute 0 ends it',
  unknown: 'That is no command of this bot. /help lists them',
  tooOld: 'That was {length} ago, so it was not done. Send it again if you still want it',
  noMirror: 'This bot has stored nothing yet',
  mirrorFault: 'What this bot has stored can not be read now: {reason}',
  silent: 'The bot is silent; its last sign of life was at {at}',
  running: 'The bot runs',
  halted: 'HALTED since {since}: {reason}',
  trading: 'It may trade',
  haltWait: 'The halt is still canceling: {reason}',
  mayNotYet: 'No new order can leave yet: {reason}',
  heldBack: 'NO NEW ORDERS until this is over: {reason}',
  booksWaiting: 'Books: not compared with the exchange yet',
  booksAgreed: 'Books: agree with the exchange',
  booksBlocked: 'Books: can not be compared with the exchange, so no new orders are placed',
  booksSuspected: 'Books: differ, which the next comparison has to confirm',
  booksBroken: 'Books: BREAK, no new orders',
  openOrders: { one: '{count} open order', other: '{count} open orders' },
  openAlerts: { one: '{count} open alert', other: '{count} open alerts' },
  lockouts: 'Locked out of: {names}',
  strangers: {
    one: '{count} message of a stranger was not answered',
    other: '{count} messages of strangers were not answered',
  },
  muted: 'Muted until {until}, but for what is critical',
  strategyRunning: '{strategy}: runs',
  strategyHalted: '{strategy}: halted',
  strategyOther: '{strategy}: {status}: {reason}',
  paused: 'paused',
  stopped: 'stopped',
  pausedByHand: 'paused by hand',
  noStrategies: 'No strategy has run yet',
  profit: '{strategy}: {profit}, of it realised {realised}',
  unknownMoney: 'unknown',
  noPositions: 'No positions',
  position: '{strategy}: {positions}',
  noOrders: 'No open orders',
  order: '{side} {amount} {market} at {price}, {strategy}',
  buy: 'buy',
  sell: 'sell',
  atMarket: 'the market',
  more: { one: 'and {count} more', other: 'and {count} more' },
  rules: '{strategy} {market}, candle of {at}',
  condition: '{mark} {text}: {left} / {right}, since {since}',
  noDecisions: 'No decisions of {strategy} yet',
  noDecisionsAtAll: 'No decisions yet',
  decision: '{at} {strategy}: {kind} {market}: {status}',
  decisionWhy: '{at} {strategy}: {kind} {market}: {status}, {reason}',
  working: 'at work',
  done: 'done',
  refused: 'refused',
  budget: '{budget}: {used} of {limit}',
  budgetLocked: '{budget}: LOCKED OUT',
  noBudgets: 'No request has been counted yet',
  noLocks: 'No locks',
  noApprovals: 'No such entry waits for an approval',
  approvals: { one: '{count} entry waits: /approve', other: '{count} entries wait: /approve' },
  lock: '{name} of {of}, until {until}: {reason}',
  lockUntilResumed: '{name} of {of}, until it is resumed: {reason}',
  everything: 'everything',
  askHalt: {
    one: 'Halt trading and cancel {count} open order? It holds until you resume',
    other: 'Halt trading and cancel {count} open orders? It holds until you resume',
  },
  askResume: 'Let it trade again?',
  askPause: 'Pause {strategy}? Its exits go on protecting what it holds',
  askResumeOne: 'Let {strategy} decide again?',
  whichPause: 'Which strategy is to pause?',
  whichResume: 'Trading is not halted. Which strategy is to go on?',
  nothingToResume: 'Nothing is halted or paused',
  noStrategy: 'There is no strategy {strategy}. This bot has: {names}',
  yes: 'Yes',
  no: 'No',
  halt: 'Halt',
  pause: 'Pause {strategy}',
  resume: 'Resume',
  resumeOne: 'Resume {strategy}',
  expired: 'That question is over. Send the command again',
  dropped: 'Nothing was done',
  done_: 'Done: {message}',
  failed: 'NOT done: {message}',
  inProgress: 'The bot has it and is at it. /status shows how it stands',
  waits: 'Written down. No bot has taken it yet: one that starts takes it first',
  acknowledged: 'Acknowledged by {name}: #{id}',
  acknowledgedBefore: '#{id} was acknowledged before, or is not there',
  muteSet: 'Only what is critical until {until}',
  muteEnded: 'Everything is said again',
  muteUsage: 'Expected minutes from 0 to 1440, such as /mute 30',
} as const;

const PERSIAN_CHAT: TranslationOf<typeof ENGLISH_CHAT> = {
  named: '{bot}: {text}',
  help: 'فرمان‌ها: /status /profit /positions /orders /why /budget /locks /halt /resume /pause /approve /decline /mute /help',
  helpWhy: `/why grid: یک ${terms.strategy} منتظر چیست، و آخرین تصمیم‌هایش. /pause grid و /resume grid: فقط همان ${terms.strategy}`,
  helpMute: '/mute 30: تا ۳۰ دقیقه فقط هشدارهای بحرانی. /mute 0 پایان آن است',
  unknown: 'این ربات چنین فرمانی ندارد. /help فهرست آن‌هاست',
  tooOld: 'این فرمان {length} پیش بود و انجام نشد. اگر هنوز می‌خواهید دوباره بفرستید',
  noMirror: 'این ربات هنوز چیزی ذخیره نکرده است',
  mirrorFault: 'آنچه این ربات ذخیره کرده اکنون خوانده نمی‌شود: {reason}',
  silent: 'ربات خاموش است؛ آخرین نشانهٔ زندگی آن {at} بود',
  running: 'ربات در حال کار است',
  halted: 'از {since} متوقف است: {reason}',
  trading: 'می‌تواند معامله کند',
  haltWait: `توقف هنوز در حال لغو ${terms.order}‌هاست: {reason}`,
  mayNotYet: `هنوز ${terms.order} تازه‌ای فرستاده نمی‌شود: {reason}`,
  heldBack: `تا این مشکل برطرف نشود ${terms.order} تازه‌ای ثبت نمی‌شود: {reason}`,
  booksWaiting: `${terms.books}: هنوز با ${terms.exchange} مقایسه نشده است`,
  booksAgreed: `${terms.books}: با ${terms.exchange} می‌خواند`,
  booksBlocked: `${terms.books}: با صرافی مقایسه نمی‌شود و سفارش تازه ثبت نمی‌شود`,
  booksSuspected: `${terms.books}: ${terms.difference} دارد که مقایسهٔ بعدی باید تأیید کند`,
  booksBroken: `${terms.books}: ${terms.difference} دارد و ${terms.order} تازه‌ای ثبت نمی‌شود`,
  openOrders: { one: `{count} ${terms.order} باز`, other: `{count} ${terms.order} باز` },
  openAlerts: { one: `{count} ${terms.alert} باز`, other: `{count} ${terms.alert} باز` },
  lockouts: `${terms.lockout}: {names}`,
  strangers: {
    one: 'به {count} پیام ناشناس پاسخ داده نشد',
    other: 'به {count} پیام ناشناس پاسخ داده نشد',
  },
  muted: 'تا {until} بی‌صدا، مگر هشدار بحرانی',
  strategyRunning: '{strategy}: در حال کار',
  strategyHalted: '{strategy}: متوقف',
  strategyOther: '{strategy}: {status}: {reason}',
  paused: 'ایستاده',
  stopped: 'متوقف',
  pausedByHand: 'به دست شما ایستاده',
  noStrategies: `هنوز هیچ ${terms.strategy}ی کار نکرده است`,
  profit: `{strategy}: {profit}، ${terms.realised} {realised}`,
  unknownMoney: 'نامعلوم',
  noPositions: `هیچ ${terms.position}ی نیست`,
  position: '{strategy}: {positions}',
  noOrders: `هیچ ${terms.order} بازی نیست`,
  order: '{side} {amount} {market} با قیمت {price}، {strategy}',
  buy: terms.buy,
  sell: terms.sell,
  atMarket: 'بازار',
  more: { one: 'و {count} مورد دیگر', other: 'و {count} مورد دیگر' },
  rules: '{strategy} {market}، کندل {at}',
  condition: '{mark} {text}: {left} / {right}، از {since}',
  noDecisions: 'هنوز تصمیمی از {strategy} نیست',
  noDecisionsAtAll: 'هنوز تصمیمی نیست',
  decision: '{at} {strategy}: {kind} {market}: {status}',
  decisionWhy: '{at} {strategy}: {kind} {market}: {status}، {reason}',
  working: 'در حال کار',
  done: 'انجام شد',
  refused: 'رد شد',
  budget: '{budget}: {used} از {limit}',
  budgetLocked: `{budget}: ${terms.lockout}`,
  noBudgets: 'هنوز هیچ درخواستی شمرده نشده است',
  noLocks: 'هیچ قفلی نیست',
  noApprovals: 'چنین ورودی منتظر تأیید نیست',
  approvals: { one: '{count} ورود منتظر است: /approve', other: '{count} ورود منتظر است: /approve' },
  lock: '{name} روی {of} تا {until}: {reason}',
  lockUntilResumed: '{name} روی {of} تا از سرگیری: {reason}',
  everything: 'همه',
  askHalt: {
    one: `معامله متوقف و {count} ${terms.order} باز لغو شود؟ تا از سرگیری شما می‌ماند`,
    other: `معامله متوقف و {count} ${terms.order} باز لغو شود؟ تا از سرگیری شما می‌ماند`,
  },
  askResume: 'دوباره معامله کند؟',
  askPause: '{strategy} بایستد؟ خروج‌هایش همچنان از آنچه دارد محافظت می‌کنند',
  askResumeOne: '{strategy} دوباره تصمیم بگیرد؟',
  whichPause: `کدام ${terms.strategy} بایستد؟`,
  whichResume: `معامله متوقف نیست. کدام ${terms.strategy} ادامه دهد؟`,
  nothingToResume: 'چیزی متوقف یا ایستاده نیست',
  noStrategy: `${terms.strategy} {strategy} وجود ندارد. این ربات دارد: {names}`,
  yes: 'بله',
  no: 'نه',
  halt: terms.halt,
  pause: 'ایست {strategy}',
  resume: terms.resume,
  resumeOne: 'ادامهٔ {strategy}',
  expired: 'این پرسش تمام شده است. فرمان را دوباره بفرستید',
  dropped: 'کاری انجام نشد',
  done_: 'انجام شد: {message}',
  failed: 'انجام نشد: {message}',
  inProgress: 'ربات آن را گرفته و در حال انجام است. /status وضع آن را نشان می‌دهد',
  waits: 'نوشته شد. هنوز رباتی آن را نگرفته است: رباتی که شروع شود اول آن را انجام می‌دهد',
  acknowledged: '{name} دید: #{id}',
  acknowledgedBefore: '#{id} پیش‌تر دیده شده یا وجود ندارد',
  muteSet: 'تا {until} فقط هشدار بحرانی',
  muteEnded: 'دوباره همه‌چیز گفته می‌شود',
  muteUsage: 'عدد دقیقه از 0 تا 1440 لازم است، مانند /mute 30',
};

export type ChatText = Translate<typeof ENGLISH_CHAT>;

export function chatTexts({ language }: Locale): ChatText {
  return translateInto<typeof ENGLISH_CHAT>(language, language === 'fa' ? PERSIAN_CHAT : ENGLISH_CHAT);
}

/** Maximum number of lines of one reply; a chat is no table. */
const MOST_LINES = 12;
const MOST_DECISIONS = 5;

/** Functions that answer the questions about the bot. They read only their arguments. */
export const REPLIES = {
  status: statusLines,
  profit: (view, t, locale) =>
    ofBot(view, t, ({ strategies }) =>
      strategies.length === 0
        ? [t('noStrategies')]
        : bounded(strategies, t, ({ name, currency, profit, realised }) =>
            t('profit', {
              strategy: name,
              profit: moneyOr(profit, { currency, t, locale }),
              realised: moneyOr(realised, { currency, t, locale }),
            }),
          ),
    ),
  positions: (view, t, locale) =>
    ofBot(view, t, ({ strategies }) => {
      const lines = strategies.flatMap(({ name, positions }) => {
        const held = Object.entries(positions).filter(([, amount]) => amount !== '0');
        if (held.length === 0) return [];
        const texts = held.map(
          ([asset, amount]) => `${formatDecimal(locale.language, amount)} ${unitName(asset, locale)}`,
        );
        return [t('position', { strategy: name, positions: texts.join(', ') })];
      });
      return lines.length === 0 ? [t('noPositions')] : bounded(lines, t, (line) => line);
    }),
  orders: (view, t, locale) =>
    ofBot(view, t, ({ orders }) =>
      orders.length === 0
        ? [t('noOrders')]
        : bounded(orders, t, ({ side, amount, market, price, quote, strategy }) =>
            t('order', {
              side: t(side),
              amount: formatDecimal(locale.language, amount),
              market,
              price: price === null ? t('atMarket') : formatExact(price, quote, locale),
              strategy,
            }),
          ),
    ),
  budget: ({ budgets }, t) =>
    budgets.length === 0
      ? [t('noBudgets')]
      : bounded(budgets, t, ({ budget, used, limit, isLockedOut }) =>
          isLockedOut ? t('budgetLocked', { budget }) : t('budget', { budget, used, limit }),
        ),
  locks: (view, t, locale) =>
    ofBot(view, t, ({ locks }) =>
      locks.length === 0
        ? [t('noLocks')]
        : bounded(locks, t, ({ name: lock, of, reason, endsAtMs }) => {
            const words = { code: `lock-name-${lock}`, facts: {} };
            const name = (locale.language === 'fa' ? inPersian(words, locale) : null) ?? lock;
            const values = { name, of: of ?? t('everything'), reason: sentenceIn(reason, locale, tamed) };
            return endsAtMs === null
              ? t('lockUntilResumed', values)
              : t('lock', { ...values, until: formatTime(endsAtMs, locale) });
          }),
    ),
  help: (_, t) => [t('help'), t('helpWhy'), t('helpMute')],
} as const satisfies Readonly<
  Record<string, (view: ChatView, t: ChatText, locale: Locale) => readonly string[]>
>;

/** Returns the last decisions of a strategy, or of all. */
export function whyLines(view: ChatView, strategy: string, locale: Locale): readonly string[] {
  const t = chatTexts(locale);
  return ofBot(view, t, ({ decisions }) => {
    const own = decisions
      .filter((one) => strategy === '' || one.strategy === strategy)
      .slice(0, MOST_DECISIONS);
    if (own.length === 0)
      return [strategy === '' ? t('noDecisionsAtAll') : t('noDecisions', { strategy: tamed(strategy) })];
    return own.map(({ atMs, kind, market, status, reason, strategy: name }) => {
      const values = {
        at: formatTime(atMs, locale, 'clock-seconds'),
        strategy: name,
        kind: sentenceIn(kind, locale),
        market: market ?? '',
        status: t(status),
      };
      return reason === null
        ? t('decision', values)
        : t('decisionWhy', { ...values, reason: sentenceIn(reason, locale, tamed) });
    });
  });
}

/** Longest text of one line about rules. */
const LONGEST_LINE = 500;

/** Returns the rules of a strategy, what is missing first; none for a strategy with handlers. */
export function ruleLines(answer: RuleAnswer, locale: Locale): readonly string[] {
  const t = chatTexts(locale);
  const write = (text: Sentence): string => cutOff(sentenceIn(text, locale, tamed), LONGEST_LINE);
  if (answer.kind === 'problem') return [write(answer.reason)];
  if (answer.kind === 'handlers') return [];
  const { strategy, market, closeTimeMs, isHeld, before, outcome, enter, exit } = answer.rules;
  const figure = (value: number): string =>
    numberFormat(locale.language, { maximumSignificantDigits: 7 }).format(value);
  return [
    t('rules', { strategy, market, at: formatTime(closeTimeMs, locale) }),
    ...before.map(write),
    write(sentence(isHeld === true ? 'rules-held' : 'rules-flat')),
    write(outcome),
    ...bounded(isHeld === true ? exit : enter, t, ({ text, isTrue, left, right, sinceMs }) => {
      const mark = isTrue === null ? '❔' : isTrue ? '✅' : '❌';
      if (left === null || right === null) return `${mark} ${write(text)}`;
      const since = formatTime(sinceMs, locale);
      return t('condition', { mark, text: write(text), left: figure(left), right: figure(right), since });
    }),
  ];
}

function statusLines(view: ChatView, t: ChatText, locale: Locale): readonly string[] {
  const { bot, isSilent, lastSignMs, openAlerts, mutedUntilMs, strangers, budgets } = view;
  const lockedOut = budgets.filter(({ isLockedOut }) => isLockedOut).map(({ budget }) => budget);
  return [
    isSilent ? t('silent', { at: formatTime(lastSignMs, locale) }) : t('running'),
    ...tradingLines(view, t, locale),
    ...(bot === null ? [noBotText(view, t)] : botLines(bot, t, locale)),
    ...(lockedOut.length === 0 ? [] : [t('lockouts', { names: lockedOut.join(', ') })]),
    t('openAlerts', { count: openAlerts.length }),
    ...(strangers === 0 ? [] : [t('strangers', { count: strangers })]),
    ...(mutedUntilMs === 0 ? [] : [t('muted', { until: formatTime(mutedUntilMs, locale) })]),
  ];
}

/** Returns lines about whether the bot may trade: a halt, and the state of the ledger. */
function tradingLines({ bot, waitsFor, haltWait }: ChatView, t: ChatText, locale: Locale): readonly string[] {
  const lines: string[] = [];
  if (bot !== null && bot.halt !== null) {
    const { sinceMs, reason } = bot.halt;
    lines.push(
      t('halted', { since: formatTime(sinceMs, locale), reason: sentenceIn(reason, locale, tamed) }),
    );
  }
  if (haltWait !== null) lines.push(t('haltWait', { reason: sentenceIn(haltWait, locale, tamed) }));
  const heldBack = bot?.noOrders ?? null;
  if (heldBack !== null) lines.push(t('heldBack', { reason: sentenceIn(heldBack, locale, tamed) }));
  if (waitsFor !== null) lines.push(t('mayNotYet', { reason: sentenceIn(waitsFor, locale) }));
  return lines.length > 0 || bot === null ? lines : [t('trading')];
}

const BOOKS = {
  waiting: 'booksWaiting',
  agreed: 'booksAgreed',
  suspected: 'booksSuspected',
  blocked: 'booksBlocked',
  broken: 'booksBroken',
} as const;

function botLines(
  { books, openOrders, strategies, halt, approvals }: BotView,
  t: ChatText,
  locale: Locale,
): readonly string[] {
  return [
    t(BOOKS[books]),
    t('openOrders', { count: openOrders }),
    ...(approvals.length === 0 ? [] : [t('approvals', { count: approvals.length })]),
    ...bounded(strategies, t, ({ name, status, reason }) =>
      status === 'running'
        ? t(halt === null ? 'strategyRunning' : 'strategyHalted', { strategy: name })
        : t('strategyOther', {
            strategy: name,
            status: t(status),
            reason: sentenceIn(reason ?? '', locale, tamed),
          }),
    ),
  ];
}

function ofBot(view: ChatView, t: ChatText, lines: (bot: BotView) => readonly string[]): readonly string[] {
  return view.bot === null ? [noBotText(view, t)] : lines(view.bot);
}

/** Returns the reason why nothing can be reported about the bot. */
export function noBotText({ fault }: ChatView, t: ChatText): string {
  return fault === null ? t('noMirror') : t('mirrorFault', { reason: tamed(fault) });
}

function bounded<Item>(items: readonly Item[], t: ChatText, text: (item: Item) => string): readonly string[] {
  const shown = items.slice(0, MOST_LINES).map(text);
  const more = items.length - shown.length;
  return more === 0 ? shown : [...shown, t('more', { count: more })];
}

function moneyOr(
  amount: string | null,
  { currency, t, locale }: { readonly currency: string; readonly t: ChatText; readonly locale: Locale },
): string {
  return amount === null ? t('unknownMoney') : formatMoney(amount, currency, locale, { isSigned: true });
}
