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

/**
 * Kinds of movement of a balance; `position` moves none: coins that a person has moved in the books of
 * strategies.
 */
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
  /** Null for an order that is not ours. */
  readonly orderKey: string | null;
  readonly strategy: string | null;
  readonly price: Units;
  readonly atMs: number;
  /** @see TradeEffect.isSum */
  readonly isSum?: boolean;
}

/**
 * Coins that a person has moved in the books: from a strategy or (null) the account, to one or the account.
 */
export interface StatementMove {
  readonly atMs: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly asset: string;
  readonly amount: Units;
  readonly price: Units;
  readonly market: string;
}

/** A recorded price of the bridge, when it was and where it is from. */
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
  /** Below zero for what left. */
  readonly amount: Units;
  /** After it. */
  readonly balance: Units;
  /** The trade that it is of; null for any other movement. */
  readonly trade: StatementTrade | null;
  /** The line of the wallet's history that it is; null for a trade, a fee and what is unexplained. */
  readonly line: WalletTransaction | null;
  readonly unexplained: Unexplained | null;
  /** Of the kind `position`. */
  readonly move: StatementMove | null;
  /** Result realised by the disposal of a coin. */
  readonly realised: Realised | null;
  /** The rate by which a cost or its proceeds went over to the other quote currency. */
  readonly rate: RecordedRate | null;
}

/** A balance at both ends of a range, and what moved it between them, by kind. */
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
  /** Of the coin, what was spent while no rate was recorded: in neither of the others. */
  unrated: Units;
}

/** The totals of a range of time. Whatever is added, opening and movements are the closing balance. */
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

  /** By currency. Throws `INVARIANT` where a sum is not that of its movements. */
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

/** Balances that were recorded, and the movements that were in them. */
export interface RecordedBalances {
  /** Movements up to this time, by the clock of the exchange, are in them. */
  readonly throughMs: number;
  /** Time of the reading. */
  readonly seenAtMs: number;
  /** By currency. One that is left out was not compared then. */
  readonly totals: ReadonlyMap<string, Units>;
}

/** Change of a balance between two records that no movement explains. */
export interface Unexplained {
  readonly currency: string;
  readonly amount: Units;
  /** Its place among the movements: after all up to this time. */
  readonly throughMs: number;
  /** Times at which the record that shows it was read, and the one before. */
  readonly seenAtMs: number;
  readonly sinceMs: number;
}

/** The balances before the first movement, and what the records show beyond the movements. */
export interface StatementBalances {
  readonly opening: ReadonlyMap<string, Units>;
  readonly unexplained: readonly Unexplained[];
  /** Number of records of each currency: with one there is nothing to compare it with. */
  readonly records: ReadonlyMap<string, number>;
}

/**
 * Goes from one recorded balance to the next by the movements between them. The first record of a currency
 * gives its opening balance; each later one has to agree.
 */
export class BalanceSeries {
  private readonly records: readonly RecordedBalances[];
  /** Sum of the movements before each record, and after the one before it, by currency. */
  private readonly sums: readonly Map<string, Units>[];

  /** Records by rising time; the last one has every movement in it. */
  constructor(records: readonly RecordedBalances[]) {
    this.records = records;
    this.sums = records.map(() => new Map<string, Units>());
  }

  /** A movement; in any order. */
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

  /** `last`: what the last record comes to. A wallet that it does not list was never used. */
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
