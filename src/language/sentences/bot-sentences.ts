/** Why a bot is in its state. */
export const BOT_SENTENCES = {
  'bot-stands': 'its process is there, and its loop stands still',
  'bot-unanswered': 'no answer from the exchange yet',
  'bot-ending': 'it is ending',
  'bot-killed': 'its process was ended from outside',
  'bot-halted': 'it is halted: {reason:said}',
  'disk-was-full': 'the disk was full, so only cancels are written',
  'advice-token':
    "it has expired, was revoked or is mistyped: make a new token on the exchange's own page, put it into {place:text}, and restart the bot",
  'advice-key':
    "see on the exchange's own page whether the key is still there and allows this address, and whether this machine's clock is right; or make a new key, put it into {place:text}, and restart the bot",
  'advice-login':
    "a new log-in is tried once, then every ten minutes; if it stays refused, see whether name, password and one-time password still work on the exchange's own page, correct what is in {place:text}, and restart the bot",
} as const;
