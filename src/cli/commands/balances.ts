import type { Command } from 'commander';
import { formatUnits } from '../../domain/money.ts';
import { mirrorCommand, print, readMirror, type MirrorOptions } from '../read-mirror.ts';
import { rowLines } from '../table.ts';
import { agoText } from '../../domain/time-text.ts';
import type { BalanceRecord } from '../../records/rows.ts';
import { BALANCE_ROWS } from '../../mirror/record-tables.ts';

interface Options extends MirrorOptions {
  readonly all?: true;
}

const EXAMPLES = `  sarraf balances
  sarraf balances --all --json`;

const freeOf = ({ total, held }: BalanceRecord): string => formatUnits(total - held);

function listBalances(options: Options): void {
  const found = readMirror(options, (reader) => reader.balances());
  const shown = options.all === true ? found : found.filter(({ total, held }) => total !== 0n || held !== 0n);
  const empty = found.length - shown.length;
  const nowMs = Date.now();
  print(options, {
    json: { balances: shown.map((balance) => ({ ...BALANCE_ROWS.stored(balance), free: freeOf(balance) })) },
    lines: () => [
      ...rowLines(shown, {
        currency: ({ currency }) => currency,
        '>total': ({ total }) => formatUnits(total),
        '>held': ({ held }) => formatUnits(held),
        '>free': freeOf,
        read: ({ seenAtMs }) => agoText(seenAtMs, nowMs),
      }),
      ...(empty === 0 ? [] : [`and ${empty} empty ${empty === 1 ? 'wallet' : 'wallets'}, which --all shows`]),
    ],
  });
}

export function balancesCommand(): Command {
  return mirrorCommand('balances', {
    description:
      'Shows the wallets as they were last read. "Held" is what orders and withdrawals have reserved.',
    examples: EXAMPLES,
  })
    .option('--all', 'shows empty wallets too')
    .action((options: Options) => listBalances(options));
}
