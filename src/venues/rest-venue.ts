import { decimalText, type DecimalText } from '../domain/decimal-text.ts';
import { SarrafError, invalidOptions, messageOf, present } from '../domain/errors.ts';
import type { Budget, Charge } from '../domain/rate-limit.ts';
import { parseJson } from '../domain/stored-json.ts';
import { limitsLess } from '../exchange/client-options.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import type { HttpRequest, HttpResponse } from '../exchange/transport.ts';
import { USER_AGENT } from '../exchange/version.ts';
import type { CredentialSettings } from './client-credentials.ts';
import {
  CALL_KINDS,
  CHANGING_CALLS,
  failedCall,
  MARKET_CALLS,
  type Effect,
  type UnreadRow,
  type VenueCall,
  type VenueCallKind,
  type VenueProfile,
  type VenueValues,
} from './port.ts';
import type { LimitUsage } from '../budget/admission.ts';
import { sendOptions, withReply, type VenueCaller, type VenueEnd } from './venue-caller.ts';
import type { ConnectOptions, VenueConnection, VenueDefinition } from './venue-definition.ts';

/** A request of a venue as its declaration writes it. */
export interface RestRequest {
  readonly method: HttpRequest['method'];
  /** Path with its query, as it is sent and signed; begins with `/`. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A credential with its secrets, for signatures only. */
export type RestCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly publicKey: string; readonly privateKey: string }
  | { readonly kind: 'secret'; readonly apiKey: string; readonly apiSecret: string };

/** A reply that came, with its body read as JSON; null if the body is no JSON. */
export interface RestReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly text: string;
}

/**
 * Meaning of a reply that is not the value. `refused`: the exchange declined, and `effect` is what the call
 * has done all the same. `limited`: over a limit; `retryAfterMs` is null if it names no time. `unauthorized`:
 * the credential is bad. `forbidden`: it lacks the permission. `unknown`: the call may have been executed.
 */
export type RestRefusal =
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly effect: Effect }
  /** `limit`: the limit of the venue that was exceeded; left out for that of the call's queue. */
  | {
      readonly kind: 'limited';
      readonly message: string;
      readonly retryAfterMs: number | null;
      readonly limit?: string;
    }
  | { readonly kind: 'unauthorized' | 'forbidden' | 'unknown'; readonly message: string };

/** Reads the rows of a list one by one, so that one that cannot be read does not hide the others. */
export type EachRow = <Row>(
  list: unknown,
  read: (row: unknown) => Row,
  name: (row: unknown) => Partial<Omit<UnreadRow, 'why'>>,
) => readonly Row[];

type CallOf<Kind extends VenueCallKind> = Extract<VenueCall, { readonly kind: Kind }>;

/** Units of a call that depend on its content: the most of any call, and those of one. */
export interface RestWeight<Kind extends VenueCallKind> {
  readonly most: number;
  readonly of: (call: CallOf<Kind>) => number;
}

/** One call: the limits that count it, its request, and the value in the reply. */
export interface RestCall<Kind extends VenueCallKind> {
  /** Name of the limit whose queue it waits in. */
  readonly limit: string;
  /** Units of that limit that it takes: a whole number, or one by the call's content; 1 by default. */
  readonly weight?: number | RestWeight<Kind>;
  /** Other limits that it charges, each with the units. */
  readonly also?: Readonly<Record<string, number>>;
  /** Longest time from the send to the reply, in ms; 10 s by default. */
  readonly timeoutMs?: number;
  readonly request: (call: CallOf<Kind>) => RestRequest;
  /** Returns the value. What it throws makes the reply unreadable; its message says what was expected. */
  readonly read: (body: unknown, call: CallOf<Kind>, each: EachRow) => VenueValues[Kind];
}

type RestCalls = { readonly [Kind in VenueCallKind]?: RestCall<Kind> };

/**
 * A limit of the exchange: at most `limit` requests, or units of them, in any `windowMs`, for an address or
 * an account.
 */
export interface RestLimit extends Pick<Budget, 'limit' | 'windowMs' | 'per' | 'hasReserve'> {
  /** True if the exchange does not publish it; default false. */
  readonly assumed?: boolean;
}

/** Counts of limits by name. */
export type RestUsage = Readonly<
  Record<string, { readonly used?: number | null; readonly isCounted?: boolean }>
>;

