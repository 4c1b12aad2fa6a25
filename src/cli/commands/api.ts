import { Command } from 'commander';
import { nearestWord } from '../../domain/errors.ts';
import { CALL_GROUPS, CALLS, type Call, isPaged, OF_PAGING } from '../api/call-catalogue.ts';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { nameByHand, readFields } from '../api/read-fields.ts';
import { runCall, type ApiCallOptions } from '../api/run-call.ts';
import { withCallOptions } from '../api/api-target.ts';
import { wrongInput } from '../command-error.ts';
import type { Endpoint } from '../../exchange/request-types.ts';
import { tableLines } from '../table.ts';
import { lengthText } from '../../domain/time-text.ts';

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
  // The name of the library's method is accepted too.
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
    const { summary, method, path, access, budget, deprecated = false, experimental = false } = endpoint;
    const declared = { method, path, access, budget, deprecated, experimental };
    return { name, group, effect, summary, ...declared, fields, example: endpoint.example };
  });
  io.out(JSON.stringify({ groups: CALL_GROUPS, calls }));
}

export function apiCommand(io: CommandIo = MACHINE_IO): Command {
  const command = new Command('api')
    .description('Calls any endpoint of the exchange; without a call it lists them all.')
    .argument('[call]', 'what to call')
    .option('--json', 'lists the calls as one JSON object')
    .addHelpText('after', HELP)
    // Options after a call belong to the call; after a misspelled one the error is about the call.
    .enablePositionalOptions()
    .allowUnknownOption()
    .allowExcessArguments()
    .action((word: string | undefined, options: { readonly json?: true }) => listCalls(word, options, io));
  for (const call of CALLS) command.addCommand(callCommand(call, io).exitOverride());
  return command;
}

const ACCESS: Readonly<Record<Endpoint['access'], string>> = {
  none: 'no credentials',
  'optional-token': 'with a token or without',
  token: 'a token',
  READ: 'a token, or a key with READ',
  TRADE: 'a token, or a key with TRADE',
  WITHDRAW: 'a token, or a key with WITHDRAW',
  merchant: "the merchant's key, among the fields",
};

const EFFECT: Readonly<Record<Call['effect'], string>> = {
  reads: 'reads only',
  changes: 'changes something of the account',
  moves: 'moves money or orders: asks first, or needs --yes where there is no terminal',
};

function limitText({ budget }: Endpoint): string {
  const { limit, windowMs, per, assumed } = budget;
  return `${limit} in ${lengthText(windowMs)} per ${per === 'ip' ? 'address' : 'token'}${assumed ? ' (assumed)' : ''}`;
}

/** Returns the example of a call as it is typed, without some of its fields. */
function exampleOf({ word, endpoint }: Call, without: readonly string[] = []): string {
  const fields = Object.entries(endpoint.example)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => `${name}=${String(value)}`);
  return ['sarraf api', word, ...fields].join(' ');
}

/** Returns the help of a call besides its options. */
export function callHelp(call: Call): string {
  const { endpoint, fields, effect } = call;
  const marks = [
    ...(endpoint.deprecated === true ? ['deprecated'] : []),
    ...(endpoint.experimental === true ? ['experimental'] : []),
  ];
  return [
    ...(fields.length === 0 ? ['It takes no fields.'] : ['Fields:', ...fieldLines(call)]),
    '',
    `Request:  ${endpoint.method} ${endpoint.path}${marks.length === 0 ? '' : ` (${marks.join(', ')} by the exchange)`}`,
    `Needs:    ${ACCESS[endpoint.access]}`,
    `Effect:   ${EFFECT[effect]}`,
    `Limit:    ${limitText(endpoint)}, counted as ${endpoint.budget.name}`,
    '',
    'Examples:',
    `  ${exampleOf(call)}`,
    ...(isPaged(call) ? [`  ${exampleOf(call, OF_PAGING)} --all --json`] : []),
    ...(effect === 'moves' ? [`  ${exampleOf(call)} --dry-run`] : []),
  ].join('\n');
}

function fieldLines({ fields }: Call): readonly string[] {
  const [, ...lines] = tableLines(
    ['', '', '', ''],
    fields.map(({ name, isRequired, takes, note, isSecret }) => [
      name,
      isRequired ? 'needed' : '',
      isSecret ? 'env:NAME or file:PATH' : takes,
      note ?? '',
    ]),
  );
  return lines.map((line) => `  ${line}`);
}

/** Lists all calls by group, each with its purpose and its limit. */
export function callListLines(calls: readonly Call[]): readonly string[] {
  const rows = calls.map((call) => [
    call.word,
    `${call.effect === 'moves' ? '* ' : ''}${call.endpoint.summary.split(/[.;] /)[0]?.replace(/\.$/, '') ?? ''}`,
    limitText(call.endpoint),
  ]);
  // One table, so that the columns of all groups stand below one another.
  const [, ...lines] = tableLines(['', '', ''], rows);
  return [
    ...CALL_GROUPS.flatMap((group) => [
      group,
      ...lines.filter((_, index) => calls[index]?.group === group).map((line) => `  ${line}`),
      '',
    ]),
    '* moves money or orders, and asks first. "sarraf api <call> --help" has its fields and an example.',
  ];
}
