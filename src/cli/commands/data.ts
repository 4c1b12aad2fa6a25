import { Command } from 'commander';
import { downloadCommand } from '../recordings/download-command.ts';
import { exportCommand } from '../recordings/export-command.ts';
import { importCommand } from '../recordings/import-command.ts';
import { listCommand } from '../recordings/list-command.ts';
import { resampleCommand } from '../recordings/resample-command.ts';
import { verifyCommand } from '../recordings/verify-command.ts';

/** `sarraf data`: recordings, into the catalogue and out of it. */
export function dataCommands(): Command {
  const command = new Command('data').description('Brings recorded market data in and out, and checks it.');
  for (const create of [importCommand, downloadCommand, listCommand, verifyCommand, exportCommand, resampleCommand]) {
    command.addCommand(create().exitOverride());
  }
  return command;
}
