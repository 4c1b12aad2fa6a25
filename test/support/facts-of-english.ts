import Database from 'better-sqlite3';
import { sentenceFacts, type Sentence, type SentenceFacts } from '../../src/language/sentence.ts';
import { applySteps } from '../../src/mirror/schema.ts';

const database = new Database(':memory:');
applySteps(database, []);
const reading = database.prepare<[string], string>('SELECT read_english(?)').pluck();

/** The code and figures of an English text of the bot; the text itself if it is not one of the bot's. */
export const readEnglish = (text: string): Sentence => reading.get(text) ?? text;

/** Code and figures of an English text of the bot; null for a text that somebody else wrote. */
export const factsOfEnglish = (text: string | null): SentenceFacts | null =>
  text === null ? null : sentenceFacts(readEnglish(text));

/** A reason in the form of the control API, with its facts. */
export const reasonOf = (reason: string | null) => ({ reason, reasonFacts: factsOfEnglish(reason) });
