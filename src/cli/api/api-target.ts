import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressName, stateFolder } from '../../budget/ledger-file.ts';
import { address, isLoopback } from '../../daemon/setting-fields.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import type { CredentialSettings } from '../../venues/client-credentials.ts';
import { readBotConfig } from '../../daemon/read-bot-config.ts';
import { Secret, readFailure, readSmallFile, withoutSecrets } from '../../configuration/secret-file.ts';
import { isAnonymous } from '../../exchange/authenticator.ts';
import { wrongInput } from '../command-error.ts';
import { type Call, isPaged } from './call-catalogue.ts';
import type { CommandIo } from './command-io.ts';
import { Option, type Command } from 'commander';
import { durationOption, integerOption } from '../option-readers.ts';
import { USUAL_CONFIG } from '../read-config.ts';

/** Options that set which exchange is called, and with which credentials. */
export interface TargetOptions {
  readonly config?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly ledgerFolder?: string;
}

/** The exchange to call, and the credentials to use. */
export interface ApiTarget {
  readonly baseUrl: string;
  readonly exchange: BotConfig['exchange'];
  /** Settings for sending, such as how late a request may arrive. */
  readonly execution: BotConfig['execution'];
  readonly credentials: CredentialSettings | null;
  /** True if a configuration runs orders in its own process: then it must not move anything real. */
  readonly isPaper: boolean;
  /** Owner of the credentials, for people. */
  readonly account: string;
}

/** Returns the options as they are typed, for a command that a message names. */
export function targetWords({ config, url, tokenFile, ledgerFolder }: TargetOptions): readonly string[] {
  const given = {
    '--config': config,
    '--url': url,
    '--token-file': tokenFile,
    '--ledger-folder': ledgerFolder,
  };
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [name, shellWord(value)],
  );
}

/** Quotes a text, so that a shell reads it as one word. */
const shellWord = (text: string): string =>
  /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const CONFIG_VARIABLE = 'SARRAF_CONFIG';
const TOKEN_VARIABLE = 'SARRAF_TOKEN';
const LARGEST_TOKEN_BYTES = 8_192;

const WHERE = `name the exchange with --config bot.yaml or --url https://exchange.example`;

/**
 * Finds the exchange and the credentials for a call: those of a configuration, or an address with a token of
 * the environment, of a file, or of `sarraf login`. A public call reads no credentials. Throws a wrong input
 * if something is missing.
 */
export function findTarget(
  options: TargetOptions,
  call: Pick<Call, 'endpoint' | 'word' | 'fields'>,
  io: CommandIo,
): ApiTarget {
  if (options.url !== undefined && options.config !== undefined)
    throw wrongInput('expected the exchange as --config <file> or --url <address>, were both');
  const target = isAnonymous(call.endpoint.access)
    ? { ...locate(options, { isOffline: true }, io), credentials: null, account: 'nobody' }
    : withCredentials(options, call, io);
  const carriesSecret = target.credentials !== null || call.fields.some(({ isSecret }) => isSecret);
  if (carriesSecret && isPlainRemote(target))
    throw wrongInput(
      'expected an https address, since others can read credentials on the way; exchange.plainHttp of a configuration allows http in a network of your own',
    );
  return target;
}

function locate(
  options: TargetOptions,
  { isOffline }: { readonly isOffline: boolean },
  io: CommandIo,
): ApiTarget {
  return options.url === undefined
    ? targetOfConfig(options, isOffline, io)
    : targetOfAddress(options, options.url, isOffline, io);
}

function withCredentials(
  options: TargetOptions,
  call: Pick<Call, 'endpoint' | 'word'>,
  io: CommandIo,
): ApiTarget {
  const { tokenFile } = options;
  // With a token of its own, a call does not need the configuration's credentials.
  const located = locate(options, { isOffline: tokenFile !== undefined }, io);
  const target =
    tokenFile === undefined
      ? located
      : { ...located, credentials: readToken(tokenFile, io), account: `the token of ${tokenFile}` };
  const { credentials } = target;
  if (credentials === null && call.endpoint.access !== 'optional-token')
    throw wrongInput(
      `${call.word} needs credentials: expected a token in ${TOKEN_VARIABLE} or --token-file <file>, one that "sarraf login" stored, or the credentials of --config <file>`,
    );
  if (credentials?.kind === 'key' && call.endpoint.access === 'token')
    throw wrongInput(
      `${call.word} takes a token, not a key: "sarraf login" makes one, and --token-file <file> names it`,
    );
  return target;
}

const isPlainRemote = ({ baseUrl, exchange }: ApiTarget): boolean =>
  baseUrl.startsWith('http://') && !isLoopback(baseUrl) && !exchange.plainHttp;

/** Returns the configuration file: the one named, that of the environment, or the default of this folder. */
function configFile({ config }: TargetOptions, io: CommandIo): string {
  if (config !== undefined) return config;
  const named = io.environment[CONFIG_VARIABLE];
  if (named !== undefined && named !== '') return named;
  if (existsSync(join(io.workingFolder, USUAL_CONFIG))) return USUAL_CONFIG;
  throw wrongInput(`expected an exchange to call, was none: ${WHERE}`);
}

