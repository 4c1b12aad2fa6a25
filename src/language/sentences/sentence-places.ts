const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?: \([^()]{1,30} in Tehran\))?`;

const MONEY = String.raw`-?\d+(?:\.\d+)? [A-Za-z0-9]{1,20}`;

/**
 * Values allowed in a place of a sentence, `{amount:money}`, as the pattern of its English text. The kind
 * defines how another language writes the value.
 *
 * - `money`: a decimal and its currency, `1.2 BTC`; `price`: money, or `any price`.
 * - `decimal`, `count`: a number. `percent`: `-1.25 %`.
 * - `ms`: a length in milliseconds, without the unit. `length`: the output of `lengthText`, such as `4.2 s`.
 * - `time`: the output of `bothTimesText`. `until`, `scope`: the end and the scope of a lock.
 * - `name`: an id, a symbol or a name; `names`: several, with commas; `lock`: the name of a lock.
 * - `symbol`: the name of a market. `side`: buy or sell. `text`: other people's words.
 * - `said`: a nested sentence, or other people's words. `sentence`: a nested sentence only.
 */
export const PLACE_PATTERNS = {
  money: MONEY,
  price: `any price|${MONEY}`,
  decimal: String.raw`-?\d+(?:\.\d+)?`,
  count: String.raw`\d+`,
  percent: String.raw`-?\d+(?:\.\d+)? %`,
  ms: String.raw`-?\d+(?:\.\d+)?`,
  length: String.raw`never|\d+(?:\.\d+)? (?:seconds|minutes|s|min|h|days)`,
  time: TIME,
  until: `until (?:it is resumed|${TIME})`,
  scope: String.raw`(?:all markets|\S+?)(?: for \S+?)?`,
  name: String.raw`\S+?`,
  symbol: '[A-Z0-9]{4,24}',
  side: 'buy|sell',
  lock: String.raw`\S+?`,
  names: String.raw`\S+?(?:, \S+?)*`,
  text: '.+?',
  said: '.+?',
  sentence: '.+?',
} as const;

export type PlaceKind = keyof typeof PLACE_PATTERNS;

/** A place of a sentence, or the words between two places. */
export type SentencePart = string | { readonly name: string; readonly kind: PlaceKind };

const PLACE = /\{(\w+):(\w+)\}/g;

const isKind = (text: string | undefined): text is PlaceKind =>
  text !== undefined && Object.hasOwn(PLACE_PATTERNS, text);

/** Returns the words and places of a sentence, in order. */
export function partsOf(sentence: string): readonly SentencePart[] {
  const parts: SentencePart[] = [];
  let from = 0;
  for (const found of sentence.matchAll(PLACE)) {
    const [whole, name = '', kind] = found;
    if (!isKind(kind)) continue;
    if (found.index > from) parts.push(sentence.slice(from, found.index));
    parts.push({ name, kind });
    from = found.index + whole.length;
  }
  if (from < sentence.length) parts.push(sentence.slice(from));
  return parts;
}

type PlacesIn<T extends string> = T extends `${string}{${infer Name}:${infer Kind}}${infer Rest}`
  ? readonly [Name, Kind] | PlacesIn<Rest>
  : never;

/** Arguments with a value for each place of a sentence. A nested sentence has the type `Stated`. */
export type FactsOf<T extends string, Stated> = [PlacesIn<T>] extends [never]
  ? readonly []
  : readonly [
      {
        readonly [Place in PlacesIn<T> as Place[0]]: Place[1] extends 'said' | 'sentence'
          ? Stated
          : string | number;
      },
    ];
