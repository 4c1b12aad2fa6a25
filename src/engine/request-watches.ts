import { english, sentence, type Sentence } from '../language/sentence.ts';
import type { VenueAnswer } from '../venues/port.ts';
import { type Outbox, OutboxPart } from './outbox.ts';
import { restored, type StoredTexts } from './stored-records.ts';
import { durationText } from '../domain/time-text.ts';

/**
 * Name of a credential (never its value), and advice for when the exchange refuses it: whole sentences
 * without the last full stop.
 */
export interface NamedCredential {
  readonly name: Sentence;
  readonly advice: Sentence;
}

/** Reason of a request that was not sent because its credential was refused with a 401 before. */
const CREDENTIAL_REFUSED = english(sentence('credential-refused'));

/** Interval of the log line while the credential stays refused, in ms. */
const LOG_AGAIN_MS = 600_000;

const UNNAMED: NamedCredential = {
  name: sentence('credential-unnamed'),
  advice: sentence('credential-advice'),
};

/**
 * Tracks if the exchange accepts our credential (a refusal is a 401, "Authentication"). The first refusal
 * raises an alarm, and new orders are refused from then on, as none could be sent. An answer to a private
 * call that left later shows that the credential is accepted again.
 */
export class CredentialWatch extends OutboxPart {
  private readonly credential: NamedCredential;
  /** Time since when the credential is refused, in ms since 1970; null while it is accepted. */
  sinceMs: number | null = null;
  private alarmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(outbox: Outbox, credential: NamedCredential | null) {
    super(outbox);
    this.credential = credential ?? UNNAMED;
  }

  /** Applies the outcome of a request. `isPrivate`: true if it used the credential. */
  apply(
    answer: VenueAnswer,
    context: { readonly isPrivate: boolean; readonly sentAtMs: number | null },
  ): void {
    if (isRefusal(answer)) this.refused();
    else if (
      this.sinceMs !== null &&
      context.isPrivate &&
      isReply(answer) &&
      context.sentAtMs !== null &&
      context.sentAtMs > this.sinceMs
    ) {
      this.accepted(this.sinceMs);
    }
  }

  /** Returns why no order can be sent; null while the credential is accepted. */
  fault(): Sentence | null {
    if (this.sinceMs === null) return null;
    const { name, advice } = this.credential;
    const seconds = Math.ceil((this.outbox.nowMs - this.sinceMs) / 1_000);
    return sentence('credential-fault', { name, seconds, advice });
  }

  /** Clears the stored refusal: the credential may be another one since the start. */
  restore(stored: StoredTexts): void {
    if ((restored(stored, 'credential')?.refused ?? null) !== null) this.persist();
  }

  private refused(): void {
    const { outbox } = this;
    const { nowMs } = outbox;
    if (this.sinceMs === null) {
      this.sinceMs = nowMs;
      outbox.durable();
      outbox.journal('notice', 'credential', { refused: true });
      this.persist();
    } else if (nowMs - this.alarmedAtMs < LOG_AGAIN_MS) return;
    this.alarmedAtMs = nowMs;
    const { name, advice } = this.credential;
    outbox.alarm(
      `the exchange refuses ${english(name)} (401), so nothing of the account is read, no order is placed and none can be canceled: ${english(advice)}`,
    );
  }

  private accepted(sinceMs: number): void {
    const { outbox, credential } = this;
    this.sinceMs = null;
    this.alarmedAtMs = Number.NEGATIVE_INFINITY;
    outbox.journal('notice', 'credential', { refused: false });
    this.persist();
    const seconds = Math.ceil((outbox.nowMs - sinceMs) / 1_000);
    outbox.warn(`the exchange accepts ${english(credential.name)} again, after ${seconds} s`);
  }

  private persist(): void {
    const refused = this.sinceMs === null ? null : { ...this.credential, sinceMs: this.sinceMs };
    this.outbox.persist('credential', { refused });
  }
}

function isRefusal(answer: VenueAnswer): boolean {
  if (answer.outcome === 'unsent') return answer.reason === CREDENTIAL_REFUSED;
  return answer.outcome === 'failed' && answer.code === 'UNAUTHORIZED';
}

/** True if the answer came from the exchange itself. */
function isReply({ outcome }: VenueAnswer): boolean {
  return outcome === 'value' || outcome === 'refused';
}

/** Reason of a request that was not sent because this machine was too slow to send it in time. */
const TOO_SLOW = english(sentence('machine-too-slow'));

/**
 * Tracks if requests are dropped because this machine is too slow to send them in time. Without this check
 * the bot would seem ready although no order leaves. The first request that is sent ends the fault.
 */
export class SlowMachineWatch extends OutboxPart {
  /** Time since when requests are dropped, in ms since 1970; null while they are sent. */
  sinceMs: number | null = null;

  apply({ answer, sentAtMs }: { readonly answer: VenueAnswer; readonly sentAtMs: number | null }): void {
    const { outbox } = this;
    if (answer.outcome === 'unsent' && answer.reason === TOO_SLOW) {
      if (this.sinceMs !== null) return;
      this.sinceMs = outbox.nowMs;
      this.persist();
    } else if (this.sinceMs !== null && sentAtMs !== null && sentAtMs >= this.sinceMs) {
      outbox.warn(`requests leave again, after ${durationText(Math.max(0, outbox.nowMs - this.sinceMs))}`);
      this.sinceMs = null;
      this.persist();
    }
  }

  /** Returns why no order can be sent; null while requests are sent. */
  fault(): Sentence | null {
    return this.sinceMs === null ? null : sentence('machine-slow');
  }

  /** Clears the stored fault: a new process may be fast enough. */
  restore(stored: StoredTexts): void {
    if ((restored(stored, 'slow-machine')?.sinceMs ?? null) !== null) this.persist();
  }

  private persist(): void {
    this.outbox.persist('slow-machine', { sinceMs: this.sinceMs });
  }
}
