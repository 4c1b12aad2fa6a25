import { Command } from 'commander';
import { downloadCommand } from '../data/download-command.ts';
import { exportCommand } from '../data/export-command.ts';
import { importCommand } from '../data/import-command.ts';
import { listCommand } from '../data/list-command.ts';
import { resampleCommand } from '../data/resample-command.ts';
import { verifyCommand } from '../data/verify-command.ts';

const EXAMPLES = `
Examples:
  sarraf data import candles.csv.gz --market BTCUSDT
  sarraf data list
  sarraf data verify

Exit codes: 0 all went well, 1 it failed, or verify found something, 2 an option or a file is wrong.`;

export function dataCommands(): Command {
  const command = new Command('data')
    .description('Imports, downloads, checks and exports recorded market data.')
    .addHelpText('after', EXAMPLES);
  for (const create of [
    importCommand,
    downloadCommand,
    listCommand,
    verifyCommand,
    exportCommand,
    resampleCommand,
  ]) {
    command.addCommand(create().exitOverride());
  }
  return command;
}
