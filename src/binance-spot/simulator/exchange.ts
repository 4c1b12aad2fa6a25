import { createRandom, type RandomSource } from '../../domain/random.ts';
import { SpotAccount, SpotMarket } from './state.ts';
import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import { SpotAnswer, type AccountContext, type SpotEndpoint } from './endpoint.ts';
import { SpotEngine } from './engine.ts';
import {
  FaultDice,
  faultReply,
  firewallReply,
  NO_FAULTS,
  type FaultReply,
  type StruckFaults,
} from './faults.ts';
import { outsideRequest, SpotFlow } from './flow.ts';
import { AddressLimits, OrderCount } from './limits.ts';
import { LIST_ENDPOINTS } from './list-endpoints.ts';
import { MARKET_ENDPOINTS } from './market-endpoints.ts';
import { SpotRules } from './market-rules.ts';
import { ORDER_ENDPOINTS } from './order-endpoints.ts';
import {
  FIRST_TIME_MS,
  instant,
  optionalParameter,
  readSent,
  readValues,
  recvWindowText,
  withoutSignature,
  type SpotParameter,
  type SentParameters,
} from './parameters.ts';
import { refusals, SpotRefusal } from './refusal.ts';
import type { SpotSettings, SpotUserSettings } from './settings.ts';
import { present } from '../../domain/errors.ts';
import type { Side } from '../../domain/order.ts';

/** Request as the server received it. Texts have one character for each byte. */
export interface SpotRequest {
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly apiKey: string | undefined;
  /** Header `X-MBX-TIME-UNIT`. */
  readonly timeUnit: string | undefined;
  readonly acceptsHtml: boolean;
  readonly ip: string;
}

export interface SpotReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type ApiKey = SpotUserSettings['keys'][number];

/** Checks a signature of a payload, whose text has one character for each byte. */
export type VerifySpotSignature = (key: ApiKey, payload: string, signature: string) => boolean;

interface SpotCoreOptions {
  readonly settings: SpotSettings;
  readonly startMs: number;
  readonly seed: number;
  readonly verify: VerifySpotSignature;
}

const PREFIX = '/api/v3/';
const JSON_TYPE = 'application/json;charset=UTF-8';
/** Endpoints that the interface has and this exchange does not: they answer that they are not supported. */
const NOT_SIMULATED = ['orderList/opo', 'orderList/opoco', 'sor/order', 'sor/order/test'];
const ENDPOINT_LIST = [...MARKET_ENDPOINTS, ...ORDER_ENDPOINTS, ...LIST_ENDPOINTS, ...ACCOUNT_ENDPOINTS];

/** Parameters of every signed request. */
const SIGNED = {
  timestamp: instant(),
  recvWindow: optionalParameter(recvWindowText()),
  signature: { isRequired: true, read: (text) => text } as SpotParameter<string, true>,
};
const DEFAULT_RECV_WINDOW_MS = 5_000;
const MOST_RECV_WINDOW_MS = 60_000;
/** A timestamp must be less than this ahead of the exchange's clock. */
const MOST_AHEAD_MS = 1_000;

/** Statements of SQL, which a firewall takes for an attack. */
const SQL =
  /\b(?:select\b.*\bfrom|union\b.*\bselect|drop\s+table|insert\s+into|delete\s+from|update\b.*\bset)\b/i;

const ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A key with its account. */
interface Credential {
  readonly key: ApiKey;
  readonly account: SpotAccount;
  readonly orderCount: OrderCount;
}

/** Everything that a wipe of the exchange makes anew. */
interface SpotWorld {
  readonly engine: SpotEngine;
  readonly accounts: readonly SpotAccount[];
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly flow: SpotFlow | null;
}

function createWorld(settings: SpotSettings, seed: number, startMs: number): SpotWorld {
  const credentials = new Map<string, Credential>();
  const counts = new Map<SpotAccount, OrderCount>();
  const engine = new SpotEngine({
    settings,
    markets: new Map(settings.markets.map((each) => [each.symbol, new SpotMarket(new SpotRules(each))])),
    onFirstFill: (account, isMaker, timeMs) => counts.get(account)?.fill(isMaker, timeMs),
  });
  const { rowsRetained } = settings;
  const showsCancelId = settings.choices.idAfterCancel === 'cancel';
  const accounts = settings.users.map((user) => {
    const account = new SpotAccount(user, { timeMs: startMs, showsCancelId, rowsRetained });
    const orderCount = new OrderCount(settings.limits);
    counts.set(account, orderCount);
    for (const key of user.keys) credentials.set(key.key, { key, account, orderCount });
    return account;
  });
  const { kind, historyMinutes } = settings.flow;
  const flow = kind === 'none' ? null : new SpotFlow({ engine, seed, startMs, historyMinutes });
  return { engine, accounts, credentials, flow };
}

