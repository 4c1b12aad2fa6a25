import { isDeepStrictEqual } from 'node:util';
import { Secret } from '../configuration/secret-file.ts';
import { decimalText } from '../domain/decimal-text.ts';
import { messageOf, SarrafError } from '../domain/errors.ts';
import { isObject } from '../domain/stored-json.ts';
import { parseUnits } from '../domain/money.ts';
import { venueOrderId, venueTradeId, venueWalletId, walletTransactionId } from '../domain/order.ts';
import type { HttpResponse } from '../exchange/transport.ts';
import type { CredentialSettings } from './client-credentials.ts';
import { INTERFACE_PROFILE } from './interface-profile.ts';
import {
  CALL_KINDS,
  CHANGING_CALLS,
  refusalCauseOf,
  type StatusMeaning,
  type VenueCall,
  type VenueCallKind,
  type VenueProfile,
  type VenueValues,
} from './port.ts';
import { restOrder, restTrade, restTransaction, restWallet } from './rest-records.ts';
import type { VenueEnd } from './venue-caller.ts';
import type { ConnectOptions, VenueConnection, VenueDefinition } from './venue-definition.ts';
import type { VenueWire, VenueWireAnswer } from './venue-wire.ts';

const KEY = 'A'.repeat(43);

/** A credential of each kind for tests. */
const CREDENTIALS: Readonly<Record<CredentialSettings['kind'], CredentialSettings>> = {
  token: { kind: 'token', token: new Secret('tested') },
  key: { kind: 'key', publicKey: KEY, privateKey: new Secret(KEY) },
  secret: { kind: 'secret', apiKey: 'tested', apiSecret: new Secret('tested') },
  login: { kind: 'login', username: 'tested', password: new Secret('tested'), totpSecret: null },
};

const credentialFor = ({ credentials }: VenueDefinition): CredentialSettings => {
  const [kind = 'token'] = credentials;
  return CREDENTIALS[kind];
};

/** Returns the profile of a venue with a credential of its first kind. */
export const profileForTest = (definition: VenueDefinition): VenueProfile =>
  definition.profileFor({ orderBook: 'v2', credentials: credentialFor(definition) });

const ignored = (): void => undefined;

/** Connects a venue to a transport, with a credential of its first kind and its own limits. */
export function connectForTest(
  definition: VenueDefinition,
  options: Pick<ConnectOptions, 'transport' | 'wallMs' | 'limiterMs' | 'limiter'>,
): VenueConnection {
  return definition.connect({
    ...options,
    credentials: credentialFor(definition),
    settings: {
      name: 'service',
      orderBook: 'v2',
      limits: {},
      headroom: 0.02,
      ledgerFolder: null,
      baseUrl: 'http://tested',
    },
    onSecret: ignored,
    onProblem: ignored,
  });
}

const MARKET = 'BTCUSDT';
const AT_MS = Date.UTC(2026, 0, 5, 12);
const d = decimalText;

const ORDER = {
  id: '1007',
  clientOrderId: 'bot-ma-cross-ab12-31',
  market: MARKET,
  side: 'buy',
  execution: 'limit',
  amount: d('0.123456'),
  matchedAmount: d('0.023456'),
  price: d('65000.01'),
  stopPrice: null,
  total: d('1524.64023456'),
  fee: d('0.000023456'),
  status: 'Active',
  createdAtMs: AT_MS,
} as const;
const TRADE = {
  id: '2011',
  orderId: '1007',
  market: MARKET,
  timeMs: AT_MS,
  side: 'sell',
  price: d('65000.01'),
  amount: d('0.0234'),
  total: d('1521.000234'),
  fee: d('1.521000234'),
  feeCurrency: null,
} as const;
const BAR = { open: d('1.5'), high: d('2.5'), low: d('1.25'), close: d('2'), volume: d('10.125') };

