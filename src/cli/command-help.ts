import { Help, type Command, type Option } from 'commander';

const EMPTY_DEFAULT = / \(default: (?:\[\]|\{\})\)$/;

function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(EMPTY_DEFAULT, '');
}

/** Has a command and those below it show no default where that is empty, as of an option that repeats. */
export function withCommandHelp(command: Command): Command {
  command.configureHelp({ optionDescription });
  for (const below of command.commands) withCommandHelp(below);
  return command;
}
