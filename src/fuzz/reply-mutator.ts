import type { HttpRequest, HttpResponse } from '../exchange/transport.ts';
import type { Dice } from './dice.ts';
import { spoil } from './spoil.ts';
import type { WrongKind, WrongReplies } from './wrong-replies.ts';

interface ReplyMutatorOptions {
  readonly plan: WrongReplies;
  readonly dice: Dice;
  /** Called with each reply that it made wrong, and how. */
  readonly onWrong: (what: string) => void;
}

/** Fields of a request that matter here. */
type Asked = Pick<HttpRequest, 'method' | 'path' | 'body'>;

/** Requests that change the exchange, where a false refusal does harm. */
const PLACEMENT = '/market/orders/add';
const CHANGING = [PLACEMENT, '/market/orders/update-status'] as const;
/**
 * Replies about one order, of which there are few beside lists and books: so many times more of them are
 * wrong.
 */
const OF_ONE_ORDER = [PLACEMENT, '/market/orders/status', '/market/orders/update-status'] as const;
const TIMES_MORE = 3;

const TRANSFER = '/wallets/transfer';

/** Replies that a log-in needs stay right: without them nothing can be read. */
const LOGIN = '/auth/login';

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * Refusals of something in between: none carries a code that the interface has for the placement or the
 * cancel of an order.
 */
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

/** True if a reply is a refusal, such as one that an earlier request got. */
function hasFailed({ body }: HttpResponse): boolean {
  return /^\s*\{[^{]*"status"\s*:\s*"failed"/.test(body);
}

/** Replies that are remembered, to be given again in place of later ones. */
const MOST_REMEMBERED = 30;

/**
 * Makes replies wrong on their way to the bot: one thing about one of them now and then. It belongs to no
 * process, as the network does not.
 */
export class ReplyMutator {
  isOn = true;
  /**
   * Client order ids of orders that the exchange may have accepted, and that were refused to the bot with the
   * interface's own code.
   */
  readonly refusedNames = new Set<string>();
  /** Bodies of transfers whose reply was made wrong: what it said of them is not what became of them. */
  readonly spoiledTransfers = new Set<string>();
  private readonly options: ReplyMutatorOptions;
  /** By path: what was said before. */
  private readonly said = new Map<string, HttpResponse[]>();
  /** Number of times each kind of error has occurred so far. */
  private readonly times = new Map<WrongKind, number>();

  constructor(options: ReplyMutatorOptions) {
    this.options = options;
  }

  /**
   * Returns a proxy's answer in place of the exchange's: the request does not arrive, or its reply does not
   * come back.
   */
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

  /** The reply as it arrives. */
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

  /** So that a run of few wrong replies has many kinds of them. Of the same number, by chance. */
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

  /** Answers what was said to such requests before. */
  private remember({ path }: Asked, response: HttpResponse): readonly HttpResponse[] {
    const [address = path] = path.split('?', 1);
    const said = this.said.get(address) ?? [];
    const earlier = [...said];
    said.push(response);
    if (said.length > MOST_REMEMBERED) said.shift();
    this.said.set(address, said);
    return earlier;
  }
}
