import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { countText } from '../../domain/money.ts';
import { messageOf, SarrafError } from '../../domain/errors.ts';
import { ownFile } from '../../plugins/own-files.ts';
import { loadVenuePackage, withoutWire } from '../../venues/load-venue.ts';
import { profileForTest, venueProblems } from '../../venues/venue-contract.ts';
import type { VenueDefinition } from '../../venues/venue-definition.ts';
import { failed, wrongInput } from '../command-error.ts';
import { print } from '../table.ts';
import { fuzz, withSuiteOptions, type FuzzOptions } from './fuzz.ts';

const NEW_EXAMPLES = `
Examples:
  sarraf venue new my-venue.ts

Exit codes: 0 done, 1 the file can not be written, 2 there is such a file.`;

const TEST_EXAMPLES = `
Examples:
  sarraf venue test ./my-venue.ts
  sarraf venue test ./my-venue.ts --seeds 2 --hours 1
  sarraf venue test ./my-venue.ts --seeds 1 --seed 17 --json

Exit codes: 0 it holds, 1 it does not, 2 it can not be loaded, or an option is wrong.`;

/** The pattern of a venue, which is a small exchange of its own. */
const PATTERN = 'config/venues/tiny.ts';

function writePattern(file: string, { json }: { readonly json?: true }): void {
  const text = readFileSync(ownFile(PATTERN), 'utf8').replace("from '#venue'", "from 'sarraf/venue'");
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw wrongInput(`expected a new file, ${file} is there already: nothing was changed`);
    throw failed(`${file} can not be written: ${messageOf(error)}`);
  }
  print({ json }, { file }, () => [
    `${file} is the venue of a small exchange. It holds as it is: sarraf venue test ./${file} --seeds 1 --hours 1`,
    'Change its calls into those of your exchange, one after the other.',
  ]);
}

async function loadTested(file: string) {
  try {
    const loaded = await loadVenuePackage({ name: file, folder: process.cwd() });
    if (loaded.wire === null) throw wrongInput(withoutWire(file));
    return { definition: loaded.definition, wire: loaded.wire };
  } catch (error) {
    if (error instanceof SarrafError) throw wrongInput(error.message);
    throw error;
  }
}

async function testVenue(file: string, options: FuzzOptions): Promise<void> {
  const { definition, wire } = await loadTested(file);
  const { name } = definition;
  const problems = await venueProblems(definition, wire);
  const { json } = options;
  print({ json }, { kind: 'contract', venue: name, problems }, () =>
    problems.length === 0 ? [`${name} keeps its contract.`] : [],
  );
  if (problems.length > 0)
    throw failed([`expected a venue that keeps its contract, ${name} does not:`, ...problems].join('\n  '));
  const { counts } = await fuzz(options, { name: file, folder: process.cwd() });
  const { seeds, hours } = options;
  print(
    { json },
    { kind: 'certificate', venue: name, seeds, hours, counts, ...abilitiesOf(definition) },
    () => [
      `${name} held ${countText(seeds, 'seed')} of ${hours} h: no order twice, none lost, no limit exceeded, books exact.`,
      ...Object.entries(abilitiesOf(definition)).map(
        ([what, list]) => `  ${what}: ${list.join(', ') || 'none'}`,
      ),
    ],
  );
}

/** Returns what a venue can do, and which calls it does not have. */
function abilitiesOf(definition: VenueDefinition) {
  const { orderKinds, timeframes, unserved, ownLists, clientOrderId } = profileForTest(definition);
  return {
    orders: [...orderKinds],
    'look-up by client order id': [clientOrderId.canBeQueried ? 'among open orders' : 'none'],
    'own lists': [`${ownLists.orders.by} by ${ownLists.orders.scope}`],
    timeframes: [...timeframes],
    'calls that it lacks': [...(unserved?.keys() ?? [])],
  };
}

export function venueCommands(): Command {
  return new Command('venue')
    .description('Begins and tests a venue, which connects sarraf to another exchange.')
    .addCommand(
      new Command('new')
        .description('Writes a file with the pattern of a venue.')
        .argument('<file>', 'the new file, such as my-venue.ts')
        .option('--json', 'prints one JSON object')
        .addHelpText('after', NEW_EXAMPLES)
        .action(writePattern),
    )
    .addCommand(
      withSuiteOptions(
        new Command('test')
          .description(
            'Checks the contract of a venue, then runs whole bots through it against a faulty exchange.',
          )
          .argument('<file>', 'file or package of the venue, such as ./my-venue.ts'),
      )
        .addHelpText('after', TEST_EXAMPLES)
        .action(testVenue),
    );
}
