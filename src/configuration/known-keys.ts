import type { z } from 'zod';

/** Parts of a schema's definition that are walked here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly keyType?: z.core.$ZodType;
  readonly entries?: Readonly<Record<string, string | number>>;
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def;

/** The schemas that a value at the end of `path` may have; several where the schema is a union. */
function schemasAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly z.core.$ZodType[] {
  const definition = definitionOf(schema);
  if (definition.innerType !== undefined) return schemasAt(definition.innerType, path);
  if (definition.in !== undefined) return schemasAt(definition.in, path);
  if (definition.options !== undefined)
    return definition.options.flatMap((option) => schemasAt(option, path));
  const [first, ...rest] = path;
  if (first === undefined) return [schema];
  const next = definition.shape?.[String(first)] ?? definition.element ?? definition.valueType;
  return next === undefined ? [] : schemasAt(next, rest);
}

/** The names that an object at the end of `path` may have, for suggestions. */
export function knownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  return schemasAt(schema, path).flatMap((found) => {
    const { shape, keyType } = definitionOf(found);
    // A record may have an enumeration for its keys.
    const entries = keyType === undefined ? undefined : definitionOf(keyType).entries;
    return shape === undefined ? Object.values(entries ?? {}).map(String) : Object.keys(shape);
  });
}
