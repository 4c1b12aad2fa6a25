import type { Budget } from '../domain/rate-limit.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import {
  fixedToken,
  isAnonymous,
  keyCredentials,
  noCredentials,
  type Authenticator,
} from './authenticator.ts';
import {
  budgetTable,
  type CallOptions,
  type ClientOptions,
  type OutgoingRequest,
  checkRetryPolicy,
  NO_RETRY,
  withRetries,
  type RetryPolicy,
} from './client-options.ts';
import type { Endpoint } from './request-types.ts';
import {
  ENDPOINTS,
  type EndpointName,
  type EndpointRequest,
  OrderBookChoice,
  ORDER_BOOK_VERSIONS,
} from './endpoints.ts';
import { backOffOf } from './refusals.ts';
import { PaymentGateway, type Merchant } from './gateway.ts';
import {
  iterateOrders,
  iteratePages,
  iterateTrades,
  type OrderQuery,
  type PagedItem,
  type PagedName,
  type PagedRequest,
  type TradeQuery,
} from './paging.ts';
import { decodeReply, type EndpointResult } from './reply-decoder.ts';
import { encodeRequest, type EncodedRequest } from './request-encoder.ts';
import { TokenSession, type LoginAttempt } from './session.ts';
import type { HttpResponse, Transport } from './transport.ts';
import { UndiciTransport } from './undici-transport.ts';
import { USER_AGENT } from './version.ts';
import type { ExchangeOrder, ExchangeTrade } from './order.ts';

/** Time for which an admission is valid: the longest delay until the send, see the ledger. */
const ADMITTED_FOR_MS = 250;

/** Returns the market in the request for a book; null if it names none. */
function marketIn(request: object): string | null {
  const symbol = 'symbol' in request ? request.symbol : null;
  return typeof symbol === 'string' ? symbol : null;
}

/** Arguments of an endpoint's method: the request is optional if all its fields are. */
type MethodArguments<Name extends EndpointName> =
  Record<string, never> extends EndpointRequest<Name>
    ? [request?: EndpointRequest<Name>, options?: CallOptions]
    : [request: EndpointRequest<Name>, options?: CallOptions];

export type EndpointMethods = {
  readonly [Name in keyof typeof ENDPOINTS]: (
    ...call: MethodArguments<Name>
  ) => Promise<EndpointResult<Name>>;
};

// The methods come from the declarations; this gives the class their types.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface ExchangeClient extends EndpointMethods {}