/** The exchange `binance-spot`: a request and a time become a reply. All else follows from its seed. */
export class SpotCore {
  /** Number of requests that were handled. */
  requestCount = 0;
  private readonly settings: SpotSettings;
  private readonly seed: number;
  private readonly verify: VerifySpotSignature;
  private readonly limits: AddressLimits;
  private readonly dice: FaultDice;
  private readonly random: RandomSource;
  private readonly endpoints = new Map<string, SpotEndpoint | null>();
  private world: SpotWorld;
  private nowMs: number;
  /** Time of the next wipe; null for none. */
  private wipeMs: number | null;

  constructor({ settings, startMs, seed, verify }: SpotCoreOptions) {
    this.settings = settings;
    this.seed = seed;
    this.verify = verify;
    this.nowMs = startMs;
    this.limits = new AddressLimits(settings.limits);
    this.dice = new FaultDice(settings.faults, seed);
    this.random = createRandom(seed);
    this.world = createWorld(settings, seed, startMs);
    this.wipeMs = settings.wipeAfterMs === undefined ? null : startMs + settings.wipeAfterMs;
    for (const path of NOT_SIMULATED) this.endpoints.set(`POST ${path}`, null);
    for (const endpoint of ENDPOINT_LIST) this.endpoints.set(`${endpoint.method} ${endpoint.path}`, endpoint);
  }

  get engine(): SpotEngine {
    return this.world.engine;
  }

  get markets(): ReadonlyMap<string, SpotMarket> {
    return this.world.engine.markets;
  }

  get accounts(): readonly SpotAccount[] {
    return this.world.accounts;
  }

  /** Forgets orders, trades and balances, as the test network does: ids begin again, keys stay. */
  wipe(): void {
    this.world = createWorld(this.settings, this.seed, this.nowMs);
  }

  /** Lets the world outside do what is due by a time. Time never goes back. */
  advance(timeMs: number): void {
    this.nowMs = Math.max(this.nowMs, timeMs);
    if (this.wipeMs !== null && this.nowMs >= this.wipeMs) {
      this.wipeMs = null;
      this.wipe();
    }
    this.world.flow?.advance(this.nowMs);
  }

  /** Lets the world outside trade or quote, in plain decimals. A price of 0 is a market order. */
  tradeOutside(order: { symbol: string; side: Side; price: string; quantity: string }): void {
    const market = present(this.markets.get(order.symbol), () => `a market ${order.symbol}`);
    const { rules } = market;
    const price = rules.ticksOf(rules.sent(order.price, 'price'));
    const quantity = rules.stepsOf(rules.sent(order.quantity, 'quantity'));
    const request = outsideRequest({ side: order.side, price, quantity, isMarket: price === 0 });
    this.engine.placeOutside(market, request, this.nowMs);
  }

  /** Draws the faults of a request, before it is handled. */
  strike({ method, path }: Pick<SpotRequest, 'method' | 'path'>): StruckFaults {
    return this.dice.strike(method, path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path);
  }

  /** Answers a request. */
  handle(request: SpotRequest, timeMs: number, faults: StruckFaults = NO_FAULTS): SpotReply {
    this.advance(timeMs);
    this.requestCount += 1;
    const { nowMs } = this;
    const endpoint = request.path.startsWith(PREFIX)
      ? this.endpoints.get(`${request.method} ${request.path.slice(PREFIX.length)}`)
      : undefined;
    if (endpoint === undefined && request.acceptsHtml)
      return pageReply({
        status: 404,
        body: '<html><body><h1>404 Not Found</h1></body></html>\n',
        isHtml: true,
      });
    const sent = readSent(request.query, request.body);
    if (faults.before === 'firewall' || (this.settings.choices.firewallReadsWords && isSuspect(sent)))
      return pageReply(firewallReply());
    const headers: Record<string, string> = { 'content-type': JSON_TYPE, 'x-mbx-uuid': this.uuid() };
    let status = 200;
    let body: unknown;
    try {
      const answer = this.answer(request, { endpoint, sent, faults, headers });
      [status, body] = answer instanceof SpotAnswer ? [answer.status, answer.body] : [200, answer];
    } catch (error) {
      if (!(error instanceof SpotRefusal)) throw error;
      [status, body] = [error.status, error.body];
      if (error.retryAfterS !== null) headers['retry-after'] = String(error.retryAfterS);
    }
    const failed = faults.before ?? faults.after;
    if (failed !== null && status !== 418 && status !== 429) {
      const reply = faultReply(failed);
      if (reply.isHtml) return pageReply(reply);
      [status, body] = [reply.status, JSON.parse(reply.body) as unknown];
    }
    return {
      status,
      headers: { ...headers, ...this.limits.headers(request.ip, nowMs) },
      body: JSON.stringify(body),
    };
  }

