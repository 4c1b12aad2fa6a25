import { createScrubber } from '../../daemon/redact.ts';
import { secretsOf } from '../../venues/client-credentials.ts';
import { Secret } from '../../configuration/secret-file.ts';
import { listText, SarrafError, type ErrorCode } from '../../domain/errors.ts';
import type { EndpointName, EndpointReply, EndpointRequest } from '../../exchange/endpoints.ts';
import { iterateOrders, iteratePages, iterateTrades, type PagedName } from '../../exchange/paging.ts';
import type { DecodedRefusal } from '../../exchange/reply-decoder.ts';
import { checkRequest, encodeRequest } from '../../exchange/request-encoder.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import { CommandError, failed, wrongInput, FAILED, programName } from '../command-error.ts';
import { findTarget, targetWords, type ApiTarget, type TargetOptions } from './api-target.ts';
import { callOf, isPaged, OF_PAGING, type Call } from './call-catalogue.ts';
import { CallSender } from './call-sender.ts';
import { closingAsync } from '../../domain/closing.ts';
import { interruption, type CommandIo, QUERY_BY_CALL } from './command-io.ts';
import type { CallRequest } from './read-fields.ts';
import { isObject } from '../../domain/stored-json.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { countText, oneLine } from '../../domain/money.ts';
import { isoText } from '../../domain/time-text.ts';

/** Options of every command that calls the exchange by hand. */
export interface ApiCallOptions extends TargetOptions {
  readonly wait?: number;
  readonly json?: true;
  readonly yes?: true;
  readonly dryRun?: true;
  /** True to read every page of a list. */
  readonly all?: true;
  readonly maxPages?: number;
}

interface CallRun {
  readonly call: Call;
  /** Request that was checked. */
  readonly request: CallRequest;
  readonly options: ApiCallOptions;
  readonly io: CommandIo;
  /** Additional text for the person who confirms. */
  readonly warning?: string;
  readonly oneTimePassword?: string;
}

/**
 * Longest wait for a slot, in ms: a read may wait for a whole window that counts as full; a call that moves
 * money or orders is not what was meant if it leaves minutes later.
 */
const LONGEST_READ_WAIT_MS = 300_000;
const LONGEST_OTHER_WAIT_MS = 30_000;
const MOST_PAGES = 100;

/** Result of a call: one reply, or the records of many pages. */
type Brought =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'pages'; readonly items: readonly unknown[]; readonly problem: SarrafError | null };

/** Runs a call and prints the result. Throws a `CommandError` for anything but a success. */
export async function runCall(run: CallRun): Promise<void> {
  const { call, options, io } = run;
  const brought = await bring(run);
  if (brought === null) return;
  printValue(brought.kind === 'pages' ? brought.items : brought.value, { options, io });
  if (brought.kind === 'pages' && brought.problem !== null) {
    const { length } = brought.items;
    throw failed(
      `${call.word}: this is not all: after ${countText(length, 'record')} ${brought.problem.message}; --max-pages allows more`,
    );
  }
}

/** Prints a value: all of it for programs; for people as lines, the command's own or general ones. */
export function printValue(
  value: unknown,
  { options, io }: Pick<CallRun, 'options' | 'io'>,
  lines: () => readonly string[] = () => valueLines(value),
): void {
  io.out(options.json === true ? JSON.stringify(plainOf(value)) : lines().join('\n'));
}

/** Runs a call for a command that prints the result itself. Null after a dry run. */
export async function valueOfCall<Name extends EndpointName>(
  name: Name,
  run: Omit<CallRun, 'call'>,
): Promise<EndpointReply<Name> | null> {
  const brought = await bring({ ...run, call: callOf(name) });
  return brought?.kind === 'value' ? (brought.value as EndpointReply<Name>) : null;
}

async function bring(run: CallRun): Promise<Brought | null> {
  const { options } = run;
  return withSender(run, async (sender) =>
    options.all === true ? readPages(run, sender) : callOnce(run, sender),
  );
}

