import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';

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
export interface Course {
  readonly opening: ReadonlyMap<string, Units>;
  readonly unexplained: readonly Unexplained[];
  /** Number of records of each currency: with one there is nothing to compare it with. */
  readonly records: ReadonlyMap<string, number>;
}

/**
 * Goes from one recorded balance to the next by the movements between them. The first record of a currency
 * gives its opening balance; each later one has to agree.
 */
export class BalanceCourse {
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
  settle(last: ReadonlyMap<string, Units>): Course {
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
