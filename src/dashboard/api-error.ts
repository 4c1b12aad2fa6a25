import { API_ERROR_STATUS, type ApiErrorCode, type ErrorReply } from './schema/fields.ts';
import { english, sentenceFacts, type Sentence, type SentenceFacts } from '../language/sentence.ts';

/** Maximum length of a message, in characters: others wrote parts of it, and they may be long. */
const LONGEST_MESSAGE = 600;

/** Returns a text on one line, without control characters. */
export function onOneLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return plain.length > LONGEST_MESSAGE ? `${plain.slice(0, LONGEST_MESSAGE)}…` : plain;
}

/** Error that refuses a request, with the reason. */
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
