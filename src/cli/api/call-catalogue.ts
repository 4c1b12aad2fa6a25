import { separatedName } from '../../domain/money.ts';
import { invariant } from '../../domain/errors.ts';
import { type Endpoint, isSecretText } from '../../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../../exchange/endpoints.ts';
import type { PagedName } from '../../exchange/paging.ts';
import { z } from 'zod';

export interface CallField {
  readonly name: string;
  readonly isRequired: boolean;
  /** Describes the accepted values, such as `a positive decimal`. */
  readonly takes: string;
  /** Accepted words, if they can be listed. */
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
function acceptedValuesOf(field: z.ZodType, choices: readonly string[]): string {
  if (choices.length > 0) return choices.join(' | ');
  const message = field.safeParse(Symbol('none')).error?.issues[0]?.message ?? '';
  return message.startsWith('expected ') ? message.slice('expected '.length) : 'text';
}

function callFieldsOf(endpoint: Pick<Endpoint, 'request'>): readonly CallField[] {
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
        takes: acceptedValuesOf(field, choices),
        choices,
        note: schema.description ?? null,
        isSecret: isSecretText(field),
      };
    },
  );
}

/** Effect of a call at the exchange: reads, changes something of the account, or moves money or orders. */
type CallEffect = 'reads' | 'changes' | 'moves';

/** Access rights of calls that trade, withdraw or accept payments. */
const MOVING_ACCESS: ReadonlySet<Endpoint['access']> = new Set(['TRADE', 'WITHDRAW', 'merchant']);

/**
 * Derives the effect from the declaration: an endpoint that is not idempotent changes something, and moves
 * money or orders if it needs a right to do so or has an amount.
 */
function effectOf(endpoint: Pick<Endpoint, 'idempotent' | 'access' | 'request'>): CallEffect {
  if (endpoint.idempotent) return 'reads';
  return MOVING_ACCESS.has(endpoint.access) || Object.hasOwn(endpoint.request.shape, 'amount')
    ? 'moves'
    : 'changes';
}

export const CALL_GROUPS = [
  'market data',
  'account',
  'wallets',
  'spot',
  'margin',
  'withdrawal',
  'gateway',
] as const;

type CallGroup = (typeof CALL_GROUPS)[number];

/** A declared endpoint as a call of the command line. */
export interface Call {
  readonly name: EndpointName;
  /** Word that is typed: `generate-address`. */
  readonly word: string;
  readonly group: CallGroup;
  readonly effect: CallEffect;
  readonly endpoint: Endpoint;
  readonly fields: readonly CallField[];
}

/** Group of each section of the interface that has one. */
const GROUP_OF_SECTION: Readonly<Record<string, CallGroup>> = {
  'Public market data': 'market data',
  'Authentication and user information': 'account',
  Wallets: 'wallets',
  'Spot trading': 'spot',
  Margin: 'margin',
  'Rial withdrawal (version 2)': 'withdrawal',
  'Payment gateway': 'gateway',
};

function groupOf({ name, section, access, idempotent }: Endpoint): CallGroup {
  // The interface lists the options among the wallets, but they describe the markets.
  if (access === 'none' && idempotent) return 'market data';
  const group = GROUP_OF_SECTION[section];
  invariant(group !== undefined, () => `expected a group of calls for the section ${section} of ${name}`);
  return group;
}

function createCall(name: EndpointName): Call {
  const endpoint: Endpoint = ENDPOINTS[name];
  return {
    name,
    word: separatedName(name, '-'),
    group: groupOf(endpoint),
    effect: effectOf(endpoint),
    endpoint,
    fields: callFieldsOf(endpoint),
  };
}

/** Every declared endpoint, by group. */
export const CALLS: readonly Call[] = (Object.keys(ENDPOINTS) as EndpointName[])
  .map(createCall)
  .toSorted((left, right) => CALL_GROUPS.indexOf(left.group) - CALL_GROUPS.indexOf(right.group));

export function callOf(name: EndpointName): Call {
  const call = CALLS.find((one) => one.name === name);
  invariant(call !== undefined, () => `expected a call for every endpoint, ${name} has none`);
  return call;
}

/** Fields for reading by pages; a caller who reads all pages cannot set them. */
export const OF_PAGING: readonly string[] = ['page', 'order', 'details', 'tradeOrder'];

/** Returns true if a call is a list that is read by pages. Candles have pages and are no list of records. */
export function isPaged(call: Call): call is Call & { readonly name: PagedName } {
  return (
    call.fields.some(({ name }) => name === 'page') && call.fields.some(({ name }) => name === 'pageSize')
  );
}
