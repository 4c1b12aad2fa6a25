import { MINUTE_MS } from '../../domain/time-text.ts';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ControlClient } from '../../daemon/control-client.ts';
import type { ControlResult } from '../../daemon/control-command.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { SignalCommand } from '../../engine/engine-event.ts';
import { payloadSizeProblem, signalKey } from '../../engine/signal-record.ts';
import type { SignalTokenTable, SignalToken } from '../access-store.ts';
import { ApiError } from '../api-error.ts';
import type { BotFolderReader } from '../folder/bot-folder-reader.ts';
import { signalBody, type SignalBody, type SignalStatusReply } from '../schema/log.ts';
import { checkedInput, parseJsonBody } from '../server/handlers.ts';
import { tokenInHeader, SignInPace } from '../server/access-guard.ts';
import { english } from '../../language/sentence.ts';

/** Longest wait for the bot's answer, in ms; a healthy bot answers within 250 ms. */
const ANSWERED_WITHIN_MS = 2_000;

/** Maximum number of senders that wait for an answer; others are told at once that their signal waits. */
const MOST_WAITING = 20;

/** Number of hash characters in a made id: with its prefix it is as long as an order's tag may be. */
const MADE_ID_LENGTH = 27;

interface SignalEndpointOptions {
  readonly folder: BotFolderReader;
  readonly tokens: SignalTokenTable;
  readonly nowMs: () => number;
  /** Longest wait of a sender for the bot's answer, in ms; default 2 s. */
  readonly answeredWithinMs?: number;
}

/**
 * Receives signals over HTTP and posts them to the bot, as `sarraf signal` does. It sends nothing to the
 * exchange; a sender may safely try again with the same id.
 */
export class SignalEndpoint {
  private readonly options: SignalEndpointOptions;
  private readonly senders: SignalSenders;
  private readonly pace = new SignalPace();
  private waiting = 0;

  constructor(options: SignalEndpointOptions) {
    this.options = options;
    this.senders = new SignalSenders(options.tokens, options.nowMs);
  }

  /**
   * Posts a signal and returns that it was delivered, or waits; throws `ApiError` with the reason otherwise.
   */
  async accept(request: Omit<SignalRequest, 'bodyToken'>): Promise<SignalStatusReply> {
    const sender = this.senders.senderOf({ ...request, bodyToken: tokenIn(request.rawBody) });
    const waitMs = this.pace.admit(sender.name, this.options.nowMs());
    if (waitMs > 0)
      throw new ApiError('too-many-signals', `expected fewer signals of ${sender.name} in a minute`, {
        retryAfterMs: waitMs,
      });
    // The schema has checked the type.
    const body = checkedInput(signalBody, parseJsonBody(request.rawBody), 'body') as SignalBody;
    const command = this.commandOf(request, { sender, body });
    const result = await this.post(command);
    return replyOf(command.id, result);
  }

  private commandOf(
    { strategy, name, rawBody }: Pick<SignalRequest, 'strategy' | 'name' | 'rawBody'>,
    { sender, body }: { readonly sender: SignalSender; readonly body: SignalBody },
  ): SignalCommand {
    const named = name ?? body.name;
    if (named === undefined || (body.name ?? named) !== named)
      throw new ApiError('invalid-request', 'expected one name of a signal, in the address or in the body', {
        field: 'name',
      });
    const tooLarge = payloadSizeProblem(body.payload);
    if (tooLarge !== null) throw new ApiError('too-large', tooLarge, { field: 'payload' });
    const minute = Math.floor(this.options.nowMs() / MINUTE_MS);
    return {
      kind: 'signal',
      strategy,
      name: named,
      id: body.id ?? madeId(sender.signature ?? `${minute} ${strategy} ${named} ${rawBody}`),
      payload: body.payload,
      sentAtMs: body.sentAt ?? sender.signedAtMs,
      source: sender.name,
    };
  }

  /** Posts a command and waits for its result; null if there is none in time. */
  private async post(command: SignalCommand): Promise<ControlResult | null> {
    const { folder, answeredWithinMs = ANSWERED_WITHIN_MS } = this.options;
    using client = new ControlClient(folder.dataFolder);
    this.waiting += 1;
    try {
      const isKnown = client.find(signalKey(command)) !== null;
      if (!isKnown && folder.isInUse() === false)
        throw new ApiError('no-bot', 'no bot runs with this folder, so nothing was told');
      const id = postTo(client, command);
      const endsAtMs = performance.now() + (this.waiting > MOST_WAITING ? 0 : answeredWithinMs);
      return (await client.follow({ id, isOver: () => performance.now() > endsAtMs })).result;
    } finally {
      this.waiting -= 1;
    }
  }
}

function postTo(client: ControlClient, command: SignalCommand): number {
  try {
    return client.post(command);
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS')
      throw new ApiError(
        'key-taken',
        `expected the id ${command.id} for one signal alone, it is that of another`,
        {
          field: 'id',
        },
      );
    throw error;
  }
}

/** Returns the reply to the sender for the bot's result. */
function replyOf(id: string, result: ControlResult | null): SignalStatusReply {
  if (result === null)
    return {
      id,
      outcome: 'waiting',
      code: 'waiting',
      message: 'the bot has not answered yet: send it again',
    };
  const { message } = result;
  const { outcome, code } = result.signal ?? { outcome: 'refused', code: 'invalid' };
  if (outcome === 'told') return { id, outcome, code, message: english(message) };
  if (outcome === 'dropped') throw new ApiError('signal-dropped', message);
  if (code === 'unknown') throw new ApiError('not-found', message);
  if (code === 'too-many') throw new ApiError('too-many-signals', message, { retryAfterMs: MINUTE_MS });
  throw new ApiError('signal-refused', message);
}