/** An exchange with a REST interface, as its package declares it. */
export interface RestVenue {
  readonly name: string;
  readonly credentials: readonly RestCredential['kind'][];
  readonly limits: Readonly<Record<string, RestLimit>>;
  /** Facts for the engine. Market names, limits and calls that are missing come from the rest. */
  readonly profile: Omit<VenueProfile, 'name' | 'budgets' | 'unserved' | 'marketNames'>;
  /** The calls that it answers. Strategies that need another one are refused before the run. */
  readonly calls: RestCalls;
  /** Returns the signed request. `nowMs` is the wall clock of this machine. */
  readonly authenticate: (
    request: RestRequest,
    using: { readonly credential: RestCredential; readonly nowMs: number },
  ) => RestRequest;
  /**
   * Returns the counts in a reply by limit, where the exchange tells them: the units it has counted in its
   * window, and false if it does not count this request, such as an order that was accepted.
   */
  readonly usage?: (reply: RestReply, call: VenueCall) => RestUsage;
  /** Returns what a reply says if it is not the value; null if it is the value. */
  readonly refusal: (reply: RestReply, call: VenueCall) => RestRefusal | null;
}

/** Calls without which no bot runs. */
const NEEDED: readonly VenueCallKind[] = [
  'place',
  'cancel',
  'order',
  'orders',
  'trades',
  'wallets',
  'book',
  'options',
];

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const TIMEOUT_MS = 10_000;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

const wrong = (name: string, message: string): SarrafError =>
  invalidOptions(`defineVenue ${name}: ${message}`);

/**
 * Makes a venue of a REST interface's declaration.
 * @throws SarrafError `INVALID_OPTIONS` for a declaration that contradicts itself, or lacks a needed call.
 */
export function defineVenue(venue: RestVenue): VenueDefinition {
  const { name, calls, limits } = venue;
  if (!NAME.test(name))
    throw wrong(JSON.stringify(name), 'expected a name of lower-case letters, digits and hyphens');
  const missing = NEEDED.filter((kind) => calls[kind] === undefined);
  if (missing.length > 0)
    throw wrong(name, `expected the calls that every bot needs, found none for ${missing.join(', ')}`);
  const declared = Object.entries(calls) as readonly [VenueCallKind, RestCall<VenueCallKind>][];
  for (const [limit, { limit: most, windowMs }] of Object.entries(limits))
    if (!isCount(most) || !isCount(windowMs))
      throw wrong(name, `limits.${limit}: expected whole positive numbers, was ${most} in ${windowMs} ms`);
  for (const [kind, call] of declared)
    for (const { budget, weight } of chargesOfRest(call)) {
      const place = `calls.${kind}: expected`;
      if (!Object.hasOwn(limits, budget))
        throw wrong(name, `${place} one of the limits ${Object.keys(limits).join(', ')}, was ${budget}`);
      if (!isCount(weight)) throw wrong(name, `${place} a whole positive number of units, was ${weight}`);
      const most = limits[budget]?.limit ?? 0;
      if (weight > most) throw wrong(name, `${place} at most the ${most} units of ${budget}, was ${weight}`);
    }
  const charges = declared.map(([kind, call]) => [kind, chargesOfRest(call)] as const);
  const weighted = new Set(
    charges.flatMap(([, all]) =>
      all.filter(({ weight }, at) => at > 0 || weight > 1).map(({ budget }) => budget),
    ),
  );
  const budgets = new Map<string, Budget>(
    Object.entries(limits).map(([limit, { assumed = false, ...rest }]) => [
      limit,
      { name: limit, assumed, ...(weighted.has(limit) ? { isWeighted: true } : {}), ...rest },
    ]),
  );
  if ((calls.transactions === undefined) !== (venue.profile.ownLists.transactions === null))
    throw wrong(
      name,
      'expected profile.ownLists.transactions to be null where there is no such call, and a list where there is',
    );
  const usual = calls.orders?.limit ?? '';
  const profile: VenueProfile = {
    ...venue.profile,
    name,
    marketNames: MARKET_NAMES,
    budgets: Object.fromEntries(
      CALL_KINDS.map((kind) => [kind, calls[kind]?.limit ?? usual]),
    ) as VenueProfile['budgets'],
    charges: Object.fromEntries(charges),
    unserved: new Map(
      CALL_KINDS.filter((kind) => calls[kind] === undefined).map((kind) => [
        kind,
        `the venue ${name} has no call for it`,
      ]),
    ),
  };
  return {
    name,
    credentials: new Set(venue.credentials),
    profileFor: () => profile,
    budgetsFor: ({ limits: overrides, headroom }) => limitsLess(budgets, overrides, headroom),
    connect: (options) =>
      connect(venue, options, {
        profile,
        budgets: limitsLess(budgets, options.settings.limits, options.settings.headroom),
      }),
  };
}

