import { Command, InvalidArgumentError, Option } from 'commander';
import { AccessStore } from '../../dashboard/access/access-store.ts';
import { readAddressNote } from '../../dashboard/address-note.ts';
import { linkText } from '../../dashboard/begin-dashboard.ts';
import { ROLES, type Role } from '../../dashboard/schema/session.ts';
import { SarrafError } from '../../domain/errors.ts';
import { bothTimesText } from '../../domain/tehran-time.ts';
import { checkBotFolder } from '../bot-folder.ts';
import { failed, wrongInput } from '../command-error.ts';
import { tableLines } from '../table.ts';

interface Options {
  readonly data: string;
  readonly json?: true;
}

interface RoleOptions extends Options {
  readonly role: Role;
}

/** Where the page is while nobody has noted it down. */
const USUAL_ADDRESS = 'http://127.0.0.1:8420';

const NAME = /^[\w.-]{1,40}$/;

const EXIT_CODES = '\nExit codes: 0 done, 1 the tokens can not be read or written, 2 an option is wrong.';

function tokenName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError('expected at most 40 letters, digits and the characters ". _ -".');
}

function withStore<Result>({ data }: Options, work: (store: AccessStore) => Result): Result {
  checkBotFolder(data);
  const store = new AccessStore(data);
  try {
    return work(store);
  } catch (error) {
    throw error instanceof SarrafError && error.code === 'INVALID_OPTIONS'
      ? wrongInput(error.message)
      : error;
  } finally {
    store.close();
  }
}

function subcommand(name: string, description: string, examples: string): Command {
  return new Command(name)
    .description(description)
    .option('--data <folder>', "the bot's data folder", 'data')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES}`);
}

function roleOption(): Option {
  return new Option('--role <role>', 'read: look alone; operate: give commands as well').choices(ROLES);
}

function addToken(name: string, options: RoleOptions): void {
  const token = withStore(options, (store) => store.addToken({ name, role: options.role }));
  if (options.json === true) console.log(JSON.stringify({ name, role: options.role, token }));
  else console.log(`${token}\nIt is said this once. Whoever has it may ${options.role}.`);
}

function listTokens(options: Options): void {
  const tokens = withStore(options, (store) => store.tokens());
  if (options.json === true) console.log(JSON.stringify({ tokens }));
  else if (tokens.length === 0) console.log('No token: the next start of the page makes one.');
  else {
    const rows = tokens.map(({ name, role, madeAtMs }) => [name, role, bothTimesText(madeAtMs)]);
    console.log(tableLines([{ title: 'token' }, { title: 'may' }, { title: 'made' }], rows).join('\n'));
  }
}

function removeToken(name: string, options: Options): void {
  if (!withStore(options, (store) => store.removeToken(name)))
    throw failed(`expected a token of "sarraf token list", was ${name}`);
  if (options.json === true) console.log(JSON.stringify({ removed: name }));
  else console.log(`removed ${name}, and the sessions that it began`);
}

function makeLink(options: RoleOptions): void {
  const { code, endsAtMs } = withStore(options, (store) => store.addLink(options.role));
  const link = linkText(readAddressNote(options.data) ?? USUAL_ADDRESS, code);
  if (options.json === true) console.log(JSON.stringify({ link, role: options.role, endsAtMs }));
  else console.log(`${link}\nIt signs in once, within ten minutes.`);
}

/** `sarraf token`: who may open the page. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('Makes, lists and removes tokens of the page, and makes links that sign in once.')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf token link\n  sarraf token add phone --role read\n  sarraf token list',
    )
    .addCommand(
      subcommand(
        'add',
        'Makes a token and prints it. Only its hash is kept.',
        '  sarraf token add phone --role read\n  sarraf token add script --role operate --data /data --json',
      )
        .argument('<name>', 'what it is called', tokenName)
        .addOption(roleOption().makeOptionMandatory())
        .action(addToken),
    )
    .addCommand(
      subcommand('list', 'Lists the tokens by their names.', '  sarraf token list').action(listTokens),
    )
    .addCommand(
      subcommand(
        'remove',
        'Takes a token back, with the sessions that it began; "link" ends those of links.',
        '  sarraf token remove phone\n  sarraf token remove link --data /data',
      )
        .argument('<name>', 'its name', tokenName)
        .action(removeToken),
    )
    .addCommand(
      subcommand(
        'link',
        'Prints an address that signs in once, within ten minutes.',
        '  sarraf token link\n  sarraf token link --role read --data /data',
      )
        .addOption(roleOption().default('operate'))
        .action(makeLink),
    );
}
