import { didYouMean, nearestWord } from '../../domain/errors.ts';
import { readFailure, readSmallFile } from '../../configuration/secret-file.ts';
import { checkRequest, type FieldProblem } from '../../exchange/request-encoder.ts';
import type { EndpointName } from '../../exchange/endpoints.ts';
import { wrongInput } from '../command-error.ts';
import { callOf, type Call, type CallField } from './call-catalogue.ts';
import { randomInt } from 'node:crypto';
import { isManualOrderId, manualOrderId, readOrderName } from '../../engine/order-names.ts';

export type CallRequest = Readonly<Record<string, unknown>>;

type FieldReading =
  | { readonly ok: true; readonly request: CallRequest }
  /** Every problem at once, one line each. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Largest file of a token, key or password, in bytes. */
const LARGEST_SECRET_BYTES = 8_192;

/** Builds the request of a call from `field=value` texts and checks it. One with a problem is not sent. */
export function readFields(
  call: Call,
  texts: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): FieldReading {
  const request: Record<string, unknown> = {};
  const problems: string[] = [];
  /** Fields that already have a problem. */
  const reported = new Set<string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    const field = call.fields.find((known) => known.name === name);
    const problem =
      at < 1 ? `expected field=value, was "${shown(text)}"` : problemOf(call, { name, field, request });
    if (problem !== null) {
      problems.push(problem);
      reported.add(name).add(nearestField(call, name) ?? name);
      continue;
    }
    const read = field?.isSecret === true ? readSecret(name, value, environment) : { value };
    if ('problem' in read) {
      problems.push(read.problem);
      reported.add(name);
    } else request[name] = read.value;
  }
  return checkFields(call, request, { problems, reported });
}

/** Checks a request against the declaration of its call. */
function checkFields(
  call: Call,
  request: CallRequest,
  before: { readonly problems: readonly string[]; readonly reported: ReadonlySet<string> } = {
    problems: [],
    reported: new Set(),
  },
): FieldReading {
  const checked = checkRequest(call.name, request);
  const found = checked.ok ? [] : checked.problems.filter(({ field }) => !before.reported.has(field));
  const problems = [...before.problems, ...found.map((problem) => problemText(call, problem, request))];
  return problems.length === 0 ? { ok: true, request } : { ok: false, problems };
}

/** Returns a command's checked request; fields may be left out. Throws a wrong input if it is refused. */
export function checkedRequest(name: EndpointName, fields: Readonly<Record<string, unknown>>): CallRequest {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const reading = checkFields(callOf(name), given);
  if (reading.ok) return reading.request;
  throw wrongInput(reading.problems.join('\n'));
}

function problemOf(
  call: Call,
  of: { readonly name: string; readonly field: CallField | undefined; readonly request: CallRequest },
): string | null {
  if (of.field === undefined) return unknownField(call, of.name);
  return Object.hasOwn(of.request, of.name) ? `${of.name}: expected once, was there twice` : null;
}

function nearestField(call: Call, name: string): string | null {
  return nearestWord(
    name,
    call.fields.map((field) => field.name),
  );
}

function unknownField(call: Call, name: string): string {
  const known = call.fields.map((field) => field.name);
  if (known.length === 0) return `${shown(name)}: unknown field, ${call.word} takes none`;
  const nearest = nearestField(call, name);
  return `${shown(name)}: unknown field, ${nearest === null ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`}`;
}

function problemText(call: Call, { field, expected, found }: FieldProblem, request: CallRequest): string {
  if (expected === null) return unknownField(call, field);
  const choices = call.fields.find(({ name }) => name === field)?.choices ?? [];
  const value = request[field];
  return `${field === '' ? call.word : field}: ${expected}, was ${found}${typeof value === 'string' ? didYouMean(value, choices) : ''}`;
}

/** Reads a secret from elsewhere: other users of the machine can see a command's arguments. */
function readSecret(
  name: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly value: string } | { readonly problem: string } {
  const [, kind, place = ''] = /^(env|file):(.+)$/s.exec(text) ?? [];
  if (kind === 'env') {
    const value = Object.hasOwn(environment, place) ? environment[place] : undefined;
    if (value !== undefined && value !== '') return { value };
    return { problem: `${name}: expected a secret in the environment variable ${shown(place)}, found none` };
  }
  if (kind === 'file') {
    try {
      const value = readSmallFile(place, LARGEST_SECRET_BYTES).text.trim();
      return value === '' ? { problem: `${name}: expected a secret in ${place}, was empty` } : { value };
    } catch (error) {
      return { problem: `${name}: ${place}: ${readFailure(error)}` };
    }
  }
  return {
    problem: `${name}: expected ${name}=env:NAME or ${name}=file:PATH, since everyone on this machine can see what is typed here`,
  };
}

const SHOWN_LENGTH = 60;

const shown = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;

/**
 * Names an order placed by hand, so that it can be found when its reply is lost, and everybody sees whose it
 * is. Throws for a name that a bot would mistake for one of its own strategies'.
 */
export function nameByHand(request: CallRequest): CallRequest {
  const { clientOrderId } = request;
  if (typeof clientOrderId !== 'string')
    return { ...request, clientOrderId: manualOrderId(() => randomInt(36)) };
  if (readOrderName(clientOrderId) === null) return request;
  throw wrongInput(
    `clientOrderId: expected a name that no bot uses for its own orders, was "${clientOrderId}"; without one it gets a name for orders by hand`,
  );
}

/** Describes who placed an order, by its name. */
export function placerOf(clientOrderId: string | null): string {
  const name = readOrderName(clientOrderId);
  if (name !== null) return `by the bot ${name.instance}, strategy ${name.strategy}`;
  return isManualOrderId(clientOrderId) ? 'by hand' : 'not by sarraf';
}