function connect(
  venue: RestVenue,
  options: ConnectOptions,
  { profile, budgets }: { readonly profile: VenueProfile; readonly budgets: ReadonlyMap<string, Budget> },
): VenueConnection {
  const credential = restCredential(options.credentials);
  const declaredFor = ({ kind }: VenueCall) => venue.calls[kind] as RestCall<VenueCallKind> | undefined;
  const caller: VenueCaller = {
    endpointOf: ({ kind }) => kind,
    budgetOf: ({ kind }) => profile.budgets[kind],
    credentialOf: ({ kind }) => (MARKET_CALLS.has(kind) ? 'none' : 'with'),
    chargesOf: (call) => chargesOfCall(declaredFor(call), call),
    timeoutMsOf: (call) => declaredFor(call)?.timeoutMs ?? TIMEOUT_MS,
    send(call, signal, { onEnd, onError }) {
      const declared = declaredFor(call);
      if (declared === undefined) onEnd(withoutCall(venue, call));
      else void exchange(venue, { call, declared, credential, signal, options }).then(onEnd, onError);
    },
  };
  return { caller, budgets, accountReader: null, close: async () => options.transport.close() };
}

/** Returns the most units that a call takes of each limit, that of its queue first. */
function chargesOfRest({ limit, weight = 1, also = {} }: RestCall<VenueCallKind>): readonly Charge[] {
  return [
    { budget: limit, weight: typeof weight === 'number' ? weight : weight.most },
    ...Object.entries(also).map(([budget, units]) => ({ budget, weight: units })),
  ];
}

/** Returns the units of one call. More than were declared, or none, are as many as were declared. */
function chargesOfCall(declared: RestCall<VenueCallKind> | undefined, call: VenueCall) {
  if (declared === undefined) return { weight: 1 };
  const [main, ...also] = chargesOfRest(declared);
  const most = present(main, 'a charge of the main limit').weight;
  const told = typeof declared.weight === 'object' ? declared.weight.of(call) : most;
  const weight = isCount(told) && told <= most ? told : most;
  return also.length === 0 ? { weight } : { weight, also };
}

/** Returns the end of a call that the venue does not have: nothing was sent. */
function withoutCall({ name }: RestVenue, { kind }: VenueCall): VenueEnd {
  const error = new SarrafError('INVALID_REQUEST', `${name}: expected a call that it has, was ${kind}`);
  return { answer: failedCall(kind, error), error: null };
}

/** Unwraps the secrets of a credential, of a kind that the venue takes. */
function restCredential(settings: CredentialSettings | null): RestCredential | null {
  if (settings === null) return null;
  switch (settings.kind) {
    case 'token':
      return { kind: 'token', token: settings.token.reveal() };
    case 'key':
      return { ...settings, privateKey: settings.privateKey.reveal() };
    case 'secret':
      return { ...settings, apiSecret: settings.apiSecret.reveal() };
    case 'login':
      return null;
  }
}

interface Exchange {
  readonly call: VenueCall;
  readonly declared: RestCall<VenueCallKind>;
  readonly credential: RestCredential | null;
  readonly signal: AbortSignal;
  readonly options: ConnectOptions;
}

/** Sends one call, and reads its reply. Failures of the exchange or the network are answers. */
async function exchange(venue: RestVenue, of: Exchange): Promise<VenueEnd> {
  const { call, options } = of;
  let response: HttpResponse | null = null;
  let end: VenueEnd;
  try {
    response = await options.transport.send(signedRequest(venue, of));
    const usage = usageOf(venue, of, response);
    end = endOf(venue, of, response);
    if (usage !== null) end = { ...end, usage };
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    end = { answer: failedCall(call.kind, error), error };
  }
  return response === null ? end : withReply(end, response, { kind: call.kind, endpoint: call.kind });
}

function signedRequest(venue: RestVenue, of: Exchange): HttpRequest {
  const { call, declared, credential, signal, options } = of;
  const plain = madeBy(venue, `calls.${call.kind}.request`, () => declared.request(call as never));
  const signed =
    credential === null || MARKET_CALLS.has(call.kind)
      ? plain
      : madeBy(venue, 'authenticate', () =>
          venue.authenticate(plain, { credential, nowMs: options.wallMs() }),
        );
  return {
    method: signed.method,
    path: signed.path,
    headers: { accept: 'application/json', 'user-agent': USER_AGENT, ...signed.headers },
    body: signed.body ?? null,
    timeoutMs: declared.timeoutMs ?? TIMEOUT_MS,
    ...sendOptions(call, signal),
  };
}

