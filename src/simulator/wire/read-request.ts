import type { z } from 'zod';
import { accept, refuse, type Result } from '../core/result.ts';
import type { WireInput } from './handler.ts';

/**
 * The fields of a request as its declaration reads them. Unknown fields are passed over; an empty or null one counts as left out. Refused
 * with the code that the broken rule names, else `ParseError`.
 */
export function readRequest<Schema extends z.ZodType>(schema: Schema, input: WireInput): Result<z.output<Schema>> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== '' && value !== null));
  const read = schema.safeParse(given);
  if (read.success) return accept(read.data);
  const [issue] = read.error.issues;
  const params = issue?.code === 'custom' ? issue.params : undefined;
  const code: unknown = params?.['exchangeCode'];
  const field = issue?.path.map(String).join('.') ?? '';
  return refuse(typeof code === 'string' ? code : 'ParseError', `${field}: ${issue?.message ?? 'not readable'}`);
}
