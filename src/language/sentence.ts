import { inSingular } from './locale.ts';
import { ENGLISH_SENTENCES, SENTENCE_CODES, type SentenceCode } from './sentences/english-sentences.ts';
import { partsOf, type FactsOf, type SentencePart } from './sentences/sentence-places.ts';

export { SENTENCE_CODES, type SentenceCode } from './sentences/english-sentences.ts';
export { PLACE_PATTERNS } from './sentences/sentence-places.ts';

declare const STORED: unique symbol;

/** JSON of `SentenceFacts`: a text that is stored and passed on, but not shown as it is. */
interface StoredSentence {
  readonly [STORED]: never;
}

/**
 * A reason or a result: a sentence of the bot by its code and figures, or other people's words. Both are
 * texts, so that rows, files and threads can store them; `english` and `sentenceIn` write them for people.
 */
export type Sentence = string | StoredSentence;

/** True if a result is a sentence, which says why the result itself could not be made. */
export const isSentence = (made: unknown): made is Sentence => typeof made === 'string';

/** A sentence for programs: its code, and the values of its places. */
export interface SentenceFacts {
  readonly code: SentenceCode;
  /** Values by the name of the place: an English text, or a nested sentence. */
  readonly facts: { readonly [name: string]: string | SentenceFacts };
}

const known = new Map<SentenceCode, readonly SentencePart[]>();

/** Returns the words and places of the English sentence of a code. */
export function englishParts(code: SentenceCode): readonly SentencePart[] {
  let parts = known.get(code);
  if (parts === undefined) {
    parts = partsOf(ENGLISH_SENTENCES[code]);
    known.set(code, parts);
  }
  return parts;
}

/** Makes a sentence from its code and figures. */
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

/** Cache of the last sentences made. Most are nested or shown at once, and need not be parsed for that. */
const made = new Map<string, SentenceFacts>();
const MOST_MADE = 256;

/** Returns a code and its figures in stored form. */
export const stored = (facts: { readonly code: string; readonly facts: object }): Sentence =>
  JSON.stringify(facts);

/** Joins one or more sentences into one. */
export const joinSentences = (code: 'both' | 'listed' | 'rule-any', of: readonly Sentence[]): Sentence =>
  of.reduceRight((rest, first) => sentence(code, { first, rest }));

/** Writes a sentence in English, as logs, the API and strategies show it. */
export function english(sentence: Sentence): string;
export function english(sentence: Sentence | null): string | null;
export function english(sentence: Sentence | null): string | null {
  return sentence === null ? null : englishOf(parsed(sentence as string) ?? (sentence as string));
}

/** Writes every sentence in a JSON value in English. */
export function inEnglish(value: unknown): unknown {
  if (value === undefined) return value;
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' ? english(each) : each,
  );
}

function englishOf(sentence: string | SentenceFacts): string {
  if (typeof sentence === 'string') return sentence;
  let text = '';
  let isOne = false;
  for (const part of englishParts(sentence.code)) {
    const value = typeof part === 'string' ? null : englishOf(sentence.facts[part.name] ?? '');
    text += value ?? (isOne ? inSingular(part as string) : (part as string));
    isOne = value === '1' && (part as { readonly kind: string }).kind === 'count';
  }
  return text;
}

/** Returns the code and figures of a sentence; null for other people's words. */
export function sentenceFacts(sentence: Sentence | null): SentenceFacts | null {
  const facts = sentence === null ? null : (parsed(sentence as string) ?? named(sentence as string));
  return facts === null ? null : withNames(facts);
}

/** Replaces names that are whole sentences, such as the exchange's code of a refusal, in nested places. */
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

/** Codes by sentences that are only a name: of kinds, feeds and the exchange's refusals. */
let codesByName: ReadonlyMap<string, SentenceCode> | null = null;

function named(text: string): SentenceFacts | null {
  codesByName ??= new Map(SENTENCE_CODES.map((code) => [ENGLISH_SENTENCES[code], code]));
  const code = codesByName.get(text);
  return code === undefined ? ofError(text) : { code, facts: {} };
}

/** Returns the parts of an error of the form `expected …, was …`; null for another text. */
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
