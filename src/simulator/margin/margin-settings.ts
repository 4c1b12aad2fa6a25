/**
 * Margin trading as far as the interface shows it: settings that are read, and pools. No margin order can be
 * placed.
 */
export interface MarginSettings {
  /** Markets that are offered, by symbol; null offers every market of the exchange. */
  readonly markets: Readonly<Record<string, MarginMarketSettings>> | null;
  readonly defaults: Required<{
    [Name in keyof MarginMarketSettings]: NonNullable<MarginMarketSettings[Name]>;
  }>;
  /**
   * Ceiling of the leverage by user level; a level not named has the market's. Without a token it is the
   * market's.
   */
  readonly maxLeverageByLevel: Readonly<Record<string, string>>;
  /** By currency. Null makes one for each source currency. */
  readonly pools: Readonly<Record<string, PoolSettings>> | null;
  /** Of those pools, in units of 1 of the currency. */
  readonly defaultPoolCapacity: string;
  /** Ceiling of a delegation in rial, by user level; `default` for the others. */
  readonly delegationLimitRial: Readonly<Record<string, string>>;
}

interface MarginMarketSettings {
  readonly positionFeeRate?: string | undefined;
  readonly maxLeverage?: string | undefined;
  readonly sellEnabled?: boolean | undefined;
  readonly buyEnabled?: boolean | undefined;
}

interface PoolSettings {
  readonly capacity: string;
  readonly filledCapacity?: string | undefined;
  /** An inactive pool has nothing available. */
  readonly active?: boolean | undefined;
}

/** The numbers are ours. */
export const DEFAULT_MARGIN: MarginSettings = {
  markets: null,
  defaults: { positionFeeRate: '0.0005', maxLeverage: '5', sellEnabled: true, buyEnabled: true },
  maxLeverageByLevel: { level1: '2', level2: '5' },
  pools: null,
  defaultPoolCapacity: '1000',
  delegationLimitRial: { default: '5000000000', level3: '20000000000' },
};
