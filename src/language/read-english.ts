import { SENTENCE_CODES, type SentenceCode } from './sentences/english-sentences.ts';
import { PLACE_PATTERNS, type PlaceKind } from './sentences/sentence-places.ts';
import { english, englishParts, stored, type Sentence, type SentenceFacts } from './sentence.ts';

/** Longer texts are of somebody else. */
const LONGEST = 2_000;
/** Sentences within sentences: a halt within a refusal within a close, and some more. */
const DEEPEST = 12;

interface Reader {
  readonly code: SentenceCode;
  /** The words before the first place: most sentences are told apart by them. */
  readonly begin: string;
  readonly pattern: RegExp;
  readonly places: readonly { readonly name: string; readonly kind: PlaceKind }[];
  /** Letters that are not of a place: the more, the surer it is this one. */
  readonly weight: number;
}

const escaped = (words: string): string => words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function readerOf(code: SentenceCode): Reader {
  const parts = englishParts(code);
  const words = parts.filter((part) => typeof part === 'string');
  const source = parts.map((part) =>
    typeof part === 'string' ? escaped(part) : `(${PLACE_PATTERNS[part.kind]})`,
  );
  const [first] = parts;
  return {
    code,
    begin: typeof first === 'string' ? first : '',
    pattern: new RegExp(`^${source.join('')}$`, 's'),
    places: parts.filter((part) => typeof part !== 'string'),
    weight: words.join('').length,
  };
}

let readers: readonly Reader[] | null = null;

/** The surest first. Made at the first reading: who only says sentences needs none. */
function readersNow(): readonly Reader[] {
  readers ??= SENTENCE_CODES.filter((code) => code !== 'both' && code !== 'listed')
    .map(readerOf)
    .toSorted((left, right) => right.weight - left.weight);
  return readers;
}

/**
 * Reads an English text that is a sentence of the bot, as mirrors before version 5 and results of runs have
 * it; words of somebody else stay.
 */
export function readEnglish(sentence: Sentence): Sentence {
  const text = english(sentence);
  const facts = text.length > LONGEST ? null : readWithin(text, DEEPEST);
  return facts === null ? text : stored(facts);
}

function readWithin(text: string, depth: number): SentenceFacts | null {
  return (
    readOne(text, depth) ??
    readListed(text, depth, ['both', '; ']) ??
    readListed(text, depth, ['listed', ', '])
  );
}

function readOne(text: string, depth: number): SentenceFacts | null {
  if (depth <= 0) return null;
  for (const { code, begin, pattern, places } of readersNow()) {
    if (!text.startsWith(begin)) continue;
    const match = pattern.exec(text);
    if (match === null) continue;
    const facts = factsIn(match, places, depth);
    if (facts !== null) return { code, facts };
  }
  return null;
}

/** Places at which a list may be cut that are tried. */
const MOST_CUTS = 20;

/** Two sentences with a mark between them, wherever that is: the first that is a sentence whole. */
function readListed(
  text: string,
  depth: number,
  [code, mark]: readonly ['both' | 'listed', string],
): SentenceFacts | null {
  let at = text.indexOf(mark);
  for (let cut = 0; at !== -1 && cut < MOST_CUTS; cut += 1) {
    const first = readOne(text.slice(0, at), depth - 1);
    const rest = first === null ? null : readWithin(text.slice(at + mark.length), depth - 1);
    if (first !== null && rest !== null) return { code, facts: { first, rest } };
    at = text.indexOf(mark, at + mark.length);
  }
  return null;
}

/** Null where a place has to be a sentence, and is none. */
function factsIn(
  match: RegExpExecArray,
  places: Reader['places'],
  depth: number,
): SentenceFacts['facts'] | null {
  const facts: Record<string, string | SentenceFacts> = {};
  for (const [index, { name, kind }] of places.entries()) {
    const text = match[index + 1] ?? '';
    const inner = kind === 'said' || kind === 'sentence' ? readWithin(text, depth - 1) : null;
    if (kind === 'sentence' && inner === null) return null;
    facts[name] = inner ?? text;
  }
  return facts;
}
