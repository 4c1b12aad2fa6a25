import { z } from 'zod';
import { readStored, storedCount, storedProblem } from '../domain/stored-json.ts';
import { storedNames } from './order-names.ts';
import { STORED_ABSENT_FILLS, storedAbsentFills } from './fills/absent-fills.ts';
import { STORED_BY_HAND, storedByHand } from './by-hand/by-hand-record.ts';
import { STORED_BALANCE_MARKS, storedBalanceMarks } from './comparisons.ts';
import { STORED_CANCELS, storedCancels } from './orders/cancel-manager.ts';
import { STORED_CONTROL, storedControl } from './control.ts';
import {
  STORED_CREDENTIAL,
  storedCredential,
  STORED_SLOW_MACHINE,
  storedSlowMachine,
} from './request-watches.ts';
import { storedLocks } from './lock-state.ts';
import { STORED_LOCKS } from './locks/lock-manager.ts';
import { STORED_MISSING_COINS, storedMissingCoins } from './feeds/account-state.ts';
import { STORED_LOSS_LIMITS, storedLossLimits } from './risk/pnl-checks.ts';
import { STORED_PLOTS, storedPlots } from './live-plots.ts';
import { STORED_ROW } from './feeds/row-counter.ts';
import { STORED_READ_TIMES, storedReadTimes } from './feeds/feed-asker.ts';
import { STORED_CURSOR } from './applied-trades.ts';
import { STORED_FINDINGS, storedFindings } from './issue-log.ts';
import { STORED_NAMES } from './order-takeover.ts';
import { STORED_RECONCILIATION, storedReconciliation } from './stored-reconciliation.ts';
import { STORED_STANDSTILLS, storedStandstills } from './standstill-watch.ts';
import { STORED_TRANSFERS, storedTransfers } from './transfer-record.ts';
import { STORED_UNIVERSES, storedUniverses } from './universe/stored-universes.ts';

/** Schemas of all that the engine stores under a name, each declared where it is used. */
const STORED_RECORDS = {
  [STORED_ROW]: storedCount,
  [STORED_CURSOR]: storedCount,
  [STORED_NAMES]: storedNames,
  [STORED_CONTROL]: storedControl,
  [STORED_LOCKS]: storedLocks,
  [STORED_LOSS_LIMITS]: storedLossLimits,
  [STORED_CANCELS]: storedCancels,
  [STORED_BY_HAND]: storedByHand,
  [STORED_FINDINGS]: storedFindings,
  [STORED_CREDENTIAL]: storedCredential,
  [STORED_SLOW_MACHINE]: storedSlowMachine,
  [STORED_STANDSTILLS]: storedStandstills,
  [STORED_READ_TIMES]: storedReadTimes,
  [STORED_ABSENT_FILLS]: storedAbsentFills,
  [STORED_BALANCE_MARKS]: storedBalanceMarks,
  [STORED_RECONCILIATION]: storedReconciliation,
  [STORED_TRANSFERS]: storedTransfers,
  [STORED_UNIVERSES]: storedUniverses,
  [STORED_PLOTS]: storedPlots,
  [STORED_MISSING_COINS]: storedMissingCoins,
} as const;

type StoredValues = {
  readonly [Name in keyof typeof STORED_RECORDS]: z.output<(typeof STORED_RECORDS)[Name]>;
};

const BY_NAME: { readonly [Name in keyof StoredValues]: z.ZodType<StoredValues[Name]> } = STORED_RECORDS;

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(STORED_RECORDS));

/** Returns why a text is not valid under its name in this version; null if it is, or the name is unknown. */
export function recordProblem(name: string, json: string): string | null {
  return storedProblem(SCHEMAS.get(name) ?? z.unknown(), json);
}

/** Returns the value stored under a name; null if there is none. Throws `DATA_UNUSABLE` if it is damaged. */
export function readRecord<Name extends keyof StoredValues>(
  stored: readonly { readonly name: string; readonly json: string }[],
  name: Name,
): StoredValues[Name] | null {
  const json = stored.find((row) => row.name === name)?.json;
  return json === undefined ? null : readStored(BY_NAME[name], json, `what is kept of ${name}`);
}
