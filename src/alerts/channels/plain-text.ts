import { cutOff } from '../text/escape-text.ts';
import type { OutgoingMessage } from './channel.ts';

/** No service takes much more in one message. */
const LONGEST = 4_000;

/** A message as plain text; one that is too long is cut before its footer. */
export function plainText({
  title,
  lines,
  footer,
}: Pick<OutgoingMessage, 'title' | 'lines' | 'footer'>): string {
  const text = [title, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
  const room = LONGEST - footer.length - 3;
  return `${text.length <= room ? text : `${cutOff(text, room)}…`}\n\n${footer}`;
}
