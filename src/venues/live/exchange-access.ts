import type { ClientOptions } from '../../exchange/client-options.ts';
import type { CredentialSettings } from './credentials-settings.ts';

/** How to reach an exchange over the network, as the configuration says it. */
export interface ExchangeAccess extends Required<Pick<ClientOptions, 'limits' | 'headroom' | 'orderBook'>> {
  /** The service's own name: the key headers begin with it. */
  readonly name: string;
  readonly baseUrl: string | null;
  readonly credentials: CredentialSettings | null;
  /** Where the ledger of sent requests is; null for the user's state folder. */
  readonly ledgerFolder: string | null;
  /** `redis://…` of a ledger that machines share; null for a file. */
  readonly ledger: string | null;
  /** The longest wait for an answer of that Redis. */
  readonly ledgerTimeoutMs: number;
  /** Which of several public addresses this machine calls from; null where there is one. */
  readonly publicAddress: string | null;
}
