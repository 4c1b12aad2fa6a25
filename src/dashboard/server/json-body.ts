import { ApiError } from '../api-error.ts';

/** No body of this API has more levels. */
const DEEPEST = 6;

/**
 * The object that a body is. Its depth is seen before it is parsed. Throws `ApiError` for anything but a JSON
 * object.
 */
export function parseJsonBody(text: string): unknown {
  if (isTooDeep(text))
    throw new ApiError('invalid-request', `expected a body of at most ${DEEPEST} levels, was a deeper one`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('invalid-request', 'expected a body of JSON, was something else');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('invalid-request', 'expected a JSON object, was another value');
  return value;
}

/** Brackets in texts count too: a body that has so many of them is none of ours. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
