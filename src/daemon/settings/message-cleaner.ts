/** A shorter value is no secret, and taking it out would garble the message. */
const LEAST_LENGTH = 4;

/**
 * Values of the environment in place of which their names are shown: one may be a secret that was put in the
 * wrong place.
 */
export function withoutValues(message: string, values: ReadonlyMap<string, string>): string {
  let clean = message;
  // The longest first, so that one value within another leaves nothing behind.
  const longestFirst = [...values].sort(([left], [right]) => right.length - left.length);
  for (const [value, name] of longestFirst) {
    if (value.length < LEAST_LENGTH) continue;
    const written = JSON.stringify(value).slice(1, -1);
    clean = clean.replaceAll(written, `$\{${name}}`).replaceAll(value, `$\{${name}}`);
  }
  return clean;
}

/** A message about the file as a whole, without the parts of the file that the YAML parser repeats. */
export function withoutSource(message: string): string {
  return message.startsWith('Invalid input') ? message : message.replace(/(?:: |["'`]).*$/s, '');
}
