import Database from 'better-sqlite3';
import { sentenceFacts, type Sentence, type SentenceFacts } from '../../src/language/sentence.ts';
import { applySteps } from '../../src/mirror/schema.ts';

const database = new Database(':memory:');
applySteps(database, []);
const reading = database.prepare<[string], string>('SELECT read_english(?)').pluck();

/** A sentence of the bot of its English text, as the migration of mirrors reads it. */
export const readEnglish = (text: string): Sentence => reading.get(text) ?? text;

/** Code and figures of what the bot says in English; null for words of somebody else. */
export const factsOfEnglish = (text: string | null): SentenceFacts | null =>
  text === null ? null : sentenceFacts(readEnglish(text));

/** A reason as the control API has it. */
export const reasonOf = (reason: string | null) => ({ reason, reasonFacts: factsOfEnglish(reason) });
