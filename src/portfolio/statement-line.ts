import type { MarketName } from '../domain/market-symbol.ts';
import { type Units, addUnits, NO_UNITS, subtractUnits } from '../domain/money.ts';
import {
  type CostedTrade,
  type Realised,
  addParts,
  COST_METHODS,
  type CostMethod,
  type RealisedPart,
} from './profit-books.ts';
import type { WalletTransaction } from '../venues/port.ts';
import { invariant } from '../domain/errors.ts';

/** Kinds of movement of a balance. `position` moves none: a person moved coins in strategies' books. */
export const MOVEMENT_KINDS = [
  'trade',
  'fee',
  'deposit',
  'withdrawal',
  'transfer',
  'position',
  'unexplained',
] as const;

export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A trade of the account, ours or not. */
export interface StatementTrade extends CostedTrade {
  readonly market: MarketName;
  readonly tradeId: string;
  /** Key of the order; null if the order is not ours. */
  readonly orderKey: string | null;
  readonly strategy: string | null;
  readonly price: Units;
  readonly atMs: number;
  /** @see TradeEffect.isSum */
  readonly isSum?: boolean;
}

/** Coins that a person has moved in the books between strategies, or (null) the account. */
export interface StatementMove {
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly asset: string;
  readonly amount: Units;
  readonly price: Units;
  readonly market: string;
}

/** A recorded price of the bridge, with its time and source. */
export interface RecordedRate {
  readonly rate: Units;
  readonly atMs: number;
  readonly from: string;
}

/** One change of one balance. */
export interface StatementLine {
  readonly atMs: number;
  readonly kind: MovementKind;
  readonly currency: string;
  /** Amount of the change; below zero if it left. */
  readonly amount: Units;
  /** Balance after the change. */
  readonly balance: Units;
  /** The trade of the line; null for any other movement. */
  readonly trade: StatementTrade | null;
  /** The line of the wallet's history; null for a trade, a fee and an unexplained change. */
  readonly line: WalletTransaction | null;
  readonly unexplained: Unexplained | null;
  /** The move, for the kind `position`; else null. */
  readonly move: StatementMove | null;
  /** Result realised by the disposal of a coin. */
  readonly realised: Realised | null;
  /** The rate that converted a cost or its proceeds to the other quote currency; null if none did. */
  readonly rate: RecordedRate | null;
}

/** A balance at both ends of a time range, and its movements between them, by kind. */
export interface BalanceTotals {
  readonly currency: string;
  opening: Units;
  closing: Units;
  readonly movements: Record<MovementKind, Units>;
}

/** Result of the disposals of a coin, in one quote currency. */
export interface RealisedTotals {
  readonly coin: string;
  readonly in: string;
  amount: Units;
  proceeds: Units;
  readonly parts: Record<CostMethod, RealisedPart>;
  /** Amount of the coin that was spent while no rate was recorded; it is not in the other fields. */
  unrated: Units;
}

/** Totals of a time range. The opening balance plus the movements always equals the closing balance. */
export class StatementTotals {
  private readonly byCurrency = new Map<string, BalanceTotals>();
  private readonly byCoin = new Map<string, RealisedTotals>();
  lines = 0;

  /** Adds a balance as the range begins; call it before any movement of that currency is added. */
  open(currency: string, opening: Units): void {
    const zeros = Object.fromEntries(MOVEMENT_KINDS.map((kind) => [kind, NO_UNITS]));
    const movements = zeros as Record<MovementKind, Units>;
    this.byCurrency.set(currency, { currency, opening, closing: opening, movements });
  }

  has(currency: string): boolean {
    return this.byCurrency.has(currency);
  }

  add({ kind, currency, amount, balance, realised }: StatementLine): void {
    const totals = this.byCurrency.get(currency);
    invariant(totals !== undefined, `expected an opening balance of ${currency} before its movements`);
    totals.movements[kind] = addUnits(totals.movements[kind], amount);
    totals.closing = balance;
    this.lines += 1;
    if (realised !== null) this.addRealised(realised);
  }

  /** Returns the balances of each currency. Throws `INVARIANT` if a sum differs from its movements. */
  balances(): readonly BalanceTotals[] {
    const all = [...this.byCurrency.values()];
    for (const { currency, opening, closing, movements } of all) {
      let sum = opening;
      for (const kind of MOVEMENT_KINDS) sum = addUnits(sum, movements[kind]);
      invariant(
        sum === closing,
        `expected ${closing} units of ${currency} as the sum of its movements, was ${sum}`,
      );
    }
    return all.toSorted((left, right) => (left.currency < right.currency ? -1 : 1));
  }

