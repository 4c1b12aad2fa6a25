import type { BooksReply } from '../../schema/books.ts';
import { column, type DataColumn, DataTable, NamedFigure } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Age, Badge, Said, type Tone } from '../parts/words.tsx';
import { say } from '../say.ts';
import { showCount, showExact, showMoney, showTime, unitNow } from '../shown.ts';
import { useReply } from '../use-reply.ts';

const TONES: Readonly<Record<BooksReply['state'], Tone>> = {
  waiting: 'calm',
  agreed: 'good',
  suspected: 'warn',
  blocked: 'bad',
  broken: 'bad',
};

/** Shows whether our books and the exchange's wallets agree, and possible causes of a difference. */
export function BooksView() {
  const reply = useReply<BooksReply>('/books');
  return (
    <>
      <h1>{say('view.books')}</h1>
      <p class="note">{say('books.what')}</p>
      <WithReply reply={reply.value}>
        {(books) => (
          <>
            <Panel title={say('books.state')}>
              <dl class="figures">
                <NamedFigure says="column.state">
                  <Badge tone={TONES[books.state]}>{say(`books.${books.state}`)}</Badge>
                </NamedFigure>
                <NamedFigure says="books.comparedAt">
                  <Age atMs={books.comparedAtMs} />
                </NamedFigure>
                <NamedFigure says="books.comparisons">{showCount(books.comparisons)}</NamedFigure>
                {books.sinceMs === null ? null : (
                  <NamedFigure says="books.since">{showTime(books.sinceMs)}</NamedFigure>
                )}
              </dl>
              {books.state === 'broken' ? (
                <p class="notice bad">
                  {say(books.isGone ? 'books.gone' : 'books.explain')}{' '}
                  <Said text={books.why} facts={books.whyFacts} />
                </p>
              ) : null}
              {books.blockedBy === null ? null : (
                <p class="notice warn">
                  {say('books.blockedBy')} <Said text={books.blockedBy} facts={books.blockedByFacts} />
                </p>
              )}
            </Panel>
            <DifferencesPanel books={books} />
            <Panel title={say('books.balances')}>
              <BalancesTable balances={books.balances} />
            </Panel>
          </>
        )}
      </WithReply>
    </>
  );
}

function DifferencesPanel({ books }: { readonly books: BooksReply }) {
  const { differences, findings, transfers } = books;
  type Difference = BooksReply['differences'][number];
  type Finding = BooksReply['findings'][number];
  const columns: readonly DataColumn<Difference>[] = [
    column('books.currency', ({ currency }) => unitNow(currency), 'title'),
    column('books.expected', ({ expected, currency }) => showExact(expected, currency), 'number'),
    column('books.found', ({ found, currency }) => showExact(found, currency), 'number'),
    column('books.difference', ({ difference, currency }) => showExact(difference, currency), 'number'),
  ];
  const findingColumns: readonly DataColumn<Finding>[] = [
    column('column.subject', ({ subject, field }) => <bdi dir="ltr">{`${subject} ${field}`}</bdi>, 'title'),
    column('books.expected', ({ expected }) => <bdi dir="ltr">{expected}</bdi>),
    column('books.found', ({ found }) => <bdi dir="ltr">{found}</bdi>),
    column('books.since', ({ sinceMs }) => showTime(sinceMs)),
  ];
  return (
    <>
      <Panel title={say('books.differences')}>
        <DataTable
          label={say('books.differences')}
          columns={columns}
          rows={differences}
          keyOf={({ currency }) => currency}
          empty={say('books.noDifferences')}
        />
        {findings.length === 0 ? null : (
          <DataTable
            label={say('books.findings')}
            columns={findingColumns}
            rows={findings}
            keyOf={({ subject, field }) => `${subject} ${field}`}
            empty=""
          />
        )}
      </Panel>
      {transfers.length === 0 ? null : (
        <Panel title={say('books.transfers')}>
          <ul>
            {transfers.map(({ strategy, currency, amount, from, to, state, sinceMs }) => (
              <li key={`${strategy} ${currency} ${sinceMs}`}>
                {showExact(amount, currency)}{' '}
                {say('books.fromTo', { from: walletName(from), to: walletName(to) })} ·{' '}
                {say(`transfer.${state}`)} · <Age atMs={sinceMs} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

/** `spot` or `margin`, in words. */
function walletName(wallet: string): string {
  return wallet === 'spot' || wallet === 'margin' ? say(`wallet.${wallet}`) : wallet;
}

function BalancesTable({ balances }: { readonly balances: BooksReply['balances'] }) {
  type Balance = BooksReply['balances'][number];
  const columns: readonly DataColumn<Balance>[] = [
    column('books.currency', ({ currency }) => unitNow(currency), 'title'),
    column('books.total', ({ total, currency }) => showMoney(total, currency), 'number'),
    column('books.held', ({ held, currency }) => showMoney(held, currency), 'number'),
    column('books.expected', ({ expected, currency }) => showMoney(expected, currency), 'number'),
    column('books.seen', ({ seenAtMs }) => <Age atMs={seenAtMs} />),
  ];
  return (
    <DataTable
      label={say('books.balances')}
      columns={columns}
      rows={balances}
      keyOf={({ currency }) => currency}
      empty={say('books.noBalances')}
    />
  );
}
