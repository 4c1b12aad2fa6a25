import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkExchange, type SeenReply } from '../../../../src/cli/doctor/check-exchange.ts';
import type { CheckFinding } from '../../../../src/cli/doctor/check-finding.ts';
import type { BotConfig } from '../../../../src/daemon/create-bot-config.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import type { AccountHash } from '../../../../src/venues/account-reader.ts';
import { PANEL_TOKEN, type ServedAccount } from '../../../support/served-account.ts';

/** Private part of the key that the served account has. */
const SEED_OF_SEVENS = Buffer.alloc(32, 7).toString('base64url');

export const BY_TOKEN = `{ token: '${PANEL_TOKEN}' }`;
export const BY_KEY = `{ key: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=', privateKey: '${SEED_OF_SEVENS}' }`;

/** Writes the configuration of a live bot for an account, and returns its path. */
export function writeConfig(
  account: Pick<ServedAccount, 'baseUrl' | 'folder' | 'ledgerFolder'>,
  { credentials = BY_TOKEN, market = 'BTCIRT', more = '' } = {},
): string {
  const file = join(account.folder, 'bot.yaml');
  const lines = [
    'mode: live',
    `exchange: { baseUrl: '${account.baseUrl}', ledgerFolder: '${account.ledgerFolder}', credentials: ${credentials} }`,
    `strategies: [{ plugin: ma-cross, market: ${market} }]`,
    `data: { folder: '${join(account.folder, 'data')}' }`,
    more,
  ];
  writeFileSync(file, lines.join('\n'), { mode: 0o600 });
  return file;
}

export function configOf(file: string): BotConfig {
  const reading = readBotConfig(file, { environment: {}, workingFolder: '/nowhere' });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.config;
}

/** Runs doctor's checks of an exchange account; returns the findings, and the replies that were received. */
export async function examine(
  account: ServedAccount,
  options: {
    readonly credentials?: string;
    readonly market?: string;
    readonly kept?: AccountHash;
    readonly baseUrl?: string;
    readonly nowMs?: () => number;
  } = {},
): Promise<{ readonly findings: ReadonlyMap<string, CheckFinding>; readonly seen: readonly SeenReply[] }> {
  const atMs = Date.now();
  // The clock stands still, so that no answer counts as slow on a busy machine.
  const { kept = null, nowMs = () => atMs, baseUrl = account.baseUrl, ...written } = options;
  const seen: SeenReply[] = [];
  const findings = await checkExchange({
    config: configOf(writeConfig({ ...account, baseUrl }, written)),
    baseUrl,
    longestWaitMs: 10_000,
    signal: new AbortController().signal,
    log: () => undefined,
    stored: kept,
    privateSilence: null,
    seen,
    nowMs,
  });
  return { findings: new Map(findings.map((finding) => [finding.check, finding])), seen };
}

/** Returns the verdict of each check. */
export const verdictsOf = (findings: ReadonlyMap<string, CheckFinding>): Readonly<Record<string, string>> =>
  Object.fromEntries([...findings].map(([check, { verdict }]) => [check, verdict]));
