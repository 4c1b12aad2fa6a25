import type { Endpoint } from '../../exchange/endpoint.ts';
import { tableLines } from '../table.ts';
import { CALL_GROUPS, isPaged, OF_PAGING, type Call } from './call-catalogue.ts';
import { lengthText } from '../../domain/time-text.ts';

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

/** The example of a call as it is typed, but for some of its fields. */
function exampleOf({ word, endpoint }: Call, without: readonly string[] = []): string {
  const fields = Object.entries(endpoint.example)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => `${name}=${String(value)}`);
  return ['sarraf api', word, ...fields].join(' ');
}

/** Returns what `--help` shows of a call besides its options. */
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
    [{ title: '' }, { title: '' }, { title: '' }, { title: '' }],
    fields.map(({ name, isRequired, takes, note, isSecret }) => [
      name,
      isRequired ? 'needed' : '',
      isSecret ? 'env:NAME or file:PATH' : takes,
      note ?? '',
    ]),
  );
  return lines.map((line) => `  ${line}`);
}

/** All calls by group, each with what it is for and its limit. */
export function callListLines(calls: readonly Call[]): readonly string[] {
  const rows = calls.map((call) => [
    call.word,
    `${call.effect === 'moves' ? '* ' : ''}${call.endpoint.summary.split(/[.;] /)[0]?.replace(/\.$/, '') ?? ''}`,
    limitText(call.endpoint),
  ]);
  // One table, so that the columns of all groups stand below one another.
  const [, ...lines] = tableLines([{ title: '' }, { title: '' }, { title: '' }], rows);
  return [
    ...CALL_GROUPS.flatMap((group) => [
      group,
      ...lines.filter((_, index) => calls[index]?.group === group).map((line) => `  ${line}`),
      '',
    ]),
    '* moves money or orders, and asks first. "sarraf api <call> --help" has its fields and an example.',
  ];
}
