import { isCollection, isMap, isSeq, parseDocument, type Document } from 'yaml';

/** A value from the command line that replaces the file's: `strategies.0.params.fast` and `10`. */
export type Override = readonly [path: string, value: string];

/** Longest path of an override, in characters; no setting has a longer one. */
const LONGEST_PATH = 200;

/** Splits a path into its parts: names, and places in lists as numbers. */
export function overridePath(path: string): readonly (string | number)[] {
  return path.split('.').map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : part));
}

/** Puts a value into a document. Returns the problem if it cannot; null if it did. */
export function applyOverride(document: Document, [path, text]: Override): string | null {
  const parts = overridePath(path);
  if (path.length > LONGEST_PATH || parts.some((part) => part === '')) {
    return 'expected a path such as strategies.0.params.fast';
  }
  const wrong = wrongStep(document, parts);
  if (wrong !== null) return wrong;
  const value = parseDocument(text, { prettyErrors: false });
  // The parser's own message is left out: it may repeat a part of the value.
  if (value.errors.length > 0) return 'expected a YAML value; texts with special characters stand in quotes';
  ensureParents(document, parts);
  document.setIn(parts, value.contents);
  return null;
}

/** Creates an empty object or list for each key of a path without a value, such as `risk:`. */
function ensureParents(document: Document, parts: readonly (string | number)[]): void {
  for (let length = 1; length < parts.length; length += 1) {
    const before = parts.slice(0, length);
    if (!isNullScalar(document.getIn(before, true))) continue;
    document.setIn(before, document.createNode(typeof parts[length] === 'number' ? [] : {}));
  }
}

/** Returns why a path does not fit the document; null if it does. Missing parts are created later. */
function wrongStep(document: Document, parts: readonly (string | number)[]): string | null {
  let node: unknown = document.contents;
  for (const [index, part] of parts.entries()) {
    if (node === null || node === undefined)
      return typeof part === 'number' && part > 0
        ? 'expected 0 for the first of a list that is not there yet'
        : null;
    const before = parts.slice(0, index).join('.');
    if (isSeq(node)) {
      const { length } = node.items;
      if (typeof part !== 'number' || part > length) {
        return `expected a number from 0 to ${length} after ${before}, which is a list, was "${part}"`;
      }
      node = node.items[part];
    } else if (isMap(node)) {
      node = node.get(String(part), true) ?? node.get(part, true);
    } else {
      return isCollection(node) ? null : `expected an object or a list at ${before}, was a single value`;
    }
    if (isNullScalar(node)) return null;
  }
  return null;
}

function isNullScalar(node: unknown): boolean {
  return typeof node === 'object' && node !== null && 'value' in node && node.value === null;
}