/** Calls of each kind, in its several forms, as the exchange behind the wire gets them. */
const CALLS: { readonly [Kind in VenueCallKind]?: readonly Extract<VenueCall, { kind: Kind }>[] } = {
  place: (['limit', 'market', 'stop_limit', 'stop_market'] as const).map((execution) => ({
    kind: 'place',
    order: {
      clientOrderId: ORDER.clientOrderId,
      base: 'btc',
      quote: 'usdt',
      side: 'sell',
      execution,
      amount: parseUnits('0.123456'),
      price: execution.includes('limit') ? parseUnits('65000.01') : null,
      stopPrice: execution.includes('stop') ? parseUnits('64999.99') : null,
      pro: false,
    },
  })),
  cancel: [
    { kind: 'cancel', market: MARKET, venueId: venueOrderId(ORDER.id), clientOrderId: null },
    { kind: 'cancel', market: MARKET, venueId: null, clientOrderId: ORDER.clientOrderId },
  ],
  order: [
    { kind: 'order', market: MARKET, venueId: venueOrderId(ORDER.id), clientOrderId: null },
    { kind: 'order', market: MARKET, venueId: null, clientOrderId: ORDER.clientOrderId },
  ],
  orders: [
    { kind: 'orders', status: 'open', market: MARKET, from: Number(ORDER.id) },
    { kind: 'orders', status: 'all', market: MARKET, from: Number(ORDER.id) },
  ],
  trades: [{ kind: 'trades', market: MARKET, from: Number(TRADE.id) }],
  wallets: [{ kind: 'wallets' }],
  transactions: [{ kind: 'transactions', walletId: venueWalletId('31'), page: 2 }],
  book: [{ kind: 'book', market: MARKET }],
  candles: [{ kind: 'candles', market: MARKET, timeframe: '1h', toMs: AT_MS, count: 12 }],
  options: [{ kind: 'options' }],
};

const order = restOrder(ORDER);
const trade = restTrade(TRADE);
const another = { ...trade, id: venueTradeId('2012') };

/** A value of each kind of call, as the built-in exchange gives it. */
const VALUES: { readonly [Kind in VenueCallKind]?: VenueValues[Kind] } = {
  place: order,
  cancel: { status: 'Canceled', order: { ...order, status: 'Canceled' } },
  order,
  orders: { items: [order, { ...order, id: venueOrderId('1008'), clientOrderId: null }], hasNext: true },
  trades: { items: [trade, another, { ...another, id: venueTradeId('2013') }], hasNext: false },
  wallets: [
    restWallet({ walletId: '31', currency: 'btc', total: d('1.00000001'), held: d('0.5') }),
    restWallet({ walletId: '32', currency: 'usdt', total: d('0'), held: d('0') }),
  ],
  transactions: {
    items: [{ ...lineOf('9'), amount: parseUnits('-0.25') }, lineOf('8')],
    hasNext: true,
  },
  book: { bids: [[d('1.5'), d('2')]], asks: [[d('1.75'), d('0.001')]], updatedAtMs: AT_MS },
  candles: [
    { openTimeMs: AT_MS - 3_600_000, ...BAR },
    { openTimeMs: AT_MS, ...BAR },
  ],
  options: [{ symbol: MARKET, priceStep: d('0.01'), amountStep: d('0.000001'), minOrderValue: d('5') }],
};

function lineOf(id: string): VenueValues['transactions']['items'][number] {
  const line = restTransaction({ id, currency: 'btc', atMs: AT_MS, amount: d('0.25'), description: 'Trade' });
  return { ...line, id: walletTransactionId(id) };
}

const NO_BODY: HttpResponse = { status: 500, headers: {}, body: '' };

/** Replies that say nothing clear: a proxy, a server in trouble, a cut line. */
const UNCLEAR: readonly (readonly [string, HttpResponse])[] = [
  ['a web page with HTTP 502', { status: 502, headers: {}, body: '<html>Bad gateway</html>' }],
  ['an empty body with HTTP 500', NO_BODY],
  ['JSON with HTTP 503', { status: 503, headers: {}, body: '{"error":"busy","code":-1,"msg":"busy"}' }],
  ['a web page with HTTP 400', { status: 400, headers: {}, body: '<html>Bad request</html>' }],
  ['an empty body with HTTP 200', { status: 200, headers: {}, body: '' }],
  ['JSON that is cut off', { status: 200, headers: {}, body: '{"id":1007,"stat' }],
  ['a web page with HTTP 404', { status: 404, headers: {}, body: '<html>Not found</html>' }],
];

