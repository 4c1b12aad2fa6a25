/** A blockchain that a currency is deposited over. */
interface NetworkSettings {
  readonly name: string;
  /** True if deposits carry a tag beside the address. */
  readonly tagged?: boolean | undefined;
  /** Overrides the currency's. */
  readonly requiredConfirmations?: number | undefined;
}

export interface CurrencySettings {
  /** Name in `srcCurrency` and `dstCurrency` of records. */
  readonly displayName?: string | undefined;
  /** The first is the one whose address the wallet list shows. */
  readonly networks?: readonly (string | NetworkSettings)[] | undefined;
  readonly requiredConfirmations?: number | undefined;
  /** Simulated time between two confirmations. */
  readonly confirmationEveryMs?: number | undefined;
}

export interface Network {
  readonly name: string;
  readonly tagged: boolean;
  readonly requiredConfirmations: number;
}

export interface FundingCurrency {
  readonly symbol: string;
  readonly displayName: string;
  /** None for rial. */
  readonly networks: readonly Network[];
  readonly confirmationEveryMs: number;
}

const KNOWN: Readonly<Record<string, CurrencySettings>> = {
  rls: { displayName: '﷼', networks: [] },
  usdt: {
    displayName: 'Tether',
    networks: ['TRX', 'ETH', 'BSC'],
    requiredConfirmations: 20,
    confirmationEveryMs: 3_000,
  },
  btc: { displayName: 'Bitcoin', networks: ['BTC'], requiredConfirmations: 2, confirmationEveryMs: 600_000 },
  ltc: { displayName: 'Litecoin', networks: ['LTC'], requiredConfirmations: 6, confirmationEveryMs: 150_000 },
  eth: { displayName: 'Ethereum', networks: ['ETH'], requiredConfirmations: 20, confirmationEveryMs: 12_000 },
  xrp: {
    displayName: 'Ripple',
    networks: [{ name: 'XRP', tagged: true }],
    requiredConfirmations: 1,
    confirmationEveryMs: 4_000,
  },
};

/**
 * A currency as configured, over what is known of it, over one network of its own name with 6 confirmations a
 * minute apart.
 */
export function currencyOf(symbol: string, settings: CurrencySettings = {}): FundingCurrency {
  const known = KNOWN[symbol] ?? {};
  const required = settings.requiredConfirmations ?? known.requiredConfirmations ?? 6;
  const networks = settings.networks ?? known.networks ?? [symbol.toUpperCase()];
  return {
    symbol,
    displayName: settings.displayName ?? known.displayName ?? symbol.toUpperCase(),
    networks: networks.map((entry) => {
      const network: NetworkSettings = typeof entry === 'string' ? { name: entry } : entry;
      return {
        name: network.name,
        tagged: network.tagged ?? false,
        requiredConfirmations: network.requiredConfirmations ?? required,
      };
    }),
    confirmationEveryMs: settings.confirmationEveryMs ?? known.confirmationEveryMs ?? 60_000,
  };
}
