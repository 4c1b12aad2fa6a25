import { API_ERROR_STATUS, type ApiErrorCode, type ErrorReply } from './schema/fields.ts';
import { english, sentenceFacts, type Sentence, type SentenceFacts } from '../language/sentence.ts';

/** Text that others wrote and that may be long: nothing of it can look like another line or a control. */
const LONGEST_MESSAGE = 600;

/** Returns the text for a person, on one line. */
export function onOneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return plain.length > LONGEST_MESSAGE ? `${plain.slice(0, LONGEST_MESSAGE)}…` : plain;
}

/** A request that is not done, and why. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly messageFacts: SentenceFacts | null;
  readonly field: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ApiErrorCode,
    message: Sentence,
    of: { readonly field?: string; readonly retryAfterMs?: number } = {},
  ) {
    super(onOneLine(english(message)));
    this.messageFacts = sentenceFacts(message);
    this.code = code;
    this.field = of.field;
    this.retryAfterMs = of.retryAfterMs;
  }

  get status(): number {
    return API_ERROR_STATUS[this.code];
  }

  get reply(): ErrorReply {
    const { code, message, messageFacts, field } = this;
    return { error: { code, message, messageFacts, ...(field === undefined ? {} : { field }) } };
  }
}
