import type { DecimalText } from '../../domain/decimal-text.ts';
import type { Market } from '../../domain/market.ts';
import { formatUnits } from '../../domain/money.ts';
import { RowGrid } from '../../simulator/row-grid.ts';

/** A step as `digits` times 10^-decimals. */
interface Step {
  readonly digits: number;
  readonly decimals: number;
}

const POINT = 46;
const ZERO = 48;
const POWERS = Array.from({ length: 16 }, (_, power) => 10 ** power);

/** Texts beyond this length may be beyond what a float holds exactly. */
const LONGEST_EXACT = 16;

/**
 * Recorded prices and amounts as whole numbers of a market's steps. Those that are on the grid, which is all
 * of an exchange's own, take no bigint.
 */
export class StepReader {
  private readonly market: Market;
  private readonly grid = new RowGrid();
  private readonly priceStep: Step;
  private readonly amountStep: Step;

  constructor(market: Market) {
    this.market = market;
    this.priceStep = stepOf(formatUnits(market.priceStep));
    this.amountStep = stepOf(formatUnits(market.amountStep));
  }

  /** To the nearest step, at least one. Throws `TOO_LARGE`. */
  price(text: DecimalText): number {
    const steps = exactSteps(text, this.priceStep);
    return steps > 0 ? steps : this.grid.price(this.market, text);
  }

  /** Rounded down. Throws `TOO_LARGE`. */
  amount(text: DecimalText): number {
    const steps = exactSteps(text, this.amountStep);
    return steps >= 0 ? steps : this.grid.amount(this.market, text);
  }
}

function stepOf(text: DecimalText): Step {
  const point = text.indexOf('.');
  return { digits: Number(text.replace('.', '')), decimals: point === -1 ? 0 : text.length - point - 1 };
}

/**
 * Returns the number of steps in a text, or -1 if it is not a whole number or too large to compute without a
 * bigint.
 */
function exactSteps(text: string, step: Step): number {
  const { length } = text;
  if (length > LONGEST_EXACT) return -1;
  let value = 0;
  let point = length - 1;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === POINT) point = index;
    else value = value * 10 + code - ZERO;
  }
  const power = POWERS[step.decimals - (length - 1 - point)];
  if (power === undefined) return -1;
  const scaled = value * power;
  return Number.isSafeInteger(scaled) && scaled % step.digits === 0 ? scaled / step.digits : -1;
}
