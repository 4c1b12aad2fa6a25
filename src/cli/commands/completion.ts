import { Argument, Command } from 'commander';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { completionTable } from '../completion/completion-table.ts';
import { completionScript, SHELLS, type Shell } from '../completion/shell-scripts.ts';

const HELP = `
The script completes commands, options, the calls of "sarraf api", their fields and the values of
fields. It is made for this version: make it again after an upgrade.

Examples:
  sarraf completion bash > ~/.local/share/bash-completion/completions/sarraf
  sarraf completion zsh > "\${fpath[1]}/_sarraf"
  sarraf completion fish > ~/.config/fish/completions/sarraf.fish`;

/** `sarraf completion`: the script by which a shell completes sarraf's words. */
export function completionCommand(program: () => Promise<Command>, io: CommandIo = MACHINE_IO): Command {
  return new Command('completion')
    .description('Prints a script with which a shell completes commands, calls, fields and their values.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .option('--json', 'prints the words themselves as one JSON object, for other shells')
    .addHelpText('after', HELP)
    .action(async (shell: Shell, options: { readonly json?: true }) => {
      const rows = completionTable(await program());
      const plain = rows.map(({ values, ...row }) => ({ ...row, values: Object.fromEntries(values) }));
      io.out(options.json === true ? JSON.stringify({ places: plain }) : completionScript(shell, rows));
    });
}
