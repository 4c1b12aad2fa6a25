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

export const LOCK_IN_PERSIAN: Record<keyof typeof LOCK_SENTENCES, string> = {
  'lock-refusal':
    'قفل {lock:name} برای {scope:scope} {until:until} فعال است: {reason:said}؛ فقط سفارش‌هایی که موقعیت را کم می‌کنند پذیرفته می‌شوند',
  'lock-stops': '{count:count} حد ضرر در {within:length} اجرا شد و قاعده {limit:count} است',
  'lock-earned':
    '{count:count} دادوستد در {within:length} به اندازهٔ {earned:percent} هزینهٔ خود سود داد و قاعده {limit:percent} است',
  'lock-equity':
    'ارزش کل دارایی {equity:money} است؛ {fall:percent} پایین‌تر از بیشترین مقدارش در {within:length}، {peak:decimal}. قاعده {limit:percent} است',
  'lock-cooldown': 'موقعیتی در {market:name} در {at:time} بسته شد',
  'lock-date': 'در این تاریخ معامله‌ای نیست',
  'lock-hours': 'بیرون از ساعت‌های معامله: {sessions:text} در {days:text} به وقت تهران',
  'by-hand': 'دستی',
  'pause-by-hand': 'دستی {until:until}: {reason:said}',
  'by-chat': 'از طرف {person:text} در گفت‌وگو',
  'by-person': '{reason:sentence} (از طرف {person:text})',
};
