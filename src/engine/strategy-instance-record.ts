import { z } from 'zod';
import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import { readStored, storedCount, storedForm, storedUnits } from '../domain/stored-json.ts';
import { AssetLedger } from '../portfolio/asset-ledger.ts';
import { restoreLedger, storedLedger, storeLedger } from '../portfolio/profit.ts';
import type { StrategyRecord } from '../records/rows.ts';

/** Stored data of a strategy besides its own state. */
interface InstanceFigures {
  readonly ledger: AssetLedger;
  /** Counts: requests that its orders cost, fills of these orders, and orders planned. */
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  /** Fees paid so far, by currency. */
  readonly fees: ReadonlyMap<string, bigint>;
  /** Capital by quote currency; empty if the strategy uses the account's money. */
  readonly capital: ReadonlyMap<string, bigint>;
}

/** Returns the schema of the JSON in a strategy's row. */
export function storedInstance(marketNames: MarketNames) {
  return z.object({
    /** State of the strategy, which only the strategy itself can check; null before its first run. */
    state: z.custom<unknown>((value) => value !== undefined, 'expected the state of the strategy'),
    ledger: storedLedger(marketNames),
    requests: storedCount,
    fills: storedCount,
    orders: storedCount,
    fees: z.record(z.string(), storedUnits),
    /** Missing in rows of older versions. */
    capital: z.record(z.string(), storedUnits).default({}),
  });
}

type StoredInstance = z.output<ReturnType<typeof storedInstance>>;

type InstanceRow = Pick<StrategyRecord, 'name' | 'json'>;

/** Returns the JSON of a strategy's row. `stateJson` is its state, already as JSON. */
export function writeInstance(
  stateJson: string,
  { ledger, requests, fills, orders, fees, capital }: InstanceFigures,
): string {
  const stored = { ledger: storeLedger(ledger), requests, fills, orders, fees, capital };
  const figures = JSON.stringify(storedForm(stored));
  return `{"state":${stateJson},${figures.slice(1)}`;
}

/** Returns the row's JSON for a strategy that never ran: no state, no holdings, no results. */
export function writeUnstarted(marketNames: MarketNames, quote: Currency): string {
  const ledger = new AssetLedger({
    marketNames,
    currency: quote,
    quotes: new Set([quote]),
    sees: () => true,
  });
  return writeInstance('null', {
    ledger,
    requests: 0,
    fills: 0,
    orders: 0,
    fees: new Map(),
    capital: new Map(),
  });
}

/**
 * Reads the figures and the state of a strategy's row, and restores its ledger into `ledger`, which must be
 * new. @throws SarrafError `DATA_UNUSABLE` if the row can not be read.
 */
export function readInstance(
  record: InstanceRow,
  ledger: AssetLedger,
): InstanceFigures & Pick<StoredInstance, 'state'> {
  return figuresOf(readRow(record, ledger.marketNames), ledger);
}

/**
 * Reads a strategy's row for a reader without the strategy. The ledger is in the currency of the row. @throws
 * SarrafError `DATA_UNUSABLE` if the row can not be read.
 */
export function readFigures(
  record: InstanceRow,
  marketNames: MarketNames,
): InstanceFigures & Pick<StoredInstance, 'state'> {
  const row = readRow(record, marketNames);
  const { currency } = row.ledger;
  const quotes = new Set([currency]);
  return figuresOf(row, new AssetLedger({ marketNames, currency, quotes, sees: () => true }));
}

function readRow({ name, json }: InstanceRow, marketNames: MarketNames): StoredInstance {
  return readStored(storedInstance(marketNames), json, `the stored row of the strategy ${name}`);
}

function figuresOf(
  { state, ledger: stored, requests, fills, orders, fees, capital }: StoredInstance,
  ledger: AssetLedger,
): InstanceFigures & Pick<StoredInstance, 'state'> {
  restoreLedger(ledger, stored);
  const money = { fees: new Map(Object.entries(fees)), capital: new Map(Object.entries(capital)) };
  return { state, ledger, requests, fills, orders, ...money };
}