  /** Runs the checks of a request in their order, and then its handler. */
  private answer(
    request: SpotRequest,
    of: {
      readonly endpoint: SpotEndpoint | null | undefined;
      readonly sent: SentParameters;
      readonly faults: StruckFaults;
      readonly headers: Record<string, string>;
    },
  ): unknown {
    const { endpoint, sent, faults, headers } = of;
    const { nowMs, settings } = this;
    const weight = weightOf(endpoint, sent, this.markets.size);
    this.limits.arrive(request.ip, weight, nowMs);
    if (endpoint === undefined) throw refusals.notFound();
    if (endpoint === null) throw refusals.unsupported();
    const isSigned = endpoint.security !== 'NONE';
    const credential = isSigned ? this.credential(request, endpoint) : null;
    const perMs = timeUnit(request.timeUnit);
    const parameters = isSigned ? { ...endpoint.parameters, ...SIGNED } : endpoint.parameters;
    // Addresses of reads have no body; what is in one is not read.
    const read = endpoint.method === 'GET' && request.body !== '' ? readSent(request.query, '') : sent;
    const values = readValues(parameters, read);
    endpoint.check?.(values as never, settings);
    if (credential !== null) this.checkSigned(request, credential.key, values as never);
    const orders = endpoint.orders === 'own' ? 0 : endpoint.orders;
    const refusal = orders === 0 ? null : (credential?.orderCount.refusal(orders, nowMs) ?? null);
    if (refusal !== null) throw refusal;
    if (faults.before !== null) return null;
    const context = {
      settings,
      engine: this.engine,
      nowMs,
      asOfMs: nowMs - faults.staleMs,
      time: (timeMs: number) => Math.round(timeMs * perMs),
      market: (symbol: string) => {
        const market = this.markets.get(symbol);
        if (market === undefined) throw refusals.symbol();
        return market;
      },
      newId: () => this.newId(),
      read: (order) => (faults.staleMs === 0 ? order : order.asOf(nowMs - faults.staleMs)),
      ...(credential === null ? {} : { account: credential.account, orderCount: credential.orderCount }),
    } as AccountContext;
    const answer = endpoint.handle(context as never, values as never);
    const isDone = !(answer instanceof SpotAnswer);
    if (isDone && endpoint.isFreeOnSuccess) this.limits.giveBack(request.ip, weight, nowMs);
    if (credential !== null && isDone && endpoint.orders !== 0) {
      if (orders > 0) credential.orderCount.add(orders, nowMs);
      if (faults.after === null) Object.assign(headers, credential.orderCount.headers(nowMs));
    }
    return answer;
  }

  /** Finds the key of a request, which must exist and may do what is asked from this address. */
  private credential({ apiKey, ip }: SpotRequest, { security }: SpotEndpoint): Credential {
    if (apiKey === undefined || !/^[A-Za-z0-9]{1,128}$/.test(apiKey)) throw refusals.badKeyFormat();
    const found = this.world.credentials.get(apiKey);
    if (found === undefined) throw refusals.badKey();
    const { mayTrade, ips } = found.key;
    if ((security === 'TRADE' && !mayTrade) || (ips.length > 0 && !ips.includes(ip))) throw refusals.badKey();
    return found;
  }

  private checkSigned(
    request: SpotRequest,
    key: ApiKey,
    sent: { readonly timestamp: number; readonly recvWindow: number | undefined; readonly signature: string },
  ): void {
    const { nowMs, settings } = this;
    const { timestamp, recvWindow = DEFAULT_RECV_WINDOW_MS, signature } = sent;
    if (recvWindow > MOST_RECV_WINDOW_MS)
      throw refusals.tooGreat('recvWindow', MOST_RECV_WINDOW_MS, settings.choices.recvWindowCode);
    if (timestamp >= nowMs + MOST_AHEAD_MS)
      throw new SpotRefusal(
        -1021,
        `Timestamp for this request was ${MOST_AHEAD_MS}ms ahead of the server's time.`,
      );
    if (timestamp < FIRST_TIME_MS || nowMs - timestamp > recvWindow)
      throw new SpotRefusal(-1021, 'Timestamp for this request is outside of the recvWindow.');
    const payload = withoutSignature(request.query) + withoutSignature(request.body);
    if (!this.verify(key, payload, signature)) throw refusals.badSignature();
  }

  private uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.random.next() * 16).toString(16)).join(
      '',
    );
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  private newId(): string {
    return Array.from(
      { length: 22 },
      () => ID_LETTERS[Math.floor(this.random.next() * ID_LETTERS.length)] ?? '',
    ).join('');
  }
}

const pageReply = ({ status, body }: FaultReply): SpotReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body,
});

function isSuspect({ values }: SentParameters): boolean {
  for (const value of values.values()) if (SQL.test(value)) return true;
  return false;
}

/** Weight of a request, which it costs also if it fails. */
function weightOf(
  endpoint: SpotEndpoint | null | undefined,
  { values }: SentParameters,
  symbols: number,
): number {
  if (endpoint === undefined || endpoint === null) return 1;
  return typeof endpoint.weight === 'number' ? endpoint.weight : endpoint.weight(values, symbols);
}

/** Number of units of time in replies for each millisecond. */
function timeUnit(header: string | undefined): 1 | 1_000 {
  if (header === undefined || /^millisecond$/i.test(header)) return 1;
  if (/^microsecond$/i.test(header)) return 1_000;
  throw new SpotRefusal(-1194, 'Invalid value for time unit; expected either MICROSECOND or MILLISECOND.');
}
