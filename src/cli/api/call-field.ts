import { z } from 'zod';
import type { Endpoint } from '../../exchange/endpoint.ts';
import { isSecretText } from '../../exchange/request-types.ts';

export interface CallField {
  readonly name: string;
  readonly isRequired: boolean;
  /** Accepted values, such as `a positive decimal`. */
  readonly takes: string;
  /** The words that it takes, where they can be listed. */
  readonly choices: readonly string[];
  readonly note: string | null;
  readonly isSecret: boolean;
}

interface FieldSchema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: string | number | boolean;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly FieldSchema[];
}

const FLAG_WORDS = ['true', 'false'];

function choicesOf(schema: FieldSchema): readonly string[] {
  const words = schema.enum ?? schema.anyOf?.[0]?.enum;
  if (words !== undefined) return words.map(String);
  if (schema.const !== undefined) return [`${schema.const}`];
  return typeof schema.type !== 'string' && schema.type?.includes('boolean') === true ? FLAG_WORDS : [];
}

/** Returns the field's own message for a value that no field accepts, so that help and refusals agree. */
function takesOf(field: z.ZodType, choices: readonly string[]): string {
  if (choices.length > 0) return choices.join(' | ');
  const message = field.safeParse(Symbol('none')).error?.issues[0]?.message ?? '';
  return message.startsWith('expected ') ? message.slice('expected '.length) : 'text';
}

export function callFieldsOf(endpoint: Pick<Endpoint, 'request'>): readonly CallField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(endpoint.request, {
    io: 'input',
    unrepresentable: 'any',
  }) as {
    readonly properties?: Readonly<Record<string, FieldSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(endpoint.request.shape as Readonly<Record<string, z.ZodType>>).map(
    ([name, field]) => {
      const schema = properties[name] ?? {};
      const choices = choicesOf(schema);
      return {
        name,
        isRequired: required.includes(name),
        takes: takesOf(field, choices),
        choices,
        note: schema.description ?? null,
        isSecret: isSecretText(field),
      };
    },
  );
}

/** Effect of a call at the exchange: reads, changes something of the account, or moves money or orders. */
export type CallEffect = 'reads' | 'changes' | 'moves';

/** Access rights of calls that trade, withdraw or take payments. */
const MOVING_ACCESS: ReadonlySet<Endpoint['access']> = new Set(['TRADE', 'WITHDRAW', 'merchant']);

/**
 * Told from the declaration: what is not idempotent changes something, and moves money or orders where it
 * needs a right to do so or names an amount.
 */
export function effectOf(endpoint: Pick<Endpoint, 'idempotent' | 'access' | 'request'>): CallEffect {
  if (endpoint.idempotent) return 'reads';
  return MOVING_ACCESS.has(endpoint.access) || Object.hasOwn(endpoint.request.shape, 'amount')
    ? 'moves'
    : 'changes';
}
