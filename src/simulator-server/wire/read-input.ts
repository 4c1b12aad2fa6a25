import { parseJson } from '../../exchange/reply-decoder.ts';
import { withoutPrototype } from '../../exchange/reply-types.ts';
import type { WireInput } from './handler.ts';
import { bareNumber } from './request-fields.ts';

const NOTHING: WireInput = withoutPrototype([]);

interface SentBody {
  readonly body: string;
  readonly contentType: string;
  /** True if forms of both kinds are accepted beside JSON. */
  readonly takesForms: boolean;
}

/**
 * The fields of a request: query and body in one, the body winning; of a name that comes twice the last
 * counts. They have no prototype, so that every name means what the request says. Null when the body is
 * neither a JSON object nor, where forms are taken, a form. The body of a GET is signed like any other, but
 * has no fields; an empty body of any type has none either.
 */
export function readInput(
  request: SentBody & { readonly method: string; readonly query: string },
): WireInput | null {
  const { query, body } = request;
  if (request.method === 'GET' || body.trim() === '') {
    return query === '' ? NOTHING : withoutPrototype(new URLSearchParams(query));
  }
  const fields = readBody(request);
  if (fields === null || query === '') return fields;
  return withoutPrototype([...new URLSearchParams(query), ...Object.entries(fields)]);
}

function readBody(sent: SentBody): WireInput | null {
  const type = sent.contentType.toLowerCase();
  if (type.startsWith('multipart/form-data')) {
    const fields = sent.takesForms ? readMultipart(sent.body, sent.contentType) : null;
    return fields === null ? null : withoutPrototype(fields);
  }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    if (!sent.takesForms) return null;
    // Some tools send JSON under the content type of a form by default.
    if (!sent.body.startsWith('{')) return withoutPrototype(new URLSearchParams(sent.body));
  }
  return readJson(sent.body);
}

function readJson(text: string): WireInput | null {
  let exact: unknown;
  try {
    exact = parseJson(text);
  } catch {
    return null;
  }
  if (!isFields(exact)) return null;
  // What a float may change has come as text, which only a second reading distinguishes from text that was
  // sent as such.
  const floats: unknown = Object.values(exact).some(looksBare) ? JSON.parse(text) : exact;
  if (floats === exact || !isFields(floats)) return withoutPrototype(Object.entries(exact));
  return withoutPrototype(
    Object.entries(exact).map(([name, value]) => {
      const float = floats[name];
      return [
        name,
        typeof value === 'string' && typeof float === 'number' ? bareNumber(float, value) : value,
      ];
    }),
  );
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const looksBare = (value: unknown): boolean =>
  typeof value === 'string' && /^-?[0-9][0-9.eE+-]*$/.test(value);

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i;
const NAME = /^content-disposition:[^\r\n]*?;\s*name=(?:"([^"]*)"|([^\s;]+))/im;

/**
 * The fields of a `multipart/form-data` body, in their order; null when it is none. Files are fields whose
 * value is their text. A body may hold no field at all. Source: RFC 7578.
 */
export function readMultipart(
  body: string,
  contentType: string,
): readonly (readonly [string, string])[] | null {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) return null;
  // Each delimiter begins a line, so that a value which merely contains it is not cut.
  const [preamble, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`);
  const end = parts.pop();
  if (preamble === undefined || end === undefined || !end.startsWith('--')) return null;
  const fields: (readonly [string, string])[] = [];
  for (const part of parts) {
    const gap = part.indexOf('\r\n\r\n');
    const name = NAME.exec(part.slice(0, Math.max(0, gap)).trimStart());
    if (gap === -1 || name === null) return null;
    fields.push([name[1] ?? name[2] ?? '', part.slice(gap + 4)]);
  }
  return fields;
}
