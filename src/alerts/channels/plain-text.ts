import { cutOff } from '../text/escape-text.ts';
import type { OutgoingMessage } from './channel.ts';

/** No service takes much more in one message. */
const LONGEST = 4_000;

/** A message as plain text; one that is too long is cut before its footer. */
export function plainText(
  { title, lines, footer }: Pick<OutgoingMessage, 'title' | 'lines' | 'footer'>,
  longest = LONGEST,
): string {
  const text = [title, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
  const room = longest - footer.length - 3;
  return `${text.length <= room ? text : `${cutOff(text, room)}…`}\n\n${footer}`;
}

/** Lines and the footer in at most so many bytes; what is too long is cut before the footer. */
export function linesWithin(
  { lines, footer }: Pick<OutgoingMessage, 'lines' | 'footer'>,
  longestBytes: number,
): string {
  const text = Buffer.from(lines.join('\n'));
  const room = longestBytes - Buffer.byteLength(`…\n${footer}`);
  if (text.length <= room) return [...lines, footer].join('\n');
  // A character that is cut in two would be shown as a mark.
  const cut = new TextDecoder().decode(text.subarray(0, room), { stream: true });
  return `${cut}…\n${footer}`;
}
