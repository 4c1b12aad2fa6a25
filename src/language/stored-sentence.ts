import { z } from 'zod';
import type { Sentence } from './sentence.ts';

/** A sentence in what is stored. */
export const storedSentence: z.ZodType<Sentence, Sentence> = z.string();
