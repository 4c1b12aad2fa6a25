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
