import { addUnits, NO_UNITS, type Units } from '../domain/money.ts';
import { invariant } from '../domain/invariant.ts';
import { addParts, COST_METHODS, type CostMethod, type RealisedPart } from './profit-books.ts';
import { MOVEMENT_KINDS, type MovementKind, type StatementLine } from './statement-line.ts';

/** A balance at both ends of a stretch, and what moved it between them, by kind. */
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

/** The totals of a stretch of time. Whatever is added, opening and movements are the closing balance. */
export class StatementTotals {
  private readonly byCurrency = new Map<string, BalanceTotals>();
  private readonly byCoin = new Map<string, RealisedTotals>();
  lines = 0;

  /** A balance as the stretch begins; to be told before any movement of it. */
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
