import { addUnits, NO_UNITS, subtractUnits, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';

/** Costed part of a disposal: the amount that had a recorded cost, and that cost. */
export interface Disposal {
  readonly costed: Units;
  readonly cost: Units;
}

/** Holding of one coin and its cost in one currency, in units of each. */
export interface CostBook {
  readonly held: Units;
  /** Of all that is held and has a recorded cost. */
  readonly cost: Units;
  /** Takes in an amount above zero; `cost` is null where none is recorded. */
  acquire(amount: Units, cost: Units | null): void;
  /** Gives an amount away. What is not held has no recorded cost. */
  dispose(amount: Units): Disposal;
}

/**
 * Every unit that is held costs the same. A disposal takes what has a recorded cost and what has none in the
 * proportion in which they are held, half-even; the last unit takes the rest, so nothing is lost.
 */
export class AverageCost implements CostBook {
  private costed = NO_UNITS;
  private uncosted = NO_UNITS;
  cost = NO_UNITS;

  get held(): Units {
    return addUnits(this.costed, this.uncosted);
  }

  acquire(amount: Units, cost: Units | null): void {
    if (cost === null) this.uncosted = addUnits(this.uncosted, amount);
    else {
      this.costed = addUnits(this.costed, amount);
      this.cost = addUnits(this.cost, cost);
    }
  }

  dispose(amount: Units): Disposal {
    const { costed: before, held, cost } = this;
    const costed = amount >= held ? before : share(before, amount, held);
    const gone = costed === before ? cost : share(cost, costed, before);
    const uncosted = amount >= held ? this.uncosted : subtractUnits(amount, costed);
    this.costed = subtractUnits(before, costed);
    this.uncosted = subtractUnits(this.uncosted, uncosted);
    this.cost = subtractUnits(cost, gone);
    return { costed, cost: gone };
  }
}

interface Lot {
  amount: Units;
  cost: Units | null;
}

/** First in, first out. A lot that is sold in parts shares its cost by amount, half-even. */
export class FifoLots implements CostBook {
  /** As many as there are purchases of what is still held. */
  private lots: Lot[] = [];
  private first = 0;
  held = NO_UNITS;
  cost = NO_UNITS;

  acquire(amount: Units, cost: Units | null): void {
    this.lots.push({ amount, cost });
    this.held = addUnits(this.held, amount);
    this.cost = addUnits(this.cost, cost ?? NO_UNITS);
  }

  dispose(amount: Units): Disposal {
    let left = amount;
    let [costed, cost] = [NO_UNITS, NO_UNITS];
    while (left > 0n) {
      const lot = this.lots[this.first];
      if (lot === undefined) break;
      const taken = left < lot.amount ? left : lot.amount;
      if (lot.cost !== null) {
        const gone = share(lot.cost, taken, lot.amount);
        lot.cost = subtractUnits(lot.cost, gone);
        [costed, cost] = [addUnits(costed, taken), addUnits(cost, gone)];
      }
      lot.amount = subtractUnits(lot.amount, taken);
      left = subtractUnits(left, taken);
      if (lot.amount === 0n) this.first += 1;
    }
    this.forgetSold();
    this.held = subtractUnits(this.held, subtractUnits(amount, left));
    this.cost = subtractUnits(this.cost, cost);
    return { costed, cost };
  }

  private forgetSold(): void {
    if (this.first < 1_000 || this.first * 2 < this.lots.length) return;
    this.lots = this.lots.slice(this.first);
    this.first = 0;
  }
}

function share(of: Units, part: bigint, whole: bigint): Units {
  return (part === whole ? of : divideHalfEven(of * part, whole)) as Units;
}