/** Runs `send` with a sender; null after a dry run. Throws a `CommandError` for anything but a success. */
export async function withSender<Result>(
  run: CallRun,
  send: (sender: CallSender, target: ApiTarget) => Promise<Result>,
): Promise<Result | null> {
  const { call, options, io } = run;
  const target = findTarget(options, call, io);
  const moves = call.effect === 'moves';
  if (moves && target.isPaper)
    throw wrongInput(
      `${call.word} is real, but the orders of a paper configuration are not: name a configuration of the mode live`,
    );
  if (options.dryRun === true) {
    io.out(dryRun(run, target));
    return null;
  }
  if (moves && options.yes !== true && !io.isTerminal)
    throw wrongInput(
      `${call.word} moves money or orders, and without a terminal it can not ask: expected --yes; nothing was sent`,
    );
  using end = interruption();
  await using sender = closingAsync(
    await CallSender.open({
      target,
      longestWaitMs: options.wait ?? (call.effect === 'reads' ? LONGEST_READ_WAIT_MS : LONGEST_OTHER_WAIT_MS),
      signal: end.signal,
      log: (line) => io.log(line),
    }),
  );
  try {
    sender.checkWait(call.name);
    if (moves && options.yes !== true) await askFirst(run, target);
    end.arm();
    return await send(sender, target);
  } catch (error) {
    throw failureToThrow(error, run, createScrubber(secretsIn(run, target)));
  }
}

async function askFirst({ call, request, io, warning }: CallRun, target: ApiTarget): Promise<void> {
  const checked = checkRequest(call.name, request);
  const fields = shownFields(call, checked.ok ? checked.fields : request).filter(
    ([, value]) => value !== undefined,
  );
  const width = Math.max(...fields.map(([name]) => name.length), 0);
  const question = [
    `${call.endpoint.summary} At ${target.baseUrl}, as ${target.account}:`,
    ...fields.map(([name, value]) => `  ${name.padEnd(width)}  ${String(value)}`),
    ...(warning === undefined ? [] : [warning]),
  ].join('\n');
  if (!(await io.confirm(question, 'yes')))
    throw wrongInput('expected "yes" to be typed, or --yes; nothing was sent');
}

async function callOnce({ call, request, oneTimePassword }: CallRun, sender: CallSender): Promise<Brought> {
  const result = await sender.call(
    call.name,
    request,
    oneTimePassword === undefined ? {} : { oneTimePassword },
  );
  if (result.ok) return { kind: 'value', value: result.value };
  throw new RefusedError(result);
}

async function readPages({ call, request, options }: CallRun, sender: CallSender): Promise<Brought> {
  const items: unknown[] = [];
  try {
    for await (const item of pagesOf(
      call,
      { ...request, maxPages: options.maxPages ?? MOST_PAGES },
      sender,
    )) {
      items.push(item);
    }
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'TOO_MANY_PAGES') throw error;
    return { kind: 'pages', items, problem: error };
  }
  return { kind: 'pages', items, problem: null };
}

function pagesOf(
  call: Call,
  { maxPages, ...request }: CallRequest & { readonly maxPages: number },
  sender: CallSender,
): AsyncIterable<unknown> {
  const given = OF_PAGING.find((name) => Object.hasOwn(request, name));
  if (given !== undefined)
    throw wrongInput(`${given}: expected none with --all, which reads all pages by itself`);
  if (call.name === 'ordersList') return iterateOrders(sender, { ...request, maxPages });
  if (call.name === 'tradesList') return iterateTrades(sender, { ...request, maxPages });
  if (!isPaged(call)) throw wrongInput(`expected no --all for ${call.word}, which is not a list of pages`);
  return iteratePages<PagedName>(sender, call.name, { request, maxPages });
}

/** Error for a refusal by the exchange within a command. */
class RefusedError extends SarrafError {
  readonly refusal: DecodedRefusal;

  constructor(refusal: DecodedRefusal) {
    super('REFUSED', `refused with ${refusal.code}: ${refusal.message}`, {
      details: { refusal },
      retry: refusal.retry,
      outcome: refusal.outcome,
    });
    this.refusal = refusal;
  }
}

/** Returns the secrets that no message may show, even if the exchange repeats them. */
function secretsIn(
  { call, request, oneTimePassword }: CallRun,
  { credentials }: ApiTarget,
): readonly Secret[] {
  const fields = call.fields.filter(({ isSecret }) => isSecret).map(({ name }) => request[name]);
  return [
    ...secretsOf(credentials),
    ...[...fields, oneTimePassword].flatMap((value) =>
      typeof value === 'string' ? [new Secret(value)] : [],
    ),
  ];
}

