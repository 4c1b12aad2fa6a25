import type { PluralText, Texts } from '../../src/language/translate.ts';

const formsOf = (text: string | PluralText): readonly string[] =>
  typeof text === 'string' ? [text] : [text.one, text.other];

const placesOf = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(' ');

/** Mistakes of Persian spelling: their name and a pattern. */
const SLIPS: readonly (readonly [string, RegExp])[] = [
  ['Arabic letter', /[\u{643}\u{64A}\u{649}]/u],
  ['Latin digit', /\d/],
  ['Latin comma or question mark', /[،؟]?[,;?]/],
  ['half-space after می', /(?:^|[\s«(])ن?می\s/],
  ['half-space before ها', /[\u{600}-\u{6FF}] (?:ها|های|هایی|تر|ترین)(?=[\s،.؟!»)]|$)/u],
  ['half-space beside a blank', /\s\u{200C}|\u{200C}\s|\u{200C}$|^\u{200C}/u],
  ['blank', / {2}|^ | $| [،.؟!:]/],
];

/** Problems of Persian texts: placeholders that differ from the English ones, and mistakes of spelling. */
export function textProblems(english: Texts, persian: Texts): string[] {
  return Object.entries(persian).flatMap(([key, text]) => {
    const expected = new Set(formsOf(english[key] ?? '').map(placesOf));
    return formsOf(text).flatMap((form) => [
      ...(expected.has(placesOf(form)) ? [] : [`${key}: places ${[...expected].join(' or ')}`]),
      ...SLIPS.flatMap(([name, slip]) => (slip.test(form) ? [`${key}: ${name} in "${form}"`] : [])),
    ]);
  });
}
