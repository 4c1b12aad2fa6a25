import type { Budget, LimitOverrides } from '../domain/rate-limit.ts';
import type { SarrafError } from '../domain/errors.ts';
import type { EndpointName } from './endpoints.ts';
import type { OrderBookVersion } from './order-book-version.ts';
import type { RetryPolicy } from './retry.ts';
import type { LoginCredentials } from './session.ts';
import type { ApiKey } from './signing.ts';
import type { HttpResponse, Transport } from './transport.ts';

/** The credentials: none, an existing token, a user who logs in, or an API key. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'login'; readonly login: LoginCredentials }
  | { readonly kind: 'key'; readonly key: ApiKey };

/** A request that is about to be sent: what a limiter needs to let it pass. */
export interface OutgoingRequest {
  readonly endpoint: EndpointName;
  readonly budget: Budget;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface ClientOptions {
  /** The exchange's address, `https://host`. Either this or `transport`. */
  readonly baseUrl?: string;
  /** Another way to the exchange, such as a simulator in this process. */
  readonly transport?: Transport;
  /** The web site's address, for payment pages. */
  readonly siteUrl?: string;
  /** The service's own name: the key headers begin with it. `service` by default. */
  readonly serviceName?: string;
  readonly credentials?: Credentials;
  /**
   * Form that `orderBook` and `allOrderBooks` request: `v2`, that of the interface; `v3` of deployments that
   * have it; by default `auto`, which requests `v3` after a 404 of `v2`.
   */
  readonly orderBook?: OrderBookVersion;
  /** Called once when `auto` has found that the exchange has the third version in place of the second. */
  readonly onOrderBookV3?: () => void;
  /** Unix time in milliseconds; the machine's clock by default. */
  readonly nowMs?: () => number;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  readonly sleep?: (pauseMs: number) => Promise<void>;
  /** Time-outs that differ from the declared ones. */
  readonly timeoutsMs?: Readonly<Partial<Record<EndpointName, number>>>;
  /** Limits that differ from the interface's table, by budget name. */
  readonly limits?: LimitOverrides;
  /** The share of each limit that is left unused; 0.02 by default. */
  readonly headroom?: number;
  readonly userAgent?: string;
  /** For calls that only read; none by default. */
  readonly retry?: RetryPolicy;
  /**
   * Called and awaited before every request that leaves, log-ins and retries included: the place of a rate
   * limiter. When it throws, nothing is sent.
   */
  readonly admit?: (request: OutgoingRequest) => void | Promise<void>;
  /**
   * Called with the end of each request: its status and how long a limit reply asks to wait, or the error
   * that came in place of an answer.
   */
  readonly onSettled?: (
    request: OutgoingRequest,
    end: {
      readonly status: number | null;
      readonly backOffMs: number | null;
      readonly error: SarrafError | null;
    },
  ) => void;
}

export interface CallOptions {
  /** The endpoint that the call was admitted for; by default the one that `endpointOf` says now. */
  readonly endpoint?: EndpointName;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  /** For how long the admission of a limiter holds while the process stands still; 250 ms without it. */
  readonly admittedForMs?: number;
  /** For the log-in call of an account that asks for one. */
  readonly oneTimePassword?: string;
  /**
   * True if an unreadable row of a list costs that row alone. Otherwise it is the error of the whole call, so
   * that nobody mistakes the rest for all rows.
   */
  readonly eachRow?: boolean;
  /** Called with each reply as it came, before it is read: so also with one that can not be read. */
  readonly onReply?: (reply: HttpResponse) => void;
}
