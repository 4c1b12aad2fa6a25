import { UNITS_PER_ONE, unitsOf } from '../../domain/money.ts';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { paddedText, sentUnits } from './decimals.ts';
import { PRECISION, type SpotMarketRulesInput } from './settings.ts';

/** Rules of a market in exact numbers: prices in ticks, amounts in steps, values in units of 1e-10. */
export class SpotRules {
  readonly settings: SpotMarketRulesInput;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tick: bigint;
  readonly step: bigint;
  /** Value of one step at one tick, in units of the quote asset. */
  private readonly cell: bigint;

  constructor(settings: SpotMarketRulesInput) {
    this.settings = settings;
    this.symbol = settings.symbol;
    this.base = settings.base;
    this.quote = settings.quote;
    this.tick = unitsOf(settings.tickSize);
    this.step = unitsOf(settings.stepSize);
    this.cell = (this.tick * this.step) / UNITS_PER_ONE;
  }

  /** Value of an amount at a price, in units of the quote asset. It is exact. */
  value(ticks: number, steps: number): bigint {
    return BigInt(ticks) * BigInt(steps) * this.cell;
  }

  amount(steps: number): bigint {
    return BigInt(steps) * this.step;
  }

  price(ticks: number): bigint {
    return BigInt(ticks) * this.tick;
  }

  ticksOf(units: bigint): number {
    return Number(units / this.tick);
  }

  stepsOf(units: bigint): number {
    return Number(units / this.step);
  }

  /** Most steps that a value pays at a price. */
  stepsFor(value: bigint, ticks: number): number {
    return Number(value / (BigInt(ticks) * this.cell));
  }

  /** Units of a price or an amount that was sent. */
  sent(text: string | undefined, name: string): bigint {
    return text === undefined ? 0n : sentUnits(text, PRECISION, name);
  }

  priceText(ticks: number): string {
    return paddedText(this.price(ticks), PRECISION);
  }

  amountText(steps: number): string {
    return paddedText(this.amount(steps), PRECISION);
  }
}

/** Writes money with the decimals of replies. */
export const moneyOf = (units: bigint): string => paddedText(units, PRECISION);

const padded = (text: DecimalText): string => moneyOf(unitsOf(text));

/** Filters of a market as `exchangeInfo` shows them. */
export function shownFilters({ settings }: SpotRules): readonly Readonly<Record<string, unknown>>[] {
  const { avgPriceMins } = settings;
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: padded(settings.minPrice),
      maxPrice: padded(settings.maxPrice),
      tickSize: padded(settings.tickSize),
    },
    {
      filterType: 'LOT_SIZE',
      minQty: padded(settings.minQty),
      maxQty: padded(settings.maxQty),
      stepSize: padded(settings.stepSize),
    },
    { filterType: 'ICEBERG_PARTS', limit: settings.icebergParts },
    {
      filterType: 'MARKET_LOT_SIZE',
      minQty: padded(settings.marketMinQty),
      maxQty: padded(settings.marketMaxQty),
      stepSize: padded(settings.marketStepSize),
    },
    {
      filterType: 'TRAILING_DELTA',
      minTrailingAboveDelta: settings.minTrailingDelta,
      maxTrailingAboveDelta: settings.maxTrailingDelta,
      minTrailingBelowDelta: settings.minTrailingDelta,
      maxTrailingBelowDelta: settings.maxTrailingDelta,
    },
    {
      filterType: 'PERCENT_PRICE_BY_SIDE',
      bidMultiplierUp: settings.bidMultiplierUp,
      bidMultiplierDown: settings.bidMultiplierDown,
      askMultiplierUp: settings.askMultiplierUp,
      askMultiplierDown: settings.askMultiplierDown,
      avgPriceMins,
    },
    {
      filterType: 'NOTIONAL',
      minNotional: padded(settings.minNotional),
      applyMinToMarket: settings.applyMinToMarket,
      maxNotional: padded(settings.maxNotional),
      applyMaxToMarket: settings.applyMaxToMarket,
      avgPriceMins,
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: settings.maxNumOrders },
    { filterType: 'MAX_NUM_ALGO_ORDERS', maxNumAlgoOrders: settings.maxNumAlgoOrders },
    { filterType: 'MAX_NUM_ICEBERG_ORDERS', maxNumIcebergOrders: settings.maxNumIcebergOrders },
    { filterType: 'MAX_NUM_ORDER_LISTS', maxNumOrderLists: settings.maxNumOrderLists },
    { filterType: 'MAX_NUM_ORDER_AMENDS', maxNumOrderAmends: settings.maxNumOrderAmends },
    ...(settings.maxPosition === '0'
      ? []
      : [{ filterType: 'MAX_POSITION', maxPosition: padded(settings.maxPosition) }]),
  ];
}

/** Ratio of two units, as units. */
export const ratioOf = (dividend: bigint, divisor: bigint): bigint =>
  divisor === 0n ? 0n : (dividend * UNITS_PER_ONE) / divisor;
