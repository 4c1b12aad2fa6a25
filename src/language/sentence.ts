import { ENGLISH_SENTENCES, type SentenceCode } from './sentences/english-sentences.ts';
import { partsOf, type FactsOf, type SentencePart } from './sentences/sentence-places.ts';

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

/**
 * Says a sentence in English, as files, logs and the API have it. `readSentence` finds the code and the facts
 * in it again, so that other languages say the same.
 */
export function sentence<Code extends SentenceCode>(
  code: Code,
  ...[facts]: FactsOf<(typeof ENGLISH_SENTENCES)[Code]>
): string {
  const given: Readonly<Record<string, string | number>> = facts ?? {};
  let text = '';
  for (const part of englishParts(code)) text += typeof part === 'string' ? part : String(given[part.name]);
  return text;
}
