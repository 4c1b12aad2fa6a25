import { z } from 'zod';
import type { QuoteCurrency } from '../domain/market-symbol.ts';
import { formatUnits } from '../domain/money.ts';
import { readStored, storedCount, storedUnits } from '../domain/stored-json.ts';
import { AssetLedger } from '../portfolio/asset-ledger.ts';
import { earlierResults, earlierUnits, restoreEarlier } from '../portfolio/earlier-results.ts';
import { restoreLedger, storedLedger, storeLedger } from '../portfolio/stored-ledger.ts';
import type { StrategyRecord } from './mirror-change.ts';

/** What is kept of a strategy besides its state. */
export interface InstanceFigures {
  readonly ledger: AssetLedger;
  /** Requests that its orders have cost, fills that these have brought, and orders that were planned. */
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  /** Paid so far, by currency: purchases pay in the coin, sales in the quote currency. */
  readonly fees: ReadonlyMap<string, bigint>;
}

/** The JSON of a strategy's row. */
export const storedInstance = z
  .object({
    /** The strategy's own, which only the strategy can check. */
    state: z.custom<unknown>((value) => value !== undefined, 'expected the state of the strategy'),
    ledger: storedLedger.optional(),
    /** Of mirrors before there was a ledger. */
    results: earlierResults.optional(),
    requests: storedCount,
    fills: storedCount,
    orders: storedCount,
    fees: z.record(z.string(), z.union([storedUnits, earlierUnits])),
  })
  .refine(({ ledger, results }) => ledger !== undefined || results !== undefined, 'expected its ledger');

type StoredInstance = z.output<typeof storedInstance>;

type InstanceRow = Pick<StrategyRecord, 'name' | 'json' | 'atMs'>;

/** The JSON of a strategy's row: its state, which is JSON already, and its figures. */
export function writeInstance(stateJson: string, { ledger, requests, fills, orders, fees }: InstanceFigures): string {
  const paid = Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)]));
  const figures = JSON.stringify({ ledger: storeLedger(ledger), requests, fills, orders, fees: paid });
  return `{"state":${stateJson},${figures.slice(1)}`;
}

/**
 * The figures of a strategy's row, the ledger's being put into `ledger`, which is new. Rows of earlier mirrors are read too.
 * @throws SarrafError `DATA_UNUSABLE` where what is held can not be read.
 */
export function readInstance(
  record: InstanceRow,
  ledger: AssetLedger,
): InstanceFigures & Pick<StoredInstance, 'state'> {
  return figuresOf(readRow(record), { ledger, atMs: record.atMs });
}

/**
 * The ledger of a strategy's row, for a reader that has no strategy: in the currency in which the row keeps it.
 * @throws SarrafError `DATA_UNUSABLE` where what is held can not be read.
 */
export function readFigures(record: InstanceRow): InstanceFigures & Pick<StoredInstance, 'state'> {
  const row = readRow(record);
  const hasRial = row.results !== undefined && Object.keys(row.results.rls.markets).length > 0;
  const currency: QuoteCurrency = row.ledger?.currency ?? (hasRial ? 'rls' : 'usdt');
  const ledger = new AssetLedger({ currency, quotes: new Set([currency]), sees: () => true });
  return figuresOf(row, { ledger, atMs: record.atMs });
}

function readRow({ name, json }: InstanceRow): StoredInstance {
  return readStored(storedInstance, json, `the stored row of the strategy ${name}`);
}

function figuresOf(
  { state, ledger: stored, results, requests, fills, orders, fees }: StoredInstance,
  of: { readonly ledger: AssetLedger; readonly atMs: number },
): InstanceFigures & Pick<StoredInstance, 'state'> {
  const { ledger, atMs } = of;
  if (stored !== undefined) restoreLedger(ledger, stored);
  else if (results !== undefined) restoreEarlier(ledger, results, atMs);
  return { state, ledger, requests, fills, orders, fees: new Map(Object.entries(fees)) };
}