const madeId = (text: string): string =>
  `made-${createHash('sha256').update(text).digest('hex').slice(0, MADE_ID_LENGTH)}`;

/** Returns the token in a body; null if it is unreadable: only authorized senders are told what is wrong. */
function tokenIn(rawBody: string): string | null {
  try {
    const { token } = Object(parseJsonBody(rawBody)) as { readonly token?: unknown };
    return typeof token === 'string' ? token : null;
  } catch {
    return null;
  }
}

interface SignalRequest {
  readonly strategy: string;
  /** Name of the signal; null if the address has none. */
  readonly name: string | null;
  /** Path without its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly address: string;
  /** Body as it was sent. */
  readonly rawBody: string;
  /** Token in the body; null if there is none, or the body is unreadable. */
  readonly bodyToken: string | null;
}

interface SignalSender extends SignalToken {
  /** Time of a signed request, in ms since 1970; null for others. */
  readonly signedAtMs: number | null;
  readonly signature: string | null;
}

/** Identifies the sender of a signal by a signature, by a token in the header, or by one in the body. */
class SignalSenders {
  private readonly tokens: SignalTokenTable;
  private readonly nowMs: () => number;
  private readonly pace = new SignInPace();

  constructor(tokens: SignalTokenTable, nowMs: () => number) {
    this.tokens = tokens;
    this.nowMs = nowMs;
  }

  /** Returns the sender. Throws `ApiError` for an unknown one, and for a token of another strategy. */
  senderOf(request: SignalRequest): SignalSender {
    const sender = this.find(request);
    if (sender === null) {
      // Only wrong tokens are delayed: behind a proxy, senders share one address.
      const message = 'expected a token or signature that holds, was another';
      throw this.pace.refuse(request.address, this.nowMs(), message);
    }
    if (sender.strategy === request.strategy) return sender;
    throw new ApiError('not-allowed', `expected a token of this strategy, ${sender.name} is that of another`);
  }

  private find(request: SignalRequest): SignalSender | null {
    const { headers, bodyToken } = request;
    const { authorization } = headers;
    if (headers['x-sarraf-signature'] !== undefined) return this.signer(request);
    const token = typeof authorization === 'string' ? tokenInHeader(authorization) : bodyToken;
    if (authorization === undefined && bodyToken === null)
      throw new ApiError(
        'no-token',
        'expected a token of the role signal: as "Authorization: Bearer …", as a signature, or as token in the body',
      );
    const found = token === null ? null : this.tokens.ofSecret(token);
    return found === null ? null : { ...found, signedAtMs: null, signature: null };
  }

  /** Returns the sender whose key made a recent signature; null if there is none. */
  private signer({ headers, path, rawBody: body }: SignalRequest): SignalSender | null {
    const [name = '', timestamp = '', signature = ''] = [
      'x-sarraf-token',
      'x-sarraf-timestamp',
      'x-sarraf-signature',
    ].map((header) => {
      const value = headers[header];
      return typeof value === 'string' ? value : '';
    });
    const signedAtMs = timestampMs(timestamp);
    const found = this.tokens.ofSignature(name, (key) =>
      isSignatureOf(key, { timestamp, path, body }, signature),
    );
    if (found === null || signedAtMs === null) return null;
    if (Math.abs(this.nowMs() - signedAtMs) > SIGNED_WITHIN_MS)
      throw new ApiError(
        'wrong-token',
        'expected a signature of the last five minutes, was of another time: see that both clocks are right',
      );
    return { ...found, signedAtMs, signature: signature.toLowerCase() };
  }
}

/** Longest difference between a signed request's time and ours, in ms. */
const SIGNED_WITHIN_MS = 300_000;

/** Parts that a sender signs: time, path and body. */
interface SignedSignal {
  /** Time as it is in the header. */
  readonly timestamp: string;
  /** Path as it is requested, such as `/api/v1/signals/follow/alert`. */
  readonly path: string;
  /** Body as it was sent, to the byte. */
  readonly body: string;
}

/** Returns the HMAC-SHA256 of `TIMESTAMP.PATH.BODY`, in hexadecimal. */
export function signalSignature(key: Buffer, { timestamp, path, body }: SignedSignal): string {
  return createHmac('sha256', key).update(`${timestamp}.${path}.${body}`).digest('hex');
}

/** True if a signature is that of a key; the time does not reveal where it differs. */
function isSignatureOf(key: Buffer, parts: SignedSignal, signature: string): boolean {
  const own = Buffer.from(signalSignature(key, parts), 'hex');
  const sent = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex');
  return sent.length === own.length && timingSafeEqual(sent, own);
}

/** Parses the time of a header, in s or ms since 1970, and returns ms; null if it is invalid. */
function timestampMs(timestamp: string): number | null {
  if (/^\d{9,11}$/.test(timestamp)) return Number(timestamp) * 1_000;
  return /^\d{12,14}$/.test(timestamp) ? Number(timestamp) : null;
}

/** Maximum number of requests of one token in a minute. */
const MOST_A_MINUTE = 60;

/** Counts each token's requests; there are no more entries than tokens. */
export class SignalPace {
  private readonly byToken = new Map<string, number[]>();

  /** Counts a request; returns how long its sender has to wait in ms, 0 if it may continue. */
  admit(token: string, nowMs: number): number {
    // A time in the future is from before the clock was set back.
    const times = (this.byToken.get(token) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS && atMs <= nowMs);
    this.byToken.set(token, times);
    const [first] = times;
    if (times.length >= MOST_A_MINUTE && first !== undefined) return first + MINUTE_MS - nowMs;
    times.push(nowMs);
    return 0;
  }
}
