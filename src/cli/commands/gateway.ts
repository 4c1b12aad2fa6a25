import { Command } from 'commander';
import type { EndpointName, EndpointRequest } from '../../exchange/endpoints.ts';
import { PaymentGateway } from '../../exchange/gateway.ts';
import type { Caller } from '../../exchange/paging.ts';
import { callOf } from '../api/call-catalogue.ts';
import { MACHINE_IO, type CommandIo, privateText } from '../api/command-io.ts';
import { checkedRequest, type CallRequest } from '../api/read-fields.ts';
import { printValue, valueOfCall, type ApiCallOptions } from '../api/run-call.ts';
import { typedFields, withCallOptions, withFields } from '../api/api-target.ts';
import { failed, wrongInput } from '../command-error.ts';

interface Options extends ApiCallOptions {
  readonly apiFile?: string;
}

interface SendOptions extends Options {
  readonly callback?: string;
  readonly siteUrl?: string;
}

const SEND_FLAGS = {
  callbackURL: '--callback <url>',
  factorNumber: '--factor-number <number>',
  mobile: '--mobile <number>',
  description: '--description <text>',
  currencies: '--currencies <list>',
};

interface VerifyOptions extends Options {
  readonly secretFile?: string;
}

const KEYS = `The merchant's key is read from SARRAF_MERCHANT_API or --api-file`;

const SEND_HELP = `
${KEYS}. With --site-url it also prints the address of the payment page.

Examples:
  sarraf gateway send 500000 --callback https://shop.example/back --url https://exchange.example
  sarraf gateway send 500000 --callback https://shop.example/back --site-url https://exchange.example --yes --json`;

const VERIFY_HELP = `
${KEYS}, the secret from SARRAF_MERCHANT_SECRET or --secret-file. A payment is verified once. If the
hash of the answer does not match the secret, the answer is not from the exchange. Then the command
ends with 1.

Examples:
  sarraf gateway verify TOKEN_OF_THE_PAYMENT --url https://exchange.example
  sarraf gateway verify TOKEN_OF_THE_PAYMENT --secret-file merchant.secret --yes --json`;

function merchantKey({ apiFile }: Options, io: CommandIo): Promise<string> {
  const file = { option: '--api-file', path: apiFile };
  return privateText({ what: 'merchant key', file, variable: 'SARRAF_MERCHANT_API' }, io);
}

/** Checks a request before its key is asked for, so that a mistake costs nothing. */
function checkWithoutKey(name: 'gatewaySend' | 'gatewayVerify', request: CallRequest): void {
  checkedRequest(name, { api: 'not asked for yet', ...request });
}

async function send(amount: string, options: SendOptions, io: CommandIo): Promise<void> {
  if (options.callback === undefined)
    throw wrongInput('expected --callback <url>, the address to which the payer returns');
  const fields = { amount, ...typedFields(options, SEND_FLAGS) };
  checkWithoutKey('gatewaySend', fields);
  const api = await merchantKey(options, io);
  const request = checkedRequest('gatewaySend', { api, ...fields });
  const value = await valueOfCall('gatewaySend', { request, options, io });
  if (value === null) return;
  const page = options.siteUrl === undefined ? null : pageOf(options.siteUrl, value.token);
  printValue({ ...value, payPage: page }, { options, io }, () => [
    `token     ${value.token}`,
    page === null
      ? 'The payer is sent to /app/paygate/ and the token, on the site of the exchange.'
      : `pay page  ${page}`,
  ]);
}

function pageOf(siteUrl: string, token: string): string {
  if (URL.parse(siteUrl) === null)
    throw wrongInput('--site-url: expected an address such as https://exchange.example');
  const merchant = { api: '', apiSecret: '' };
  return new PaymentGateway({ client: { call: noCall }, merchant, siteUrl }).payPageUrl(token);
}

function noCall(): never {
  throw failed('expected no call for the address of a page');
}

async function verify(token: string, options: VerifyOptions, io: CommandIo): Promise<void> {
  checkWithoutKey('gatewayVerify', { token });
  const api = await merchantKey(options, io);
  const file = { option: '--secret-file', path: options.secretFile };
  const apiSecret = await privateText(
    { what: 'merchant secret', file, variable: 'SARRAF_MERCHANT_SECRET' },
    io,
  );
  let isDry = false;
  const client: Caller = {
    async call<Name extends EndpointName>(name: Name, request: EndpointRequest<Name>) {
      const value = await valueOfCall(name, { request, options, io });
      isDry = value === null;
      if (value === null)
        return {
          ok: false,
          code: 'dry run',
          message: '',
          httpStatus: 0,
          retry: 'never',
          outcome: 'none',
          clientOrderId: null,
        };
      return { ok: true, value };
    },
  };
  const result = await new PaymentGateway({ client, merchant: { api, apiSecret }, siteUrl: null }).verify(
    token,
  );
  if (isDry) return;
  if (!result.ok) throw failed(`${result.code}: ${result.message} Do not hand out what was paid for.`);
  printValue(result.value, { options, io });
}

const withMerchant = (command: Command): Command =>
  command.option('--api-file <file>', "file with the merchant's key");

export function gatewayCommand(io: CommandIo = MACHINE_IO): Command {
  const sending = withMerchant(
    withFields(
      new Command('send')
        .description('Makes an invoice, and the token of its payment page; asks first.')
        .argument('<amount>', 'in rial, at least 10000'),
      callOf('gatewaySend'),
      SEND_FLAGS,
    ).option('--site-url <url>', 'site of the exchange, to which payers go'),
  )
    .addHelpText('after', SEND_HELP)
    .action(async (amount: string, options: SendOptions) => send(amount, options, io));
  const verifying = withMerchant(
    new Command('verify')
      .description('Confirms a payment, and that the answer is from the exchange; asks first.')
      .argument('<token>', 'of the payment')
      .option('--secret-file <file>', "file with the merchant's secret, which is never sent"),
  )
    .addHelpText('after', VERIFY_HELP)
    .action(async (token: string, options: VerifyOptions) => verify(token, options, io));
  return new Command('gateway')
    .description('Makes or verifies a payment of the payment gateway, for merchants.')
    .addHelpText(
      'after',
      `\n${KEYS}.\n\nExamples:\n  sarraf gateway send 500000 --callback https://shop.example/back\n  sarraf
gateway verify TOKEN_OF_THE_PAYMENT`,
    )
    .addCommand(withCallOptions(sending, callOf('gatewaySend')).exitOverride())
    .addCommand(withCallOptions(verifying, callOf('gatewayVerify')).exitOverride());
}