/** Codes of the built-in exchange by what they say, and what the profile must say of the venue's own. */
const REFUSALS: readonly (readonly [string, string, (profile: VenueProfile, code: string) => boolean])[] = [
  ['NotFound', 'profile.refusals.noSuchOrder', ({ refusals }, code) => refusals.noSuchOrder === code],
  [
    'DuplicateClientOrderId',
    'profile.refusals.clientOrderIdInUse',
    ({ refusals }, code) => refusals.clientOrderIdInUse === code,
  ],
  [
    'OverValueOrder',
    'a code of profile.refusals.dependOn.funds',
    (profile, code) => refusalCauseOf(profile, code) === 'funds',
  ],
  [
    'SmallOrder',
    'a code of profile.refusals.dependOn.rule',
    (profile, code) => refusalCauseOf(profile, code) === 'rule',
  ],
];

/**
 * Returns what is wrong with a venue, by its own wire and without a network: what its requests say, what it
 * reads of each reply, and what it makes of replies that say nothing clear. Empty if nothing is.
 */
export async function venueProblems(
  definition: VenueDefinition,
  wire: VenueWire,
): Promise<readonly string[]> {
  return new VenueContract(definition, wire).problems();
}

class VenueContract {
  private readonly found: string[] = [];
  private ids = { order: venueOrderId(ORDER.id), trade: venueTradeId(TRADE.id) };
  private readonly wire: VenueWire;
  private readonly profile: VenueProfile;
  private readonly connection: VenueConnection;
  private answerNext: (request: Parameters<VenueWire['read']>[0]) => HttpResponse = () => NO_BODY;

  constructor(definition: VenueDefinition, wire: VenueWire) {
    this.wire = wire;
    this.profile = profileForTest(definition);
    this.connection = connectForTest(definition, {
      transport: { send: async (request) => this.answerNext(request), close: async () => undefined },
      wallMs: () => AT_MS,
      limiterMs: () => 0,
      limiter: () => {
        throw new Error('no request of the contract needs a slot');
      },
    });
  }

  async problems(): Promise<readonly string[]> {
    await this.checkIds();
    const served = CALL_KINDS.filter((kind) => this.profile.unserved?.has(kind) !== true);
    for (const kind of served) {
      const [first] = CALLS[kind] ?? [];
      if (first === undefined) continue;
      for (const call of CALLS[kind] ?? []) await this.checkRequest(call);
      await this.checkValue(first);
      await this.checkUnclear(first);
    }
    await this.checkStates();
    await this.checkRefusals();
    this.checkNames();
    return this.found;
  }

  /** Learns the venue's ids of an order and a trade, which a venue may make of more than the number. */
  private async checkIds(): Promise<void> {
    const [first, second] = [await this.read('orders'), await this.read('trades')] as const;
    const orders = first?.items.map(({ id }) => id) ?? [];
    const trades = second?.items.map(({ id }) => id) ?? [];
    const [id] = orders;
    const [trade] = trades;
    if (id === undefined || id === null || trade === undefined) return;
    this.ids = { order: id, trade };
    if (new Set(orders).size < orders.length || new Set(trades).size < trades.length)
      this.note(`ids: expected one of its own for each order and trade, found ${textOf({ orders, trades })}`);
    const of = second?.items[0]?.orderId;
    if (of !== id) this.note(`trades: expected the id ${id} of its order, as orders have it, found ${of}`);
  }

  private async read<Kind extends 'orders' | 'trades'>(kind: Kind): Promise<VenueValues[Kind] | null> {
    const [call] = CALLS[kind] ?? [];
    const value = VALUES[kind];
    if (call === undefined || value === undefined) return null;
    const end = await this.end(call, this.write({ kind: 'value', value }, call));
    return end?.answer.outcome === 'value' ? (end.answer.value as VenueValues[Kind]) : null;
  }

  private note(message: string): void {
    this.found.push(message);
  }

  /** Makes one call, whose request gets this reply. */
  private async end(call: VenueCall, reply: HttpResponse): Promise<VenueEnd | null> {
    this.answerNext = () => reply;
    return this.send(call);
  }

  private async send(call: VenueCall): Promise<VenueEnd | null> {
    try {
      return await new Promise((onEnd, onError) => {
        this.connection.caller.send(call, new AbortController().signal, { onEnd, onError });
      });
    } catch (error) {
      this.note(`${call.kind}: expected an answer, the venue ended with ${messageOf(error)}`);
      return null;
    }
  }

