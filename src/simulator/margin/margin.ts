import type { MarketName } from '../../domain/market-symbol.ts';
import { parseUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { DEFAULT_MARGIN, type MarginSettings } from './margin-settings.ts';

/** Source: interface, "Margin market setting". Rates and leverage are decimals, in units of 1e-10. */
interface MarginMarket {
  readonly base: string;
  readonly quote: string;
  readonly positionFeeRate: bigint;
  readonly maxLeverage: bigint;
  readonly sellEnabled: boolean;
  readonly buyEnabled: boolean;
}

/** Source: interface, "Liquidity pool". */
interface PoolState {
  readonly capacity: bigint;
  readonly filledCapacity: bigint;
  readonly availableBalance: bigint;
}

/** Replies of the margin reads: only settings, so there is no state to store. */
export class Margin {
  private readonly settings: MarginSettings;

  constructor(settings: MarginSettings = DEFAULT_MARGIN) {
    this.settings = settings;
  }

  /** Offered markets by symbol. With a user's level the leverage is at most that level's. */
  markets(markets: Iterable<MarketName>, level: string | null): ReadonlyMap<string, MarginMarket> {
    const offered = new Map<string, MarginMarket>();
    for (const { symbol, base, quote } of markets) {
      const settings = this.settings.markets === null ? {} : this.settings.markets[symbol];
      if (settings === undefined) continue;
      const { defaults } = this.settings;
      const marketLeverage = parseUnits(settings.maxLeverage ?? defaults.maxLeverage);
      const levelText = level === null ? undefined : this.settings.maxLeverageByLevel[level];
      const levelLeverage = levelText === undefined ? marketLeverage : parseUnits(levelText);
      offered.set(symbol, {
        base: base,
        quote: quote,
        positionFeeRate: parseUnits(settings.positionFeeRate ?? defaults.positionFeeRate),
        maxLeverage: levelLeverage < marketLeverage ? levelLeverage : marketLeverage,
        sellEnabled: settings.sellEnabled ?? defaults.sellEnabled,
        buyEnabled: settings.buyEnabled ?? defaults.buyEnabled,
      });
    }
    return offered;
  }

  /** Pools by currency, lower case. */
  pools(markets: Iterable<MarketName>): ReadonlyMap<string, PoolState> {
    const pools = new Map<string, PoolState>();
    if (this.settings.pools === null) {
      const capacity = parseUnits(this.settings.defaultPoolCapacity);
      for (const { base } of markets)
        pools.set(base, { capacity, filledCapacity: 0n, availableBalance: capacity });
      return pools;
    }
    for (const [currency, settings] of Object.entries(this.settings.pools)) {
      const capacity = parseUnits(settings.capacity);
      const filledCapacity = parseUnits(settings.filledCapacity ?? '0');
      const isActive = settings.active ?? true;
      pools.set(currency, {
        capacity,
        filledCapacity,
        availableBalance: isActive ? capacity - filledCapacity : 0n,
      });
    }
    return pools;
  }

  /**
   * The level's rial ceiling in units of a currency, rounded down. `rialOfOne` is what one of it is worth;
   * null has no ceiling to give.
   */
  delegationLimit(level: string, rialOfOne: bigint | null): bigint | null {
    if (rialOfOne === null || rialOfOne <= 0n) return null;
    const limits = this.settings.delegationLimitRial;
    const rial = parseUnits(limits[level] ?? limits['default'] ?? '0');
    return divideDown(rial * UNITS_PER_ONE, rialOfOne);
  }
}
