import type { HttpRequest, HttpResponse } from '../exchange/transport.ts';
import type { Dice } from './dice.ts';

/** All kinds of errors that a field, a record or a whole reply can get. */
export const WRONG_KINDS = [
  'dropped',
  'null',
  'boolean',
  'object',
  'nested',
  'huge',
  'negative',
  'tiny',
  'zero',
  'other record',
  'swapped',
  'unknown word',
  'record dropped',
  'record doubled',
  'records reversed',
  'stale',
] as const;

type WrongKind = (typeof WRONG_KINDS)[number];

/** Plan for wrong replies in one run. */
export interface WrongReplies {
  /** Probability for each reply. */
  readonly probability: number;
  readonly kinds: readonly WrongKind[];
  /** Probability that a proxy refuses a request that places or cancels, which may have arrived or not. */
  readonly refusals: number;
  /** Probability of a refusal with the interface's own code: it looks exactly like the exchange's. */
  readonly ownCodeRefusals: number;
}

const SHARE = 0.5;
const LEAST = 0.002;
/** Bounds of probabilities: with more, two equally wrong readings in a row would often be believed. */
const MOST = 0.02;
const LEAST_REFUSALS = 0.01;
const MOST_REFUSALS = 0.1;

/** Draws the plan: half of the seeds have wrong replies of some kinds, or wrong refusals, or both. */
export function drawWrongReplies(dice: Dice): WrongReplies | null {
  if (!dice.happens(SHARE)) return null;
  const kinds = dice.some(WRONG_KINDS, 0.6);
  const probability = dice.happens(0.8) && kinds.length > 0 ? dice.logUniform(LEAST, MOST) : 0;
  const refusals = dice.happens(0.6) ? dice.logUniform(LEAST_REFUSALS, MOST_REFUSALS) : 0;
  const ownCodeRefusals = dice.happens(0.5) ? dice.logUniform(LEAST_REFUSALS, MOST_REFUSALS) : 0;
  return { probability, kinds, refusals, ownCodeRefusals };
}

interface ReplyMutatorOptions {
  readonly plan: WrongReplies;
  readonly dice: Dice;
  /** Called with each falsified reply, and how. */
  readonly onWrong: (what: string) => void;
}

/** Fields of a request that matter here. */
type Asked = Pick<HttpRequest, 'method' | 'path' | 'body'>;

/** Requests that change the exchange, where a false refusal does harm. */
const PLACEMENT = '/market/orders/add';
const CHANGING = [PLACEMENT, '/market/orders/update-status'] as const;
/** Requests about one order, which are few: their replies are wrong more often by this factor. */
const OF_ONE_ORDER = [PLACEMENT, '/market/orders/status', '/market/orders/update-status'] as const;
const TIMES_MORE = 3;

const TRANSFER = '/wallets/transfer';

/** Path of the log-in, whose replies stay right: without it nothing can be read. */
const LOGIN = '/auth/login';

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Refusals by a proxy: none has a code of the interface for placing or canceling an order. */
const REFUSALS: readonly HttpResponse[] = [
  json(400, { message: 'Bad Request' }),
  json(400, {}),
  json(200, { status: 'failed', message: 'The service is busy.' }),
  json(200, { status: 'failed', code: 'Strange', message: 'No.' }),
  json(200, { status: 'failed', code: 'WithdrawUnavailable', message: 'No.' }),
  json(404, { message: 'no route' }),
  json(422, { status: 'failed', code: 'AmountTooLow', message: 'No.' }),
];

/** Codes with which the interface refuses a placement, and a cancel. */
const PLACEMENT_CODES = [
  'InvalidOrderPrice',
  'BadPrice',
  'PriceConditionFailed',
  'OverValueOrder',
  'SmallOrder',
  'DuplicateOrder',
  'InvalidMarketPair',
  'MarketClosed',
  'TradingUnavailable',
  'FeatureUnavailable',
  'DuplicateClientOrderId',
] as const;
const CANCEL_CODES = ['NotFound', 'FeatureUnavailable', 'NullIdAndClientOrderId'] as const;

