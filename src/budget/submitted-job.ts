import { present } from '../domain/invariant.ts';
import type { RequestClass } from '../domain/request-class.ts';
import type { Drop, LaneJob, SendEnd } from './budget-lane.ts';
import type { CredentialUse } from './credential-stop.ts';
import type { LimitedReply, SubmittedCall, CompletionHandler } from './limited-call.ts';

/** A call in its lane. */
export class SubmittedJob<T> implements LaneJob {
  readonly id: number;
  readonly requestClass: RequestClass;
  readonly kind: string | null;
  readonly credential: CredentialUse;
  readonly canLogIn: boolean;
  readonly expiresAtMs: number;
  readonly timeoutMs: number;
  private readonly call: SubmittedCall<T>;
  private readonly giveUp: () => void;
  private reply: LimitedReply<T> | null = null;

  /**
   * `expiresAtMs`: by the ledger's clock and the time for which the machine slept. `giveUp`: what is done
   * when the call's signal is aborted.
   */
  constructor(
    { id, expiresAtMs }: { readonly id: number; readonly expiresAtMs: number },
    call: SubmittedCall<T>,
    giveUp: () => void,
  ) {
    this.id = id;
    this.requestClass = call.requestClass;
    this.kind = call.kind;
    this.credential = call.credential;
    this.canLogIn = call.canLogIn;
    this.expiresAtMs = expiresAtMs;
    this.timeoutMs = call.timeoutMs;
    this.call = call;
    this.giveUp = giveUp;
    call.signal?.addEventListener('abort', giveUp, { once: true });
  }

  send(signal: AbortSignal, onEnd: (end: SendEnd) => void): void {
    const handler: CompletionHandler<T> = {
      onEnd: (value) => {
        this.reply = { sent: true, value };
        onEnd({ kind: 'answered', loggedIn: this.call.isLogIn?.(value) ?? false });
      },
      onError: (error) => onEnd({ kind: 'failed', error }),
    };
    try {
      this.call.send(signal, handler);
    } catch (error) {
      handler.onError(error);
    }
  }

  onSent(): void {
    this.end();
    this.call.handler.onEnd(present(this.reply, 'the reply to a request that was sent'));
  }

  onDropped(drop: Drop): void {
    this.end();
    this.call.handler.onEnd({ sent: false, ...drop });
  }

  onFailed(error: unknown): void {
    this.end();
    this.call.handler.onError(error);
  }

  private end(): void {
    this.call.signal?.removeEventListener('abort', this.giveUp);
  }
}
