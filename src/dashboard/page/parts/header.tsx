import { askFor } from '../actions/action.ts';
import { liveState } from '../live.ts';
import { overview } from '../overview.ts';
import { chooseLanguage, chooseRialUnit, chooseTheme, isDark, language, rialUnit } from '../preferences.ts';
import { hrefOf } from '../route.ts';
import { say } from '../say.ts';
import { mayOperate, signOut } from '../session.ts';
import { showTime } from '../shown.ts';
import { BotState, StateDetail } from './bot-state.tsx';
import { Icon } from './icon.tsx';
import { Badge } from './words.tsx';

/** Header of every view: the state of the bot, how to stop it, and how the page is read. */
export function Header() {
  const { data, readAtMs } = overview.value;
  const bot = data?.bot;
  return (
    <header class="top">
      <a class="brand" href={hrefOf('overview')}>
        <img src="/icon.svg" alt="" width="22" height="22" />
        <bdi dir="ltr">{bot?.instance ?? 'sarraf'}</bdi>
      </a>
      {bot === undefined ? null : (
        <div class="state" data-bot={bot.state}>
          <BotState bot={bot} />
          {bot.isEmbedded ? <Badge tone="calm">{say('state.embedded')}</Badge> : null}
          {bot.venue === 'paper' ? <Badge tone="calm">{say('state.paper')}</Badge> : null}
          <span class="note detail">
            <StateDetail bot={bot} />
          </span>
        </div>
      )}
      {liveState.value === 'lost' ? (
        <span class="lost" role="status">
          <Badge tone="warn">{say('live.lost', { time: showTime(readAtMs, 'clock-seconds') })}</Badge>
        </span>
      ) : null}
      <div class="tools">
        <MainAction />
        <button
          type="button"
          class="quiet"
          lang={language.value === 'fa' ? 'en' : 'fa'}
          onClick={() => chooseLanguage(language.value === 'fa' ? 'en' : 'fa')}
        >
          {language.value === 'fa' ? 'English' : 'فارسی'}
        </button>
        <button
          type="button"
          class="quiet"
          aria-pressed={rialUnit.value === 'toman'}
          onClick={() => chooseRialUnit(rialUnit.value === 'toman' ? 'rial' : 'toman')}
        >
          {say('tool.toman')}
        </button>
        <button
          type="button"
          class="quiet icon"
          aria-label={say(isDark.value ? 'tool.light' : 'tool.dark')}
          title={say(isDark.value ? 'tool.light' : 'tool.dark')}
          onClick={() => chooseTheme(isDark.value ? 'light' : 'dark')}
        >
          <Icon name={isDark.value ? 'sun' : 'moon'} />
        </button>
        <button
          type="button"
          class="quiet icon"
          aria-label={say('tool.signOut')}
          title={say('tool.signOut')}
          onClick={() => void signOut()}
        >
          <Icon name="leave" />
        </button>
      </div>
    </header>
  );
}

/** Halt, or resume what is halted: in reach of every view. */
function MainAction() {
  const bot = overview.value.data?.bot;
  if (bot === undefined || !mayOperate()) return null;
  if (bot.state === 'halted')
    return (
      <button type="button" class="primary" onClick={() => askFor({ kind: 'resume', body: {} })}>
        {say('action.resume.do')}
      </button>
    );
  return (
    <button
      type="button"
      class="danger"
      disabled={bot.state === 'ended'}
      onClick={() => askFor({ kind: 'halt', body: {} })}
    >
      {say('action.halt.do')}
    </button>
  );
}