/**
 * Client of the exchange: `await client.orderBook({ symbol: 'BTCIRT' })`. Every call returns `{ ok: true,
 * value }`, or the exchange's refusal as `{ ok: false, code, … }`. It throws a SarrafError if there is no
 * clear answer; the error's `outcome` says whether the request can have taken effect. Decimals are exact
 * texts, times are in milliseconds.
 * It does not keep to the rate limits by itself: pass a limiter as `admit`. The client that the package
 * exports has one (`library/`).
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export class ExchangeClient {
  /** The limits in force, by name. */
  readonly budgets: ReadonlyMap<string, Budget>;
  private readonly settings: ClientOptions;
  private readonly transport: Transport;
  private readonly authenticator: Authenticator;
  private readonly retry: RetryPolicy;
  private readonly books: OrderBookChoice;
  private readonly userAgent: string;

  constructor(options: ClientOptions) {
    this.settings = options;
    if (options.orderBook !== undefined && !ORDER_BOOK_VERSIONS.includes(options.orderBook)) {
      const expected = ORDER_BOOK_VERSIONS.join(' or ');
      throw invalidOptions(`expected ${expected} for orderBook, was "${options.orderBook}"`);
    }
    this.budgets = budgetTable(options.limits, options.headroom);
    this.books = new OrderBookChoice(options.orderBook ?? 'auto', () => options.onOrderBookV3?.());
    this.retry = checkRetryPolicy(options.retry ?? NO_RETRY);
    this.userAgent = options.userAgent ?? USER_AGENT;
    this.authenticator = this.createAuthenticator();
    this.transport = options.transport ?? this.createTransport();
    for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
      const method = (request: EndpointRequest<typeof name> = {}, call: CallOptions = {}) =>
        this.call(name, request, call);
      Object.defineProperty(this, name, { value: method, enumerable: true });
    }
  }

  /** Calls any endpoint by its name; the named methods use it. */
  async call<Name extends EndpointName>(
    name: Name,
    request: EndpointRequest<Name>,
    options: CallOptions = {},
  ): Promise<EndpointResult<Name>> {
    const market = marketIn(request);
    const asked = (options.endpoint as Name | undefined) ?? this.endpointOf(name, market);
    const encoded = encodeRequest(asked, request);
    const policy = options.retry === undefined ? this.retry : checkRetryPolicy(options.retry);
    const onReply = (response: HttpResponse): void => {
      this.books.apply(asked, market, response.status);
      options.onReply?.(response);
    };
    return withRetries((attempt) => this.attempt(asked, encoded, { ...options, onReply, attempt }), {
      policy: ENDPOINTS[name].idempotent ? policy : NO_RETRY,
      random: this.settings.random ?? Math.random,
      sleep: this.settings.sleep ?? (async (pauseMs) => pause(pauseMs, undefined, { ref: true })),
    });
  }

  /** Returns the endpoint of a call; for an order book that of its version. `market`: null for all books. */
  endpointOf<Name extends EndpointName>(name: Name, market: string | null): Name {
    // Both versions take the same request and give the same reply.
    return this.books.endpointOf(name, market) as Name;
  }

  /** Yields orders by ascending id, from `fromId` on, with as many requests as needed. */
  iterateOrders(query: OrderQuery = {}): AsyncGenerator<ExchangeOrder, void, undefined> {
    return iterateOrders(this, query);
  }

  /** Yields own trades by ascending time, from the trade id `fromId` on. */
  iterateTrades(query: TradeQuery = {}): AsyncGenerator<ExchangeTrade, void, undefined> {
    return iterateTrades(this, query);
  }

  /** Yields the records of a list that is read by page number. */
  iteratePages<Name extends PagedName>(
    name: Name,
    request: PagedRequest<Name>,
    options: { readonly maxPages?: number } = {},
  ): AsyncGenerator<PagedItem<Name>, void, undefined> {
    return iteratePages(this, name, { request, ...options });
  }

  /** Returns the payment gateway for a merchant. */
  gateway(merchant: Merchant): PaymentGateway {
    return new PaymentGateway({ client: this, merchant, siteUrl: this.settings.siteUrl ?? null });
  }

  /** Closes all sockets; calls in flight fail. */
  close(): Promise<void> {
    return this.transport.close();
  }

  /** True if a limiter decides when each request may leave. */
  protected get isLimited(): boolean {
    return this.settings.admit !== undefined;
  }

  /** Runs one request when it may leave: signs it, sends it and reads its reply. */
  protected async admitted<Value>(
    outgoing: OutgoingRequest,
    _call: CallOptions,
    work: () => Promise<Value>,
  ): Promise<Value> {
    await this.settings.admit?.(outgoing);
    return work();
  }

  private async attempt<Name extends EndpointName>(
    name: Name,
    encoded: EncodedRequest,
    call: CallOptions & { readonly attempt: number },
  ): Promise<EndpointResult<Name>> {
    const endpoint: Endpoint = ENDPOINTS[name];
    const outgoing: OutgoingRequest = {
      endpoint: name,
      budget: this.budgets.get(endpoint.budget.name) ?? endpoint.budget,
      attempt: call.attempt,
    };
    const unsigned = { endpointName: name, access: endpoint.access, ...encoded };
    // A log-in that is due goes first, so that nothing is admitted for a call that can not be made.
    if (this.settings.credentials?.kind === 'login') await this.authenticator.headersFor(unsigned);
    return this.admitted(outgoing, call, async () => {
      // Signed only now: the wait for admission must not make the signature old.
      const credentials = await this.authenticator.headersFor(unsigned);
      const response = await this.send(endpoint, outgoing, {
        encoded,
        headers: {
          ...(call.oneTimePassword === undefined ? {} : { 'X-TOTP': call.oneTimePassword }),
          ...credentials,
        },
        call,
      });
      call.onReply?.(response);
      if (!isAnonymous(endpoint.access)) {
        if (response.status === 401) this.authenticator.rejected(credentials);
        else if (response.status < 400) this.authenticator.accepted(credentials);
      }
      return decodeReply(name, response, call);
    });
  }

  private async send(
    endpoint: Endpoint,
    outgoing: OutgoingRequest,
    parts: {
      readonly encoded: EncodedRequest;
      readonly headers: Readonly<Record<string, string>>;
      readonly call: CallOptions;
    },
  ): Promise<HttpResponse> {
    const { encoded, headers, call } = parts;
    try {
      const response = await this.transport.send({
        ...encoded,
        headers: {
          accept: 'application/json',
          'user-agent': this.userAgent,
          ...(encoded.body === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        timeoutMs: call.timeoutMs ?? this.settings.timeoutsMs?.[outgoing.endpoint] ?? endpoint.timeoutMs,
        ...(call.signal === undefined ? {} : { signal: call.signal }),
        ...(this.isLimited ? { admittedForMs: call.admittedForMs ?? ADMITTED_FOR_MS } : {}),
      });
      this.settings.onSettled?.(outgoing, {
        status: response.status,
        backOffMs: backOffOf(response),
        error: null,
      });
      return response;
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      this.settings.onSettled?.(outgoing, { status: null, backOffMs: null, error });
      // A read changes nothing, so a lost answer to it leaves nothing unknown.
      if (!endpoint.idempotent || error.outcome === 'none') throw error;
      throw new SarrafError(error.code, error.message, {
        cause: error.cause ?? error,
        details: error.details,
        retry: 'safe',
        outcome: 'none',
      });
    }
  }

  private createTransport(): Transport {
    if (this.settings.baseUrl === undefined)
      throw invalidOptions('expected baseUrl or transport for the client, was neither');
    return new UndiciTransport({ baseUrl: this.settings.baseUrl });
  }

  private createAuthenticator(): Authenticator {
    const { credentials = { kind: 'none' }, serviceName = 'service', nowMs = Date.now } = this.settings;
    if (!/^[A-Za-z][A-Za-z0-9-]{0,39}$/.test(serviceName))
      throw invalidOptions(`expected letters, digits and hyphens for serviceName, was "${serviceName}"`);
    switch (credentials.kind) {
      case 'none':
        return noCredentials();
      case 'token':
        return fixedToken(credentials.token);
      case 'key':
        return keyCredentials(credentials.key, { serviceName, nowMs });
      case 'login':
        return new TokenSession({
          credentials: credentials.login,
          nowMs,
          logIn: (attempt) => this.logIn(attempt),
        });
    }
  }

  private async logIn(
    login: LoginAttempt,
  ): Promise<{ readonly key: string; readonly device: string | null }> {
    const { request, oneTimePassword } = login;
    const result = await this.call('login', request, oneTimePassword === null ? {} : { oneTimePassword });
    if (result.ok) return result.value;
    throw new SarrafError('UNAUTHORIZED', `the log-in was refused with ${result.code}: ${result.message}`, {
      details: { refusal: result },
    });
  }
}
