import { openRemoteExchange } from '../../src/venues/live-venue.ts';
import type { CredentialSettings } from '../../src/venues/client-credentials.ts';
import { configWith } from './embedded-bot.ts';
import { Secret } from '../../src/configuration/secret-file.ts';
import type { ServedAccount } from './served-account.ts';

/** One start of a bot that logs in with user name and password, up to its private calls. */
export interface TraderStart {
  readonly problems: readonly string[];
  /** Makes a private call; returns `read`, or the code of the error. */
  ask(): Promise<string>;
  close(): Promise<void>;
}

/** Connects to a served exchange as its user `trader`, or as another user with the same password. */
export async function openAsTrader(served: ServedAccount, username = 'trader'): Promise<TraderStart> {
  const { baseUrl, ledgerFolder, folder: workingFolder } = served;
  const config = configWith({ 'exchange.ledgerFolder': ledgerFolder }, workingFolder);
  const problems: string[] = [];
  const credentials: CredentialSettings = {
    kind: 'login',
    username,
    password: new Secret('pass-word-7'),
    totpSecret: null,
  };
  const remote = await openRemoteExchange({
    config,
    baseUrl,
    credentials,
    onProblem: (message) => problems.push(message),
  });
  const { accountReader } = remote.connection;
  return {
    problems,
    async ask() {
      const reading = await accountReader?.read({ withinMs: 5_000, isAmid: false });
      return reading?.kind === 'failed' ? reading.error.code : String(reading?.kind);
    },
    close: async () => remote.close(),
  };
}
