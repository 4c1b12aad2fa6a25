import { parseJson } from '../../exchange/json.ts';
import type { WireInput } from './handler.ts';

const NOTHING: WireInput = {};

/** Reads a query or a form. Of a name that comes twice the last counts. */
function readPairs(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) fields[name] = value;
  return fields;
}

/**
 * The fields of a request: query and body in one, the body winning. Null when the body is neither a JSON object nor, where forms are taken,
 * a form. A GET has no body.
 */
export function readInput(request: {
  readonly method: string;
  readonly query: string;
  readonly body: string;
  readonly contentType: string;
  readonly takesForms: boolean;
}): WireInput | null {
  const { query, body } = request;
  if (request.method === 'GET' || body === '') return query === '' ? NOTHING : readPairs(query);
  const fields = readBody(request);
  if (fields === null || query === '') return fields;
  return { ...readPairs(query), ...fields };
}

function readBody(request: {
  readonly body: string;
  readonly contentType: string;
  readonly takesForms: boolean;
}): WireInput | null {
  if (request.contentType.startsWith('application/x-www-form-urlencoded')) {
    if (!request.takesForms) return null;
    // Some tools send JSON under the name of a form unless told otherwise.
    if (!request.body.startsWith('{')) return readPairs(request.body);
  }
  let parsed: unknown;
  try {
    parsed = parseJson(request.body);
  } catch {
    return null;
  }
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as WireInput) : null;
}
