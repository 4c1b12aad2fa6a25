import { z } from 'zod';
import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import { readStored, storedCount, storedUnits } from '../domain/stored-json.ts';
import { AssetLedger } from '../portfolio/asset-ledger.ts';
import { restoreLedger, storedForm, storedLedger, storeLedger } from '../portfolio/profit.ts';
import type { StrategyRecord } from '../records/rows.ts';

/** Stored data of a strategy besides its state. */
interface InstanceFigures {
  readonly ledger: AssetLedger;
  /** Requests that its orders have cost, fills that these have brought, and orders that were planned. */
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  /** Paid so far, by currency: purchases pay in the coin, sales in the quote currency. */
  readonly fees: ReadonlyMap<string, bigint>;
  /** By quote currency; empty where it shares the account's money. */
  readonly capital: ReadonlyMap<string, bigint>;
}

/** The JSON of a strategy's row. */
export function storedInstance(marketNames: MarketNames) {
  return z.object({
    /** The strategy's own, which only the strategy can check; null before it has ever run. */
    state: z.custom<unknown>((value) => value !== undefined, 'expected the state of the strategy'),
    ledger: storedLedger(marketNames),
    requests: storedCount,
    fills: storedCount,
    orders: storedCount,
    fees: z.record(z.string(), storedUnits),
    /** An older bot did not write it. */
    capital: z.record(z.string(), storedUnits).default({}),
  });
}

type StoredInstance = z.output<ReturnType<typeof storedInstance>>;

type InstanceRow = Pick<StrategyRecord, 'name' | 'json'>;

/** The JSON of a strategy's row: its state, which is JSON already, and its figures. */
export function writeInstance(
  stateJson: string,
  { ledger, requests, fills, orders, fees, capital }: InstanceFigures,
): string {
  const money = storedForm({ fees, capital }) as object;
  const figures = JSON.stringify({ ledger: storeLedger(ledger), requests, fills, orders, ...money });
  return `{"state":${stateJson},${figures.slice(1)}`;
}

/** The JSON of the row of a strategy that never ran: without a state, and with nothing held or made. */
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
 * The figures of a strategy's row, the ledger's being put into `ledger`, which is new.
 * @throws SarrafError `DATA_UNUSABLE` where what is held can not be read.
 */
export function readInstance(
  record: InstanceRow,
  ledger: AssetLedger,
): InstanceFigures & Pick<StoredInstance, 'state'> {
  return figuresOf(readRow(record, ledger.marketNames), ledger);
}

/**
 * The ledger of a strategy's row, for a reader that has no strategy: in the currency in which the row keeps
 * it.
 * @throws SarrafError `DATA_UNUSABLE` where what is held can not be read.
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
