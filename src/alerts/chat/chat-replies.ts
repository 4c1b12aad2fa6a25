import { formatExact, formatMoney, unitName } from '../../language/format-money.ts';
import { formatDecimal } from '../../language/format-number.ts';
import { formatTime } from '../../language/format-time.ts';
import type { Locale } from '../../language/locale.ts';
import { saidIn } from '../../language/said-in.ts';
import { translateInto, type Translate } from '../../language/translate.ts';
import { tamed } from '../text/escape-text.ts';
import type { BotView, ChatView } from './chat-view.ts';
import { ENGLISH_CHAT } from './english-chat.ts';
import { PERSIAN_CHAT } from './persian-chat.ts';

export type SayChat = Translate<typeof ENGLISH_CHAT>;

export function chatTexts({ language }: Locale): SayChat {
  return translateInto<typeof ENGLISH_CHAT>(language, language === 'fa' ? PERSIAN_CHAT : ENGLISH_CHAT);
}

/** Lines of one reply at most; a chat is no table. */
const MOST_LINES = 12;
const MOST_DECISIONS = 5;

/** Functions that answer the questions about the bot. They read only their arguments. */
export const REPLIES = {
  status: statusLines,
  profit: (view, say, locale) =>
    ofBot(view, say, ({ strategies }) =>
      strategies.length === 0
        ? [say('noStrategies')]
        : bounded(strategies, say, ({ name, currency, profit, realised }) =>
            say('profit', {
              strategy: name,
              profit: moneyOr(profit, { currency, say, locale }),
              realised: moneyOr(realised, { currency, say, locale }),
            }),
          ),
    ),
  positions: (view, say, locale) =>
    ofBot(view, say, ({ strategies }) => {
      const lines = strategies.flatMap(({ name, positions }) => {
        const held = Object.entries(positions).filter(([, amount]) => amount !== '0');
        if (held.length === 0) return [];
        const texts = held.map(
          ([asset, amount]) => `${formatDecimal(locale.language, amount)} ${unitName(asset, locale)}`,
        );
        return [say('position', { strategy: name, positions: texts.join(', ') })];
      });
      return lines.length === 0 ? [say('noPositions')] : bounded(lines, say, (line) => line);
    }),
  orders: (view, say, locale) =>
    ofBot(view, say, ({ orders }) =>
      orders.length === 0
        ? [say('noOrders')]
        : bounded(orders, say, ({ side, amount, market, price, quote, strategy }) =>
            say('order', {
              side: say(side),
              amount: formatDecimal(locale.language, amount),
              market,
              price: price === null ? say('atMarket') : formatExact(price, quote, locale),
              strategy,
            }),
          ),
    ),
  budget: ({ budgets }, say) =>
    budgets.length === 0
      ? [say('noBudgets')]
      : bounded(budgets, say, ({ budget, used, limit, isLockedOut }) =>
          isLockedOut ? say('budgetLocked', { budget }) : say('budget', { budget, used, limit }),
        ),
  locks: (view, say, locale) =>
    ofBot(view, say, ({ locks }) =>
      locks.length === 0
        ? [say('noLocks')]
        : bounded(locks, say, ({ name, of, reason, endsAtMs }) => {
            const values = { name, of: of ?? say('everything'), reason: saidIn(tamed(reason), locale) };
            return endsAtMs === null
              ? say('lockUntilResumed', values)
              : say('lock', { ...values, until: formatTime(endsAtMs, locale) });
          }),
    ),
  help: (_, say) => [say('help'), say('helpWhy'), say('helpMute')],
} as const satisfies Readonly<
  Record<string, (view: ChatView, say: SayChat, locale: Locale) => readonly string[]>
>;

/** The last decisions of a strategy, or of all. */
export function whyLines(view: ChatView, strategy: string, locale: Locale): readonly string[] {
  const say = chatTexts(locale);
  return ofBot(view, say, ({ decisions }) => {
    const own = decisions
      .filter((one) => strategy === '' || one.strategy === strategy)
      .slice(0, MOST_DECISIONS);
    if (own.length === 0)
      return [strategy === '' ? say('noDecisionsAtAll') : say('noDecisions', { strategy: tamed(strategy) })];
    return own.map(({ atMs, kind, market, status, reason, strategy: name }) => {
      const values = {
        at: formatTime(atMs, locale, 'clock-seconds'),
        strategy: name,
        kind: saidIn(kind, locale),
        market: market ?? '',
        status: say(status),
      };
      return reason === null
        ? say('decision', values)
        : say('decisionWhy', { ...values, reason: saidIn(tamed(reason), locale) });
    });
  });
}

