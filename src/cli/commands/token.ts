import { Command, InvalidArgumentError, Option } from 'commander';
import { closing } from '../../domain/closing.ts';
import { readAddressNote, AccessStore, linkText, ROLES, type Role } from '../../dashboard/access-store.ts';
import { bothTimesText } from '../../domain/zone-time.ts';
import { checkBotFolder, type DataFolderOptions, folderCommand } from '../option-readers.ts';
import { asWrongInput, failed, wrongInput } from '../command-error.ts';
import { print, tableLines } from '../table.ts';

interface RoleOptions extends DataFolderOptions {
  readonly role: Role;
}

interface AddOptions extends DataFolderOptions {
  readonly role: Role | 'signal';
  readonly strategy?: string;
}

/** Address of the page while none is stored. */
const USUAL_ADDRESS = 'http://127.0.0.1:8420';

const NAME = /^[\w.-]{1,40}$/;

const EXIT_CODES = '\nExit codes: 0 done, 1 the tokens can not be read or written, 2 an option is wrong.';

function tokenName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError('expected at most 40 letters, digits and the characters ". _ -".');
}

function withStore<Result>({ data }: DataFolderOptions, work: (store: AccessStore) => Result): Result {
  checkBotFolder(data);
  using store = closing(new AccessStore(data));
  try {
    return work(store);
  } catch (error) {
    throw asWrongInput(error);
  }
}

const subcommand = (name: string, description: string, examples: string): Command =>
  folderCommand(
    name,
    description,
    `
Examples:
${examples}
${EXIT_CODES}`,
  );

function addToken(name: string, options: AddOptions): void {
  const { role, strategy, json } = options;
  if ((role === 'signal') !== (strategy !== undefined))
    throw wrongInput('expected --strategy with the role signal, and with no other');
  const token = withStore(options, (store) =>
    role === 'signal'
      ? store.addSignalToken({ name, strategy: strategy ?? '' })
      : store.addToken({ name, role }),
  );
  const may = role === 'signal' ? `send signals to ${strategy}` : role;
  const value = { name, role, ...(strategy === undefined ? {} : { strategy }), token };
  print({ json }, value, () => [token, `It is said this once. Whoever has it may ${may}.`]);
}

function listTokens(options: DataFolderOptions): void {
  const { own, others } = withStore(options, (store) => ({
    own: store.tokens(),
    others: store.signalTokens.all().map((token) => ({ ...token, role: 'signal' as const })),
  }));
  const tokens = [...own, ...others];
  const rows = [
    ...own.map(({ name, role, madeAtMs }) => [name, role, bothTimesText(madeAtMs)]),
    ...others.map(({ name, strategy, madeAtMs }) => [name, `signal ${strategy}`, bothTimesText(madeAtMs)]),
  ];
  print(options, { tokens }, () =>
    rows.length === 0
      ? 'No token: the next start of the page makes one.'
      : tableLines(['token', 'may', 'made'], rows),
  );
}

function removeToken(name: string, options: DataFolderOptions): void {
  if (!withStore(options, (store) => store.removeToken(name)))
    throw failed(`expected a token of "sarraf token list", was ${name}`);
  print(options, { removed: name }, () => `removed ${name}, and the sessions that it began`);
}

function makeLink(options: RoleOptions): void {
  const { code, endsAtMs } = withStore(options, (store) => store.addLink(options.role));
  const link = linkText(readAddressNote(options.data) ?? USUAL_ADDRESS, code);
  const value = { link, role: options.role, endsAtMs };
  print(options, value, () => [link, 'It signs in once, within ten minutes.']);
}

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
        '  sarraf token add phone --role read\n  sarraf token add script --role operate --data /data --json\n  sarraf token add chart --role signal --strategy follow',
      )
        .argument('<name>', 'what it is called', tokenName)
        .addOption(
          new Option(
            '--role <role>',
            'read: look alone; operate: give commands as well; signal: tell one strategy',
          )
            .choices([...ROLES, 'signal'])
            .makeOptionMandatory(),
        )
        .option('--strategy <name>', 'for the role signal: whom it may tell')
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
        .addOption(
          new Option('--role <role>', 'read: look alone; operate: give commands as well')
            .choices(ROLES)
            .default('operate'),
        )
        .action(makeLink),
    );
}
