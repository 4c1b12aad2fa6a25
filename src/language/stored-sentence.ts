import { z } from 'zod';
import type { Sentence } from './sentence.ts';

/** Schema of a sentence in stored data. */
export const storedSentence: z.ZodType<Sentence, Sentence> = z.string();