/** True if a reply is a refusal, such as one of an earlier request. */
const hasFailed = ({ body }: HttpResponse): boolean => /^\s*\{[^{]*"status"\s*:\s*"failed"/.test(body);

/** Maximum number of replies that are stored to replace later ones. */
const MOST_REMEMBERED = 30;

/** Makes some replies wrong in one thing on their way to the bot. Like a network, it is of no process. */
export class ReplyMutator {
  isOn = true;
  /** Client order ids that the exchange may have accepted, and that the bot saw refused by its code. */
  readonly refusedNames = new Set<string>();
  /** Bodies of transfer requests whose reply was falsified, so that it does not tell their result. */
  readonly spoiledTransfers = new Set<string>();
  private readonly options: ReplyMutatorOptions;
  /** Earlier replies, by path. */
  private readonly replies = new Map<string, HttpResponse[]>();
  /** Number of times each kind of error has occurred so far. */
  private readonly times = new Map<WrongKind, number>();

  constructor(options: ReplyMutatorOptions) {
    this.options = options;
  }

  /** Returns a proxy's answer in place of the exchange's: the request, or its reply, does not arrive. */
  refusal(request: Asked): { readonly response: HttpResponse; readonly isHandled: boolean } | null {
    const { plan, dice, onWrong } = this.options;
    if (!this.isOn || !CHANGING.some((path) => request.path.startsWith(path))) return null;
    const hasOwnCode = plan.ownCodeRefusals > 0 && dice.happens(plan.ownCodeRefusals);
    if (!hasOwnCode && (plan.refusals === 0 || !dice.happens(plan.refusals))) return null;
    const response = hasOwnCode ? this.ownRefusal(request) : dice.pick(REFUSALS);
    if (response === null) return null;
    const isHandled = dice.happens(0.5);
    const what = hasOwnCode ? "refusal with the interface's code" : 'wrong refusal';
    onWrong(`${what} of what was ${isHandled ? 'done' : 'not done'}`);
    if (hasOwnCode && isHandled) this.rememberRefused(request);
    return { response, isHandled };
  }

  /** Returns the reply as it arrives. */
  reply(request: Asked, response: HttpResponse): HttpResponse {
    const { plan, dice, onWrong } = this.options;
    const { path } = request;
    if (!this.isOn || response.status !== 200 || path.startsWith(LOGIN)) return response;
    const earlier = this.remember(request, response);
    const times = OF_ONE_ORDER.some((start) => path.startsWith(start)) ? TIMES_MORE : 1;
    if (!dice.happens(plan.probability * times)) return response;
    for (const kind of this.rarestFirst()) {
      const wrong = this.wrongReply(kind, response, earlier);
      if (wrong === null) continue;
      this.times.set(kind, this.timesOf(kind) + 1);
      onWrong(`wrong reply ${kind}`);
      if (hasFailed(wrong)) this.rememberRefused(request);
      if (path.startsWith(TRANSFER) && request.body !== null) this.spoiledTransfers.add(request.body);
      return wrong;
    }
    return response;
  }

  /** Returns the kinds, the rarest so far first, ties at random: few wrong replies then cover many kinds. */
  private rarestFirst(): readonly WrongKind[] {
    const { plan, dice } = this.options;
    return plan.kinds
      .map((kind) => ({ kind, rank: this.timesOf(kind) + dice.share() }))
      .toSorted((left, right) => left.rank - right.rank)
      .map(({ kind }) => kind);
  }

  private timesOf(kind: WrongKind): number {
    return this.times.get(kind) ?? 0;
  }

  private wrongReply(
    kind: WrongKind,
    response: HttpResponse,
    earlier: readonly HttpResponse[],
  ): HttpResponse | null {
    const { dice } = this.options;
    if (kind === 'stale') {
      const stale = dice.pick(earlier);
      return stale === null || stale.body === response.body ? null : stale;
    }
    const body = spoil(response.body, kind, dice);
    return body === null ? null : { ...response, body };
  }

  private ownRefusal({ path }: Asked): HttpResponse {
    const { dice } = this.options;
    const codes: readonly string[] = path.startsWith(PLACEMENT) ? PLACEMENT_CODES : CANCEL_CODES;
    const body = { status: 'failed', code: dice.pick(codes), message: 'No.' };
    return json(dice.happens(0.5) ? 200 : 400, body);
  }

  private rememberRefused({ path, body }: Asked): void {
    if (!path.startsWith(PLACEMENT) || body === null) return;
    const { clientOrderId } = JSON.parse(body) as { readonly clientOrderId?: unknown };
    if (typeof clientOrderId === 'string') this.refusedNames.add(clientOrderId);
  }

  /** Stores a reply; returns the earlier ones to such requests. */
  private remember({ path }: Asked, response: HttpResponse): readonly HttpResponse[] {
    const [address = path] = path.split('?', 1);
    const replies = this.replies.get(address) ?? [];
    const earlier = [...replies];
    replies.push(response);
    if (replies.length > MOST_REMEMBERED) replies.shift();
    this.replies.set(address, replies);
    return earlier;
  }
}

type Holder = Record<string | number, unknown>;

/** Position of a value in a body. */
interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  readonly isLeaf: boolean;
  /** True if it is in the last record of a list, which mostly is the new one. */
  readonly isNewest: boolean;
}

const DEPTH = 20_000;
const NESTED = '\u0000nested';
/** Fields that decisions depend on: half of the errors are in one of them, if a body has any. */
const INFORMATIVE: ReadonlySet<string | number> = new Set([
  'id',
  'orderId',
  'pairId',
  'clientOrderId',
  'status',
  'amount',
  'matchedAmount',
  'total',
  'fee',
  'hasNext',
]);
/** Ids, of which a huge one looks like the newest. */
const IDS: ReadonlySet<string | number> = new Set(['id', 'orderId', 'pairId']);
const NUMBER_KINDS: ReadonlySet<WrongKind> = new Set(['negative', 'tiny', 'zero', 'huge']);
const HUGE_IDS = [9_007_199_254_740_991, 1_000_000_000_000, 123_456_789_012] as const;

/** Returns a body with one error, at a place drawn from any depth; null if it has none for this kind. */
export function spoil(body: string, kind: Exclude<WrongKind, 'stale'>, dice: Dice): string | null {
  const root = readBody(body);
  if (root === null) return null;
  const places = placesIn(root);
  const place = dice.pick(placesFor(kind, places, dice));
  if (place === null || !spoilAt(place, { kind, dice, places })) return null;
  return JSON.stringify(root).replace(JSON.stringify(NESTED), `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`);
}

/** Returns the places to which a kind of error can be applied. */
function placesFor(kind: WrongKind, places: readonly Place[], dice: Dice): readonly Place[] {
  if (kind === 'record dropped' || kind === 'record doubled')
    return places.filter(({ holder, isLeaf }) => Array.isArray(holder) && !isLeaf);
  if (kind === 'records reversed') return places.filter(isList);
  const all = places.filter((place) => place.isLeaf && suits(kind, place));
  const newest = dice.happens(0.5) ? all.filter(({ isNewest }) => isNewest) : [];
  const leaves = newest.length > 0 ? newest : all;
  const wanted = kind === 'huge' ? IDS : INFORMATIVE;
  const wantedLeaves = dice.happens(0.5) ? leaves.filter(({ key }) => wanted.has(key)) : [];
  return wantedLeaves.length > 0 ? wantedLeaves : leaves;
}

/** True if a value has a type that a kind of error fits. */
function suits(kind: WrongKind, { holder, key }: Place): boolean {
  const value = holder[key];
  if (NUMBER_KINDS.has(kind)) return isNumeric(value);
  return kind !== 'unknown word' || (typeof value === 'string' && !isNumeric(value));
}

/** Parses a body; null if it is no object, or was cut off by another fault. */
function readBody(body: string): Holder | null {
  try {
    const root: unknown = JSON.parse(body);
    return typeof root === 'object' && root !== null ? (root as Holder) : null;
  } catch {
    return null;
  }
}

/** Returns every value with its place; of a long list only the first and last items. */
function placesIn(holder: Holder, isInNewest = false): readonly Place[] {
  const places: Place[] = [];
  const entries = Array.isArray(holder) ? endsOf(holder) : Object.entries(holder);
  for (const [key, value] of entries) {
    const isLeaf = typeof value !== 'object' || value === null;
    const isNewest =
      isInNewest || (Array.isArray(holder) && key === holder.length - 1 && !Array.isArray(value));
    places.push({ holder, key, isLeaf, isNewest });
    if (!isLeaf) places.push(...placesIn(value as Holder, isNewest));
  }
  return places;
}

/** Items at each end of a list that may get an error. */
const MOST_ITEMS = 20;

function endsOf(list: readonly unknown[]): readonly (readonly [index: number, value: unknown])[] {
  const items = list.map((value, index) => [index, value] as const);
  return items.length <= MOST_ITEMS * 2
    ? items
    : [...items.slice(0, MOST_ITEMS), ...items.slice(-MOST_ITEMS)];
}

/** True for a list of several records. Prices of a book, which are lists themselves, are no records. */
function isList({ holder, key }: Place): boolean {
  const list = holder[key];
  return Array.isArray(list) && list.length > 1 && !Array.isArray(list[0]) && typeof list[0] === 'object';
}

function spoilAt(
  place: Place,
  of: { readonly kind: WrongKind; readonly dice: Dice; readonly places: readonly Place[] },
): boolean {
  const { holder, key } = place;
  const { kind, dice, places } = of;
  if (kind === 'dropped') {
    if (!Array.isArray(holder)) delete holder[key];
    return !Array.isArray(holder);
  }
  if (kind === 'records reversed') {
    const records = holder[key] as unknown[];
    records.reverse();
    return true;
  }
  const list = holder as unknown as unknown[];
  if (kind === 'record dropped') return list.splice(Number(key), 1).length > 0;
  if (kind === 'record doubled')
    return list.splice(Number(key), 0, structuredClone(holder[key])).length === 0;
  if (kind === 'other record')
    return exchange(place, places, dice, ({ holder: other, key: name }) => other !== holder && name === key);
  if (kind === 'swapped')
    return exchange(place, places, dice, ({ holder: other, key: name }) => other === holder && name !== key);
  const wrong = wrongValue(kind, holder[key], dice);
  if (wrong === undefined) return false;
  holder[key] = wrong;
  return true;
}

/** Replaces a value by another one of the body; if both are in one record, they are swapped. */
function exchange(
  place: Place,
  places: readonly Place[],
  dice: Dice,
  fits: (other: Place) => boolean,
): boolean {
  const { holder, key } = place;
  const other = dice.pick(places.filter((candidate) => candidate.isLeaf && fits(candidate)));
  if (other === null || other.holder[other.key] === holder[key]) return false;
  const own = holder[key];
  holder[key] = other.holder[other.key];
  if (other.holder === holder) holder[other.key] = own;
  return true;
}

/** Returns a wrong value; undefined if this value can not be wrong in this way. */
function wrongValue(kind: WrongKind, value: unknown, dice: Dice): unknown {
  if (kind === 'null') return value === null ? undefined : null;
  if (kind === 'boolean') return typeof value !== 'boolean' || (dice.happens(0.5) ? !value : 'yes');
  if (kind === 'object') return { toString: 'none', value };
  if (kind === 'nested') return NESTED;
  if (kind === 'unknown word') return 'Suspended';
  return isNumeric(value) ? wrongNumber(kind, value, dice) : undefined;
}

function wrongNumber(kind: WrongKind, value: string | number, dice: Dice): unknown {
  const as = (number: string): unknown => (typeof value === 'number' ? Number(number) : number);
  if (kind === 'negative')
    return String(value).startsWith('-') || Number(value) === 0 ? undefined : as(`-${value}`);
  if (kind === 'tiny') return as('1e-15');
  if (kind === 'zero') return Number(value) === 0 ? undefined : as('0');
  if (kind === 'huge') return as(String(dice.pick(HUGE_IDS) ?? HUGE_IDS[0]));
  return undefined;
}

function isNumeric(value: unknown): value is string | number {
  return (
    typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:[eE]-?\d+)?$/.test(value))
  );
}
