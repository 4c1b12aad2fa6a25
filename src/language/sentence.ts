import { ENGLISH_SENTENCES, SENTENCE_CODES, type SentenceCode } from './sentences/english-sentences.ts';
import { partsOf, type FactsOf, type SentencePart } from './sentences/sentence-places.ts';

export { SENTENCE_CODES, type SentenceCode } from './sentences/english-sentences.ts';
export { PLACE_PATTERNS } from './sentences/sentence-places.ts';

declare const STORED: unique symbol;

/** JSON of `SentenceFacts`: a text that is stored and passed on, and never shown. */
interface StoredSentence {
  readonly [STORED]: never;
}

/**
 * Reason or result: a sentence of the bot by its code and figures, or the words of somebody else. Both are
 * texts, so that rows, files and threads hold them as they are; `english` and `sentenceIn` show them.
 */
export type Sentence = string | StoredSentence;

/** True for a sentence that stands for what could not be made. */
export const isSentence = (made: unknown): made is Sentence => typeof made === 'string';

/** A sentence as programs have it: by its code, and what stands in its places. */
export interface SentenceFacts {
  readonly code: SentenceCode;
  /** By the name of the place: the English text there, or the sentence that it is. */
  readonly facts: { readonly [name: string]: string | SentenceFacts };
}

const known = new Map<SentenceCode, readonly SentencePart[]>();

/** The words and places of the English sentence of a code. */
export function englishParts(code: SentenceCode): readonly SentencePart[] {
  let parts = known.get(code);
  if (parts === undefined) {
    parts = partsOf(ENGLISH_SENTENCES[code]);
    known.set(code, parts);
  }
  return parts;
}

/** Makes a sentence of its code and figures. */
export function sentence<Code extends SentenceCode>(
  code: Code,
  ...[figures]: FactsOf<(typeof ENGLISH_SENTENCES)[Code], Sentence>
): Sentence {
  const given: Readonly<Record<string, Sentence | number>> = figures ?? {};
  const facts: Record<string, string | SentenceFacts> = {};
  for (const part of englishParts(code)) {
    if (typeof part === 'string') continue;
    const value = given[part.name];
    const text = typeof value === 'number' ? String(value) : ((value ?? '') as string);
    facts[part.name] = parsed(text) ?? text;
  }
  const text = stored({ code, facts });
  if (made.size >= MOST_MADE) made.clear();
  made.set(text as string, { code, facts });
  return text;
}

/** The sentences made last. Most are put into others or shown at once, and are not read again for that. */
const made = new Map<string, SentenceFacts>();
const MOST_MADE = 256;

/** A sentence of its code and figures, as they are stored. */
export const stored = (facts: { readonly code: string; readonly facts: object }): Sentence =>
  JSON.stringify(facts);

/** Makes one sentence of several, of which there is at least one. */
export const joinSentences = (code: 'both' | 'listed', sentences: readonly Sentence[]): Sentence =>
  sentences.reduceRight((rest, first) => sentence(code, { first, rest }));

/** Writes a sentence in English, as logs, the API and strategies have it. */
export function english(sentence: Sentence): string;
export function english(sentence: Sentence | null): string | null;
export function english(sentence: Sentence | null): string | null {
  return sentence === null ? null : englishOf(parsed(sentence as string) ?? (sentence as string));
}

/** Writes every sentence within a value of JSON in English. */
export function inEnglish(value: unknown): unknown {
  if (value === undefined) return value;
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' ? english(each) : each,
  );
}

function englishOf(sentence: string | SentenceFacts): string {
  if (typeof sentence === 'string') return sentence;
  let text = '';
  for (const part of englishParts(sentence.code))
    text += typeof part === 'string' ? part : englishOf(sentence.facts[part.name] ?? '');
  return text;
}

/** The code and the figures of a sentence; null for words of somebody else. */
export function sentenceFacts(sentence: Sentence | null): SentenceFacts | null {
  const facts = sentence === null ? null : (parsed(sentence as string) ?? named(sentence as string));
  return facts === null ? null : withNames(facts);
}

/** Names in places where a sentence may be, such as the exchange's own code of a refusal. */
function withNames({ code, facts }: SentenceFacts): SentenceFacts {
  const entries = englishParts(code).flatMap((part) => {
    if (typeof part === 'string') return [];
    const fact = facts[part.name] ?? '';
    if (typeof fact !== 'string') return [[part.name, withNames(fact)] as const];
    return [[part.name, MAY_BE_SENTENCE.has(part.kind) ? (named(fact) ?? fact) : fact] as const];
  });
  return { code, facts: Object.fromEntries(entries) };
}

const MAY_BE_SENTENCE: ReadonlySet<string> = new Set(['said', 'sentence']);

/** Codes by the names that are whole sentences: of kinds, feeds, refusals of the exchange. */
let codesByName: ReadonlyMap<string, SentenceCode> | null = null;

function named(text: string): SentenceFacts | null {
  codesByName ??= new Map(SENTENCE_CODES.map((code) => [ENGLISH_SENTENCES[code], code]));
  const code = codesByName.get(text);
  return code === undefined ? ofError(text) : { code, facts: {} };
}

/** Errors say what was expected and what was found. */
function ofError(text: string): SentenceFacts | null {
  const [expected = '', ...found] = text.split(', was ');
  if (!expected.startsWith('expected ') || found.length === 0) return null;
  return {
    code: 'expected',
    facts: { expected: expected.slice('expected '.length), found: found.join(', was ') },
  };
}

const BEGIN = '{"code":"';

function parsed(text: string): SentenceFacts | null {
  if (!text.startsWith(BEGIN)) return null;
  const known = made.get(text);
  if (known !== undefined) return known;
  try {
    const value: unknown = JSON.parse(text);
    return isFacts(value) ? value : null;
  } catch {
    return null;
  }
}

function isFacts(value: unknown): value is SentenceFacts {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('facts' in value)) return false;
  const { code, facts } = value;
  return (
    typeof code === 'string' &&
    Object.hasOwn(ENGLISH_SENTENCES, code) &&
    typeof facts === 'object' &&
    facts !== null &&
    Object.values(facts).every((fact) => typeof fact === 'string' || isFacts(fact))
  );
}