  realised(): readonly RealisedTotals[] {
    return [...this.byCoin.values()].toSorted((left, right) =>
      `${left.in} ${left.coin}` < `${right.in} ${right.coin}` ? -1 : 1,
    );
  }

  private addRealised(realised: NonNullable<StatementLine['realised']>): void {
    const key = `${realised.coin} ${realised.in}`;
    let totals = this.byCoin.get(key);
    if (totals === undefined) {
      const parts = { average: NO_PART, fifo: NO_PART };
      const { coin, in: currency } = realised;
      totals = { coin, in: currency, amount: NO_UNITS, proceeds: NO_UNITS, parts, unrated: NO_UNITS };
      this.byCoin.set(key, totals);
    }
    if (realised.proceeds === null) {
      totals.unrated = addUnits(totals.unrated, realised.amount);
      return;
    }
    totals.amount = addUnits(totals.amount, realised.amount);
    totals.proceeds = addUnits(totals.proceeds, realised.proceeds);
    for (const method of COST_METHODS)
      totals.parts[method] = addParts(totals.parts[method], realised.parts[method]);
  }
}

const NO_PART: RealisedPart = { cost: NO_UNITS, profit: NO_UNITS, uncosted: NO_UNITS };

/** Balances that were recorded, and the time up to which they include movements. */
export interface RecordedBalances {
  /** Time, by the clock of the exchange, up to which movements are included. */
  readonly throughMs: number;
  /** Time of the reading. */
  readonly seenAtMs: number;
  /** Balances by currency. A currency that is left out was not compared then. */
  readonly totals: ReadonlyMap<string, Units>;
}

/** Change of a balance between two records that no movement explains. */
export interface Unexplained {
  readonly currency: string;
  readonly amount: Units;
  /** Position among the movements: after all up to this time. */
  readonly throughMs: number;
  /** Time of reading of the record that shows it, and of the record before. */
  readonly seenAtMs: number;
  readonly sinceMs: number;
}

/** The balances before the first movement, and changes in the records that no movement explains. */
export interface StatementBalances {
  readonly opening: ReadonlyMap<string, Units>;
  readonly unexplained: readonly Unexplained[];
  /** Number of records of each currency: a single one cannot be compared. */
  readonly records: ReadonlyMap<string, number>;
}

/**
 * Compares each recorded balance with the one before and the movements between them. The first record of a
 * currency gives its opening balance; each later one has to agree.
 */
export class BalanceSeries {
  private readonly records: readonly RecordedBalances[];
  /** Sum of the movements between each record and the one before, by currency. */
  private readonly sums: readonly Map<string, Units>[];

  /** Records by rising time; the last one includes every movement. */
  constructor(records: readonly RecordedBalances[]) {
    this.records = records;
    this.sums = records.map(() => new Map<string, Units>());
  }

  /** Adds a movement; the order does not matter. */
  add(currency: string, amount: Units, atMs: number): void {
    let [low, high] = [0, this.records.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.records[middle]?.throughMs ?? 0) >= atMs) high = middle;
      else low = middle + 1;
    }
    const sums = this.sums[low];
    sums?.set(currency, addUnits(sums.get(currency) ?? NO_UNITS, amount));
  }

  /** Returns the balances. `last`: the totals of the last record; a wallet missing there was never used. */
  settle(last: ReadonlyMap<string, Units>): StatementBalances {
    const currencies = new Set([...this.sums, last].flatMap((map) => [...map.keys()]));
    const end = this.records.length - 1;
    const opening = new Map<string, Units>();
    const counts = new Map<string, number>();
    const unexplained: Unexplained[] = [];
    for (const currency of currencies) {
      let balance = NO_UNITS;
      let before: RecordedBalances | null = null;
      let count = 0;
      for (const [place, record] of this.records.entries()) {
        balance = addUnits(balance, this.sums[place]?.get(currency) ?? NO_UNITS);
        const total = place === end ? (last.get(currency) ?? NO_UNITS) : record.totals.get(currency);
        if (total === undefined) continue;
        count += 1;
        const amount = subtractUnits(total, balance);
        balance = total;
        if (before === null) opening.set(currency, amount);
        else if (amount !== 0n) {
          const { throughMs, seenAtMs } = record;
          unexplained.push({ currency, amount, throughMs, seenAtMs, sinceMs: before.seenAtMs });
        }
        before = record;
      }
      counts.set(currency, count);
    }
    return { opening, unexplained, records: counts };
  }
}
