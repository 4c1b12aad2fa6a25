import { readFailure, readSmallFile } from '../../configuration/secret-file.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import type { EncodedRequest } from '../../exchange/request-encoder.ts';
import { wrongInput } from '../command-error.ts';
import type { ApiTarget } from './api-target.ts';
import type { Call } from './call-catalogue.ts';
import type { CommandIo } from './command-io.ts';

const SHOWN = '[secret]';

/** A request as it would be sent, with every secret taken out. Nothing is opened or sent for it. */
export function dryRun(
  of: { readonly call: Call; readonly target: ApiTarget; readonly encoded: EncodedRequest },
  { json }: { readonly json?: true },
): string {
  const { call, target, encoded } = of;
  const { method, path } = encoded;
  const url = `${target.baseUrl}${path}`;
  const headers = headersOf(call, target);
  const body =
    encoded.body === null ? null : withoutSecrets(call, JSON.parse(encoded.body) as Record<string, unknown>);
  const { name: budget } = call.endpoint.budget;
  if (json === true)
    return JSON.stringify({ dryRun: true, method, url, headers, body, budget, effect: call.effect });
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', JSON.stringify(body, null, 2)]),
    '',
    `Nothing was sent. It would take one request of ${budget}.`,
  ].join('\n');
}

function headersOf(
  { endpoint }: Call,
  { credentials, exchange }: ApiTarget,
): Readonly<Record<string, string>> {
  if (isAnonymous(endpoint.access) || credentials === null) return {};
  if (credentials.kind !== 'key') return { Authorization: `Token ${SHOWN}` };
  if (endpoint.access === 'optional-token') return {};
  const prefix = exchange.name.charAt(0).toUpperCase() + exchange.name.slice(1);
  return {
    [`${prefix}-Key`]: credentials.publicKey,
    [`${prefix}-Signature`]: SHOWN,
    [`${prefix}-Timestamp`]: '(the second in which it is sent)',
  };
}

function withoutSecrets(
  call: Call,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const secrets = new Set(call.fields.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, secrets.has(name) ? SHOWN : value]),
  );
}

const LARGEST_BYTES = 8_192;

/**
 * A secret that is on no command line: of a file where one is named, else of the environment, else typed
 * without being shown. Throws as wrong input where there is none.
 */
export async function privateText(
  of: {
    /** Kind of the text, such as `password`. */
    readonly what: string;
    readonly file: { readonly option: string; readonly path: string | undefined };
    readonly variable: string;
  },
  io: CommandIo,
): Promise<string> {
  const { what, file, variable } = of;
  if (file.path !== undefined) return textOfFile(file.path, what);
  const value = io.environment[variable];
  if (value !== undefined && value !== '') return value;
  const typed = io.isTerminal ? await io.askHidden(`${what}: `) : '';
  if (typed !== '') return typed;
  throw wrongInput(
    `expected the ${what} in ${variable}, in ${file.option} <file>, or typed at a terminal; nothing was sent`,
  );
}

function textOfFile(path: string, what: string): string {
  let text: string;
  try {
    text = readSmallFile(path, LARGEST_BYTES).text.trim();
  } catch (error) {
    throw wrongInput(`${path}: ${readFailure(error)}`);
  }
  if (text === '') throw wrongInput(`expected the ${what} in ${path}, was empty`);
  return text;
}
