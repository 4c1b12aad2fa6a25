import { lifeSignOf, monotonicMs, ownerText, thisOwner, type LifeSign } from './process-owner.ts';

/** Machine as the ledger's file knows it; tests pass another one. */
export interface Machine {
  readonly bootId: string;
  /** This process, as it stands in the rows. */
  readonly owner: string;
  lifeSignOf(owner: string): LifeSign;
  monotonicMs(): number;
  wallMs(): number;
}

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  const owner = thisOwner();
  return {
    bootId: owner.bootId,
    owner: ownerText(owner),
    lifeSignOf: (text) => lifeSignOf(text, owner),
    monotonicMs,
    wallMs: () => Date.now(),
  };
}