function statusLines(view: ChatView, say: SayChat, locale: Locale): readonly string[] {
  const { bot, isSilent, lastSignMs, openAlerts, mutedUntilMs, strangers, budgets } = view;
  const lockedOut = budgets.filter(({ isLockedOut }) => isLockedOut).map(({ budget }) => budget);
  return [
    isSilent ? say('silent', { at: formatTime(lastSignMs, locale) }) : say('running'),
    ...tradingLines(view, say, locale),
    ...(bot === null ? [noBotText(view, say)] : botLines(bot, say, locale)),
    ...(lockedOut.length === 0 ? [] : [say('lockouts', { names: lockedOut.join(', ') })]),
    say('openAlerts', { count: openAlerts.length }),
    ...(strangers === 0 ? [] : [say('strangers', { count: strangers })]),
    ...(mutedUntilMs === 0 ? [] : [say('muted', { until: formatTime(mutedUntilMs, locale) })]),
  ];
}

/** Returns whether the bot may trade: whether it is halted, and the state of the ledger. */
function tradingLines(
  { bot, waitsFor, haltWait }: ChatView,
  say: SayChat,
  locale: Locale,
): readonly string[] {
  const lines: string[] = [];
  if (bot !== null && bot.halt !== null) {
    const { sinceMs, reason } = bot.halt;
    lines.push(say('halted', { since: formatTime(sinceMs, locale), reason: saidIn(tamed(reason), locale) }));
  }
  if (haltWait !== null) lines.push(say('haltWait', { reason: saidIn(tamed(haltWait), locale) }));
  const keptBack = bot?.noOrders ?? null;
  if (keptBack !== null) lines.push(say('keptBack', { reason: saidIn(tamed(keptBack), locale) }));
  if (waitsFor !== null) lines.push(say('mayNotYet', { reason: saidIn(waitsFor, locale) }));
  return lines.length > 0 || bot === null ? lines : [say('trading')];
}

const BOOKS = {
  waiting: 'booksWaiting',
  agreed: 'booksAgreed',
  suspected: 'booksSuspected',
  blocked: 'booksBlocked',
  broken: 'booksBroken',
} as const;

function botLines(
  { books, openOrders, strategies, halt }: BotView,
  say: SayChat,
  locale: Locale,
): readonly string[] {
  return [
    say(BOOKS[books]),
    say('openOrders', { count: openOrders }),
    ...bounded(strategies, say, ({ name, status, reason }) =>
      status === 'running'
        ? say(halt === null ? 'strategyRunning' : 'strategyHalted', { strategy: name })
        : say('strategyOther', {
            strategy: name,
            status: say(status),
            reason: saidIn(tamed(reason ?? ''), locale),
          }),
    ),
  ];
}

function ofBot(view: ChatView, say: SayChat, lines: (bot: BotView) => readonly string[]): readonly string[] {
  return view.bot === null ? [noBotText(view, say)] : lines(view.bot);
}

/** Returns the reason nothing can be reported of the bot. */
export function noBotText({ fault }: ChatView, say: SayChat): string {
  return fault === null ? say('noMirror') : say('mirrorFault', { reason: tamed(fault) });
}

function bounded<Item>(
  items: readonly Item[],
  say: SayChat,
  text: (item: Item) => string,
): readonly string[] {
  const shown = items.slice(0, MOST_LINES).map(text);
  const more = items.length - shown.length;
  return more === 0 ? shown : [...shown, say('more', { count: more })];
}

function moneyOr(
  amount: string | null,
  { currency, say, locale }: { readonly currency: string; readonly say: SayChat; readonly locale: Locale },
): string {
  return amount === null ? say('unknownMoney') : formatMoney(amount, currency, locale, { isSigned: true });
}