/** Returns the error of a failed call: failure, outcome, and what to do; with `--json` also written so. */
function failureToThrow(error: unknown, run: CallRun, scrub: (line: string) => string): unknown {
  const { call, request, options, io } = run;
  const isOurs = error instanceof SarrafError && error.code !== 'INVARIANT';
  if (options.json === true && (isOurs || error instanceof CommandError))
    io.out(scrub(JSON.stringify({ error: failureOf(error, call) })));
  if (!isOurs) return error;
  const { outcome } = failureOf(error, call);
  const lines = [
    error instanceof RefusedError ? `${call.word}: ${error.message}` : `${error.code}: ${error.message}`,
  ];
  if (outcome === 'unknown') {
    const query = QUERY_BY_CALL[call.name]?.(request, Date.now());
    const where =
      query === undefined
        ? ''
        : `: look with "${[programName(), query, ...targetWords(options)].join(' ')}" before you send it again`;
    lines.push(`It MAY HAVE TAKEN EFFECT${where}`);
  } else if (outcome === 'applied') lines.push('It has taken effect before.');
  else if (call.effect !== 'reads') lines.push('Nothing was changed by it.');
  const advice = ADVICE[error.code];
  if (advice !== undefined) lines.push(advice);
  return new CommandError(scrub(lines.join('\n')), FAILED);
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly outcome: SarrafError['outcome'];
  readonly retry: SarrafError['retry'];
}

/** Returns a failure for programs. A `CommandError` comes from before anything was sent. */
function failureOf(error: SarrafError | CommandError, call: Call): Failure {
  if (error instanceof CommandError)
    return { code: 'NOT_SENT', message: error.message, outcome: 'none', retry: 'safe' };
  const { code, message, retry } = error;
  const outcome = call.effect === 'reads' ? 'none' : error.outcome;
  if (!(error instanceof RefusedError)) return { code, message, outcome, retry };
  const { refusal } = error;
  return { code: refusal.code, message: refusal.message, outcome, retry };
}

const UNREACHABLE = 'The exchange can not be reached: check the address and the network.';

const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHORIZED:
    'The token or key is wrong or has expired, or this machine\'s clock is off: "sarraf login" makes a new token. Other calls with it wait until it is tried again; see "sarraf budget".',
  RATE_LIMITED: 'No call of this budget is sent until the wait is over: see "sarraf budget".',
  FORBIDDEN: 'The token or key lacks the permission: make one that has it in the user panel of the exchange.',
  HOST_NOT_FOUND: UNREACHABLE,
  CONNECTION_REFUSED: UNREACHABLE,
  CONNECTION_FAILED: UNREACHABLE,
};

type Plain = Readonly<Record<string, unknown>>;

/** Maximum number of items of a list that a cell shows; the rest are counted. */
const MOST_IN_CELL = 8;

/** Returns a value of a reply as JSON has it: maps as objects, whole numbers beyond a float as texts. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map) return plainOf(Object.fromEntries(value as ReadonlyMap<string, unknown>));
  if (!isObject(value)) return value;
  // A name such as `__proto__` is a field like any other.
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) plain[name] = plainOf(inner);
  return plain;
}

/** Returns a value without its empty parts, which do not interest a person. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const left = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) {
    const trimmed = withoutEmpty(inner);
    if (trimmed === null || trimmed === undefined || trimmed === '') continue;
    if (isObject(trimmed) && Object.keys(trimmed).length === 0) continue;
    left[name] = trimmed;
  }
  return left;
}

/** Returns lines for a reply: a table for a list, names and values for a record. Empty parts are left out. */
function valueLines(value: unknown): readonly string[] {
  const plain = withoutEmpty(plainOf(value));
  if (plain === null || plain === undefined) return ['done'];
  if (Array.isArray(plain)) return listLines(plain);
  if (!isObject(plain)) return [cell('', plain)];
  if (Array.isArray(plain['items']) && 'hasNext' in plain)
    return [
      ...listLines(plain['items']),
      ...(plain['hasNext'] === true ? ['There are more: page=2 shows the next page, --all shows all.'] : []),
    ];
  return recordLines(plain, '');
}

function listLines(items: readonly unknown[]): readonly string[] {
  if (items.length === 0) return ['nothing'];
  if (items.every(isObject)) return recordTable(items);
  if (items.every(Array.isArray))
    return items.map((row) => row.map((value: unknown) => cell('', value)).join('  '));
  return items.map((item) => cell('', item));
}