/** Runs a part of the venue's own code before anything is sent: what it throws has changed nothing. */
function madeBy<Made>({ name }: RestVenue, part: string, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    throw new SarrafError('INVALID_REQUEST', `${name}: ${part} ends with ${messageOf(cause)}`, { cause });
  }
}

function endOf(venue: RestVenue, of: Exchange, response: HttpResponse): VenueEnd {
  const { call, declared } = of;
  const { status, headers, body: text } = response;
  const body = jsonOf(text);
  const refusal = readBy(venue, of, 'refusal', () => venue.refusal({ status, headers, body, text }, call));
  if (refusal?.kind === 'refused') {
    const { code, message, effect } = refusal;
    const isRead = !CHANGING_CALLS.has(call.kind);
    const about = { status: null, order: null, effect: isRead ? 'none' : effect } as const;
    return { answer: { outcome: 'refused', code, message, ...about }, error: null };
  }
  if (refusal !== null) throw errorOf(refusal, { venue, of, status });
  if (status < 200 || status >= 300)
    throw new SarrafError(
      status >= 500 ? 'SERVER_ERROR' : 'UNEXPECTED_REPLY',
      `${venue.name}: ${call.kind}: expected HTTP 200, was ${status}: ${text.slice(0, SHOWN_LENGTH)}`,
      { details: { httpStatus: status } },
    );
  const unread: UnreadRow[] = [];
  const value = readBy(venue, of, `calls.${call.kind}.read`, () =>
    declared.read(body, call as never, eachRow(unread)),
  );
  return {
    answer: { outcome: 'value', value, ...(unread.length === 0 ? {} : { unread }) },
    error: null,
  };
}

/** Returns the counts of limits in a reply; null if it has none. What cannot be read is left out. */
function usageOf(venue: RestVenue, of: Exchange, response: HttpResponse): readonly LimitUsage[] | null {
  if (venue.usage === undefined) return null;
  const { status, headers, body: text } = response;
  const { usage } = venue;
  const told = readBy(venue, of, 'usage', () =>
    usage({ status, headers, body: jsonOf(text), text }, of.call),
  );
  return Object.entries(told).flatMap(([budget, { used = null, isCounted = true }]) =>
    Object.hasOwn(venue.limits, budget)
      ? [{ budget, used: used !== null && isCount(used) ? used : null, isCounted }]
      : [],
  );
}

const SHOWN_LENGTH = 200;

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** Runs a part of the venue's own code on a reply: what it throws makes the reply unreadable. */
function readBy<Read>({ name }: RestVenue, { call }: Exchange, part: string, read: () => Read): Read {
  try {
    return read();
  } catch (cause) {
    throw new SarrafError(
      'UNEXPECTED_REPLY',
      `${name}: ${call.kind}: the reply can not be used: ${part} ends with ${messageOf(cause)}`,
      { cause },
    );
  }
}

function errorOf(
  refusal: Exclude<RestRefusal, { readonly kind: 'refused' }>,
  { venue, of, status }: { readonly venue: RestVenue; readonly of: Exchange; readonly status: number },
): SarrafError {
  const { call, declared } = of;
  const message = `${venue.name}: ${call.kind}: ${refusal.message} (HTTP ${status})`;
  const details = { endpoint: call.kind, httpStatus: status };
  switch (refusal.kind) {
    case 'limited': {
      const { retryAfterMs: backOffMs, limit: limited = declared.limit } = refusal;
      const limit = { budget: limited, limited, backOffMs, limit: null, isOwn: true };
      return new SarrafError('RATE_LIMITED', message, { details: { ...details, ...limit } });
    }
    case 'unauthorized':
      return new SarrafError('UNAUTHORIZED', message, { details });
    case 'forbidden':
      return new SarrafError('FORBIDDEN', message, { details });
    case 'unknown':
      return new SarrafError('SERVER_ERROR', message, { details });
  }
}

/** @see EachRow */
function eachRow(unread: UnreadRow[]): EachRow {
  return (list, read, name) => {
    if (!Array.isArray(list)) throw new TypeError(`expected a list, was ${typeof list}`);
    return list.flatMap((row: unknown, index) => {
      try {
        return [read(row)];
      } catch (error) {
        const unnamed = { subject: `row ${index}`, venueOrderId: null, market: null, currency: null };
        unread.push({ ...unnamed, ...name(row), why: messageOf(error) });
        return [];
      }
    });
  };
}

/** Returns a decimal of a reply, which may be text or a number. Throws for anything else. */
export function decimalOf(value: unknown): DecimalText {
  if (typeof value === 'string' || typeof value === 'number') return decimalText(value);
  throw new TypeError(`expected a decimal, was ${JSON.stringify(value) ?? typeof value}`);
}
