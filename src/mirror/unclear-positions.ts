import type { AlgorithmRecord } from '../records/rows.ts';
import { algorithmFromJson } from '../engine/algorithm-json.ts';
import type { BracketAlgorithm } from '../engine/bracket.ts';

/** A position of a bracket of which a person has to say what became of it. */
export type UnclearPosition = Pick<AlgorithmRecord, 'strategy' | 'market'> &
  NonNullable<BracketAlgorithm['unclear']>;

export function unclearPositions(algorithms: readonly AlgorithmRecord[]): readonly UnclearPosition[] {
  return algorithms.flatMap(({ strategy, market, json }) => {
    const algorithm = algorithmFromJson(json);
    const unclear = algorithm.kind === 'bracket' ? algorithm.unclear : null;
    return unclear === null ? [] : [{ strategy, market, ...unclear }];
  });
}
