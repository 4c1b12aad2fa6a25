import { SarrafError } from '../../domain/errors.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import {
  ENDPOINTS,
  type EndpointName,
  type EndpointReply,
  type EndpointRequest,
} from '../../exchange/endpoints.ts';
import type { EndpointResult } from '../../exchange/reply-decoder.ts';
import { CommandError } from '../command-error.ts';
import { notChecked, type CheckFinding } from './check-finding.ts';

export type ReadOutcome<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  /** The exchange said no, or no answer came that can be read. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** Nothing was sent. */
  | { readonly kind: 'unsent'; readonly why: string };

/** A check that a read brought nothing for. */
export function unread(check: string, outcome: ReadOutcome<unknown>): CheckFinding {
  switch (outcome.kind) {
    case 'unsent':
      return notChecked(check, outcome.why, 'see what keeps doctor from asking, and run it again after that');
    case 'failed':
      return notChecked(
        check,
        failureText(outcome),
        'run doctor again; docs/reference/errors.md has the codes',
      );
    case 'value':
      return notChecked(check, 'it was answered');
  }
}

/** Describes the failure in place of an answer. */
export function failureText({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${message}`;
}

/** Sends reads under the ledger's limits. */
export interface ReadSender {
  call<Name extends EndpointName>(name: Name, request: EndpointRequest<Name>): Promise<EndpointResult<Name>>;
}

/** No answer, or one that says that somebody must stay away: then nothing more is asked. */
const ENDS_ALL: ReadonlyMap<string, string> = new Map([
  ['RATE_LIMITED', 'the exchange said that a limit is exceeded'],
  ['HOST_NOT_FOUND', 'the exchange can not be reached'],
  ['CONNECTION_REFUSED', 'the exchange can not be reached'],
  ['CONNECTION_FAILED', 'the exchange can not be reached'],
  ['CONNECTION_LOST', 'the exchange did not answer'],
  ['TIMED_OUT', 'the exchange did not answer in time'],
  ['HTML_REPLY', 'what answers is no exchange'],
]);

/**
 * Asks one thing after the other, and stops by itself: for all after a limit or a lost connection, for what
 * needs the credential after a 401, since bad tokens get an address blocked.
 */
export class ExchangeReader {
  private readonly sender: ReadSender;
  private silence: string | null = null;
  private privateSilence: string | null;

  /** `privateSilence`: why nothing may be asked with the credential; null where it may. */
  constructor(sender: ReadSender, privateSilence: string | null) {
    this.sender = sender;
    this.privateSilence = privateSilence;
  }

  async read<Name extends EndpointName>(
    name: Name,
    request: EndpointRequest<Name>,
  ): Promise<ReadOutcome<EndpointReply<Name>>> {
    const isPrivate = !isAnonymous(ENDPOINTS[name].access);
    const why = this.silence ?? (isPrivate ? this.privateSilence : null);
    if (why !== null) return { kind: 'unsent', why };
    try {
      const result = await this.sender.call(name, request);
      if (result.ok) return { kind: 'value', value: result.value };
      return { kind: 'failed', code: result.code, message: result.message };
    } catch (error) {
      if (error instanceof CommandError) return { kind: 'unsent', why: error.message };
      if (!(error instanceof SarrafError)) throw error;
      const { code, message } = error;
      this.silence ??= ENDS_ALL.get(code) ?? null;
      if (code === 'UNAUTHORIZED') this.privateSilence ??= 'the exchange refused the credential';
      return { kind: 'failed', code, message };
    }
  }
}
