import { formatLength } from '../../language/format-number.ts';
import { formatTime } from '../../language/format-time.ts';
import type { Locale } from '../../language/locale.ts';
import type { OutgoingMessage, ChatButton } from '../channels/channel.ts';
import type { Severity } from '../core/alert-facts.ts';
import type { MessageItem } from '../core/plan-message.ts';
import type { StoredMessage } from '../alert-outbox.ts';
import { alertText, alertTexts, approvalButtons } from '../alert-text.ts';
import { crc32, deflateSync } from 'node:zlib';

const MARKS: Readonly<Record<Severity, string>> = { info: '🔵', warning: '🟠', critical: '🔴' };
const OVER = '✅';

/** Maximum number of acknowledgement buttons on one message. */
const MOST_BUTTONS = 3;

/** Sender of a message, and its readers' locale. */
export interface MessageVoice {
  /** Name of the bot. */
  readonly bot: string;
  readonly locale: Locale;
  /**
   * True if the watchdog sends it. The watchdog counts alerts and messages by itself, and accepts no
   * commands: its ids differ from the bot's, and its messages have no buttons, which would reach the bot.
   */
  readonly isWatchdog: boolean;
}

/** Builds a stored message as it is sent: the same each time. */
export function messageText(
  stored: StoredMessage,
  { bot, locale, isWatchdog }: MessageVoice,
): OutgoingMessage {
  const { plan, madeAtMs } = stored;
  const id = `${bot}-${isWatchdog ? 'watchdog-' : ''}${stored.id}`;
  const t = alertTexts(locale);
  const texts = plan.items.map((item) => itemText(item, { locale, isWatchdog, atMs: madeAtMs }));
  const [first] = plan.items;
  const [only, ...more] = texts.length === 1 && plan.more === 0 ? (texts[0]?.split('\n') ?? []) : [];
  const lines =
    only === undefined ? [...texts, ...(plan.more > 0 ? [t('more', { count: plan.more })] : [])] : more;
  return {
    id,
    severity: plan.severity,
    title:
      only === undefined
        ? `${MARKS[plan.severity]} ${t('titleMany', { bot, count: plan.items.length + plan.more })}`
        : t('title', { bot, text: only }),
    lines,
    footer: t('footer', { id, time: formatTime(madeAtMs, locale, 'second') }),
    picture: first === undefined ? null : pictureOf(first),
    buttons: isWatchdog ? [] : buttonsOf(plan.items, locale),
    atMs: madeAtMs,
  };
}

