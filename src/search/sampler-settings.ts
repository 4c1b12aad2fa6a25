import { SarrafError } from '../domain/errors.ts';

/** The ways of sampling. */
export const SAMPLER_KINDS = ['grid', 'random', 'sobol', 'tpe', 'nsga2', 'cmaes'] as const;

export type SamplerKind = (typeof SAMPLER_KINDS)[number];

/** Direction of an objective. */
export type Direction = 'minimize' | 'maximize';

/** Sampler settings of a study. With the same settings and outcomes the trials are the same. */
export interface SamplerSettings {
  readonly kind: SamplerKind;
  /** A whole number from 0 to 2^53 less one. */
  readonly seed: number;
  /**
   * Trials that are proposed before any of them is learned from, 1 to 1,000. As many as there are workers,
   * or a multiple, keeps them busy; a smaller one learns sooner. It is part of the study: workers are not.
   */
  readonly generation: number;
  /** One direction an objective. */
  readonly objectives: readonly Direction[];
}

const LARGEST_GENERATION = 1_000;
const MOST_OBJECTIVES = 8;

/** Samplers that compare single numbers. */
const ONE_OBJECTIVE: ReadonlySet<SamplerKind> = new Set(['tpe', 'cmaes']);

/**
 * Refuses settings with which no sampler could work.
 * @throws SarrafError `INVALID_OPTIONS`
 */
export function checkSettings({ kind, seed, generation, objectives }: SamplerSettings): void {
  if (!SAMPLER_KINDS.includes(kind)) refuse(`a sampler among ${SAMPLER_KINDS.join(', ')}`, kind);
  if (!Number.isSafeInteger(seed) || seed < 0) refuse('a seed that is a whole number from 0', seed);
  if (!Number.isInteger(generation) || generation < 1 || generation > LARGEST_GENERATION)
    refuse(`a generation of 1 to ${LARGEST_GENERATION} trials`, generation);
  if (objectives.length < 1 || objectives.length > MOST_OBJECTIVES)
    refuse(`1 to ${MOST_OBJECTIVES} objectives`, objectives.length);
  if (objectives.length > 1 && ONE_OBJECTIVE.has(kind))
    refuse(`one objective for ${kind} (nsga2 takes several)`, objectives.length);
}

function refuse(expected: string, found: unknown): never {
  throw new SarrafError('INVALID_OPTIONS', `expected ${expected}, found ${String(found)}`);
}
