/** Reasons no orders are accepted: the run, a halt, the books, the credential, transfers in flight. */
export const TRADING_SENTENCES = {
  'run-ending': 'the run is ending',
  halted: 'trading is halted: {reason:said}',
  'account-unread': 'the account is still being read',
  'books-broken': 'the books do not agree with the exchange: see "sarraf reconcile --explain"',
  'market-standstill':
    'the book of {market:name} stands still: it is of {since:time}, which is more than {limit:ms} ms ago, and {news:sentence}',
  'newer-trades': 'its trades are newer',
  'newer-stats': 'its statistics are newer',
  'newer-book': 'the list of all books has a newer one',
  'newer-other-books': 'other books are newer',
  'nothing-newer': 'nothing of the exchange is newer',
  'books-overdue':
    'the books could not be compared with the exchange for {minutes:count} minutes: {reason:said}',
  'books-uncompared': 'the books can not be compared with the exchange: {reason:said}',
  'books-no-end': 'no comparison came to its end',
  'exchange-contradicts': 'the exchange contradicts itself about {finding:said}',
  finding: '{subject:text}: {field:text}: expected {expected:text}, the exchange said {found:text}',
  'credential-fault': 'the exchange has refused {name:said} (401) for {seconds:count} s: {advice:said}',
  'credential-advice': 'see whether it is still valid, and put a new one in its place',
  'books-unread': 'the {what:said} could not be read for {seconds:count} s',
  wallets: 'wallets',
  trades: 'trades',
  'books-trades-came': 'trades came while it was compared',
  'books-history-came': 'the history of a wallet came while it was compared',
  'books-wallet-unread': 'the wallet of {currency:name} could not be read',
  'books-history-unread': 'the history of {currencies:names} is still to be read',
  'books-differing-unread': 'the history of {currencies:names}, which differs, is still to be read',
  'books-forgotten': '{currencies:names} differs, and more came in its wallet than the bot remembers',
  'books-difference': 'expected {expected:money}, the exchange has {found:decimal}',
  'books-impossible-fill':
    'the trade {trade:name} of {amount:decimal} is of {order:name}, which is {state:said} with {filled:decimal} of {whole:decimal} filled',
  'order-on-its-way': '{order:name} is on its way',
  'order-being-found': 'whether {order:name} arrived is being found out',
  'order-trades-missing':
    '{order:name} is closed with {matched:decimal} matched, and of its trades {filled:decimal} were read',
  'trade-unconfirmed':
    'trade {trade:name} of order {order:name} is read, but not yet confirmed, or its owner is not known yet',
  'transfer-on-its-way': 'the transfer of {amount:money} from {from:name} to {to:name} is on its way',
  'transfer-doubtful':
    'nobody knows whether the transfer of {amount:money} from {from:name} to {to:name} arrived: look at the wallets, and then "sarraf reconcile --accept"',
  'transfer-not-made':
    'the transfer of {amount:money} from {from:name} to {to:name} was not made: {reason:said}',
  'transfer-unknown': 'nobody knows whether it arrived: {reason:said}',
  'transfer-run-ended': 'the run ended before its answer',
  'transfer-accepted': 'accepted as the balances show it',
  transferred: 'transferred',
  'transfer-unserved': 'it can not be transferred: {reason:said}',
  'transfer-no-margin': 'a backtest has no margin wallets',
  'transfer-amount': 'expected a positive amount of at most {decimals:count} decimals',
  'transfer-most': '{count:count} transfers are at work already',
  'transfer-unfollowed': 'the books do not follow the spot wallet of {currency:name}, or not yet',
} as const;
