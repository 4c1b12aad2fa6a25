import type { SignalToken, SignalTokenTable } from '../access/signal-token-table.ts';
import { tokenInHeader } from '../access/request-origin.ts';
import { SignInPace } from '../access/sign-in-pace.ts';
import { ApiError } from '../api-error.ts';
import { isSignatureOf, SIGNED_WITHIN_MS, timestampMs } from './signed-request.ts';

/** Content of a signal request. */
export interface SignalRequest {
  readonly strategy: string;
  /** Null where the address has none. */
  readonly name: string | null;
  /** Without its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly address: string;
  /** As it was sent. */
  readonly rawBody: string;
  /** The token in the body; null where there is none, or nothing that can be read. */
  readonly bodyToken: string | null;
}

/** Sender of a signal. */
export interface SignalSender extends SignalToken {
  /** Time of a signed request, in ms since 1970; null for others. */
  readonly signedAtMs: number | null;
  readonly signature: string | null;
}

/** Finds out who sends a signal: by a signature, by a token in the header, or by one in the body. */
export class SignalSenders {
  private readonly tokens: SignalTokenTable;
  private readonly nowMs: () => number;
  private readonly pace = new SignInPace();

  constructor(tokens: SignalTokenTable, nowMs: () => number) {
    this.tokens = tokens;
    this.nowMs = nowMs;
  }

  /** Throws `ApiError` for nobody, for somebody else, and for a token of another strategy. */
  senderOf(request: SignalRequest): SignalSender {
    const sender = this.find(request);
    if (sender === null) throw this.wrong(request.address);
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

  /** Whoever signed it with a key that is known, not long ago. */
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

  /** A right token is never held up by the wrong ones of others: a proxy has one address for all. */
  private wrong(address: string): ApiError {
    const nowMs = this.nowMs();
    const waitMs = this.pace.waitMs(address, nowMs);
    if (waitMs > 0)
      return new ApiError(
        'too-many-tries',
        `expected no further try for ${Math.ceil(waitMs / 1_000)} s after so many wrong tokens`,
        { retryAfterMs: waitMs },
      );
    this.pace.wrong(address, nowMs);
    return new ApiError('wrong-token', 'expected a token or signature that holds, was another');
  }
}
