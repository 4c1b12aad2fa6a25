import { Command } from 'commander';
import type { VenueWallet } from '../../exchange/wallet.ts';
import { callOf } from '../api/call-catalogue.ts';
import { MACHINE_IO, type CommandIo } from '../api/command-io.ts';
import { checkedRequest } from '../api/read-fields.ts';
import { printValue, valueOfCall, type ApiCallOptions } from '../api/run-call.ts';
import { withCallOptions } from '../api/api-target.ts';
import { failed } from '../command-error.ts';
import { rowLines } from '../table.ts';

interface Options extends ApiCallOptions {
  readonly new?: true;
  readonly network?: string;
}

interface DepositAddress {
  /** Network of the address; null for the address of the wallet itself. */
  readonly network: string | null;
  readonly address: string;
  /** Tag that must be sent along on networks that have tags; a deposit without it is lost. */
  readonly tag: string | null;
}

const HELP = `
Without --new it shows the addresses of the wallet. If it shows a tag, send the tag with the
deposit, or the deposit is lost.

Examples:
  sarraf deposit-address btc
  sarraf deposit-address btc --new --json
  sarraf deposit-address usdt --network TRX --new`;

function addressesOf({ depositAddress, depositTag, depositInfo }: VenueWallet): readonly DepositAddress[] {
  const byNetwork = Object.entries(depositInfo).flatMap(([network, { address, tag }]) =>
    address === null ? [] : [{ network, address, tag }],
  );
  const isThere = byNetwork.some(({ address }) => address === depositAddress);
  if (depositAddress === null || depositAddress === '' || isThere) return byNetwork;
  return [{ network: null, address: depositAddress, tag: depositTag }, ...byNetwork];
}

async function show(text: string, options: Options, io: CommandIo): Promise<void> {
  const currency = text.toLowerCase();
  const { network } = options;
  const request = checkedRequest('generateAddress', { currency, network });
  if (options.new === true) {
    const made = await valueOfCall('generateAddress', { request, options, io });
    if (made !== null) printValue(made, { options, io });
    return;
  }
  const wallets = await valueOfCall('walletsList', { request: {}, options, io });
  if (wallets === null) return;
  const all = wallets.filter((wallet) => wallet.currency === currency).flatMap(addressesOf);
  const addresses =
    network === undefined ? all : all.filter((one) => one.network?.toLowerCase() === network.toLowerCase());
  const where = network === undefined ? '' : ` on ${network}`;
  if (addresses.length === 0)
    throw failed(`there is no deposit address for ${currency}${where} yet: --new makes one`);
  printValue(addresses, { options, io }, () =>
    rowLines(addresses, {
      network: (one) => one.network ?? '',
      address: ({ address }) => address,
      tag: ({ tag }) => tag ?? '',
    }),
  );
}

export function depositAddressCommand(io: CommandIo = MACHINE_IO): Command {
  const command = new Command('deposit-address')
    .description('Shows the deposit addresses of a coin, or makes a new one.')
    .argument('<currency>', 'such as btc')
    .option('--network <name>', 'the network that the coin is sent on, such as TRX')
    .option('--new', 'makes a new address, and the wallet if there is none yet')
    .addHelpText('after', HELP)
    .action(async (currency: string, options: Options) => show(currency, options, io));
  return withCallOptions(command, callOf('generateAddress'));
}
