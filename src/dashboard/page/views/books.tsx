import type { BooksReply } from '../../schema/books.ts';
import { DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Age, Badge, Said, type Tone } from '../parts/words.tsx';
import { say } from '../say.ts';
import { showCount, showExact, showMoney, showTime } from '../shown.ts';
import { unitNow } from '../unit-now.ts';
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
                <div>
                  <dt>{say('column.state')}</dt>
                  <dd>
                    <Badge tone={TONES[books.state]}>{say(`books.${books.state}`)}</Badge>
                  </dd>
                </div>
                <div>
                  <dt>{say('books.comparedAt')}</dt>
                  <dd>
                    <Age atMs={books.comparedAtMs} />
                  </dd>
                </div>
                <div>
                  <dt>{say('books.comparisons')}</dt>
                  <dd>{showCount(books.comparisons)}</dd>
                </div>
                {books.sinceMs === null ? null : (
                  <div>
                    <dt>{say('books.since')}</dt>
                    <dd>{showTime(books.sinceMs)}</dd>
                  </div>
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
    {
      key: 'currency',
      head: say('books.currency'),
      isTitle: true,
      cell: ({ currency }) => unitNow(currency),
    },
    {
      key: 'expected',
      head: say('books.expected'),
      isNumber: true,
      cell: ({ expected, currency }) => showExact(expected, currency),
    },
    {
      key: 'found',
      head: say('books.found'),
      isNumber: true,
      cell: ({ found, currency }) => showExact(found, currency),
    },
    {
      key: 'difference',
      head: say('books.difference'),
      isNumber: true,
      cell: ({ difference, currency }) => showExact(difference, currency),
    },
  ];
  const findingColumns: readonly DataColumn<Finding>[] = [
    {
      key: 'subject',
      head: say('column.subject'),
      isTitle: true,
      cell: ({ subject, field }) => <bdi dir="ltr">{`${subject} ${field}`}</bdi>,
    },
    { key: 'expected', head: say('books.expected'), cell: ({ expected }) => <bdi dir="ltr">{expected}</bdi> },
    { key: 'found', head: say('books.found'), cell: ({ found }) => <bdi dir="ltr">{found}</bdi> },
    { key: 'since', head: say('books.since'), cell: ({ sinceMs }) => showTime(sinceMs) },
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
    {
      key: 'currency',
      head: say('books.currency'),
      isTitle: true,
      cell: ({ currency }) => unitNow(currency),
    },
    {
      key: 'total',
      head: say('books.total'),
      isNumber: true,
      cell: ({ total, currency }) => showMoney(total, currency),
    },
    {
      key: 'held',
      head: say('books.held'),
      isNumber: true,
      cell: ({ held, currency }) => showMoney(held, currency),
    },
    {
      key: 'expected',
      head: say('books.expected'),
      isNumber: true,
      cell: ({ expected, currency }) => showMoney(expected, currency),
    },
    { key: 'seen', head: say('books.seen'), cell: ({ seenAtMs }) => <Age atMs={seenAtMs} /> },
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
