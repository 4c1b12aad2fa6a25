import { formatLength } from '../../language/format-length.ts';
import { formatTime } from '../../language/format-time.ts';
import type { Locale } from '../../language/locale.ts';
import type { OutgoingMessage, ChatButton } from '../channels/channel.ts';
import type { Severity } from '../core/alert-facts.ts';
import type { MessageItem } from '../core/plan-message.ts';
import type { StoredMessage } from '../outbox/alert-outbox.ts';
import { equityPicture } from '../picture/equity-picture.ts';
import { alertText, alertTexts } from './alert-text.ts';

const MARKS: Readonly<Record<Severity, string>> = { info: '🔵', warning: '🟠', critical: '🔴' };
const OVER = '✅';

/** Acknowledgements that one message offers. */
const MOST_BUTTONS = 3;

/** Sender of a message, and its readers' locale. */
export interface MessageVoice {
  /** The bot's name. */
  readonly bot: string;
  readonly locale: Locale;
  /**
   * True if the watchdog sends it. The watchdog counts alerts and messages by itself, and nobody listens to
   * it: its ids differ from the bot's, and it offers no buttons, which would reach the bot.
   */
  readonly isWatchdog: boolean;
}

/** A stored message as it is sent: the same each time. */
export function messageText(
  stored: StoredMessage,
  { bot, locale, isWatchdog }: MessageVoice,
): OutgoingMessage {
  const { plan, madeAtMs } = stored;
  const id = `${bot}-${isWatchdog ? 'watchdog-' : ''}${stored.id}`;
  const say = alertTexts(locale);
  const texts = plan.items.map((item) => itemText(item, { locale, isWatchdog, atMs: madeAtMs }));
  const [first] = plan.items;
  const [only, ...more] = texts.length === 1 && plan.more === 0 ? (texts[0]?.split('\n') ?? []) : [];
  const lines =
    only === undefined ? [...texts, ...(plan.more > 0 ? [say('more', { count: plan.more })] : [])] : more;
  return {
    id,
    severity: plan.severity,
    title:
      only === undefined
        ? `${MARKS[plan.severity]} ${say('titleMany', { bot, count: plan.items.length + plan.more })}`
        : say('title', { bot, text: only }),
    lines,
    footer: say('footer', { id, time: formatTime(madeAtMs, locale, 'second') }),
    picture: first === undefined ? null : pictureOf(first),
    buttons: isWatchdog ? [] : buttonsOf(plan.items, say('acknowledge'), say('mute')),
    atMs: madeAtMs,
  };
}

/** A message that only shows that a channel works. */
export function testMessage(
  { bot, locale }: Omit<MessageVoice, 'isWatchdog'>,
  nowMs: number,
): OutgoingMessage {
  const say = alertTexts(locale);
  const id = `${bot}-test-${nowMs}`;
  return {
    id,
    severity: 'info',
    title: say('title', { bot, text: say('test') }),
    lines: [],
    footer: say('footer', { id, time: formatTime(nowMs, locale, 'second') }),
    picture: null,
    buttons: [],
    atMs: nowMs,
  };
}

function itemText(
  { kind, alert }: MessageItem,
  {
    locale,
    isWatchdog,
    atMs,
  }: { readonly locale: Locale; readonly isWatchdog: boolean; readonly atMs: number },
): string {
  const say = alertTexts(locale);
  const text = alertText(alert.facts, locale);
  const { severity, openedAtMs, endedAtMs, id } = alert;
  const length = formatLength(locale.language, (endedAtMs ?? atMs) - openedAtMs);
  const name = isWatchdog ? `#w${id}` : `#${id}`;
  switch (kind) {
    case 'opened':
      return `${MARKS[severity]} ${name} ${text}`;
    case 'ended':
      return `${OVER} ${name} ${say('ended', { length, text })}`;
    case 'escalated':
      return `${MARKS[severity]} ${name} ${say('escalated', { length, text })}`;
    case 'reminder':
      return `${MARKS[severity]} ${name} ${say('reminder', { length, text })}`;
  }
}

function pictureOf({ alert: { facts } }: MessageItem): Buffer | null {
  if (facts.rule !== 'summary') return null;
  const points = facts.figures.equity[0]?.points ?? [];
  return points.length < 2 ? null : equityPicture(points);
}

/** One acknowledgement for each alert that is open, and a mute of what is not critical. */
function buttonsOf(
  items: readonly MessageItem[],
  acknowledge: string,
  mute: string,
): readonly (readonly ChatButton[])[] {
  const open = items.filter(({ alert }) => alert.endedAtMs === null).slice(0, MOST_BUTTONS);
  if (open.length === 0) return [];
  return [
    open.map(({ alert }) => ({ label: `${acknowledge} #${alert.id}`, data: `ack:${alert.id}` })),
    [{ label: mute, data: 'mute:60' }],
  ];
}
