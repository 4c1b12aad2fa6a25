import { API_SENTENCES, BOT_SENTENCES } from './bot-sentences.ts';
import { CONTROL_SENTENCES, LOCK_SENTENCES } from './control-sentences.ts';
import { FEED_SENTENCES } from '../feed-sentences.ts';
import { INTENT_SENTENCES } from './intent-sentences.ts';
import { KIND_SENTENCES, WORD_SENTENCES } from './kind-sentences.ts';
import { ORDER_SENTENCES, REFUSAL_SENTENCES } from './order-sentences.ts';
import { CHECK_SENTENCES, RISK_SENTENCES } from './risk-sentences.ts';
import { RULE_SENTENCES } from '../rule-sentences.ts';
import { STRATEGY_SENTENCES, TRADING_SENTENCES } from './trading-sentences.ts';

/**
 * Every sentence of the bot that people read as a reason or a result, in English, by its code. Persian must
 * have the same codes to compile. Mirrors of older versions contain English texts: if you change a sentence,
 * put its old text into the mirror's schema.
 */
export const ENGLISH_SENTENCES = {
  ...WORD_SENTENCES,
  ...KIND_SENTENCES,
  ...CHECK_SENTENCES,
  ...TRADING_SENTENCES,
  ...ORDER_SENTENCES,
  ...REFUSAL_SENTENCES,
  ...RISK_SENTENCES,
  ...INTENT_SENTENCES,
  ...LOCK_SENTENCES,
  ...CONTROL_SENTENCES,
  ...STRATEGY_SENTENCES,
  ...BOT_SENTENCES,
  ...API_SENTENCES,
  ...FEED_SENTENCES,
  ...RULE_SENTENCES,
} as const;

export type SentenceCode = keyof typeof ENGLISH_SENTENCES;

export const SENTENCE_CODES = Object.keys(ENGLISH_SENTENCES) as readonly SentenceCode[];
