import { z } from 'zod';
import { readStored, storedCount, storedProblem } from '../domain/stored-json.ts';
import { storedNames } from './order-names.ts';
import { KEPT_ABSENT_FILLS, storedAbsentFills } from './fills/absent-fills.ts';
import { KEPT_BY_HAND, storedByHand } from './by-hand/by-hand-record.ts';
import { KEPT_BALANCE_MARKS, storedBalanceMarks } from './comparisons.ts';
import { KEPT_CANCELS, storedCancels } from './orders/cancel-manager.ts';
import { KEPT_CONTROL, storedControl } from './control.ts';
import {
  KEPT_CREDENTIAL,
  storedCredential,
  KEPT_SLOW_MACHINE,
  storedSlowMachine,
} from './request-watches.ts';
import { storedLocks } from './lock-state.ts';
import { KEPT_LOCKS } from './locks/lock-manager.ts';
import { KEPT_MISSING_COINS, storedMissingCoins } from './feeds/account-state.ts';
import { KEPT_LOSS_LIMITS, storedLossLimits } from './risk/pnl-checks.ts';
import { KEPT_PLOTS, storedPlots } from './live-plots.ts';
import { KEPT_ROW } from './feeds/row-counter.ts';
import { KEPT_READ_TIMES, storedReadTimes } from './feeds/feed-asker.ts';
import { KEPT_CURSOR } from './taken-trades.ts';
import { KEPT_FINDINGS, storedFindings } from './flaw-log.ts';
import { KEPT_NAMES } from './order-takeover.ts';
import { KEPT_RECONCILIATION, storedReconciliation } from './stored-reconciliation.ts';
import { KEPT_STANDSTILLS, storedStandstills } from './standstill-watch.ts';
import { KEPT_TRANSFERS, storedTransfers } from './transfer-record.ts';
import { KEPT_UNIVERSES, storedUniverses } from './universe/stored-universes.ts';

/** Everything that the engine keeps under a name, each as it was declared where it is kept. */
const KEPT_RECORDS = {
  [KEPT_ROW]: storedCount,
  [KEPT_CURSOR]: storedCount,
  [KEPT_NAMES]: storedNames,
  [KEPT_CONTROL]: storedControl,
  [KEPT_LOCKS]: storedLocks,
  [KEPT_LOSS_LIMITS]: storedLossLimits,
  [KEPT_CANCELS]: storedCancels,
  [KEPT_BY_HAND]: storedByHand,
  [KEPT_FINDINGS]: storedFindings,
  [KEPT_CREDENTIAL]: storedCredential,
  [KEPT_SLOW_MACHINE]: storedSlowMachine,
  [KEPT_STANDSTILLS]: storedStandstills,
  [KEPT_READ_TIMES]: storedReadTimes,
  [KEPT_ABSENT_FILLS]: storedAbsentFills,
  [KEPT_BALANCE_MARKS]: storedBalanceMarks,
  [KEPT_RECONCILIATION]: storedReconciliation,
  [KEPT_TRANSFERS]: storedTransfers,
  [KEPT_UNIVERSES]: storedUniverses,
  [KEPT_PLOTS]: storedPlots,
  [KEPT_MISSING_COINS]: storedMissingCoins,
} as const;

type Kept = { readonly [Name in keyof typeof KEPT_RECORDS]: z.output<(typeof KEPT_RECORDS)[Name]> };

const BY_NAME: { readonly [Name in keyof Kept]: z.ZodType<Kept[Name]> } = KEPT_RECORDS;

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(KEPT_RECORDS));

/**
 * Returns why a text is not what this version stores under a name; null if it is valid, and for unknown
 * names.
 */
export function keptProblem(name: string, json: string): string | null {
  return storedProblem(SCHEMAS.get(name) ?? z.unknown(), json);
}

/** Returns the value stored under a name; null if there is none. Throws `DATA_UNUSABLE` if it is damaged. */
export function readKept<Name extends keyof Kept>(
  kept: readonly { readonly name: string; readonly json: string }[],
  name: Name,
): Kept[Name] | null {
  const json = kept.find((row) => row.name === name)?.json;
  return json === undefined ? null : readStored(BY_NAME[name], json, `what is kept of ${name}`);
}
