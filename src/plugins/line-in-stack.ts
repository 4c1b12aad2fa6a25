import { inspect } from 'node:util';
import { pathToFileURL } from 'node:url';

/** The line of `file` that an error speaks of first, counted from 1; null where it names none. */
export function lineIn(error: unknown, file: string): number | null {
  // A syntax error shows its place only when it is printed, not in its stack.
  const text = error instanceof Error ? `${error.stack ?? ''}\n${inspect(error)}` : '';
  const places = [file, pathToFileURL(file).href]
    .map((place) => text.indexOf(`${place}:`))
    .filter((at) => at !== -1);
  if (places.length === 0) return null;
  const line = /:(\d+)/.exec(text.slice(Math.min(...places)).replace(/^file:/, ''))?.[1];
  return line === undefined ? null : Number(line);
}