/** Builds a message that only shows that a channel works. */
export function testMessage(
  { bot, locale }: Omit<MessageVoice, 'isWatchdog'>,
  nowMs: number,
): OutgoingMessage {
  const t = alertTexts(locale);
  const id = `${bot}-test-${nowMs}`;
  return {
    id,
    severity: 'info',
    title: t('title', { bot, text: t('test') }),
    lines: [],
    footer: t('footer', { id, time: formatTime(nowMs, locale, 'second') }),
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
  const t = alertTexts(locale);
  const text = alertText(alert.facts, locale);
  const { severity, openedAtMs, endedAtMs, id } = alert;
  const length = formatLength(locale.language, (endedAtMs ?? atMs) - openedAtMs);
  const name = isWatchdog ? `#w${id}` : `#${id}`;
  switch (kind) {
    case 'opened':
      return `${MARKS[severity]} ${name} ${text}`;
    case 'ended':
      return `${OVER} ${name} ${t('ended', { length, text })}`;
    case 'escalated':
      return `${MARKS[severity]} ${name} ${t('escalated', { length, text })}`;
    case 'reminder':
      return `${MARKS[severity]} ${name} ${t('reminder', { length, text })}`;
  }
}

function pictureOf({ alert: { facts } }: MessageItem): Buffer | null {
  if (facts.rule !== 'summary') return null;
  const points = facts.figures.equity[0]?.points ?? [];
  return points.length < 2 ? null : equityPicture(points);
}

/**
 * Returns buttons: two for each entry that waits, an acknowledgement for each open alert, and a mute of all
 * that is not critical.
 */
function buttonsOf(items: readonly MessageItem[], locale: Locale): readonly (readonly ChatButton[])[] {
  const t = alertTexts(locale);
  const open = items.filter(({ alert: { endedAtMs } }) => endedAtMs === null);
  const entries = open.flatMap(({ alert: { facts } }) =>
    facts.rule === 'approval' ? [approvalButtons(facts.id, locale)] : [],
  );
  const buttons = open.map(({ alert: { id } }) => ({
    label: `${t('acknowledge')} #${id}`,
    data: `ack:${id}`,
  }));
  if (buttons.length === 0) return [];
  return [...entries, buttons.slice(0, MOST_BUTTONS), [{ label: t('mute'), data: 'mute:60' }]];
}

const WIDTH = 600;
const HEIGHT = 240;
const MARGIN = 16;

/** Colour of red, green and blue, each from 0 to 255. */
type Colour = readonly [number, number, number];
const PAPER: Colour = [255, 255, 255];
const GRID: Colour = [228, 230, 235];
const RISEN: Colour = [22, 128, 92];
const FALLEN: Colour = [196, 48, 43];

/**
 * Draws values over time as a small PNG: the line, the area below it, and its start. It is red if the last
 * value is below the first. It has no numbers: the text of the message has them.
 */
export function equityPicture(values: readonly number[]): Buffer {
  const canvas = new Canvas();
  const least = Math.min(...values);
  const span = Math.max(...values) - least;
  const yOf = (value: number): number =>
    HEIGHT - MARGIN - (span === 0 ? 0.5 : (value - least) / span) * (HEIGHT - 2 * MARGIN);
  const xOf = (index: number): number => MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * MARGIN);
  const first = values[0] ?? 0;
  const colour = (values.at(-1) ?? 0) < first ? FALLEN : RISEN;
  for (let x = MARGIN; x < WIDTH - MARGIN; x += 1) {
    const place = ((x - MARGIN) / (WIDTH - 2 * MARGIN)) * (values.length - 1);
    const before = values[Math.floor(place)] ?? first;
    const after = values[Math.ceil(place)] ?? before;
    const y = yOf(before + (after - before) * (place - Math.floor(place)));
    canvas.column(x, y, HEIGHT - MARGIN, faded(colour));
  }
  canvas.line({ fromX: MARGIN, fromY: yOf(first), toX: WIDTH - MARGIN, toY: yOf(first), width: 1 }, GRID);
  for (let index = 1; index < values.length; index += 1) {
    canvas.line(
      {
        fromX: xOf(index - 1),
        fromY: yOf(values[index - 1] ?? first),
        toX: xOf(index),
        toY: yOf(values[index] ?? first),
        width: 3,
      },
      colour,
    );
  }
  return canvas.png();
}

const WASH = 0.14;

/** Returns the colour lightened, for an area. */
function faded([red, green, blue]: Colour): Colour {
  return [lightened(red), lightened(green), lightened(blue)];
}

function lightened(part: number): number {
  return Math.round(255 - (255 - part) * WASH);
}

interface Stroke {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  readonly width: number;
}

class Canvas {
  private readonly pixels = Buffer.alloc(WIDTH * HEIGHT * 3, Buffer.from(PAPER));

  column(x: number, fromY: number, toY: number, colour: Colour): void {
    for (let y = Math.round(fromY); y < toY; y += 1) this.set(x, y, colour);
  }

  line({ fromX, fromY, toX, toY, width }: Stroke, colour: Colour): void {
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY))));
    for (let step = 0; step <= steps; step += 1) {
      const x = Math.round(fromX + ((toX - fromX) * step) / steps);
      const y = Math.round(fromY + ((toY - fromY) * step) / steps);
      for (let dx = 0; dx < width; dx += 1) {
        for (let dy = 0; dy < width; dy += 1)
          this.set(x + dx - Math.floor(width / 2), y + dy - Math.floor(width / 2), colour);
      }
    }
  }

  /** Encodes the picture as a PNG of true colour (https://www.w3.org/TR/png-3, 5.2 and 11.2). */
  png(): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(WIDTH, 0);
    header.writeUInt32BE(HEIGHT, 4);
    header.set([8, 2, 0, 0, 0], 8);
    const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
    for (let y = 0; y < HEIGHT; y += 1)
      this.pixels.copy(rows, y * (WIDTH * 3 + 1) + 1, y * WIDTH * 3, (y + 1) * WIDTH * 3);
    return Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }

  private set(x: number, y: number, colour: Colour): void {
    if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT) this.pixels.set(colour, (y * WIDTH + x) * 3);
  }
}

function chunk(kind: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
