import type { ClientOptions } from '../../exchange/client-options.ts';
import type { CredentialSettings } from '../credentials-settings.ts';

/** Network access to an exchange, as configured. */
export interface ExchangeAccess extends Required<Pick<ClientOptions, 'limits' | 'headroom' | 'orderBook'>> {
  /** The service's own name: the key headers begin with it. */
  readonly name: string;
  readonly baseUrl: string | null;
  readonly credentials: CredentialSettings | null;
  /** Folder of the ledger of sent requests; null for the user's state folder. */
  readonly ledgerFolder: string | null;
  /** `redis://…` of a ledger that machines share; null for a file. */
  readonly ledger: string | null;
  /** The longest wait for an answer of that Redis. */
  readonly ledgerTimeoutMs: number;
  /** Public address from which this machine calls, if it has several; null if there is one. */
  readonly publicAddress: string | null;
}
