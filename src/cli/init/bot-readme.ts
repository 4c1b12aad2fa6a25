import { backtestArguments } from './backtest-command.ts';
import type { BotLanguage } from './bot-language.ts';
import type { BotWishes } from './bot-wishes.ts';
import { INIT_TEXTS } from './init-texts.ts';

/** Returns the README of a new bot's folder, in the chosen language. */
export function botReadme(wishes: BotWishes, title: string): string {
  const { readme } = INIT_TEXTS[wishes.language].modes[wishes.mode];
  const backtest = `npx sarraf ${backtestArguments(wishes)}`;
  return README[wishes.language]({ ...wishes, title, backtest, readme });
}

interface Shown extends BotWishes {
  readonly title: string;
  readonly backtest: string;
  readonly readme: string;
}

const README: Readonly<Record<BotLanguage, (shown: Shown) => string>> = { en: english, fa: persian };

function english({ title, name, backtest, readme }: Shown): string {
  return `# ${title}

A trading bot for [sarraf](node_modules/sarraf/README.md). ${readme}

\`\`\`sh
npm install
npm start
\`\`\`

Ctrl-C cancels its open orders, except those that only reduce a position, and prints a summary.

| file                        | what it is                                                  |
| --------------------------- | ----------------------------------------------------------- |
| \`bot.yaml\`                  | what the bot is: exchange, market, strategy, limits         |
| \`strategies/${name}.ts\` | what decides: yours to change                               |
| \`test/${name}.test.ts\`  | its test                                                    |
| \`.env\`                      | secrets: copy \`.env.example\`, and never commit it           |
| \`data/\`                     | what the bot remembers; \`npx sarraf backup\` makes copies    |
| \`Dockerfile\`, \`compose.yaml\` | the bot in a container: \`docker compose up -d --build\`       |

## Change the strategy

Edit \`strategies/${name}.ts\`, test it, and try it on a recording that ships with sarraf.

\`\`\`sh
npm test
npm run types
${backtest}
npx sarraf report show last
\`\`\`

[How to write a strategy](node_modules/sarraf/docs/strategies.md) has all that it may do, and
[backtest](node_modules/sarraf/docs/backtest.md) says how to use your own data.

## Watch it

The bot has a page at [127.0.0.1:8420](http://127.0.0.1:8420). \`npx sarraf token link\` prints a link that signs you
in; for a bot in a container it is \`docker compose exec bot sarraf token link --data /data\`. Or in a second terminal,
while it runs:

\`\`\`sh
npx sarraf status
npx sarraf orders --state all
npx sarraf trades
npx sarraf intents
\`\`\`

\`npx sarraf halt\` stops new orders and cancels its own. \`npx sarraf resume\` ends that.

## On paper, then with money

1. Set \`mode: paper\` in \`bot.yaml\`, and the address of the exchange. Let it run for some days.
2. Read the [checklist before real money](node_modules/sarraf/docs/production.md).
3. Put the token into \`.env\`, set limits under \`risk\`, and set \`mode: live\`.

\`\`\`sh
npx sarraf doctor --config bot.yaml
npx sarraf plan --config bot.yaml
\`\`\`
`;
}

function persian({ title, name, backtest, readme }: Shown): string {
  return `<div dir="rtl">

# ${title}

یک ربات معامله‌گر با [sarraf](node_modules/sarraf/README.md). ${readme}

\`\`\`sh
npm install
npm start
\`\`\`

با Ctrl-C سفارش‌های بازِ ربات لغو می‌شود (جز آن‌ها که فقط از دارایی‌اش کم می‌کنند) و خلاصه‌ای چاپ می‌شود.

| پرونده | چیست |
| --- | --- |
| \`bot.yaml\` | تنظیم‌های ربات: صرافی، بازار، استراتژی و محدودیت‌ها |
| \`strategies/${name}.ts\` | استراتژی؛ برای تغییر شما |
| \`test/${name}.test.ts\` | آزمون استراتژی |
| \`.env\` | رمزها: نسخه‌ای از \`.env.example\` که هرگز در git نمی‌رود |
| \`data/\` | حافظهٔ ربات؛ \`npx sarraf backup\` از آن نسخهٔ پشتیبان می‌گیرد |
| \`Dockerfile\`، \`compose.yaml\` | ربات در کانتینر: \`docker compose up -d --build\` |

## تغییر استراتژی

پروندهٔ \`strategies/${name}.ts\` را تغییر دهید، آزمون را اجرا کنید و آن را روی داده‌ای که همراه sarraf است بیازمایید.

\`\`\`sh
npm test
npm run types
${backtest}
npx sarraf report show last
\`\`\`

هر چه یک استراتژی می‌تواند بکند در [راهنمای استراتژی](node_modules/sarraf/docs/strategies.md) است، و کار با دادهٔ
خودتان در [راهنمای backtest](node_modules/sarraf/docs/backtest.md) (هر دو به انگلیسی).

## تماشای ربات

ربات صفحه‌ای در [127.0.0.1:8420](http://127.0.0.1:8420) دارد. \`npx sarraf token link\` پیوندی برای ورود به آن چاپ می‌کند؛
برای رباتی که در کانتینر است: \`docker compose exec bot sarraf token link --data /data\`.
یا در پنجره‌ای دیگر، وقتی ربات کار می‌کند:

\`\`\`sh
npx sarraf status
npx sarraf orders --state all
npx sarraf trades
npx sarraf intents
\`\`\`

\`npx sarraf halt\` سفارش تازه را متوقف و سفارش‌های خود ربات را لغو می‌کند. \`npx sarraf resume\` به آن پایان می‌دهد.

## اول آزمایشی، بعد با پول

1. در \`bot.yaml\` بنویسید \`mode: paper\` و نشانی صرافی را بدهید. چند روز بگذارید کار کند.
2. [فهرست کارهای پیش از پول واقعی](node_modules/sarraf/docs/production.md) را بخوانید.
3. توکن را در \`.env\` بنویسید، زیر \`risk\` محدودیت بگذارید و بنویسید \`mode: live\`.

\`\`\`sh
npx sarraf doctor --config bot.yaml
npx sarraf plan --config bot.yaml
\`\`\`

</div>
`;
}
