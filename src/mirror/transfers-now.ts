import { formatUnits } from '../domain/money.ts';
import { otherSide, type WalletSide } from '../records/margin.ts';
import { readRecord } from '../engine/stored-records.ts';
import type { StoredRow } from './mirror-reader.ts';
import type { AlgorithmRecord } from '../records/rows.ts';
import { algorithmFromJson } from '../engine/algorithm-json.ts';
import type { BracketAlgorithm } from '../engine/bracket.ts';

/** A transfer between the spot and the margin wallet that has not come to its end. */
export interface TransferAtWork {
  readonly strategy: string;
  /** Lower case. */
  readonly currency: string;
  /** A decimal. */
  readonly amount: string;
  readonly from: WalletSide;
  readonly to: WalletSide;
  /** `sending`: its answer may come any moment; `unknown`: nobody knows whether it arrived. */
  readonly state: 'sending' | 'unknown';
  readonly sinceMs: number;
}

/**
 * Those that a mirror has. `isRunning`: whether a bot has it open; null where that is not known. What was on
 * its way when the last bot ended is unknown, as the next one will say.
 */
export function transfersNow(
  stored: readonly StoredRow[],
  isRunning: boolean | null,
): readonly TransferAtWork[] {
  return (readRecord(stored, 'transfers') ?? []).map(
    ({ strategy, currency, amount, from, state, sinceMs }) => ({
      strategy,
      currency,
      amount: formatUnits(amount),
      from,
      to: otherSide(from),
      state: isRunning === false ? 'unknown' : state,
      sinceMs,
    }),
  );
}

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
