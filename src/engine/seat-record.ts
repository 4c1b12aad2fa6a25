import type { QuoteCurrency } from '../domain/market-symbol.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { AssetLedger } from '../portfolio/asset-ledger.ts';
import { restoreEarlier, type EarlierResults } from '../portfolio/earlier-results.ts';
import { restoreLedger, storeLedger, type StoredLedger } from '../portfolio/stored-ledger.ts';
import type { StrategyRecord } from './mirror-change.ts';

/** What is kept of a strategy besides its state. */
export interface SeatFigures {
  readonly ledger: AssetLedger;
  /** Requests that its orders have cost, fills that these have brought, and orders that were planned. */
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  /** Paid so far, by currency: purchases pay in the coin, sales in the quote currency. */
  readonly fees: ReadonlyMap<string, bigint>;
}

interface StoredSeat {
  readonly ledger?: StoredLedger;
  /** Of mirrors before there was a ledger: bigints as texts such as `120n`. */
  readonly results?: EarlierResults;
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  readonly fees: Readonly<Record<string, string | bigint>>;
}

/** The JSON of a strategy's row: its state, which is JSON already, and its figures. */
export function writeSeat(stateJson: string, { ledger, requests, fills, orders, fees }: SeatFigures): string {
  const paid = Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)]));
  const figures = JSON.stringify({ ledger: storeLedger(ledger), requests, fills, orders, fees: paid });
  return `{"state":${stateJson},${figures.slice(1)}`;
}

/**
 * The figures of a strategy's row, the ledger's being put into `ledger`, which is new. Rows of earlier mirrors are read too.
 * @throws SarrafError `DATA_UNUSABLE` where what is held can not be read.
 */
export function readSeat({ json, atMs }: Pick<StrategyRecord, 'json' | 'atMs'>, ledger: AssetLedger): SeatFigures {
  const { ledger: stored, results, requests, fills, orders, fees } = JSON.parse(json, bigintsOf) as StoredSeat;
  if (stored !== undefined) restoreLedger(ledger, stored);
  else if (results !== undefined) restoreEarlier(ledger, results, atMs);
  const paid = Object.entries(fees).map(([currency, fee]) => [currency, unitsOfFee(fee)] as const);
  return { ledger, requests, fills, orders, fees: new Map(paid) };
}

/**
 * The ledger of a strategy's row, for a reader that has no strategy: in the currency in which the row keeps it.
 * @throws SarrafError `DATA_UNUSABLE` where what is held can not be read.
 */
export function readFigures(record: Pick<StrategyRecord, 'json' | 'atMs'>): SeatFigures {
  const { ledger, results } = JSON.parse(record.json, bigintsOf) as StoredSeat;
  const hasRial = results !== undefined && Object.keys(results.rls.markets).length > 0;
  const currency: QuoteCurrency = ledger?.currency ?? (hasRial ? 'rls' : 'usdt');
  return readSeat(record, new AssetLedger({ currency, quotes: new Set([currency]), sees: () => true }));
}

function bigintsOf(_: string, value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
}

function unitsOfFee(fee: string | bigint): Units {
  return typeof fee === 'bigint' ? (fee as Units) : parseUnits(fee);
}
