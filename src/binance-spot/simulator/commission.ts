import { divideHalfEven, UNIT_DECIMALS, UNITS_PER_ONE, unitsOf } from '../../domain/money.ts';
import { divideHalfUp, powerOfTen } from './decimals.ts';
import type { SpotAccount, SpotMarket } from './state.ts';
import { PRECISION, type SpotSettings } from './settings.ts';

/** One side of a trade. */
interface TradeSide {
  readonly market: SpotMarket;
  readonly isBuyer: boolean;
  readonly isMaker: boolean;
  /** Amount of the base asset and its value in the quote asset, in units. */
  readonly amount: bigint;
  readonly value: bigint;
}

/** Commission of a fill. */
interface Commission {
  readonly asset: string;
  readonly units: bigint;
}

type Rates = SpotAccount['settings']['standardCommission'];

const rateOf = (rates: Rates, { isMaker, isBuyer }: TradeSide): bigint =>
  unitsOf(isMaker ? rates.maker : rates.taker) + unitsOf(isBuyer ? rates.buyer : rates.seller);

/** Size of the last decimal of commissions, in units. */
const GRAIN = powerOfTen(UNIT_DECIMALS - PRECISION);

/** Computes commissions: rates, the discount, and how they are rounded. */
export class Commissions {
  private readonly choices: SpotSettings['choices'];
  private readonly markets: ReadonlyMap<string, SpotMarket>;

  constructor(choices: SpotSettings['choices'], markets: ReadonlyMap<string, SpotMarket>) {
    this.choices = choices;
    this.markets = markets;
  }

  /** Returns the commission of a fill: in the discount asset if there is enough of it, or as received. */
  of(account: SpotAccount, side: TradeSide): Commission {
    const { settings } = account;
    const standard = rateOf(settings.standardCommission, side);
    const others = rateOf(settings.specialCommission, side) + rateOf(settings.taxCommission, side);
    const { discountAsset } = this.choices;
    const rate = settings.discount ? this.rateIn(discountAsset, side.market.rules.quote) : null;
    if (rate !== null) {
      const scaled = side.value * (this.discounted(standard) + others) * rate.numerator;
      const units = this.rounded(scaled, UNITS_PER_ONE * rate.denominator);
      if (units <= account.wallet(discountAsset).free) return { asset: discountAsset, units };
    }
    const { base, quote } = side.market.rules;
    const received = side.isBuyer ? side.amount : side.value;
    const units = this.rounded(received * (standard + others), UNITS_PER_ONE);
    return { asset: side.isBuyer ? base : quote, units: units < received ? units : received };
  }

  private discounted(rate: bigint): bigint {
    const { discount, discountMeaning } = this.choices;
    const share = discountMeaning === 'multiplied' ? unitsOf(discount) : UNITS_PER_ONE - unitsOf(discount);
    return (rate * share) / UNITS_PER_ONE;
  }

  private rounded(dividend: bigint, divisor: bigint): bigint {
    const divide = this.choices.commissionRounding === 'half-up' ? divideHalfUp : divideHalfEven;
    return divide(dividend, divisor * GRAIN) * GRAIN;
  }

  /** Amount of `asset` for one of `quote` at the last price; null if no market trades one for the other. */
  private rateIn(asset: string, quote: string): { numerator: bigint; denominator: bigint } | null {
    if (asset === quote) return { numerator: 1n, denominator: 1n };
    for (const { rules, lastPrice } of this.markets.values()) {
      const price = rules.price(lastPrice);
      if (rules.base === asset && rules.quote === quote)
        return { numerator: UNITS_PER_ONE, denominator: price };
      if (rules.base === quote && rules.quote === asset)
        return { numerator: price, denominator: UNITS_PER_ONE };
    }
    return null;
  }
}
