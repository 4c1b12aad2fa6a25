import { Command } from 'commander';
import { nearestWord } from '../../configuration/nearest-word.ts';
import { CALL_GROUPS, CALLS, type Call } from '../api/call-catalogue.ts';
import { callHelp, callListLines } from '../api/call-help.ts';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { nameByHand } from '../api/manual-order.ts';
import { readFields } from '../api/read-fields.ts';
import { runCall, type ApiCallOptions } from '../api/run-call.ts';
import { withCallOptions } from '../api/target-options.ts';
import { wrongInput } from '../command-error.ts';

const HELP = `
Write fields as field=value, and secrets as field=env:NAME or field=file:PATH. The fields of a call
are in "sarraf api <call> --help", with an example. Calls that move money or orders ask first.
The exchange comes from --config, else from the variable SARRAF_CONFIG, else from bot.yaml in this
folder. Or give --url, with a token in SARRAF_TOKEN, in --token-file, or stored by "sarraf login".
Exit codes: 0 done, 1 the exchange refused or could not be asked, 2 the input is wrong, or you did
not agree.

Examples:
  sarraf api
  sarraf api order-book symbol=BTCIRT --url https://exchange.example
  sarraf api profile --config bot.yaml
  sarraf api orders-list status=all --all --json
  sarraf api transfer currency=usdt amount=10 src=spot dst=margin --dry-run`;

function callCommand(call: Call, io: CommandIo): Command {
  const command = new Command(call.word)
    .description(call.endpoint.summary)
    .argument('[fields...]', 'field=value')
    .helpGroup(`${call.group}:`)
    .addHelpText('after', `\n${callHelp(call)}`)
    .action(async (texts: readonly string[], options: ApiCallOptions) => {
      const reading = readFields(call, texts, io.environment);
      if (!reading.ok) throw wrongInput(reading.problems.join('\n'));
      const request = call.name === 'addOrder' ? nameByHand(reading.request) : reading.request;
      await runCall({ call, request, options, io });
    });
  // The name of the library's method is taken too.
  if (call.name !== call.word) command.alias(call.name);
  return withCallOptions(command, call);
}

function listCalls(word: string | undefined, options: { readonly json?: true }, io: CommandIo): void {
  if (word !== undefined) {
    const nearest = nearestWord(
      word,
      CALLS.map((call) => call.word),
    );
    throw wrongInput(
      `${word}: unknown call, ${nearest === null ? '"sarraf api" lists them' : `did you mean ${nearest}?`}`,
    );
  }
  if (options.json !== true) {
    io.out(callListLines(CALLS).join('\n'));
    return;
  }
  const calls = CALLS.map(({ word: name, group, effect, fields, endpoint }) => {
    const {
      method,
      path,
      access,
      budget,
      summary,
      example,
      deprecated = false,
      experimental = false,
    } = endpoint;
    return {
      name,
      group,
      effect,
      summary,
      method,
      path,
      access,
      budget,
      deprecated,
      experimental,
      fields,
      example,
    };
  });
  io.out(JSON.stringify({ groups: CALL_GROUPS, calls }));
}

/** `sarraf api`: every endpoint of the exchange by hand. */
export function apiCommand(io: CommandIo = MACHINE_IO): Command {
  const command = new Command('api')
    .description('Calls any endpoint of the exchange; without a call it lists them all.')
    .argument('[call]', 'what to call')
    .option('--json', 'lists the calls as one JSON object')
    .addHelpText('after', HELP)
    // Options behind a call are the call's; behind a misspelled one they are nobody's, and the call is what
    // is wrong.
    .enablePositionalOptions()
    .allowUnknownOption()
    .allowExcessArguments()
    .action((word: string | undefined, options: { readonly json?: true }) => listCalls(word, options, io));
  for (const call of CALLS) command.addCommand(callCommand(call, io).exitOverride());
  return command;
}
