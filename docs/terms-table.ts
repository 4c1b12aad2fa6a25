import { ENGLISH_TERMS } from '../src/language/english-terms.ts';
import { PERSIAN_TERMS } from '../src/language/persian-terms.ts';

const BEGIN = '<!-- terms: written by npm run docs -->';
const END = '<!-- end of terms -->';

/** docs/persian.md with the list of terms as src/language has them. */
export function withTerms(page: string): string {
  const keys = Object.keys(ENGLISH_TERMS) as (keyof typeof ENGLISH_TERMS)[];
  const rows = keys.map((key) => [ENGLISH_TERMS[key], PERSIAN_TERMS[key]] as const);
  const widths = [0, 1].map((column) => Math.max(7, ...rows.map((row) => widthOf(row[column] ?? ''))));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell))).join(' | ')} |`;
  const table = [
    line(['English', 'Persian']),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(line),
  ].join('\n');
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}

/** Places that a text takes in an editor: half-spaces and marks on letters take none, and lam with alef one. */
function widthOf(text: string): number {
  return text.replaceAll(/[\u{200C}\p{M}]|(?<=\u{644})\u{627}/gu, '').length;
}
