import { z } from 'zod';
import { ApiError } from '../dashboard/api-error.ts';
import type { FormField, TypedValues } from './lab-schema.ts';

/** Parts of a JSON Schema that forms are made of. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly default?: unknown;
  readonly description?: string;
}

interface FormOptions {
  /** Paths of fields without a place in the form. */
  readonly leftOut?: ReadonlySet<string>;
  /** Paths of objects that are typed as JSON, as their fields depend on one another. */
  readonly asJson?: ReadonlySet<string>;
}

/** Returns the fields of a schema, those of inner objects with the path to them. */
export function formFieldsOf(schema: z.ZodType, options: FormOptions = {}): readonly FormField[] {
  const node = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
  return innerFields(node, '', options);
}

function innerFields(
  { properties = {}, required = [] }: SchemaNode,
  outer: string,
  options: FormOptions,
): readonly FormField[] {
  const { leftOut, asJson } = options;
  return Object.entries(properties).flatMap(([key, node]) => {
    const path = outer === '' ? key : `${outer}.${key}`;
    if (leftOut?.has(path) === true) return [];
    const isWhole = asJson?.has(path) === true;
    if (node.properties !== undefined && !isWhole) return innerFields(node, path, options);
    const forms = alternatives(node);
    return [
      {
        path,
        kind: isWhole ? 'json' : kindOf(forms),
        choices: forms.flatMap(choicesOf).map(String),
        usual: typedOf(node.default),
        isNeeded: required.includes(key) && node.default === undefined,
        about: node.description ?? '',
      },
    ];
  });
}

/** Returns the forms that a value may have, each of one type. */
function alternatives(node: SchemaNode): readonly SchemaNode[] {
  const { type, anyOf } = node;
  if (anyOf !== undefined) return anyOf.flatMap(alternatives);
  return typeof type === 'object' ? type.map((one) => ({ ...node, type: one })) : [node];
}

const choicesOf = ({ enum: words, const: only }: SchemaNode): readonly unknown[] =>
  words ?? (only === undefined ? [] : [only]);

const isText = ({ type, ...node }: SchemaNode): boolean => type === 'string' && choicesOf(node).length === 0;

function kindOf(forms: readonly SchemaNode[]): FormField['kind'] {
  if (forms.every((form) => choicesOf(form).length > 0)) return 'choice';
  if (forms.some(({ items }) => items !== undefined && alternatives(items).some(isText))) return 'list';
  if (forms.some(isText)) return 'text';
  const has = (type: string): boolean => forms.some((form) => form.type === type);
  if (has('integer')) return 'whole';
  if (has('number')) return 'number';
  if (has('boolean')) return 'switch';
  const isMap = forms.some(
    ({ additionalProperties: values }) => typeof values === 'object' && alternatives(values).some(isText),
  );
  return isMap ? 'pairs' : 'json';
}

/** Writes a value as a person would type it. */
export function typedOf(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Returns values as a file has them, nested by their paths. A value that is not of its kind stays a text,
 * which the schema refuses. Throws `ApiError` for a value that the form does not have.
 */
export function writtenOf(typed: TypedValues, fields: readonly FormField[]): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(typed)) {
    const field = fields.find((one) => one.path === path);
    if (field === undefined) {
      const message = `expected a field of the form, was ${JSON.stringify(path)}`;
      throw new ApiError('invalid-request', message, { field: path });
    }
    if (text.trim() === '') continue;
    const keys = path.split('.');
    let part = written;
    for (const key of keys.slice(0, -1)) part = (part[key] ??= {}) as Record<string, unknown>;
    part[keys.at(-1) ?? ''] = READERS[field.kind](text.trim());
  }
  return written;
}

const NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?$/;

const numberOrText = (text: string): unknown => (NUMBER.test(text) ? Number(text) : text);

const wordsOf = (text: string): readonly string[] => text.split(/[\s,،]+/).filter(Boolean);

const READERS: Readonly<Record<FormField['kind'], (text: string) => unknown>> = {
  choice: numberOrText,
  whole: numberOrText,
  number: numberOrText,
  switch: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  text: (text) => text,
  list: wordsOf,
  pairs: (text) =>
    Object.fromEntries(
      wordsOf(text).map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return [name.toLowerCase(), value.join('=')];
      }),
    ),
  json(text) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  },
};