function targetOfConfig(options: TargetOptions, isOffline: boolean, io: CommandIo): ApiTarget {
  const file = configFile(options, io);
  if (options.ledgerFolder !== undefined)
    throw wrongInput('expected --ledger-folder with --url: a configuration names its own');
  const { environment, workingFolder } = io;
  const reading = readBotConfig(file, { environment, workingFolder, isOffline });
  for (const warning of reading.warnings) io.log(`warning: ${warning}`);
  if (!reading.ok) throw wrongInput(reading.problems.join('\n'));
  const { config } = reading;
  const isPaper = config.mode === 'paper' && !isWrittenLive(file, io);
  const baseUrl = config.mode === 'paper' ? config.paper.baseUrl : config.exchange.baseUrl;
  if (config.mode === 'embedded' || baseUrl === null)
    throw wrongInput(`the exchange of ${file} runs inside the bot and can not be called: ${WHERE}`);
  const { exchange, execution } = config;
  if (exchange.venue.name !== 'service')
    throw wrongInput(
      `expected the venue service in ${file}, whose interface this command speaks, was ${exchange.venue.name}`,
    );
  const { credentials } = exchange;
  return { baseUrl, exchange, execution, credentials, isPaper, account: `the account of ${file}` };
}

/** True if the file says it is live: read without its credentials, it looks like a paper configuration. */
function isWrittenLive(file: string, { environment, workingFolder }: CommandIo): boolean {
  const reading = readBotConfig(file, { environment, workingFolder });
  // A live configuration without its credentials has problems; a paper one has none.
  return !reading.ok || reading.config.mode === 'live';
}

function targetOfAddress(options: TargetOptions, url: string, isOffline: boolean, io: CommandIo): ApiTarget {
  const read = address().safeParse(url);
  if (!read.success)
    throw wrongInput('--url: expected an address of scheme and host alone, such as https://exchange.example');
  const defaults = readBotConfig(null, { environment: {}, workingFolder: io.workingFolder });
  if (!defaults.ok) throw wrongInput(defaults.problems.join('\n'));
  const baseUrl = read.data;
  const exchange = { ...defaults.config.exchange, baseUrl, ledgerFolder: options.ledgerFolder ?? null };
  const { execution } = defaults.config;
  const target = { baseUrl, exchange, execution, isPaper: false, credentials: null, account: 'nobody' };
  if (isOffline) return target;
  const token = io.environment[TOKEN_VARIABLE];
  if (token !== undefined && token !== '')
    return { ...target, credentials: tokenOf(token), account: `the token of ${TOKEN_VARIABLE}` };
  const tokens = storedTokens(target);
  const [only] = tokens;
  if (only === undefined) return target;
  if (tokens.length > 1)
    throw wrongInput(
      [`expected --token-file <file>, since "sarraf login" stored tokens of several users:`, ...tokens].join(
        '\n  ',
      ),
    );
  return { ...target, credentials: readToken(only, io), account: `the token of ${only}` };
}

/** Returns the tokens that `sarraf login` has stored for an address. */
function storedTokens({ baseUrl, exchange }: Pick<ApiTarget, 'baseUrl' | 'exchange'>): readonly string[] {
  const folder = stateFolder(exchange.ledgerFolder);
  if (!existsSync(folder)) return [];
  const name = `${addressName(baseUrl)}-`;
  return readdirSync(folder)
    .filter((file) => file.startsWith(name) && file.endsWith('.token'))
    .map((file) => join(folder, file));
}

function tokenOf(text: string): CredentialSettings {
  return { kind: 'token', token: new Secret(text) };
}

function readToken(file: string, io: CommandIo): CredentialSettings {
  try {
    const { text, isOpenToAll } = readSmallFile(file, LARGEST_TOKEN_BYTES);
    if (text.trim() === '') throw wrongInput(`expected a token in ${withoutSecrets(file)}, was empty`);
    if (isOpenToAll) io.log(`warning: everyone on this machine can read ${file}: run chmod 600 on it`);
    return tokenOf(text.trim());
  } catch (error) {
    if (error instanceof Error && error.name === 'CommandError') throw error;
    throw wrongInput(`${withoutSecrets(file)}: ${readFailure(error)}`);
  }
}

const MOST_PAGES = 1_000;

/** Adds the options of every command that calls the exchange. */
export function withTarget(
  command: Command,
  tokenFile = 'file with the token, used instead of the credentials of the configuration',
): Command {
  return command
    .option('--config <file>', 'configuration of a bot, whose exchange, credentials and ledger are used')
    .option('--address, --url <url>', 'address of the exchange, instead of a configuration')
    .option('--token-file <file>', tokenFile)
    .option('--ledger-folder <folder>', 'where the ledgers are, with --url (default: that of this user)')
    .option(
      '--wait <time>',
      'how long it may wait for its limit (default: 5m for reads, 30s for others)',
      durationOption,
    )
    .option('--json', 'prints the reply as one JSON document');
}

/** Flags of a command that set fields of its call, by field: `{ callbackURL: '--callback <url>' }`. */
type FieldFlags = Readonly<Record<string, string>>;

/** Adds options that set fields of a call, described as its declaration does. */
export function withFields(command: Command, { fields }: Call, flags: FieldFlags): Command {
  for (const { name, note, takes } of fields) {
    const text = (note ?? takes).replace(/\.$/, '');
    const flag = flags[name];
    if (flag !== undefined) command.option(flag, text.charAt(0).toLowerCase() + text.slice(1));
  }
  return command;
}

export function typedFields(options: object, flags: FieldFlags): Readonly<Record<string, unknown>> {
  const typed = new Map(Object.entries(options));
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, typed.get(new Option(flag).attributeName())]),
  );
}

/** Adds the options of `withTarget` and those that the kind of call needs. */
export function withCallOptions(command: Command, call: Call): Command {
  withTarget(command).option('--dry-run', 'shows the request and sends nothing');
  if (call.effect === 'moves') command.option('--yes', 'does not ask; for scripts');
  if (!isPaged(call)) return command;
  return command
    .option('--all', 'reads every page, and prints one list')
    .addOption(
      new Option('--max-pages <number>', 'with --all: how many it may read')
        .argParser(integerOption(1, MOST_PAGES))
        .default(100),
    );
}
