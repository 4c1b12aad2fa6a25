import type { Refusal } from '../core/result.ts';
import type { WireForms } from './forms.ts';
import type { WireAnswer } from './handler.ts';

/**
 * The failed response: HTTP 200 for a "no" of the business, 400 where the request itself could not be read (`ParseError`). Sources:
 * interface, "Failed response" and "HTTP status codes".
 */
export function failedAnswer(refusal: Refusal, forms: Pick<WireForms, 'failureField'>): WireAnswer {
  return {
    status: refusal.code === 'ParseError' ? 400 : 200,
    body: { status: 'failed', [forms.failureField]: refusal.code, message: refusal.message },
  };
}

/** HTTP 404 for an object that does not exist, or is another user's. */
export function notFoundAnswer(kind: string): WireAnswer {
  return { status: 404, body: { error: 'NotFound', message: `No ${kind} matches the given query.` } };
}
