import { isScalar, Scalar, visit, type Document, type Node, type Pair } from 'yaml';
import type { Located } from '../../configuration/load-yaml.ts';

/**
 * `${NAME}`, or `${NAME:-value}` for a value of its own where the variable is missing or empty. `$${` stands
 * for itself.
 */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const INNER = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Matches what YAML would not read as a text. */
const NO_TEXT = /^(?:true|false|null|[-+]?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

interface Substitution {
  readonly problems: readonly Located[];
  /** Values that came from the environment, with the name of each: no message may show them. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Puts the values of the environment into every text of a document. A text that is one reference and stands
 * without quotes is read as YAML would read its value, so that `port: ${PORT}` is a number; not so where
 * `isText` says that only a text is wanted.
 */
export function substitute(
  document: Document,
  of: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly isText: (path: readonly PropertyKey[]) => boolean;
  },
): Substitution {
  const problems: Located[] = [];
  const values = new Map<string, string>();
  visit(document, {
    Scalar(key, node, parents) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const path = pathOf(parents, node);
      const isWhole = /^\$\{[^}]*\}$/.test(node.value) && node.type === Scalar.PLAIN;
      const text = node.value.replaceAll(REFERENCE, (whole, inner: string | undefined) => {
        if (inner === undefined) return '${';
        const value = resolve(inner, of.environment);
        if ('problem' in value) problems.push({ path, key: false, message: value.problem });
        else if (value.name !== null) values.set(value.text, value.name);
        return 'problem' in value ? whole : value.text;
      });
      node.value =
        isWhole && NO_TEXT.test(text) && !of.isText(path) ? JSON.parse(text.replace(/^\+/, '')) : text;
    },
  });
  return { problems, values };
}

function resolve(
  inner: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly text: string; readonly name: string | null } | { readonly problem: string } {
  const parts = INNER.exec(inner);
  if (parts === null)
    return { problem: 'expected ${NAME} or ${NAME:-value}, with a NAME of letters, digits and underscores' };
  const [, name = '', fallback] = parts;
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (value !== undefined && value !== '') return { text: value, name };
  if (fallback !== undefined) return { text: fallback, name: null };
  const found = value === undefined ? 'is not set' : 'is empty';
  return {
    problem: `expected the environment variable ${name}, which ${found}: set it, or write it into a file .env beside the configuration`,
  };
}

/** Returns the path of a node in a document. */
function pathOf(parents: readonly (Document | Node | Pair)[], node: unknown): readonly PropertyKey[] {
  const chain = [...parents, node];
  const path: PropertyKey[] = [];
  for (const [index, parent] of chain.entries()) {
    const next = chain[index + 1];
    if (isPairLike(parent)) path.push(isScalar(parent.key) ? String(parent.key.value) : String(parent.key));
    else if (hasItems(parent) && !isPairLike(next)) path.push(parent.items.indexOf(next));
  }
  return path;
}

function isPairLike(value: unknown): value is Pair {
  return typeof value === 'object' && value !== null && 'key' in value && 'value' in value;
}

function hasItems(value: unknown): value is { readonly items: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}
