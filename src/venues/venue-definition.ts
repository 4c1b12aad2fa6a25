import type { Budget } from '../domain/rate-limit.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import type { Transport } from '../exchange/transport.ts';
import type { AccountReader } from './account-reader.ts';
import type { CredentialSettings, ExchangeAccess } from './client-credentials.ts';
import type { VenueProfile } from './port.ts';
import type { VenueCaller } from './venue-caller.ts';

/** Everything that a venue needs to talk to its exchange. Clocks are in ms. */
export interface ConnectOptions {
  /** The way to the exchange: signed bytes go out, replies come back. */
  readonly transport: Transport;
  readonly credentials: CredentialSettings | null;
  readonly settings: Pick<ExchangeAccess, 'name' | 'orderBook' | 'limits' | 'headroom' | 'ledgerFolder'> & {
    readonly baseUrl: string;
  };
  /** The wall clock, for signatures. */
  readonly wallMs: () => number;
  readonly limiterMs: () => number;
  /** Returns the limiter of the calls, which is made after the connection. */
  readonly limiter: () => RequestLimiter;
  /** Called with a secret that is made during the run, such as a token of a log-in. */
  readonly onSecret: (secret: string) => void;
  /** Called with problems that do not stop it. */
  readonly onProblem: (message: string) => void;
}

/** An open connection to one exchange. */
export interface VenueConnection {
  readonly caller: VenueCaller;
  /** The limits that the bot keeps to, by name. */
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Reads the owner of the account; null if the exchange names none, or without credentials. */
  readonly accountReader: AccountReader | null;
  close(): Promise<void>;
}

/** An exchange as a package: its facts, its limits, and the code that talks to it. */
export interface VenueDefinition<Connection extends VenueConnection = VenueConnection> {
  /** Lower-case letters, digits and hyphens; the mirror stores it. */
  readonly name: string;
  /** Kinds of credentials that it takes. */
  readonly credentials: ReadonlySet<CredentialSettings['kind']>;
  /** Returns its facts for a bot with this access. */
  readonly profileFor: (access: Pick<ExchangeAccess, 'orderBook' | 'credentials'>) => VenueProfile;
  /** Returns its limits by name: those of the configuration in place of its own, less the headroom. */
  readonly budgetsFor: (access: Pick<ExchangeAccess, 'limits' | 'headroom'>) => ReadonlyMap<string, Budget>;
  readonly connect: (options: ConnectOptions) => Connection;
}
