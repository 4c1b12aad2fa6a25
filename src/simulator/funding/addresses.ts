import type { FundingCurrency, Network } from '../currency-settings.ts';

interface DepositAddress {
  readonly address: string;
  readonly tag: string | null;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstuvwxyz';

/**
 * Letters that only the input decides: the same user has the same address on every machine and after every
 * restart.
 */
function digest(input: string, length: number): string {
  let state = 2_166_136_261;
  let text = '';
  for (let round = 0; text.length < length; round += 1) {
    for (const character of `${input}#${round}`) {
      state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    }
    text += ALPHABET[state % ALPHABET.length] ?? '';
  }
  return text;
}

/**
 * The made-up deposit address of a user on a network. It looks like none that exists; its prefix says that it
 * is simulated.
 */
export function addressOn(network: Network, userId: number): DepositAddress {
  const prefix = `sim${network.name.toLowerCase()}`;
  if (network.tagged)
    return { address: `${prefix}1${digest(network.name, 30)}`, tag: String(10_000_000 + userId) };
  return { address: `${prefix}1${digest(`${network.name}/${userId}`, 30)}`, tag: null };
}

/**
 * Requested addresses, by user and currency. The wallet list shows an address only then. Bounded by users
 * times currencies.
 */
export class Addresses {
  private made = new Set<string>();

  /**
   * The address on a network of the currency, by default its first, made now if need be. Null where there is
   * no such network: coins that are sent to an address on another one are lost.
   */
  generate(
    userId: number,
    currency: FundingCurrency,
    networkName: string | null = null,
  ): DepositAddress | null {
    const network =
      networkName === null
        ? currency.networks[0]
        : currency.networks.find(({ name }) => name.toLowerCase() === networkName.toLowerCase());
    if (network === undefined) return null;
    this.made.add(`${userId}/${currency.symbol}`);
    return addressOn(network, userId);
  }

  /** Addresses by network, in the currency's order; null where none was asked for. */
  of(userId: number, currency: FundingCurrency): readonly (readonly [string, DepositAddress | null])[] {
    const isMade = this.made.has(`${userId}/${currency.symbol}`);
    return currency.networks.map((network) => [network.name, isMade ? addressOn(network, userId) : null]);
  }

  snapshot(): readonly string[] {
    return [...this.made];
  }

  restore(state: readonly string[]): void {
    this.made = new Set(state);
  }
}
