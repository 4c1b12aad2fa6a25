import { z } from 'zod';
import { factsOf, type Fact, type FactFigure } from '../language/fact.ts';
import { ENGLISH_FINDINGS } from './texts/english-study.ts';

/** A finding of a study, in no language. */
export type StudyFinding = Fact<keyof typeof ENGLISH_FINDINGS>;

/** Makes a finding. */
export const finding = factsOf<typeof ENGLISH_FINDINGS>();

/** Words that nobody translates, such as those of an error. */
export const said = (text: string): StudyFinding => finding('said', { text });

const isKey = (key: unknown): key is StudyFinding['fact'] =>
  typeof key === 'string' && Object.hasOwn(ENGLISH_FINDINGS, key);

/** True if a value among other data is a finding. */
export const isFinding = (value: unknown): value is StudyFinding =>
  typeof value === 'object' &&
  value !== null &&
  'fact' in value &&
  'figures' in value &&
  isKey(value.fact) &&
  Object.keys(value).length === 2;

const figure: z.ZodType<FactFigure> = z.lazy(() =>
  z.union([
    z.number(),
    z.string(),
    z.strictObject({ digits: z.string() }),
    z.strictObject({ value: z.number().nullable() }),
    z.strictObject({ share: z.number().nullable() }),
    z.strictObject({ atMs: z.number() }),
    z.strictObject({ lengthMs: z.number() }),
    z.strictObject({ metric: z.string() }),
    findingSchema,
    z.array(figure),
  ]),
);

/** A finding as a file has it. */
export const findingSchema: z.ZodType<StudyFinding> = z.strictObject({
  fact: z.custom<StudyFinding['fact']>(isKey),
  figures: z.record(z.string(), figure),
});

/** The same; files of before have words. */
export const storedFinding: z.ZodType<StudyFinding> = z.union([z.string().transform(said), findingSchema]);
