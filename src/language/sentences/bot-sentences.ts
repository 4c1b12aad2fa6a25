/** Reasons for a bot's state, and for when it may trade. */
export const BOT_SENTENCES = {
  'bot-stands': 'its process is there, and its loop stands still',
  'bot-unanswered': 'no answer from the exchange yet',
  'bot-ending': 'it is ending',
  'bot-killed': 'its process was ended from outside',
  'bot-halted': 'it is halted: {reason:said}',
  'begins-in': 'trading can begin in {wait:length}, by the ledger: {reason:sentence}',
  'begins-after-answer':
    "trading can begin {wait:length} after the exchange's first answer, in {latest:length} at the latest, by the ledger: {reason:sentence}",
  'begins-locked-out': 'the exchange has locked {budget:name} out',
  'begins-unknown': 'what was sent before is not known, so the limit of {budget:name} counts as used up',
  'outbox-gone': 'it was deleted, moved or replaced; it is made anew with the next start',
  'disk-was-full': 'the disk was full, so only cancels are written',
  'advice-token':
    "it has expired, was revoked or is mistyped: make a new token on the exchange's own page, put it into {place:said}, and restart the bot",
  'advice-key':
    "see on the exchange's own page whether the key is still there and allows this address, and whether this machine's clock is right; or make a new key, put it into {place:said}, and restart the bot",
  'advice-login':
    "a new log-in is tried once, then every ten minutes; if it stays refused, see whether name, password and one-time password still work on the exchange's own page, correct what is in {place:said}, and restart the bot",
  'credential-token': 'the token of exchange.credentials.token, from {place:said}',
  'credential-key': 'the API key of exchange.credentials.key, whose private part is from {place:said}',
  'credential-login': 'the log-in of exchange.credentials.username, whose password is from {place:said}',
  'credential-unnamed': 'the credential',
  'place-variable': 'the environment variable {variable:name}',
  'place-file': 'the file {path:text}',
  'place-configuration': 'the configuration',
  'place-configuration-file': 'the configuration {path:text}',
} as const;
