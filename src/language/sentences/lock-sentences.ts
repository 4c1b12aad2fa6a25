/** Reasons a lock holds, and who made it. */
export const LOCK_SENTENCES = {
  'lock-refusal':
    'the lock {lock:name} of {scope:scope} holds {until:until}: {reason:said}; only orders that reduce the position pass',
  'lock-stops': '{count:count} stop-outs within {within:length}, the rule is {limit:count}',
  'lock-earned':
    '{count:count} trades within {within:length} earned {earned:percent} of their cost, the rule is {limit:percent}',
  'lock-equity':
    'equity is {equity:money}, {fall:percent} below its highest of {peak:decimal} within {within:length}, the rule is {limit:percent}',
  'lock-cooldown': 'a position in {market:name} ended at {at:time}',
  'lock-date': 'no trading on this date',
  'lock-hours': 'outside of the trading hours {sessions:text} of {days:text} in Tehran',
  'by-hand': 'by hand',
  'pause-by-hand': 'by hand {until:until}: {reason:said}',
  'by-chat': 'by {person:text} by chat',
  'by-person': '{reason:sentence} ({person:text})',
} as const;
