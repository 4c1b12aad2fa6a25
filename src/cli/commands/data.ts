import { Command } from 'commander';
import { importCommand } from '../data/import-command.ts';

/** `sarraf data`: recordings, into the catalogue and out of it. */
export function dataCommands(): Command {
  const command = new Command('data').description('Brings recorded market data in and out, and checks it.');
  for (const create of [importCommand]) command.addCommand(create().exitOverride());
  return command;
}
