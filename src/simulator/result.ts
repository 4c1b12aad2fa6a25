/** An expected "no" of the exchange: a code of its error tables, and a sentence. Nothing was changed. */
export interface Refusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
}

export type Result<T> = { readonly ok: true; readonly value: T } | Refusal;

export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function refuse(code: string, message: string): Refusal {
  return { ok: false, code, message };
}
