const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i;
const NAME = /^content-disposition:[^\r\n]*?;\s*name=(?:"([^"]*)"|([^\s;]+))/im;

/**
 * The fields of a `multipart/form-data` body, in their order; null when it is none. Files are fields whose value is their text. A body may hold no
 * field at all. Source: RFC 7578.
 */
export function readMultipart(body: string, contentType: string): readonly (readonly [string, string])[] | null {
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
