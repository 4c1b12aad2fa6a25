import type { Command } from 'commander';
import { FILL_ROWS } from '../../mirror/record-tables.ts';
import { fillLines, manualNameOf } from '../order-lines.ts';
import {
  filterOf,
  mirrorCommand,
  print,
  readMirror,
  withFilters,
  type FilterOptions,
} from '../read-mirror.ts';

const EXAMPLES = `  sarraf trades
  sarraf trades --market BTCIRT --last 10 --json`;

function listTrades(options: FilterOptions): void {
  const { fills, manual } = readMirror(options, (reader) => ({
    fills: reader.fills(filterOf(options)),
    manual: reader.manualOrders(),
  }));
  print(options, {
    json: {
      trades: fills.map((fill) => ({
        ...FILL_ROWS.stored(fill),
        manualOrder: manualNameOf(fill, manual),
      })),
    },
    lines: () => (fills.length === 0 ? ['No such trades.'] : fillLines(fills, { nowMs: Date.now(), manual })),
  });
}

export function tradesCommand(): Command {
  const command = mirrorCommand('trades', {
    description: 'Lists the trades of the account, newest last. The fee is in the currency received.',
    examples: EXAMPLES,
  });
  return withFilters(command, 50).action((options: FilterOptions) => listTrades(options));
}