  private write(answer: VenueWireAnswer, call: VenueCall): HttpResponse {
    return { headers: {}, ...this.wire.write(answer, call) };
  }

  /**
   * Returns a call with the ids, places and markets of the venue in place of those behind its wire; null for
   * one that the venue does not have.
   */
  private asAsked(call: VenueCall): VenueCall | null {
    const { ownLists, orderKinds, clientOrderId } = this.profile;
    const { kind } = call;
    if (kind === 'place') return orderKinds.has(call.order.execution) ? call : null;
    if (kind === 'order' || kind === 'cancel') {
      if (call.venueId !== null) return { ...call, venueId: this.ids.order };
      return clientOrderId.canBeQueried ? call : null;
    }
    if (kind === 'orders') {
      const { orders } = ownLists;
      const isOfMarket = (call.status === 'open' ? orders.openScope : orders.scope) === 'market';
      const from = orders.by === 'id' ? orders.cursorOf(this.ids.order) : call.from;
      return { ...call, market: isOfMarket ? call.market : null, from };
    }
    if (kind !== 'trades') return call;
    const { trades } = ownLists;
    const from = trades.by === 'id' ? trades.cursorOf(this.ids.trade) : call.from;
    return { ...call, market: trades.scope === 'market' ? call.market : null, from };
  }

  /** A request says all that its call says. */
  private async checkRequest(behind: VenueCall): Promise<void> {
    const { kind } = behind;
    const call = this.asAsked(behind);
    if (call === null) return;
    let read: VenueCall | null = null;
    this.answerNext = (request) => {
      read = this.wire.read(request);
      return NO_BODY;
    };
    const end = await this.send(call);
    if (read === null) this.note(`${kind}: expected a request that the wire reads, ${textOf(end?.answer)}`);
    else if (!isDeepStrictEqual(plain(read, call), plain(withoutPlace(behind, read), call)))
      this.note(`${kind}: expected the request of ${textOf(behind)}, its request says ${textOf(read)}`);
  }

  /** A reply is read to the last digit. */
  private async checkValue(call: VenueCall): Promise<void> {
    const value = VALUES[call.kind];
    if (value === undefined) return;
    const end = await this.end(call, this.write({ kind: 'value', value }, call));
    if (end === null) return;
    // Without a history of wallets their ids are asked for nothing.
    const ignored = this.profile.ownLists.transactions === null ? IGNORED_WITH_WALLETS : IGNORED;
    const read = end.answer.outcome === 'value' ? comparable(end.answer.value, ignored) : end.answer;
    const expected = withoutQuiet(comparable(value, ignored), read);
    if (!isDeepStrictEqual(read, expected))
      this.note(`${call.kind}: expected ${textOf(expected)}, the venue reads ${textOf(read)}`);
  }

  /** A reply that says nothing clear leaves a change unknown, and a read without effect. */
  private async checkUnclear(call: VenueCall): Promise<void> {
    const effect = CHANGING_CALLS.has(call.kind) ? 'unknown' : 'none';
    for (const [what, reply] of UNCLEAR) {
      const end = await this.end(call, reply);
      if (end === null || (end.answer.outcome === 'failed' && end.answer.effect === effect)) continue;
      this.note(
        `${call.kind}: expected of ${what} that its effect is ${effect}, the venue makes of it ${textOf(end.answer)}`,
      );
    }
  }

  /** Each word for an order's state has the meaning that the exchange gives it. */
  private async checkStates(): Promise<void> {
    const [call] = CALLS.order ?? [];
    if (call === undefined) return;
    for (const [meaning, words] of Object.entries(INTERFACE_PROFILE.statuses))
      for (const status of words) {
        const value = { ...order, status };
        const end = await this.end(call, this.write({ kind: 'value', value }, call));
        const read = end?.answer.outcome === 'value' ? (end.answer.value as typeof order).status : null;
        const of = Object.entries(this.profile.statuses).filter(([, own]) => own.includes(read ?? ''));
        const meanings = of.map(([name]) => name as StatusMeaning);
        // An exchange may have one word for orders that it has taken and those in its book.
        const isNear = meaning === 'accepted' && isDeepStrictEqual(meanings, ['working']);
        if (!isNear && !isDeepStrictEqual(meanings, [meaning]))
          this.note(
            `profile.statuses: expected that ${textOf(read)}, an order that is ${meaning}, means ${meaning}, it means ${meanings.join(' and ') || 'nothing'}`,
          );
      }
  }

