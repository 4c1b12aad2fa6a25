import { z } from 'zod';
import { botConfig } from './create-bot-config.ts';

/** Part of a JSON Schema, with the keywords that are used here. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly propertyNames?: JsonSchema;
}

const REFERENCE: JsonSchema = { type: 'string', pattern: String.raw`\$\{` };

/** Returns the shape of a bot's configuration as a JSON Schema, made from the checks themselves. */
export function botSchema(): JsonSchema {
  const schema = z.toJSONSchema(botConfig, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return { ...schema, description: 'Configuration of a sarraf bot.' };
}

/** Returns `botSchema` for editors: there each value may be a reference that is not substituted yet. */
export function botEditorSchema(): JsonSchema {
  return withReferences(botSchema(), []);
}

function withReferences(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const { properties, additionalProperties, items, anyOf } = schema;
  const walked: JsonSchema = {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, withReferences(inner, [...path, name])]),
          ),
        }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withReferences(additionalProperties, [...path, '*']) }
      : {}),
    ...(items === undefined ? {} : { items: withReferences(items, [...path, '*']) }),
  };
  if (properties !== undefined || items !== undefined || typeof additionalProperties === 'object')
    return walked;
  if (path.includes('credentials')) {
    const { pattern: _ofTheValue, ...text } = walked;
    return text;
  }
  if (anyOf !== undefined) return { ...walked, anyOf: [...anyOf, REFERENCE] };
  const acceptsAnyText =
    schema.type === undefined ||
    (String(schema.type).includes('string') && schema.pattern === undefined && schema.enum === undefined);
  if (acceptsAnyText) return walked;
  const { description, default: usual, ...check } = walked;
  return {
    ...(description === undefined ? {} : { description }),
    ...(usual === undefined ? {} : { default: usual }),
    anyOf: [check, REFERENCE],
  };
}
