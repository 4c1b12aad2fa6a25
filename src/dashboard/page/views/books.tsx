import type { BooksReply } from '../../schema/overview.ts';
import { column, type DataColumn, DataTable, NamedFigure } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Age, Badge, Money, SentenceText, type Tone } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { showCount, showExact, showTime, unitNow } from '../shown.ts';
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
      <h1>{t('view.books')}</h1>
      <p class="note">{t('books.what')}</p>
      <WithReply reply={reply.value}>
        {(books) => (
          <>
            <Panel title={t('books.state')}>
              <dl class="figures">
                <NamedFigure text="column.state">
                  <Badge tone={TONES[books.state]}>{t(`books.${books.state}`)}</Badge>
                </NamedFigure>
                <NamedFigure text="books.comparedAt">
                  <Age atMs={books.comparedAtMs} />
                </NamedFigure>
                <NamedFigure text="books.comparisons">{showCount(books.comparisons)}</NamedFigure>
                {books.sinceMs === null ? null : (
                  <NamedFigure text="column.since">{showTime(books.sinceMs)}</NamedFigure>
                )}
              </dl>
              {books.state === 'broken' ? (
                <p class="notice bad">
                  {t(books.isGone ? 'books.gone' : 'books.explain')}{' '}
                  <SentenceText text={books.why} facts={books.whyFacts} />
                </p>
              ) : null}
              {books.blockedBy === null ? null : (
                <p class="notice warn">
                  {t('books.blockedBy')} <SentenceText text={books.blockedBy} facts={books.blockedByFacts} />
                </p>
              )}
            </Panel>
            <DifferencesPanel books={books} />
            <Panel title={t('books.balances')}>
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
    column('column.since', ({ sinceMs }) => showTime(sinceMs)),
  ];
  return (
    <>
      <Panel title={t('books.differences')}>
        <DataTable
          label="books.differences"
          columns={columns}
          rows={differences}
          keyOf={({ currency }) => currency}
          empty="books.noDifferences"
        />
        {findings.length === 0 ? null : (
          <DataTable
            label="books.findings"
            columns={findingColumns}
            rows={findings}
            keyOf={({ subject, field }) => `${subject} ${field}`}
            empty="books.noDifferences"
          />
        )}
      </Panel>
      {transfers.length === 0 ? null : (
        <Panel title={t('books.transfers')}>
          <ul>
            {transfers.map(({ strategy, currency, amount, from, to, state, sinceMs }) => (
              <li key={`${strategy} ${currency} ${sinceMs}`}>
                {showExact(amount, currency)}{' '}
                {t('books.fromTo', { from: walletName(from), to: walletName(to) })} · {t(`transfer.${state}`)}{' '}
                · <Age atMs={sinceMs} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

/** Returns the word for `spot` or `margin`. */
function walletName(wallet: string): string {
  return wallet === 'spot' || wallet === 'margin' ? t(`wallet.${wallet}`) : wallet;
}

function BalancesTable({ balances }: { readonly balances: BooksReply['balances'] }) {
  type Balance = BooksReply['balances'][number];
  const columns: readonly DataColumn<Balance>[] = [
    column('books.currency', ({ currency }) => unitNow(currency), 'title'),
    column('overview.total', ({ total, currency }) => <Money amount={total} currency={currency} />, 'number'),
    column('books.held', ({ held, currency }) => <Money amount={held} currency={currency} />, 'number'),
    column(
      'books.expected',
      ({ expected, currency }) => <Money amount={expected} currency={currency} />,
      'number',
    ),
    column('books.seen', ({ seenAtMs }) => <Age atMs={seenAtMs} />),
  ];
  return (
    <DataTable
      label="books.balances"
      columns={columns}
      rows={balances}
      keyOf={({ currency }) => currency}
      empty="books.noBalances"
    />
  );
}
