import { factsOf, type Fact } from '../language/fact.ts';
import type { ENGLISH_FIDELITY } from './report/texts/english-fidelity.ts';

/** A rule of filling, what it was set to, or what it can not know, in no language. */
export type FidelityFact = Fact<keyof typeof ENGLISH_FIDELITY>;

/** Makes one. */
export const fidelityFact = factsOf<typeof ENGLISH_FIDELITY>();
