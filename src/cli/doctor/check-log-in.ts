import { stateFile, stateFolder } from '../../budget/ledger-file.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { isTokenCurrent } from '../../exchange/session.ts';
import { knownDevice, knownToken } from '../../venues/client-credentials.ts';
import { secondText } from '../../domain/time-text.ts';
import { notChecked, ok, warning, type CheckFinding } from './check-finding.ts';

/** Stored state of a user's earlier log-ins, and whether its token is usable. */
interface LogInCheck {
  readonly findings: readonly CheckFinding[];
  /** Reason nothing may be requested with the credential; null if allowed. */
  readonly privateSilence: string | null;
  /** Files that store token and device. */
  readonly files: readonly string[];
}

const NOTHING: LogInCheck = { findings: [], privateSilence: null, files: [] };

/** Reads the state that log-ins of a configuration left. A token or a key has none. */
export function checkLogIn(
  { exchange }: Pick<BotConfig, 'exchange'>,
  { configFile, nowMs }: { readonly configFile: string; readonly nowMs: number },
): LogInCheck {
  const { baseUrl, credentials, ledgerFolder } = exchange;
  if (baseUrl === null || credentials?.kind !== 'login') return NOTHING;
  const of = { folder: stateFolder(ledgerFolder), baseUrl, username: credentials.username };
  const [tokenFile, deviceFile] = [stateFile({ ...of, kind: 'token' }), stateFile({ ...of, kind: 'device' })];
  const problems: string[] = [];
  const { token } = knownToken(tokenFile, (message) => problems.push(message));
  const { device } = knownDevice(deviceFile, (message) => problems.push(message));
  const logIn = `run "sarraf login --config ${configFile}"`;
  const deviceFinding =
    device === undefined
      ? warning(
          'device',
          'the exchange does not know this device yet: the first log-in closes withdrawals for an hour',
          `${logIn} at a time that suits you; it asks for the password, and keeps token and device`,
        )
      : ok('device', 'the exchange knows this device from an earlier log-in');
  const isCurrent = isTokenCurrent(token, nowMs);
  const tokenFinding =
    isCurrent && token !== undefined
      ? ok('log-in', `a token is kept, valid until ${secondText(token.expiresAtMs)} UTC`)
      : notChecked(
          'log-in',
          'no token of an earlier log-in can be used, and doctor does not log in',
          `the next start of the bot logs in; or ${logIn}`,
        );
  return {
    findings: [
      ...problems.map((text) => warning('log-in', text, 'give this user the right to the file')),
      deviceFinding,
      tokenFinding,
    ],
    privateSilence: isCurrent ? null : 'no token of an earlier log-in is kept',
    files: [tokenFile, deviceFile],
  };
}
