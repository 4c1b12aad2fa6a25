import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { knownDevice, storeToken } from '../../venues/client-credentials.ts';
import { writePrivateFile } from '../../configuration/secret-file.ts';
import { stateFile, stateFolder } from '../../budget/ledger-file.ts';
import { REMEMBERED_LIFETIME_MS, TOKEN_LIFETIME_MS } from '../../exchange/session.ts';
import { findTarget, withTarget } from '../api/api-target.ts';
import { callOf } from '../api/call-catalogue.ts';
import { MACHINE_IO, type CommandIo, privateText } from '../api/command-io.ts';
import { printValue, valueOfCall, type ApiCallOptions } from '../api/run-call.ts';
import { failed, wrongInput } from '../command-error.ts';

interface Options extends ApiCallOptions {
  readonly username?: string;
  readonly passwordFile?: string;
  readonly short?: true;
}

const HELP = `
It asks for the user name, the password and the one-time password if you do not give them, and does
not show passwords. Scripts give them as SARRAF_PASSWORD (or --password-file) and
SARRAF_ONE_TIME_PASSWORD. The token goes to a file that only you can read, and is never shown. The
name that the exchange gives this device is stored too, since a log-in from a new device closes
withdrawals for an hour.
Exit codes: 0 the token is stored, 1 the exchange refused or the token can not be stored, 2
something that you typed is wrong.

Examples:
  sarraf login --url https://exchange.example
  sarraf login --config bot.yaml --username trader@mail.example --token-file /run/secrets/token`;

/** Returns the files of the state that a log-in reads and writes: the device, and the token. */
function filesOf(
  options: Options,
  of: { readonly baseUrl: string; readonly folder: string; readonly username: string },
) {
  const token =
    options.tokenFile === undefined ? stateFile({ ...of, kind: 'token' }) : resolve(options.tokenFile);
  return { token, device: stateFile({ ...of, kind: 'device' }) };
}

/** Checks before a log-in that the token can be stored: otherwise it would be made for nothing. */
function checkFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw failed(
      `the token can not be kept in ${folder} (${(error as NodeJS.ErrnoException).code ?? String(error)}): name another file with --token-file; nothing was sent`,
    );
  }
}

async function askOneTimePassword(io: CommandIo): Promise<string> {
  const given = io.environment['SARRAF_ONE_TIME_PASSWORD'];
  if (given !== undefined && given !== '') return given;
  return io.isTerminal ? io.askHidden('one-time password (empty where the account asks for none): ') : '';
}

async function logIn(options: Options, io: CommandIo): Promise<void> {
  const call = callOf('login');
  const { tokenFile: _written, ...whereTo } = options;
  const target = findTarget(whereTo, call, io);
  const username = options.username ?? (io.isTerminal ? await io.ask('user name: ') : '');
  if (username === '') throw wrongInput('expected --username <name>; nothing was sent');
  const folder = stateFolder(target.exchange.ledgerFolder);
  const files = filesOf(options, { baseUrl: target.baseUrl, folder, username });
  checkFolder(files.token);
  const file = { option: '--password-file', path: options.passwordFile };
  const password = await privateText({ what: 'password', file, variable: 'SARRAF_PASSWORD' }, io);
  const oneTimePassword = (await askOneTimePassword(io)).trim();
  const { device, onDevice } = knownDevice(files.device, (message) => io.log(`warning: ${message}`));
  const issuedAtMs = Date.now();
  const lifetimeMs = options.short === true ? TOKEN_LIFETIME_MS : REMEMBERED_LIFETIME_MS;
  const value = await valueOfCall('login', {
    request: {
      username,
      password,
      captcha: 'api',
      ...(options.short === true ? {} : { remember: 'yes' }),
      ...(device === undefined ? {} : { device }),
    },
    options: whereTo,
    io,
    ...(oneTimePassword === '' ? {} : { oneTimePassword }),
  });
  if (value === null) return;
  if (value.device !== null && value.device !== device) onDevice(value.device);
  try {
    // A file of another name is the user's own; the times are for a bot, which reads the default place.
    if (options.tokenFile !== undefined) writePrivateFile(files.token, `${value.key}\n`);
    else storeToken(files.token, { key: value.key, issuedAtMs, expiresAtMs: issuedAtMs + lifetimeMs });
  } catch (error) {
    throw failed(`the token was made and can not be kept in ${files.token} (${String(error)}): log in again`);
  }
  const isNewDevice = device === undefined || (value.device !== null && value.device !== device);
  printValue(
    { tokenFile: files.token, isNewDevice, validForHours: lifetimeMs / 3_600_000 },
    { options, io },
    () => [
      `The token is kept in ${files.token}, for ${options.short === true ? '4 hours' : '30 days'}. A configuration takes it as`,
      `  exchange: { credentials: { token: 'file:${files.token}' } }`,
      ...(isNewDevice
        ? [
            'This device is new to the exchange, which closes withdrawals for an hour; the next log-in is from a known one.',
          ]
        : []),
    ],
  );
}

export function loginCommand(io: CommandIo = MACHINE_IO): Command {
  return withTarget(
    new Command('login').description('Logs in and stores the token in a file that only you can read.'),
  )
    .option('--username <name>', 'user name')
    .option('--password-file <file>', 'file with the password')
    .option('--short', 'a token that is valid for 4 hours, not 30 days')
    .addHelpText('after', HELP)
    .action(async (options: Options) => logIn(options, io));
}
