import { separatedName } from '../../domain/money-text.ts';
import { invariant } from '../../domain/errors.ts';
import type { Endpoint } from '../../exchange/endpoint.ts';
import { ENDPOINTS, type EndpointName } from '../../exchange/endpoints.ts';
import type { PagedName } from '../../exchange/paging.ts';
import { effectOf, callFieldsOf, type CallEffect, type CallField } from './call-field.ts';

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
  /** As it is typed: `generate-address`. */
  readonly word: string;
  readonly group: CallGroup;
  readonly effect: CallEffect;
  readonly endpoint: Endpoint;
  readonly fields: readonly CallField[];
}

/** The sections of the interface that are groups. */
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

function wordOf(name: string): string {
  return separatedName(name, '-');
}

function createCall(name: EndpointName): Call {
  const endpoint: Endpoint = ENDPOINTS[name];
  return {
    name,
    word: wordOf(name),
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

const BY_NAME: ReadonlyMap<string, Call> = new Map(CALLS.map((call) => [call.name, call]));

export function callOf(name: EndpointName): Call {
  const call = BY_NAME.get(name);
  invariant(call !== undefined, () => `expected a call for every endpoint, ${name} has none`);
  return call;
}

/** Fields by which pages are gone through; a caller who reads all of them has no say in that. */
export const OF_PAGING: readonly string[] = ['page', 'order', 'details', 'tradeOrder'];

/** Returns true if a call is a list that is read by pages. Candles have pages and are no list of records. */
export function isPaged(call: Call): call is Call & { readonly name: PagedName } {
  return (
    call.fields.some(({ name }) => name === 'page') && call.fields.some(({ name }) => name === 'pageSize')
  );
}
