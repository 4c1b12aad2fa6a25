import { Command } from 'commander';
import { callOf } from '../api/call-catalogue.ts';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { checkedRequest } from '../api/read-fields.ts';
import { printValue, valueOfCall, type ApiCallOptions } from '../api/run-call.ts';
import { withCallOptions } from '../api/api-target.ts';
import { wrongInput, programName } from '../command-error.ts';

interface Options extends ApiCallOptions {
  readonly to?: string;
}

const HELP = `
The command creates and confirms the withdrawal in one step. You can cancel it for three minutes.
"sarraf api profile" shows the ids of bank accounts. Coins can only be withdrawn on the exchange's
own page.
Exit codes: 0 created, 1 the exchange refused or could not be asked, 2 the input is wrong, or you
did not agree.

Examples:
  sarraf withdraw 5000000 --to 1
  sarraf withdraw 5000000 --to 1 --dry-run
  sarraf api withdrawal id=CW430542
  sarraf api cancel-withdrawal id=CW430542`;

async function withdraw(amount: string, options: Options, io: CommandIo): Promise<void> {
  if (options.to === undefined)
    throw wrongInput(`expected --to <id>, a bank account: "${programName()} api profile" lists yours`);
  const request = checkedRequest('createWithdrawal', { destinationBankAccountId: options.to, amount });
  const warning = 'The amount is in rial, with the fee in it.';
  const value = await valueOfCall('createWithdrawal', { request, options, io, warning });
  if (value === null) return;
  printValue(value, { options, io }, () => [
    `${value.id}: ${value.status ?? 'no status'}, ${value.amount} rls${value.fee === null ? '' : `, fee ${value.fee}`}`,
    `"${programName()} api withdrawal id=${value.id}" shows how it goes; "${programName()} api cancel-withdrawal id=${value.id}" cancels it within three minutes.`,
  ]);
}

export function withdrawCommand(io: CommandIo = MACHINE_IO): Command {
  const command = new Command('withdraw')
    .description('Withdraws rial to a bank account of yours; asks first.')
    .argument('<amount>', 'in rial, including the fee')
    .option('--to <id>', 'the bank account')
    .addHelpText('after', HELP)
    .action(async (amount: string, options: Options) => withdraw(amount, options, io));
  return withCallOptions(command, callOf('createWithdrawal'));
}