/** Returns a table of records of one kind. `keys`: the names under which they stand, if any. */
function recordTable(records: readonly Plain[], keys: readonly string[] | null = null): readonly string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const isNumber = (name: string): boolean =>
    records.every(({ [name]: value }) => value === null || value === undefined || isNumberLike(value));
  const columns = names.map((name): TableColumn => ({
    title: titleOf(name),
    ...(isNumber(name) ? { align: 'right' } : {}),
  }));
  const rows = records.map((record) => names.map((name) => cell(name, record[name])));
  if (keys === null) return tableLines(columns, rows);
  return tableLines(
    ['', ...columns],
    rows.map((row, index) => [keys[index] ?? '', ...row]),
  );
}

function recordLines(record: Plain, indent: string): readonly string[] {
  const entries = Object.entries(record);
  if (entries.length === 0) return [`${indent}nothing`];
  const values = entries.map(([, value]) => value);
  // Records under names, such as wallets by currency, are a table too.
  if (entries.length > 1 && values.every((value) => isObject(value) && Object.values(value).every(isCell)))
    return recordTable(
      values as Plain[],
      entries.map(([name]) => name),
    ).map((line) => `${indent}${line}`);
  const width = Math.max(
    ...entries.filter(([, value]) => isCell(value)).map(([name]) => titleOf(name).length),
    0,
  );
  return entries.flatMap(([name, value]) => {
    if (isCell(value)) return [`${indent}${titleOf(name).padEnd(width)}  ${cell(name, value)}`.trimEnd()];
    const inner = Array.isArray(value) ? listLines(value) : recordLines(value as Plain, '');
    return [`${indent}${titleOf(name)}`, ...inner.map((line) => `${indent}  ${line}`)];
  });
}

/** Returns true if a value fits a line beside its name. */
function isCell(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object');
  return !isObject(value) || marketOf(value) !== null || Object.keys(value).length === 0;
}

/** Returns a market's spelling in public paths, for an object with all its spellings; else null. */
const marketOf = (value: Plain): string | null =>
  typeof value['symbol'] === 'string' && 'statsKey' in value ? value['symbol'] : null;

const isNumberLike = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value));

/** Matches names of fields that are shown as a time, such as `createdAtMs`. */
const TIME = /(?:^time|At|Time|Until)Ms$/;

const titleOf = (name: string): string => (TIME.test(name) ? `${name.slice(0, -2)} (UTC)` : name);

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && TIME.test(name)) return isoText(value).replace('T', ' ').replace('Z', '');
  if (typeof value === 'string') return oneLine(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return listText(value.map(String), MOST_IN_CELL);
  return (isObject(value) ? marketOf(value) : null) ?? JSON.stringify(value);
}

const SHOWN = '[secret]';

/** Describes a request as it would be sent, without its secrets. Nothing is opened or sent. */
function dryRun({ call, request, options }: CallRun, { baseUrl, credentials, exchange }: ApiTarget): string {
  const encoded = encodeRequest(call.name, request as EndpointRequest<EndpointName>);
  const { method, path } = encoded;
  const { budget, access } = call.endpoint;
  const url = `${baseUrl}${path}`;
  const headers = headersOf(access, credentials, exchange.name);
  const body =
    encoded.body === null
      ? null
      : Object.fromEntries(shownFields(call, JSON.parse(encoded.body) as Record<string, unknown>));
  if (options.json === true) {
    const { effect } = call;
    return JSON.stringify({ dryRun: true, method, url, headers, body, budget: budget.name, effect });
  }
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', JSON.stringify(body, null, 2)]),
    '',
    `Nothing was sent. It would take one request of ${budget.name}.`,
  ].join('\n');
}

function headersOf(
  access: Call['endpoint']['access'],
  credentials: ApiTarget['credentials'],
  exchange: string,
): Readonly<Record<string, string>> {
  if (isAnonymous(access) || credentials === null) return {};
  if (credentials.kind !== 'key') return { Authorization: `Token ${SHOWN}` };
  if (access === 'optional-token') return {};
  const prefix = exchange.charAt(0).toUpperCase() + exchange.slice(1);
  return {
    [`${prefix}-Key`]: credentials.publicKey,
    [`${prefix}-Signature`]: SHOWN,
    [`${prefix}-Timestamp`]: '(the second in which it is sent)',
  };
}

/** Returns names and values of a request, each secret replaced. */
function shownFields({ fields }: Call, request: CallRequest): readonly (readonly [string, unknown])[] {
  const secrets = new Set(fields.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  return Object.entries(request).map(([name, value]) => [name, secrets.has(name) ? SHOWN : value]);
}