  private async checkRefusals(): Promise<void> {
    const [place] = CALLS.place ?? [];
    if (place === undefined) return;
    for (const [code, where, isRight] of REFUSALS) {
      const end = await this.end(place, this.write({ kind: 'refused', code, message: 'no' }, place));
      if (end?.answer.outcome === 'refused' && isRight(this.profile, end.answer.code)) continue;
      this.note(
        `${where}: expected the code of the refusal ${code}, the venue makes of it ${textOf(end?.answer)}`,
      );
    }
    const limited = await this.end(place, this.write({ kind: 'limited', retryAfterMs: 9_000 }, place));
    if (limited?.error?.code !== 'RATE_LIMITED' || limited.error.details['backOffMs'] !== 9_000)
      this.note(`refusal: expected a limit with a wait of 9 s, the venue makes of it ${textOf(limited)}`);
    const unauthorized = await this.end(place, this.write({ kind: 'unauthorized' }, place));
    if (unauthorized?.error?.code !== 'UNAUTHORIZED')
      this.note(`refusal: expected a bad credential, the venue makes of it ${textOf(unauthorized)}`);
  }

  private checkNames(): void {
    const { longest, pattern } = this.profile.clientOrderId;
    const name = 'bot-strategy-ab12-1'.padEnd(longest, '9').slice(0, longest);
    if (!pattern.test(name)) this.note(`profile.clientOrderId: expected ${pattern.source} to fit ${name}`);
  }
}

/** Returns a call as a request for all open orders says it, where the exchange lists them on one page. */
const withoutPlace = (call: VenueCall, read: VenueCall): VenueCall =>
  call.kind === 'orders' && call.status === 'open' && read.kind === 'orders' && read.from === null
    ? { ...call, from: null }
    : call;

/** Returns a call without what its exchange need not be told: `pro`, and a market that was not asked for. */
const plain = (call: VenueCall, asked: VenueCall): unknown =>
  comparable('market' in asked && asked.market === null ? { ...call, market: null } : call, CALL_IGNORED);

/** Returns a value with its fields in one order, and without those that say nothing. */
function comparable(value: unknown, ignored = IGNORED): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => comparable(item, ignored));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([name, field]) => field !== null && field !== undefined && !ignored.has(name),
  );
  return Object.fromEntries(
    fields
      .toSorted(([one], [two]) => (one < two ? -1 : 1))
      .map(([name, field]) => [name, comparable(field, ignored)]),
  );
}

/** Fields that a venue may leave out, and those that are its own: ids and the word for a state. */
const IGNORED: ReadonlySet<string> = new Set([
  'id',
  'orderId',
  'venueId',
  'status',
  'tradeKind',
  'unmatchedAmount',
  'pro',
]);

const IGNORED_WITH_WALLETS: ReadonlySet<string> = new Set([...IGNORED, 'walletId']);

/** Fields that a reply may leave unsaid: whether more follows, an order's fee and value, a book's time. */
const QUIET: ReadonlySet<string> = new Set(['hasNext', 'fee', 'total', 'updatedAtMs']);

/** Returns what is expected of a value without the fields that a venue leaves unsaid. */
function withoutQuiet(expected: unknown, read: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(read))
    return expected.map((item: unknown, index) => withoutQuiet(item, read[index]));
  if (!isObject(expected) || !isObject(read)) return expected;
  const said = Object.entries(expected).filter(([name]) => name in read || !QUIET.has(name));
  return Object.fromEntries(said.map(([name, field]) => [name, withoutQuiet(field, read[name])]));
}

const CALL_IGNORED: ReadonlySet<string> = new Set(['pro']);

const MOST_TEXT = 400;

function textOf(value: unknown): string {
  const text =
    JSON.stringify(value, (_name, field: unknown) => {
      if (typeof field === 'bigint') return String(field);
      return field instanceof SarrafError ? `${field.code}: ${field.message}` : field;
    }) ?? 'nothing';
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}
